"""What runs: one node in this process, or several workers on one port over one store.

serve       `tenmatch serve`: sockets, certificate and store, then one of the two
process     one node, from its start to its drain
workers     processes of which each is a node, started again when they die
sockets     where it listens, and where that is for a browser
fitness     what has to be so before anything is served
"""

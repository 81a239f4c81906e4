"""Where everything is built and run.

settings    everything that can be set
wiring      builds a node, in order, from the store up to the door (node: what it has built)
serving/    what runs: one node, or several workers
drain       the end of a node, without loss
health      what a node says of itself to whoever sends it clients
registry    and what nodes say of themselves to those who run them
website     the web client's files (reference: the wire, for those who write clients)
logs, metrics (scraping), traces, watchdog   how it is seen from outside
admin/      the operators' page
cli         the command line:
operating/  what an operator does by hand, on the store of a server that runs (storage)
judging, verifying   questions about boards, proofs of records
terminal    the way to the terminal client
load/       plays in many rooms at once, and checks every answer
mock/       plays a recorded session to a client
"""

"""Where clients and tournaments meet. A tournament is its log, as a room is, and any node can serve any.

Read in this order:

    held         a tournament as this node has it: its log, the state it folds to, who watches
    tournaments  those that this node has loaded: ask, append, catch up, what is due
    upkeep       what is done for them again and again: compare, list, let go
    games        the rooms of their games: found them, and carry over what came of them
    desk         what clients ask
    pages        plain HTTP answers: how one stands, the results as a table, the list
"""

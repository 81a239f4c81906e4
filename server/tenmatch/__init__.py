"""tenmatch: people play Number Match against each other in real time.

The package is built in floors; a module imports its own floor and those below it, never above:

    rules     what Number Match is: board, pairs, Add, deal, points
    game      one room as three pure functions: settle, decide, evolve
    protocol  the messages on the wire, and the events as they are stored
    store     the room's log in Redis, the feed between nodes, who is there, the lists
    gateway   WebSocket connections, sessions, the rooms that this node has loaded
    app       settings, wiring, HTTP answers, the command line

Read on in `tenmatch.rules.board`.
"""

__version__ = "0.1.0"

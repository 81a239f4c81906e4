"""What nodes share: each room's log in Redis, the feed between nodes, who is there, the lists.

The store moves bytes and small values and knows nothing of what a room means. It alone talks to Redis (or
Valkey); it talks to one real server, the operator's or a private one, and there is no second implementation.

    keys        every key and channel, what lies under it and how long
    connect     a URL, connections, exchanges with the server, StoreDown
    clock       the store's clock, as this node reckons it
    log         a room's log: where it ends, what an append can come to, reading and comparing
    committer   the one way to write a log: group commit, unknown outcomes resolved
    feed        the one subscriber of this node: entries and notes as they are published
    published   those messages as bytes
    notes       notes on their way out
    presence    which connection holds a seat, who is online, how many watch
    due         rooms that somebody must look at, and when
    outages     the heartbeat of all nodes together, and the gaps in it
    lobby, codes, players, secret   the lists beside the logs
    checks      is this server fit to be the store?
    embedded    a private server in a folder of ours
    tethered    runs a program that dies with us
"""

"""What nodes share: each room's log in Redis, the feed between nodes, who is there, the lists.

The store moves bytes and small values and knows nothing of what a room means. It alone talks to Redis (or
Valkey): real servers, the operator's or a private one, and there is no second implementation. A server alone
is a cluster of one; so is whichever primary sentinels name.

    keys        every key and channel, what lies under it and how long
    address     a URL: servers, and how to log in
    link        one connection, exchanges on it, StoreDown
    primaries   which servers are primaries at the moment, and of what
    pipelines   a few connections that all callers share, a pipeline at a time on each
    shard       a primary, whichever server that is, and the way to it
    connect     the store: all shards, a command to each where its key lies
    clock       the store's clock, as this node reckons it
    log         a room's log: where it ends, what an append can come to, reading and comparing
    committer   the one way to write a log: group commit, unknown outcomes resolved
    lane        the pipelines of appends to one shard
    durability  when an event counts as written
    feed        what this node hears: entries and notes as they are published
    subscriber  the one connection that hears what one shard publishes
    published   those messages as bytes
    notes       notes on their way out
    presence    which connection holds a seat, who is online, how many watch
    due         rooms that somebody must look at, and when
    queue       who seeks an opponent, and who was paired
    counted     what counts against a player or an address for a while
    histogram   how often something was how large
    nodes       the nodes that run, and how all of them are told something
    outages     the heartbeat of all nodes together, and the gaps in it
    lobby, codes, players, secret   the lists beside the logs
    observed     what nodes note of players beside a log
    reports      what players report of each other
    checks      is this server fit to be the store?
    embedded    a private server in a folder of ours
    tethered    runs a program that dies with us
"""

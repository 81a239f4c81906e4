"""Where clients and rooms meet: connections, sessions, and the rooms that this node has loaded.

A move goes through here from top to bottom, and its event back up:

    tls          who comes with TLS, and with which certificate it is met
    connection   one socket: bytes to messages, over the Sans-I/O layer of `websockets`
    incoming     that layer, and a short way past its parser
    handshake    who may come in: path, origin, subprotocol, how many from one address
    identity     who somebody is: guests, or whom another issuer vouches for
    bearer       who a connection belongs to, until what proves it expires
    session      one client's side of the protocol, without a socket
    requests     what its messages ask of a room, as commands
    ends         what a session stands between (Socket, Desk)
    desk/        the requests that have to wait for the store: create, join and more
    talk         what is said in rooms, and reported of players
    asked        a command that waits for its answer, and what the answer can be
    copied       a log as this node has it: where it ends, what continues it
    held         a room's log as this node has it, and the state it folds to
    ruling       what becomes of commands that wait: each judged on the state that the last one led to
    shown        a room as some of its members are shown it (past: as it was, to who watches with a delay)
    table        one loaded room: one append at a time, answers after their append
    reader       who is sent it
    fanout       an event to everyone in the room: players first, watchers in slices
    frames       what they are sent, made once for all of a kind (framing: as WebSocket frames)
    attendance   who is there, on all nodes
    witness      what is noted of players beside the log
    matchmaking  who seeks an opponent here, and what they are told
    meetings     the rooms of those who were found for each other
    tournament/  tournaments, which are logs as rooms are
    kept         what is read from the store once for all who ask within a moment
    listing      the public list of rooms
    news         what the feed brings from other nodes
    orders       what an operator tells all nodes
    pulse        whether this node may speak for the game
    tables       the rooms loaded on this node: load, unload, repair
    appending    an append that somebody waits for
    indexes      who sits where, who made what, as the store has it beside the logs
    counts       what has happened here, as plain numbers
    onlooker     who may look on as moves are made, for traces
    rounds       what a node does again and again: beat, heads, presence, due rooms

Beside that way:

    http         plain answers on the same port
    records, leaderboards, dailyboards (boardpart)   what is told there of games that are over
    ratings      players' ratings: entered when a rated game is over
    dailies      the dailies: their seeds, players' attempts
    addresses    whose address counts behind a proxy
    credits      how much may be sent (allowance: by one client, and with others of its player and address)
    quota        how many rooms, or tournaments, one player and one address may make
    tokens       what makes a token good (issuer, keyset: those of somebody else)
    readable     what people write, so that everyone sees all of it
    draws        what is left to chance
    beat, tasks  when something is done again; how tasks are started
"""

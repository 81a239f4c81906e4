"""One room of Number Match, as pure functions over events.

Read in this order:

    options    what a room is made with
    events     what can happen in a room, as it is logged
    commands   what can be asked of a room
    room       the state of a room, and `evolve`: what an event makes of it
    decide     what a command does: events, or a refusal that changes nothing
    settle     what is due by itself
    create     how a room begins, the rooms of rematches and quick matches
    pairing    who of those that wait plays whom
    operator   what an operator does to a room by hand
    computer   when computer players move, and what
    evidence    what a game tells of how its players played
    featured    which games are most worth watching
    modes/     only what differs between race and turns
    tournament/ knock-outs and arenas, whose games are rooms
"""

"""A tournament, as pure functions over events: beside rooms, and made like one.

Read in this order:

    plan       what a tournament is made with
    events     what can happen in one, as it is logged
    state      how it stands, and `evolve`: what an event makes of it
    knockout   the bracket: who meets whom, byes, walkovers
    arena      who of those that are free plays whom
    draws      what the tournament's seed decides: seats, lots, the names of rooms
    outcome    what a room that is over means for the game played there
    standings  who is where
    decide     what a command does: events, or a refusal
    settle     what is due by itself

Its games are ordinary rooms, made for two who have until a deadline to come.
"""

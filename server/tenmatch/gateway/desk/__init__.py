"""What sessions ask for that is no matter of one loaded room alone: it has to wait for the store.

    desk       where sessions ask; one thing at a time for each, and what goes wrong becomes its answer
    welcome    who says hello, and where they still sit
    entrance   into a room and out of it: join, leave
    founding   rooms that are made for whoever asks: create, daily
    seeking    quick match: queue

Tournaments have a desk of their own (`tenmatch.gateway.tournament.desk`); talk and the list of rooms answer
at once (`tenmatch.gateway.talk`, `tenmatch.gateway.listing`).
"""

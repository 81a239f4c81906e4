"""A server that only plays back: a recorded session, for clients in any language to be run against.

session   the file: what goes in, what comes out, line by line
play      one session being played: is that what should come in, and what comes out then?
serve     the socket around it, and the verdict
"""

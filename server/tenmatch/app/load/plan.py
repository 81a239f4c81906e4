"""What a worker is to do, what it is told while it does it, and what it answers: a line of JSON each."""

from typing import Literal

from msgspec import Struct

from tenmatch.app.load.tally import Tally


class Plan(Struct, frozen=True):
    """One worker's share of a load; the first line it reads."""

    url: str  # http://host:port, or https, ws, wss
    rooms: int = 1  # in each of which two play
    watchers: int = 0  # in each of these rooms, or in the one that is watched
    watch: str = ""  # the id or code of a room in which others play; nobody plays then
    rate: float = 0.0  # moves a second, all rooms of this worker together; 0: as fast as they are answered
    size: int = 180  # numbers in a deal
    adds: int = 0  # Adds that a game may have
    seeds: tuple[str, ...] = ()  # of the deals, hex; none: they are drawn
    chance: int = 1  # whatever is drawn follows from it
    staggered: bool = True  # first games of any length, so that not all rooms end in one moment
    one_node: bool = False  # both players of a room on the same node
    patience_s: float = 10.0  # for an answer, connections that break and come back included


class Order(Struct, frozen=True, omit_defaults=True):
    """What a worker is told; each is answered by a report."""

    do: Literal[
        "report",
        "play",  # make moves from now on
        "rest",  # make no more
        "resume",  # ask, over each connection, for what came after the last event held
        "cut",  # break off all connections at once, come back, and resume
    ]
    until: int | None = None  # `play`: only so many steps of each game


class Report(Struct, frozen=True, omit_defaults=True):
    """How a worker is."""

    tally: Tally
    entered: bool = False  # all were where they should be, at least once: in rooms that began, or watching
    resting: bool = False  # no move is under way, and none to come before the next order
    away: int = 0  # connections that are not there, or not yet where they were before
    rooms: tuple[str, ...] = ()  # in which its players are
    failed: str = ""  # why nothing comes of it

"""What has happened on this node since it began: plain integers, counted where it happens, read when asked.

What can be seen at any moment (sockets, rooms) is not counted here, nor what the store counts itself.
"""

from collections import Counter

from tenmatch.game.answers import Denied
from tenmatch.game.events import AnyEvent
from tenmatch.gateway.asked import Answer, Done, NotMade, Repeated
from tenmatch.store.histogram import SECONDS, Histogram


class Counts:
    """What a node's sessions and tables count."""

    __slots__ = (
        "coalesced",
        "delivery",
        "events",
        "foreign_events",
        "gaps",
        "limited",
        "made",
        "not_made",
        "races",
        "repairs",
        "repeated",
        "skipped",
        "told_players",
        "told_watchers",
        "unavailable",
    )

    def __init__(self) -> None:
        """Count nothing yet."""
        self.made: Counter[type[AnyEvent]] = Counter()  # moves by what became of them
        self.not_made: Counter[str] = Counter()  # moves by the code of their refusal
        self.repeated = 0  # moves that were made before
        self.unavailable = 0  # moves of which it could not be said in time what became of them
        self.delivery = Histogram(SECONDS)  # seconds from a command's frame to its events' being sent
        self.events = 0  # that this node wrote
        self.foreign_events = 0  # that others wrote
        self.told_players = 0  # events, or what stood for several, by whom they were sent to
        self.told_watchers = 0
        self.skipped = 0  # events left out, as a watcher reads too slowly
        self.coalesced = 0  # snapshots in place of what was left out
        self.gaps = 0  # times that the feed brought what does not continue the log as it is held
        self.races = 0  # appends that came second to another node's
        self.repairs: Counter[str] = Counter()  # times that a log was brought in line, by how
        self.limited: Counter[str] = Counter()  # what was refused for want of credits

    def answered(self, answer: Answer) -> None:
        """Count what became of a move."""
        if isinstance(answer, Done):
            self.made[type(answer.events[0])] += 1
        elif isinstance(answer, NotMade):
            self.not_made[answer.refused.code] += 1
        elif isinstance(answer, Repeated):
            self.repeated += 1
        elif isinstance(answer, Denied):
            self.not_made[answer.code] += 1
        else:
            self.unavailable += 1

"""A party that plays races on our server, and checks each verdict, board and sequence number."""

import secrets
from collections.abc import Iterator
from typing import Final

from tenmatch.app.load.gallery import Gallery
from tenmatch.app.load.games import Game
from tenmatch.app.load.member import Company, Member
from tenmatch.app.load.party import Pace, Party
from tenmatch.app.load.said import Reader, Said

SECONDS: Final = 3_600  # that a game may take
EARLY: Final = ("time", "abandoned")  # ends that come of playing slowly, and are nobody's fault


class Race(Party):
    """Two players, with watchers if wanted, in one room after the other."""

    def __init__(
        self,
        company: Company,
        games: Iterator[Game],
        pace: Pace,
        *,
        watchers: int = 0,
        one_node: bool = False,
    ) -> None:
        """Be ready to connect.

        Args:
            one_node: Both players are to be on the same node.
        """
        super().__init__(games, pace, company.tally)
        self._company = company
        self._one_node = one_node
        reader = Reader()
        self._players = [Member(company, self, reader) for _ in range(2)]
        self._gallery = Gallery(company, watchers)
        self._absent = 0  # players who are not yet where they are to be
        self._steps = [0, 0]  # that each player has been told
        self._over = [False, False]  # that each player has been told

    def start(self) -> None:
        """Connect everyone; then the first makes a room."""
        self._absent = 2
        for player in self._players:
            player.connect()

    # -- into a room

    def welcomed(self, member: Member) -> None:
        """Go on when all are there."""
        first, second = self._players
        self._absent -= 1
        if self._absent:
            return
        if self._one_node and first.node != second.node:
            self._absent = 1
            second.forget()
        else:
            self._gallery.start(self._make_room)

    def _make_room(self) -> None:
        options = {
            "size": self.game.size,
            "seed": self.game.seed.hex(),
            "adds": self.game.adds,
            "countdown_ms": 0,
            "seconds": SECONDS,
        }
        key = secrets.token_hex(8)  # so that asking again makes no second room
        self._steps, self._over, self._absent = [0, 0], [False, False], 2
        self._players[0].ask("create", mode="race", private=True, options=options, key=key)

    def entered(self, member: Member, said: Said) -> None:
        """Let the others follow the first; when all are in, be ready."""
        if any(self._steps):
            self.tally.fault(f"room {said.room}: a player got a snapshot in mid-game")
            return
        if member is self._players[0]:
            self.room = said.room
            self._players[1].enter(said.room)
        else:
            self._gallery.enter(said.room, self._ready, self._move_on)

    def _ready(self) -> None:
        for player in self._players:
            player.ask("ready", room=self.room, ready=True)

    # -- the game

    def told(self, member: Member, said: Said) -> None:
        """Check what a player is told, and go on where it is what was waited for."""
        seat = self._players.index(member)
        match said.kind:
            case "started":
                self._check_board(said, self.game.hash)
                if seat == 0:
                    self.begin()
            case "matched" | "added":
                self._step(seat, said)
            case "mistaken":
                self.tally.fault(f"room {self.room}: move {said.n} of seat {said.seat} was called a mistake")
            case "ended":
                self._ended(seat, said)

    def _step(self, seat: int, said: Said) -> None:
        at = self._steps[seat]
        if at >= len(self.game.steps):
            self.tally.fault(f"room {self.room}: a {said.kind} too many: {said.seq}")
            return
        self._steps[seat] = at + 1
        step = self.game.steps[at]
        if step.pair is None:
            fits = said.kind == "added"
        else:
            fits = (said.seat, said.n, said.a, said.b) == (at & 1, at // 2 + 1, *step.pair)
        if not fits:
            self.tally.fault(f"room {self.room}: event {said.seq} is not what was asked for")
        self._check_board(said, step.hash)
        if seat == at & 1:
            self.tally.moves += 1
        else:
            self.seen()

    def _check_board(self, said: Said, expected: int) -> None:
        if said.hash != expected:
            self.tally.fault(f"room {said.room}: the board hash of event {said.seq} is wrong")

    def make(self, at: int) -> None:
        """Claim the pair, or call."""
        mover = self._players[at & 1]
        pair = self.game.steps[at].pair
        n = at // 2 + 1
        if pair is None:
            mover.send({"t": "call", "room": self.room, "n": n, "seen": mover.seq})
        else:
            a, b = pair
            mover.send({"t": "match", "room": self.room, "n": n, "a": a, "b": b, "seen": mover.seq})

    def returned(self, member: Member) -> None:
        """Make the step under way again, unless its maker has the answer: the same n is the same move."""
        at = self._at
        if self.under_way and member is self._players[at & 1] and self._steps[at & 1] == at:
            self.make(at)

    # -- out of it

    def _ended(self, seat: int, said: Said) -> None:
        if self._steps[seat] < len(self.game.steps) and said.reason not in EARLY:
            self.tally.fault(f"room {self.room}: it ended too early: {said.reason}")
        self._over[seat] = True
        self._move_on()

    def _move_on(self) -> None:
        if not (all(self._over) and self._gallery.over):
            return
        self.tally.games += 1
        for player in self._players:
            player.leave()
        self.next_game()
        self._make_room()

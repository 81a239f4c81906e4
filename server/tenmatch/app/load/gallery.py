"""Watchers of one room: each must be told every event, once and in order, and every board must be right.

The events are folded here once more, whoever plays: what a match or an Add makes of the board must hash to
what the server says.
"""

from collections.abc import Callable
from typing import Final

from tenmatch.app.load.member import Company, Member
from tenmatch.app.load.said import Reader, Said
from tenmatch.app.load.tally import Tally
from tenmatch.game.room import Phase
from tenmatch.rules.board import Board, added, may_add, play
from tenmatch.rules.judge import judge
from tenmatch.rules.notation import NotationError, board_hash, copies, parse, restored

OVER: Final = Phase.OVER.value


class Fold:
    """A room's board, from the events as they are told."""

    def __init__(self, tally: Tally) -> None:
        """Begin with no board."""
        self._tally = tally
        self._board: Board | None = None
        self._seq = 0  # of the last event folded
        self._chains: dict[int, int] = {}  # by seq, as they were first told
        self._last: Said | None = None

    def begin(self, said: Said) -> None:
        """Take a snapshot: the first one as it is, others as a check."""
        state = said.state
        assert state is not None
        try:
            board = None if state.board is None else restored(state.board, state.ids, state.next_id)
        except NotationError as error:
            self._tally.fault(f"room {said.room}: a snapshot with a board that cannot be: {error}")
            return
        if said.seq > self._seq:
            self._board, self._seq = board, said.seq
            self._chains[said.seq] = said.chain
        elif said.seq == self._seq and board != self._board:
            self._tally.fault(f"room {said.room}: the snapshot after {said.seq} has another board")

    def fold(self, said: Said) -> None:
        """Take an event that somebody was told."""
        if said is self._last:
            return  # the very bytes that somebody else was sent
        if said.seq == self._seq + 1:
            self._seq, self._last = said.seq, said
            self._chains[said.seq] = said.chain
            self._advance(said)
        elif self._chains.get(said.seq, said.chain) != said.chain:
            self._tally.fault(f"room {said.room}: event {said.seq} differs from what others were told")

    def _advance(self, said: Said) -> None:
        try:
            self._board = _after(self._board, said)
        except (NotationError, ValueError) as error:
            self._tally.fault(f"room {said.room}: event {said.seq}: {error}")
            return
        if said.hash is not None and (self._board is None or board_hash(self._board) != said.hash):
            self._tally.fault(f"room {said.room}: the board hash of event {said.seq} is wrong")


def _after(board: Board | None, said: Said) -> Board | None:
    """Return the board after an event. Raises ValueError where that event cannot be."""
    if said.kind == "started":
        return parse(said.board)
    if board is None or said.kind not in ("matched", "added"):
        return board
    if said.kind == "matched":
        if (refusal := judge(board, said.a, said.b)) is not None:
            raise ValueError(f"a match that is none: {refusal.code}")
        return play(board, said.a, said.b).board
    if not may_add(board) or said.digits != copies(board.active):
        raise ValueError("an Add that is none")
    return added(board)


def _nothing() -> None:
    """Do nothing."""


class Gallery:
    """So many watchers who go from room to room together."""

    def __init__(self, company: Company, watchers: int) -> None:
        """Gather them; `start` connects them."""
        self._company = company
        self._reader = Reader()
        self._fold = Fold(company.tally)
        self._members = [Member(company, self, self._reader) for _ in range(watchers)]
        self._expected: set[Member] = set()  # who is not there yet
        self._sees: set[Member] = set()  # who was not told yet that it is over
        self._then = self._ended = _nothing

    def start(self, then: Callable[[], None]) -> None:
        """Connect; `then` is called when all are there."""
        self._await(then)
        for member in self._members:
            member.connect()

    def enter(self, room: str, then: Callable[[], None], ended: Callable[[], None] = _nothing) -> None:
        """Leave the room that is watched and go to another.

        Args:
            then: Called when all are there.
            ended: Called when all have seen the end of the game.
        """
        self._fold = Fold(self._company.tally)
        self._sees, self._ended = set(self._members), ended
        self._await(then)
        for member in self._members:
            if member.room:
                member.leave()
            member.enter(room, watch=True)

    @property
    def over(self) -> bool:
        """Whether everyone has seen the end."""
        return not self._sees

    def _await(self, then: Callable[[], None]) -> None:
        self._expected, self._then = set(self._members), then
        if not self._expected:
            then()

    def _arrived(self, member: Member) -> None:
        if member in self._expected:
            self._expected.remove(member)
            if not self._expected:
                self._then()

    def _saw_the_end(self, member: Member) -> None:
        if member in self._sees:
            self._sees.remove(member)
            if not self._sees:
                self._ended()

    # -- Owner

    def welcomed(self, member: Member) -> None:
        """Count who is there."""
        self._arrived(member)

    def entered(self, member: Member, said: Said) -> None:
        """Take a snapshot: upon entering, or instead of events that were read too slowly."""
        assert said.state is not None
        if said.re is None:
            self._company.tally.snapshots += 1
        self._fold.begin(said)
        if said.state.phase == OVER:
            self._saw_the_end(member)
        self._arrived(member)

    def told(self, member: Member, said: Said) -> None:
        """Take an event."""
        self._fold.fold(said)
        if said.kind == "ended":
            self._saw_the_end(member)

    def returned(self, member: Member) -> None:
        """Go on watching."""

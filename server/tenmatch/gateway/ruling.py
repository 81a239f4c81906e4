"""What becomes of the commands that wait for a room: each is judged on the state that the last one led to."""

from collections.abc import Sequence

from tenmatch.game.answers import Logged, Refused, Taken
from tenmatch.game.decide import decide
from tenmatch.game.events import AnyEvent
from tenmatch.game.ids import Millis
from tenmatch.game.room import Room
from tenmatch.game.settle import settle, shift
from tenmatch.gateway.asked import NOT_SEATED, Answer, Asked, Done, NotMade
from tenmatch.gateway.held import Held


class Ruling:
    """Events that follow a log's end, the room after them, and whom they answer."""

    __slots__ = ("_held", "answers", "events", "room")

    def __init__(self, held: Held) -> None:
        """Begin at the end of *held*, with nothing."""
        self.room: Room = held.state
        self.events: list[AnyEvent] = []
        self.answers: list[tuple[Asked, Answer | Logged]] = []
        self._held = held

    def shift(self, away: int, now: Millis) -> None:
        """Give back *away* ms in which the server as a whole was away."""
        self._note(shift(self.room, away, max(now, self.room.at)))

    def settle(self, now: Millis) -> None:
        """Let happen what is due; of the state that is held it is known when that is, mostly not yet."""
        if self.room is self._held.state and ((due := self._held.next_due()) is None or now < due):
            return
        self._note(settle(self.room, now))

    def answer(self, asked: Sequence[Asked]) -> None:
        """Judge commands in their order, each as of when it came."""
        for one in asked:
            at = max(one.arrived, self.room.at)
            self.settle(at)
            self.answers.append((one, self._judge(one, at)))

    def _judge(self, asked: Asked, at: Millis) -> Answer | Logged:
        if asked.command is None:
            return Done(())
        if asked.holder is not None and not asked.holder.sits(self.room):
            return NotMade(NOT_SEATED, self.room.seq)
        decision = decide(self.room, asked.command, at)
        if isinstance(decision, Taken):
            self._note(decision)
            return Done(decision.events)
        return NotMade(decision, self.room.seq) if isinstance(decision, Refused) else decision

    def _note(self, taken: Taken) -> None:
        self.events += taken.events
        self.room = taken.room

"""One session being played: compares what comes in with what was recorded, and answers with the recording.

A client numbers its requests as it likes and has a name, a key and a token of its own: none of that is
compared, and `re` names its numbers. All moments are moved to now, as far apart as they were.
"""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, Final

from tenmatch.app.mock.session import Kind, Session, Step
from tenmatch.game.ids import Millis
from tenmatch.protocol.record import difference, shown

Message = Mapping[str, Any]

FREE: Final = frozenset({"id", "token", "name", "agent", "key", "seen"})
"""Fields of a client's messages that are its own affair."""
MOMENTS: Final = frozenset(
    {"at", "time", "starts_at", "started_at", "ends_at", "locked_until", "clocks_at", "join_by"}
)
AT_ANY_TIME: Final = frozenset({"ping", "focus"})
"""What a client may say whenever it likes; it is answered, and not compared."""


class Differs(Exception):
    """Something else came in than was recorded; the message names the first difference."""


class Play:
    """A session, as far as it has been played."""

    def __init__(self, session: Session, now: Millis) -> None:
        """Begin.

        Args:
            now: When the client is welcomed.
        """
        self._steps = [step for step in session.steps if step.kind is not Kind.NOTE]
        self._place = 0
        self._ids: dict[int, int | None] = {}  # those of the recording, as this client has them
        welcomed = (step.value for step in self._steps if step.kind is Kind.OUT and "time" in step.value)
        self._later = now - next((message["time"] for message in welcomed), now)

    @property
    def over(self) -> bool:
        """Whether all of it has been played."""
        return self._place == len(self._steps)

    @property
    def due(self) -> str:
        """What should come next, for people."""
        if self.over:
            return "nothing more"
        step = self._steps[self._place]
        said = "a connection" if step.kind is Kind.CONNECT else shown(step.value)
        return f"{said} (line {step.line})"

    def connected(self) -> Iterator[Step]:
        """A client has connected: yield what happens then. Raises Differs."""
        if self.over or self._steps[self._place].kind is not Kind.CONNECT:
            raise Differs(f"a connection came, and should not: due is {self.due}")
        return self._next()

    def said(self, message: Message) -> Iterator[Step]:
        """A client has said something: yield what happens then. Raises Differs."""
        if self.over or (step := self._steps[self._place]).kind is not Kind.IN:
            raise Differs(f"{shown(message)} came, and should not: due is {self.due}")
        _compare(step, message)
        if "id" in step.value:
            self._ids[step.value["id"]] = message.get("id")
        return self._next()

    def _next(self) -> Iterator[Step]:
        """Go on to where something has to come in again; return what comes out until there."""
        begin = self._place + 1
        out = [*takewhile(lambda step: step.kind not in (Kind.IN, Kind.CONNECT), self._steps[begin:])]
        self._place = begin + len(out)
        return filter(None, map(self._answered, out))

    def _answered(self, step: Step) -> Step | None:
        """Return a step of the server's as it is for this client; None where it did not ask to hear it."""
        if step.kind is not Kind.OUT:
            return step
        message = _later(step.value, self._later)
        if message.get("re") is not None:
            message["re"] = self._ids.get(message["re"], message["re"])
            if message["re"] is None and message["t"] == "ok":
                return None
        return Step(step.line, step.kind, message)


def _compare(step: Step, message: Message) -> None:
    """Compare what came in with what was recorded. Raises Differs."""
    due, said = (
        {key: value for key, value in one.items() if key not in FREE} for one in (step.value, message)
    )
    # An optional field is the same absent, null, or as it is by itself.
    said = {key: value for key, value in said.items() if key in due or value not in (None, False, {})}
    if isinstance(due.get("options"), dict) and isinstance(said.get("options"), dict):
        said["options"] = {
            key: said["options"].get(key) for key in due["options"]
        }  # others may be named, too
    if found := difference(said, due):
        where = f"{found.path} is {shown(found.said)}, should be {shown(found.due)}"
        raise Differs(f"line {step.line}: {where}\n  came: {shown(message)}\n  due:  {shown(step.value)}")


def _later(value: Any, by: int) -> Any:
    """Return a copy with all moments moved."""
    if isinstance(value, dict):
        return {
            key: item + by if key in MOMENTS and isinstance(item, int) else _later(item, by)
            for key, item in value.items()
        }
    return [_later(item, by) for item in value] if isinstance(value, list) else value

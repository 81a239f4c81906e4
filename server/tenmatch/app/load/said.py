"""What is read of what the server says: no more than the checks need, and what several are sent once."""

from typing import Final

import msgspec


class State(msgspec.Struct):
    """A room, in a snapshot."""

    phase: str
    board: str | None = None
    ids: tuple[int, ...] = ()
    next_id: int = 0


class Said(msgspec.Struct):
    """A message, or an event in `resumed`."""

    t: str = "event"
    re: int | None = None
    room: str = ""
    seq: int = 0
    chain: int = 0
    seat: int | None = None
    # events
    kind: str = ""
    hash: int | None = None
    n: int | None = None
    a: int = -1
    b: int = -1
    board: str = ""
    digits: str = ""
    # answers
    state: State | None = None
    events: tuple["Said", ...] = ()
    reset: bool = False
    token: str = ""
    node: str = ""
    code: str = ""
    text: str = ""
    reason: str = ""


_decode: Final = msgspec.msgpack.Decoder(Said).decode


class Reader:
    """Decodes messages; what several of us are sent in the same bytes, once."""

    def __init__(self) -> None:
        self._payload = b""
        self._said = Said()

    def __call__(self, payload: bytes) -> Said:
        """Return what a message says. Raises msgspec.DecodeError for what is none."""
        if payload != self._payload:
            self._said = _decode(payload)
            self._payload = payload
        return self._said

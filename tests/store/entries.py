"""Entries and logs for tests: to the store they are bytes, of which four are a chain."""

from collections.abc import Sequence

from tenmatch.game.ids import RoomId, Seq
from tenmatch.store.log import START, Head, chain_of

ROOM = RoomId("abcdefghjk")
OTHER_ROOM = RoomId("mnpqrstuvw")


def entry(chain: int, text: str = "something happened") -> bytes:
    """Return an entry that carries *chain*."""
    return b"\x01" + chain.to_bytes(4, "big") + text.encode()


def head_after(entries: Sequence[bytes]) -> Head:
    """Return where a log of *entries* ends."""
    return Head(Seq(len(entries)), chain_of(entries[-1])) if entries else START

"""When an event counts as written, and how the store confirms that it is: one command for a whole batch."""

from enum import StrEnum
from typing import Final

from tenmatch.store.link import Reply, pack


class Durability(StrEnum):
    """Who has an event before its outcome is told."""

    FAST = "fast"  # the primary: it survives the end of the server's process
    REPLICATED = "replicated"  # a replica, too: it survives the loss of the primary
    FSYNC = "fsync"  # the primary's disk: it survives a power failure


_COMMAND: Final = {
    Durability.FAST: None,
    Durability.REPLICATED: ("WAIT", 1),
    Durability.FSYNC: ("WAITAOF", 1, 0),
}


def confirm(durability: Durability, within: float) -> list[bytes]:
    """Return what asks to confirm all before it on the same connection, packed; it waits *within* seconds."""
    command = _COMMAND[durability]
    return [] if command is None else [pack(*command, int(within * 1000))]


def is_confirmed(replies: list[Reply]) -> bool:
    """Tell whether the answers to what `confirm` returned say so."""
    match replies:
        case []:
            return True
        case [int(copies)] | [[int(copies), _]]:
            return copies > 0
    return False

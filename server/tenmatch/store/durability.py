"""When an event counts as written, and how the store confirms that it is: one command for a whole batch."""

from enum import StrEnum
from typing import Final

from tenmatch.store.link import Reply, pack


class Durability(StrEnum):
    """Which loss an acknowledged event survives."""

    FAST = "fast"  # of the server's process: the primary has it, and its kernel soon
    REPLICATED = "replicated"  # of the primary: a replica has it, too
    FSYNC = "fsync"  # of power: the primary's disk has it


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

"""From a seed to a board, the same in any language, and the seed's commitment (rules 12 and 13)."""

from collections.abc import Iterator
from enum import StrEnum
from hashlib import sha256
from itertools import count, islice
from typing import Final

from msgspec import Struct

from tenmatch.rules.board import Board
from tenmatch.rules.judge import pairs, witness

SEED_BYTES: Final = 32


class DealKind(StrEnum):
    """How a board is dealt."""

    RANDOM = "random"
    EVEN = "even"  # random, and each class of values that fit each other has an even count
    CLASSIC = "classic"  # always the same board


SIZES: Final = {  # numbers that a deal may have
    DealKind.RANDOM: range(9, 181),
    DealKind.EVEN: range(36, 37),
    DealKind.CLASSIC: range(27, 28),
}
DEFAULT_SIZE: Final = {DealKind.RANDOM: 35, DealKind.EVEN: 36, DealKind.CLASSIC: 27}

# How many legal pairs a deal must have, by size; at least one, where it is not said here.
_PAIRS: Final = {27: range(12, 21), 35: range(18, 28), 36: range(19, 29)}
_CLASSIC: Final = bytes(map(int, "123456789111213141516171819"))


class DealError(ValueError):
    """Such a deal does not exist; the message says what is wrong and what is allowed."""


class Dealt(Struct, frozen=True):
    """A deal."""

    board: Board
    attempt: int  # which digit stream was the first to give a good board


def commitment(seed: bytes) -> str:
    """Give the hex SHA-256 of a seed: shown before the start, it lets anyone check the seed after the end."""
    return sha256(seed).hexdigest()


def deal(seed: bytes | None, size: int, kind: DealKind) -> Dealt:
    """Deal *size* numbers from a seed of 32 bytes, or the classic board, which has none.

    Raises:
        DealError: The size is not among those of the kind, or the seed is not what the kind needs.
    """
    if size not in (sizes := SIZES[kind]):
        raise DealError(f"a deal {kind.value!r} has a size from {sizes[0]} to {sizes[-1]}, not {size}")
    if kind is DealKind.CLASSIC:
        if seed is not None:
            raise DealError("a deal 'classic' is always the same board and has no seed")
        return Dealt(Board.dealt(_CLASSIC), 0)
    if seed is None or len(seed) != SEED_BYTES:
        raise DealError(f"a deal {kind.value!r} needs a seed of {SEED_BYTES} bytes")
    for attempt in count():
        digits = bytes(islice(_digits(seed, attempt), size))
        if (kind is not DealKind.EVEN or _is_even(digits)) and _has_good_count(digits):
            return Dealt(Board.dealt(digits), attempt)
    raise AssertionError("count() never ends")


def _digits(seed: bytes, attempt: int) -> Iterator[int]:
    """Yield the endless digit stream of one attempt."""
    start = seed + attempt.to_bytes(4, "big")
    for block in count():
        # 252 is the last multiple of nine in a byte; beyond it some digits would come more often than others.
        yield from (1 + byte % 9 for byte in sha256(start + block.to_bytes(4, "big")).digest() if byte < 252)


def _has_good_count(digits: bytes) -> bool:
    board, wanted = Board.dealt(digits), _PAIRS.get(len(digits))
    return witness(board) is not None if wanted is None else sum(1 for _ in pairs(board)) in wanted


def _is_even(digits: bytes) -> bool:
    return all(sum(map(digits.count, {value, 10 - value})) % 2 == 0 for value in range(1, 6))

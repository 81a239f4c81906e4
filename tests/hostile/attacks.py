"""Eight kinds of hostile connections, each with what the server must answer (RFC 6455, section 5)."""

import random
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from tests.hostile import verdict
from tests.live.wire import frame, upgrade

ILL_FORMED: Final = [
    *(b"\x80", b"\xbf", b"\xfe", b"\xff"),  # a continuation alone, and what never occurs
    *(b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf"),  # longer than they need be
    *(b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80"),  # surrogates, alone and in pairs
    *(b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80"),  # beyond U+10FFFF
    *(b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xe2\x28\xa1"),  # cut off
]
HELLO: Final = b'{"t":"hello"}'


class Attack(NamedTuple):
    """What is sent, and with which codes the server may close; a status where it was not let in."""

    upgraded: bool
    sent: bytes
    codes: set[verdict.Code]


Maker = Callable[[random.Random, str], Attack]


def _after(chance: random.Random, *parts: bytes, code: int) -> Attack:
    """Send parts behind something good, in the middle of a message perhaps."""
    before = [b"", frame(1, HELLO), frame(9, b"?"), frame(10), frame(1, b'{"t":', fin=False)]
    return Attack(True, chance.choice(before) + b"".join(parts), {code})


def opcode(chance: random.Random, url: str) -> Attack:
    """Send a frame of a kind that does not exist."""
    wrong = chance.choice([3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
    return _after(chance, frame(wrong, chance.randbytes(chance.randrange(200))), code=1002)


def reserved(chance: random.Random, url: str) -> Attack:
    """Set a bit of an extension that was not agreed on; the first is that of compression."""
    good = chance.choice([1, 2, 8, 9, 10])
    return _after(chance, frame(good, HELLO, rsv=chance.randint(1, 7)), code=1002)


def unmasked(chance: random.Random, url: str) -> Attack:
    """Send a frame as a server does."""
    good = chance.choice([0, 1, 2, 8, 9, 10])
    return _after(chance, frame(good, chance.randbytes(chance.randrange(300)), masked=False), code=1002)


def huge(chance: random.Random, url: str) -> Attack:
    """Announce more than there is memory for, and begin to send it."""
    claim = chance.choice([verdict.LONGEST + 1, 65_535, 65_536, 2**31, 2**32, 2**62, 2**63 - 1])
    opcode, rest = chance.choice([1, 2]), chance.randbytes(chance.randrange(2_000))
    before = chance.choice([b"", frame(1, HELLO), frame(9, b"?"), frame(10)])
    return Attack(True, before + frame(opcode, b"", claim=claim) + rest, {1009})


def bad_utf8(chance: random.Random, url: str) -> Attack:
    """Send text that is none, where it belongs into a message, perhaps cut in two."""
    text = b'{"t":"hello","name":"' + chance.choice(ILL_FORMED) + b'"}'
    at = chance.randrange(len(text))
    parts = chance.choice([frame(1, text), frame(1, text[:at], fin=False) + frame(0, text[at:])])
    before = chance.choice([b"", frame(1, HELLO), frame(9, b"?")])
    return Attack(True, before + parts, {1007})


def half_head(chance: random.Random, url: str) -> Attack:
    """Ask by half: end within the request, or end it within a header's name."""
    head = upgrade(url)
    if chance.random() < 0.5:
        return Attack(False, head[: chance.randrange(len(head))], {None})
    starts = [at + 2 for at in range(len(head) - 4) if head[at : at + 2] == b"\r\n"]
    start = chance.choice(starts)
    return Attack(False, head[: chance.randint(start + 1, start + 4)] + b"\r\n\r\n", {400})


def long_control(chance: random.Random, url: str) -> Attack:
    """Send a control frame that is too long, or in pieces."""
    kind = chance.choice([8, 9, 10])
    if chance.random() < 0.3:
        return _after(chance, frame(kind, b"\x03\xe8", fin=False), code=1002)
    return _after(chance, frame(kind, b"\x03\xe8" + bytes(chance.randint(124, 2_000))), code=1002)


def noise(chance: random.Random, url: str) -> Attack:
    """Send random bytes, as a request or as frames."""
    if chance.random() < 0.2:
        return Attack(False, chance.randbytes(chance.randint(1, 2_000)) + b"\r\n\r\n", {400})
    sent = chance.randbytes(chance.randint(1, 600))
    if chance.random() < 0.7:  # else nearly all of it fails at the first byte
        sent = bytes([chance.choice([0x01, 0x81, 0x82, 0x88, 0x89, 0x8A]), 0x80 | sent[0]]) + sent[1:]
    return Attack(True, sent, verdict.codes(sent))


MAKERS: Final[list[Maker]] = [opcode, reserved, unmasked, huge, bad_utf8, half_head, long_control, noise]


def attacks(count: int, url: str, seed: int) -> Iterator[tuple[str, Attack]]:
    """Yield so many attacks, of each kind as many."""
    chance = random.Random(seed)
    for number in range(count):
        make = MAKERS[number % len(MAKERS)]
        yield make.__name__, make(chance, url)

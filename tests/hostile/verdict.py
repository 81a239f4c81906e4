"""What may become of a client's bytes: RFC 6455, section 5, slowly, for who takes JSON text."""

import json
from typing import Final

LONGEST: Final = 4_096  # bytes of a message
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
NAMED: Final = {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014}  # that may be sent

Code = int | None
"""A close code; 0 for a close without one, None where no close is due."""


def codes(stream: bytes, *, binary: bool = False) -> set[Code]:
    """Return the codes with which a connection may be closed after these bytes.

    A message that is none and a broken frame behind it may come in one packet: either may be named.
    """
    wanted = BINARY if binary else TEXT
    due: set[Code] = set()
    perhaps: set[Code] = set()
    held: bytes | None = None  # the fragments so far
    kind = CONTINUATION
    while len(stream) >= 2:
        first, second = stream[0], stream[1]
        opcode, final, control = first & 15, bool(first & 0x80), bool(first & 8)
        if opcode not in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG) or not second & 0x80:
            return due | perhaps | {1002}
        head, length = _length(stream)
        if length is None:
            break
        broken: set[Code] = set()
        if first & 0x70 or (control and (not final or length > 125)):
            broken.add(1002)
        if not control and (held is None) is (opcode == CONTINUATION):
            broken.add(1002)
        if len(held or b"") + length > LONGEST:
            broken.add(1009)
        whole = len(stream) >= head + 4 + length
        if broken:
            return due | perhaps | broken | (set() if whole or due else {None})
        if not whole:
            break
        payload, stream = _unmasked(stream[head:], length), stream[head + 4 + length :]
        if opcode == CLOSE:
            return due | perhaps | _of_close(payload)
        if control:
            continue
        kind = opcode or kind
        held = (held or b"") + payload
        if final:
            if kind != wanted:
                due.add(1003)
            elif None in (fate := fates(held, binary=binary)):
                perhaps |= fate
            else:
                due |= fate
            held = None
    return due | perhaps or {None}


def fates(message: bytes, *, binary: bool) -> set[Code]:
    """Return the codes with which a message may be closed upon; None where it is one whole value.

    What is to be text in MessagePack and is not UTF-8 is a value all the same: it may be ignored or not.
    """
    if not binary:
        return {None} if is_json(message) else {1007}
    texts: list[bytes] = []
    try:
        if _skip(message, texts, 0) != len(message):
            return {1007}
    except IndexError:
        return {1007}
    try:
        b"\0".join(texts).decode()
    except UnicodeDecodeError:
        return {None, 1007}
    return {None}


def is_json(text: bytes) -> bool:
    """Tell whether bytes are exactly one JSON value in UTF-8, in which no half of a surrogate pair stands."""
    try:
        value = json.loads(text.decode(), parse_constant=_no_constant, object_pairs_hook=list)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        return False
    return not text.startswith(b"\xef\xbb\xbf")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


SIZES: Final = {  # of what follows a first byte that says it
    **{0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8},
    **{0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8},
    **{0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17},
}
LENGTHS: Final = {  # of the length, or of the count, that follows a first byte
    **{0xC4: 1, 0xC5: 2, 0xC6: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4},
    **{0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4},
}


def _skip(packed: bytes, texts: list[bytes], at: int) -> int:
    """Return where the value at *at* ends, and gather its texts. Raises IndexError where there is none."""
    first = packed[at]
    if first < 0x80 or first >= 0xE0:
        return at + 1
    if first < 0xA0:
        return _skip_many(packed, texts, at + 1, (first & 15) * (2 if first < 0x90 else 1))
    if first < 0xC0:
        return _text(packed, texts, at + 1, first & 31)
    if first == 0xC1:
        raise IndexError("never used")
    if first in SIZES:
        return _within(packed, at + 1 + SIZES[first])
    start = _within(packed, at + 1 + LENGTHS[first])
    length = int.from_bytes(packed[at + 1 : start])
    if first >= 0xDC:
        return _skip_many(packed, texts, start, length * (2 if first >= 0xDE else 1))
    if first >= 0xD9:
        return _text(packed, texts, start, length)
    return _within(packed, start + length + (1 if first >= 0xC7 else 0))


def _skip_many(packed: bytes, texts: list[bytes], at: int, count: int) -> int:
    for _ in range(count):
        at = _skip(packed, texts, at)
    return at


def _text(packed: bytes, texts: list[bytes], at: int, length: int) -> int:
    end = _within(packed, at + length)
    texts.append(packed[at:end])
    return end


def _within(packed: bytes, at: int) -> int:
    if at > len(packed):
        raise IndexError("cut off")
    return at


def _length(stream: bytes) -> tuple[int, int | None]:
    """Return where the mask begins and how long the payload is, if that is there yet."""
    length = stream[1] & 0x7F
    size = {126: 2, 127: 8}.get(length, 0)
    if not size:
        return 2, length
    return 2 + size, int.from_bytes(stream[2 : 2 + size]) if len(stream) >= 2 + size else None


def _unmasked(stream: bytes, length: int) -> bytes:
    return bytes(byte ^ stream[i % 4] for i, byte in enumerate(stream[4 : 4 + length]))


def _of_close(payload: bytes) -> set[Code]:
    if not payload:
        return {0}
    code = int.from_bytes(payload[:2])
    wrong: set[Code] = set()
    if len(payload) == 1 or not (code in NAMED or 3000 <= code < 5000):
        wrong.add(1002)
    try:
        payload[2:].decode()
    except UnicodeDecodeError:
        wrong.add(1007)
    return wrong or {code}

"""Makes a screenshot small: a PNG as browsers write it becomes one of at most 256 colours (RFC 2083)."""

import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
CHANNELS: Final = {2: 3, 6: 4}  # by colour type: RGB, RGB with alpha
MOST_COLOURS: Final = 256

Colour = bytes  # red, green, blue


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunks of a PNG: type and content."""
    assert png.startswith(SIGNATURE)
    at = len(SIGNATURE)
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12


def chunk(kind: bytes, content: bytes) -> bytes:
    """Return a chunk with its length and check sum."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def size(png: bytes) -> tuple[int, int]:
    """Return width and height in pixels."""
    width, height = struct.unpack(">II", dict(chunks(png))[b"IHDR"][:8])
    return width, height


def rows(png: bytes) -> Iterator[list[Colour]]:
    """Yield the rows of a PNG with 8 bits a channel, as colours without alpha."""
    header = dict(chunks(png))[b"IHDR"]
    width, _, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    assert (depth, interlaced) == (8, 0)
    step = CHANNELS[kind]
    data = zlib.decompress(b"".join(content for name, content in chunks(png) if name == b"IDAT"))
    above = bytearray(width * step)
    for start in range(0, len(data), width * step + 1):
        row = unfiltered(data[start], data[start + 1 : start + 1 + width * step], above, step)
        yield [bytes(row[at : at + 3]) for at in range(0, len(row), step)]
        above = row


def unfiltered(kind: int, row: bytes, above: bytearray, step: int) -> bytearray:
    """Undo what a row was filtered with (RFC 2083, 6)."""
    guess, plain = GUESSES[kind], bytearray(row)
    for at in range(len(row)):
        left, corner = (plain[at - step], above[at - step]) if at >= step else (0, 0)
        plain[at] = (row[at] + guess(left, above[at], corner)) & 255
    return plain


def paeth(left: int, up: int, corner: int) -> int:
    """Return which of the three is nearest to left + up - corner."""
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


GUESSES: Final[Sequence[Callable[[int, int, int], int]]] = (
    lambda left, up, corner: 0,
    lambda left, up, corner: left,
    lambda left, up, corner: up,
    lambda left, up, corner: (left + up) // 2,
    paeth,
)
"""What a byte was filtered with, from those to the left, above, and above on the left; by kind of filter."""


def few_colours(png: bytes) -> bytes:
    """Return the picture with its commonest colours only; any other becomes the nearest of those."""
    picture = list(rows(png))
    counted = Counter(colour for row in picture for colour in row)
    palette = [colour for colour, _ in counted.most_common(MOST_COLOURS)]

    @cache
    def nearest(colour: Colour) -> int:
        red, green, blue = colour
        apart = [(r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2 for r, g, b in palette]
        return apart.index(min(apart))

    width, height = size(png)
    data = b"".join(b"\0" + bytes(map(nearest, row)) for row in picture)
    return b"".join(
        (
            SIGNATURE,
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            chunk(b"PLTE", b"".join(palette)),
            chunk(b"IDAT", zlib.compress(data, 9)),
            chunk(b"IEND", b""),
        )
    )

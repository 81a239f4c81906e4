"""Ends that come early, by half, or from both sides at once (RFC 6455, sections 4.2, 5.5.1 and 7.1)."""

import socket
import struct

import pytest
from tests.conformance.echo import EitherKind, Server
from tests.gateway.sockets import Wire, request
from tests.live.wire import frame
from websockets.frames import Opcode

from tenmatch.gateway import connection
from tenmatch.protocol.limits import CloseCode

CLOSE = frame(Opcode.CLOSE, (1000).to_bytes(2))
TEXT = frame(Opcode.TEXT, b"x" * 300)
HEAD = request()
CUTS = [0, 1, len(HEAD) // 2, len(HEAD) - 1]


def reset(wire: Wire) -> None:
    """End a connection as a crash does."""
    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.socket.close()


def only(echo: Server) -> EitherKind:
    """Return the one connection there is."""
    [here] = echo.connections
    return here


# -- during the handshake


@pytest.mark.parametrize("cut", CUTS)
async def test_a_request_that_ends_by_half_is_the_end(echo: Server, cut: int) -> None:
    async with Wire(echo.port) as wire:
        await wire.send(HEAD[:cut])
        wire.socket.shutdown(socket.SHUT_WR)
        assert await wire.end() == b""
        await echo.empty()


@pytest.mark.parametrize("cut", [*CUTS, len(HEAD)])
async def test_a_request_may_be_torn_off_anywhere(echo: Server, cut: int) -> None:
    async with Wire(echo.port) as wire:
        await wire.send(HEAD[:cut])
        reset(wire)
    async with Wire(echo.port) as wire:  # the next one is served
        await wire.upgrade(TEXT)
        assert (await wire.frame()).data == b"x" * 300


async def test_who_asks_and_half_closes_is_answered(echo: Server) -> None:
    async with Wire(echo.port) as wire:
        await wire.send(HEAD)
        wire.socket.shutdown(socket.SHUT_WR)
        answer = await wire.end()
    assert answer.startswith(b"HTTP/1.1 101 ")
    assert answer.endswith(b"\r\n\r\n"), "a close where there is nobody to answer it"
    await echo.empty()


@pytest.mark.parametrize("before", [b"", TEXT], ids=["nothing", "message"])
async def test_a_close_may_come_with_the_handshake(echo: Server, before: bytes) -> None:
    async with Wire(echo.port) as wire:
        assert (await wire.upgrade(before + CLOSE)).status_code == 101
        assert await wire.closed() == 1000


async def test_the_end_may_come_with_the_handshake(echo: Server) -> None:
    async with Wire(echo.port) as wire:
        assert (await wire.upgrade(frame(Opcode.TEXT, b"beg", fin=False)[:-1])).status_code == 101
        wire.socket.shutdown(socket.SHUT_WR)
        assert await wire.end() == b""


async def test_a_broken_frame_with_the_handshake_is_met_after_it(echo: Server) -> None:
    async with Wire(echo.port) as wire:
        assert (await wire.upgrade(frame(3))).status_code == 101
        assert await wire.closed() == 1002


# -- by half


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        (b"", b""),
        (TEXT, frame(Opcode.TEXT, b"x" * 300, masked=False)),
        (TEXT + TEXT[:-1], frame(Opcode.TEXT, b"x" * 300, masked=False)),
        (TEXT[:1], b""),
        (frame(Opcode.TEXT, b"a", fin=False), b""),
        (frame(Opcode.PING, b"?"), frame(Opcode.PONG, b"?", masked=False)),
        (CLOSE, frame(Opcode.CLOSE, (1000).to_bytes(2), masked=False)),
    ],
    ids=["nothing", "message", "half a frame", "one byte", "half a message", "ping", "close"],
)
async def test_what_came_before_a_half_close_is_answered_and_that_is_the_end(
    echo: Server, sent: bytes, answered: bytes
) -> None:
    async with Wire(echo.port) as wire:
        await wire.upgrade()
        await wire.send(sent)
        wire.socket.shutdown(socket.SHUT_WR)
        assert await wire.end() == answered
        await echo.empty()


async def test_much_that_was_said_before_a_half_close_still_arrives(echo: Server) -> None:
    async with Wire(echo.port, receive_buffer=4_096) as wire:
        await wire.upgrade()
        await wire.send(frame(Opcode.BINARY, b"x" * 900_000))
        wire.socket.shutdown(socket.SHUT_WR)
        assert len(await wire.end()) == 900_010
        await echo.empty()


# -- from both sides


async def test_a_close_of_ours_that_is_only_half_closed_upon_ends_too(echo: Server) -> None:
    async with Wire(echo.port) as wire:
        await wire.upgrade()
        only(echo).close(CloseCode.RESTART, "bye")
        wire.socket.shutdown(socket.SHUT_WR)
        assert await wire.closed() == 1012
        await echo.empty()


async def test_closes_that_cross_are_one_close(echo: Server) -> None:
    async with Wire(echo.port) as wire:
        await wire.upgrade()
        only(echo).close(CloseCode.RESTART, "bye")
        await wire.send(CLOSE)  # before ours was read
        assert await wire.closed() == 1012
        assert await wire.end() == b"", "a second close"


async def test_two_closes_are_one_close(echo: Server) -> None:
    async with Wire(echo.port) as wire:
        await wire.upgrade()
        here = only(echo)
        here.close(CloseCode.RESTART, "bye")
        here.close(CloseCode.TOO_SLOW, "and again")
        assert await wire.closed() == 1012
        await wire.send(CLOSE + CLOSE + TEXT + frame(3))
        assert await wire.end() == b""


@pytest.mark.parametrize(
    "sent",
    [frame(3), frame(1, masked=False), b"\xff" * 100, TEXT * 100],
    ids=["opcode", "mask", "noise", "text"],
)
async def test_what_comes_after_our_close_says_nothing_more(
    echo: Server, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 0.1)
    async with Wire(echo.port) as wire:
        await wire.upgrade()
        only(echo).close(CloseCode.RESTART, "bye")
        await wire.send(sent)
        assert await wire.closed() == 1012
        assert await wire.end() == b""
        await echo.empty()

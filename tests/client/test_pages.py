"""What the Python client has without a connection."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.live.node import Node

from tenmatch.client import Client, Denied, NotOurs, Pages, Phase, Record, Unreachable, verify

NOBODY = "abcdefghjkmn"


async def over(client: Client) -> str:
    """Play a game to its end, and return its room."""
    room = await client.create("mirror", max_players=1, countdown_ms=0)
    await room.ready()
    await room.until(lambda state: state.phase is Phase.PLAYING)
    await room.resign()
    await room.until(lambda state: state.phase is Phase.OVER)
    record = await room.record()
    assert verify(record) is None
    assert isinstance(record, Record)
    return room.id


async def test_every_page_can_be_had(node: Node) -> None:
    async with Client(node.url, name="Ann", proxy=None) as client:
        assert client.player is not None
        pages, ann = client.pages, client.player["id"]
        room = await over(client)
        assert (await pages.record(room)).heading.players[0].player.name == "Ann"
        today = await pages.day(player=ann)
        assert await pages.day(today["day"], page=1) == {**today, "own": None}
        board = await pages.leaderboard("turns", period="week", page=2, player=ann)
        assert (board["mode"], board["period"], board["page"], board["own"]) == ("turns", "week", 2, None)
        cup = await client.create_tournament("Cup", most=2, enter=True)
        assert (await pages.tournament(cup.id))["players"][0]["name"] == "Ann"
        assert f"1,{ann},Ann" in await pages.results(cup.id)
        assert isinstance(await pages.tournaments(), list)
        assert {*(await pages.rooms())} == {"rooms", "featured"}
        assert (await pages.ready())["version"] == client.version
        with pytest.raises(Denied, match="no rated game of a player") as denied:
            await pages.played(NOBODY)
        assert denied.value.code == "http_404"
        with pytest.raises(Denied, match="the modes are"):
            await pages.leaderboard("../../readyz")


async def test_where_no_server_is_that_is_said() -> None:
    with pytest.raises(Unreachable, match="no server answers at http:"):
        await Pages("ws://127.0.0.1:9/v1", proxy=None).rooms()


@asynccontextmanager
async def strange(answer: bytes, asked: list[bytes]) -> AsyncIterator[str]:
    """Answer whatever is asked for so, on an address that asks who one is."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://ann:secret@127.0.0.1:{server.sockets[0].getsockname()[1]}/games"


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", NotOurs, "nothing of this protocol"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b",
            Unreachable,
            "no server answers",
        ),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>", Denied, "Bad Gateway"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", Unreachable, "no server answers"),
    ],
    ids=["no page", "broken off", "a proxy", "no http"],
)
async def test_what_is_no_answer_of_ours_is_said_to_be_none(
    answer: bytes, error: type[Exception], said: str
) -> None:
    asked: list[bytes] = []
    async with strange(answer, asked) as url:
        with pytest.raises(error, match=said):
            await Pages(url, proxy=None).rooms()
    assert asked[0].startswith(b"GET /games/v1/rooms HTTP/1.1\r\n")
    assert base64.b64encode(b"ann:secret") in asked[0]

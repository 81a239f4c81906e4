"""The bot that authors start from plays whole games, as it stands there."""

import asyncio
from pathlib import Path

import pytest
from client_demo.bot import bot
from tests.live.node import Node

from tenmatch.client import Client, Phase

SOURCE = Path(bot.__file__)


@pytest.fixture(autouse=True)
def _no_reflection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot, "REFLECTION_S", (0, 0))


def test_it_is_short_enough_to_be_read_at_once() -> None:
    lines = [line for line in SOURCE.read_text().splitlines() if line.strip()]
    assert len(lines) <= 60


@pytest.mark.parametrize("mode", ["race", "turns", "mirror"])
async def test_two_of_them_play_a_whole_game(node: Node, mode: str) -> None:
    async with Client(node.url, proxy=None) as one, Client(node.url, proxy=None) as other:
        made = await one.create(mode, countdown_ms=0, max_players=2, size=36, adds=1)
        joined = await other.join(made.code)
        ends = await asyncio.gather(bot.play(made), bot.play(joined))
    assert [end.phase for end in ends] == [Phase.OVER] * 2
    assert ends[0].ranking == ends[1].ranking is not None


async def test_it_says_how_it_went(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    async with Client(node.url, proxy=None) as person:
        room = await person.create("race", countdown_ms=0)
        game = asyncio.create_task(bot.main(node.url, room.code))
        await room.until(lambda state: state.seats[1] is not None)
        await room.ready()
        await room.until(lambda state: state.phase is Phase.PLAYING)
        await room.resign()
        await game
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"Playing in room {room.code}"
    assert told[1].startswith("1. seat 1: ")

"""The record of a game that was played, as the server gives it out, and what both verifiers say of it."""

import asyncio
import json
from typing import Any

from tests.live.wire import Answer, fetch
from tests.web.verdicts import browsers, ours

Message = dict[str, Any]

PATIENCE_S = 5.0


async def record_at(url: str, room: str) -> Answer:
    """Ask a server for a room's record."""
    return await fetch(url, f"/v1/records/{room}")


async def prove_record(url: str, room: str, told: list[Message]) -> Message:
    """Fail unless a game's record tells what was told while it was played, and both verifiers believe it."""
    options, ended = told[0]["options"], next(event for event in told if event["kind"] == "ended")
    async with asyncio.timeout(PATIENCE_S + options["spectator_delay_ms"] / 1000):
        while (answer := await record_at(url, room)).status == 404:
            assert options["spectator_delay_ms"], "the game is over, and has no record"
            await asyncio.sleep(0.1)
    assert answer.status == 200, answer
    record: Message = json.loads(answer.body)
    assert len(record["events"]) == ended["seq"]
    for event, seen in zip(record["events"], told, strict=False):
        assert seen.items() >= {name: event[name] for name in ("seq", "chain", "at")}.items()
    await believed(record)
    return record


async def believed(record: Message) -> None:
    """Fail unless both verifiers believe a record."""
    assert ours(record) is None
    assert await asyncio.to_thread(browsers, [record]) == [None]

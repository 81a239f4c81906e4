"""The recorded sessions, played to each client: it says what is recorded, and ends where it should."""

from collections.abc import Mapping
from typing import Any, Final

import pytest
from tests.client.troupe import DRIVERS, Player, Troupe
from tests.sessions.mocked import verdict
from tests.sessions.record import PLACE
from tests.sessions.scripts import SCRIPTS

from tenmatch.app.mock.session import Kind, Session, read

MOVES: Final = ("match", "call", "add", "pass", "resign")


async def act(player: Player, session: Session) -> None:
    """Do all that a session says; what a client does by itself is left to it."""
    seq = 0  # of the last event that was told
    for step in session.steps:
        if step.kind is Kind.OUT:
            seq = max(seq, step.value.get("seq", 0))
        elif step.kind is Kind.IN and step.value["t"] != "hello" and "after" not in step.value:
            if player.room:
                await player.ask("until", seq=seq, status="live")
            await say(player, step.value)
    if player.room and session.steps[-1].value.get("t") != "ok":
        await player.ask("until", seq=seq)


async def say(player: Player, said: Mapping[str, Any]) -> None:
    match said["t"]:
        case "create":
            await player.enter("create", mode=said["mode"], options=said["options"])
        case "join":
            await player.enter("watch" if said.get("watch") else "join", room=said["room"])
        case t if t in MOVES:
            await player.ask("move", t=t, a=said.get("a"), b=said.get("b"))
        case t:
            await player.ask(t, text=said.get("text"))


@pytest.mark.parametrize("name", [name for name, script in SCRIPTS.items() if not script.raw])
@pytest.mark.parametrize("language", DRIVERS)
async def test_a_client_plays_what_was_recorded(troupes: dict[str, Troupe], language: str, name: str) -> None:
    session = read(PLACE / f"{name}.jsonl")

    async def play(port: int) -> None:
        player = Player(troupes[language], f"{language} in {name}")
        await player.ask("connect", url=f"http://127.0.0.1:{port}", name="Somebody")
        try:
            await act(player, session)
        finally:
            await player.ask("close")

    assert await verdict(session, play, patience_s=60) is None

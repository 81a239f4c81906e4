"""Tournaments through real sockets: announced, signed up for, played by peers."""

import json
from typing import Any

from tests.gateway.nodes import Running
from tests.gateway.pages import ask
from tests.gateway.peer import Heard, Peer, welcome

from tenmatch.game.ids import PlayerId

NONE = "abcdefghjkm"


def player(of: Peer) -> PlayerId:
    return PlayerId(welcome(of)["player"]["id"])


async def announced(host: Peer, **fields: object) -> Heard:
    """Let a peer announce a tournament; return how it stands."""
    asked = {"title": "Sunday cup", "format": "knockout", "mode": "race", "options": {"countdown_ms": 0}}
    answer = await host.ask("tournament_create", **{**asked, **fields})
    assert answer["t"] == "tournament", answer
    return answer


async def entered(id: str, *peers: Peer) -> None:
    for one in peers:
        assert (await one.ask("tournament_watch", tournament=id, on=True))["t"] == "tournament"
        assert (await one.ask("tournament_enter", tournament=id))["t"] == "ok"


async def said(of: Peer, kind: str, **fields: object) -> Heard:
    """Return an event of the tournament, once it was heard."""
    wanted = {"t": "tournament_event", "kind": kind, **fields}
    return await of.find(lambda message: wanted.items() <= message.items())


def begun(message: Heard) -> bool:
    return message.get("kind") == "started" or message.get("state", {}).get("phase") == "playing"


async def played(game: int, winner: PlayerId, *peers: Peer) -> None:
    """Let the two of a game come, and the other resign."""
    room = (await said(peers[0], "opened", game=game))["room"]
    pair = (await said(peers[0], "paired", game=game))["players"]
    both = {player(one): one for one in peers if player(one) in pair}
    for one in both.values():
        assert (await one.ask("join", room=room))["t"] == "snapshot"
    loser = next(one for who, one in both.items() if who != winner)
    await loser.find(lambda message: message.get("room") == room and begun(message))
    await loser.send({"t": "resign", "room": room, "n": 1})


async def standing(running: Running, id: str) -> Any:
    return json.loads((await ask(running, f"/v1/tournaments/{id}")).body)

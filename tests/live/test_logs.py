"""What a server logs of whole games: who, where, what; and no secret, at whatever level."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.live.client import CODECS, Client
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.store.waiting import until

SECRET = "correct-horse-battery-staple-0123456789"
SHORT: dict[str, Any] = {"size": 12, "adds": 0}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server that logs all it can."""
    limits = dict.fromkeys(("messages_per_s", "matches_per_s", "rooms_per_player"), 0)
    folder = tmp_path_factory.mktemp("talkative")
    with Node(folder, "--log-level", "debug", secret=SECRET, **limits) as node:
        yield node


def lines(node: Node, event: str, **fields: object) -> list[dict[str, Any]]:
    """Return the lines of an event with these fields."""
    read = [json.loads(line) for line in node.log().splitlines()]
    return [line for line in read if line["event"] == event and fields.items() <= line.items()]


async def test_no_token_and_no_seed_is_ever_logged(node: Node, meet: Meet) -> None:
    secrets, clients = {SECRET}, list[Client]()
    for mode in ("race", "turns", "mirror"):
        table = await Table.begin(meet, mode, codecs=CODECS, **SHORT, seed=None)
        clients += [*table.players, *table.watchers]
        await table.players[0].ok("chat", room=table.room, text="hello")
        await table.match(0, table.wrong_pair("values")) if mode == "race" else await table.match(0)
        for seat in table.seats:
            if not table.over:
                await table.play(seat, "resign")
        ended = next(event for event in table.judge.told if event["kind"] == "ended")
        assert len(ended["seed"]) == 64
        secrets |= {ended["seed"], ended["salt"]}
        back = await table.players[1].again()
        clients.append(back)
        await back.resume(table.room)
    for wrong in ("v1.x.y.z", clients[0].token[:-1] + "!"):
        client = await meet()
        await client.say("hello", token=wrong)
        await client.closed()
        secrets.add(wrong)
    secrets |= {client.token for client in clients}
    secrets |= {
        part for token in secrets for part in token.split(".") if len(part) > 20
    }  # its signature alone
    logged = node.log()
    assert len(lines(node, "player here")) >= len(clients), "it says much, but nothing of that"
    assert not [secret for secret in secrets if secret in logged]


async def test_a_connection_can_be_followed_through_the_log(node: Node, meet: Meet) -> None:
    client = await meet()
    named = client.connection
    assert named.startswith(f"{client.node}-")
    [here] = lines(node, "player here", connection=named)
    assert (here["player"], here["address"]) == (client.player, "127.0.0.1")
    table = await Table.open(meet, "race", **SHORT)
    await client.ask("join", room=table.room, watch=True)
    await client.close()
    await until(lambda: bool(lines(node, "player gone", connection=named)))
    [gone] = lines(node, "player gone", connection=named)
    assert (gone["player"], gone["rooms"]) == (client.player, [table.room])
    [loaded] = lines(node, "room loaded", room=table.room)
    assert loaded["seq"] == 2
    assert (await meet()).connection != named

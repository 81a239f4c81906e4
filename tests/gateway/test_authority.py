"""Who may do what: no word counts of watchers, of another seat, of who left, was kicked or taken over."""

import json
from collections.abc import Mapping
from itertools import count

import pytest
from tests.gateway.meeting import Meet
from tests.gateway.nodes import Running
from tests.gateway.peer import Peer, welcome

from tenmatch.game.ids import RoomId
from tenmatch.protocol.from_client import TYPES, Move

Codes = Mapping[str, str]

NUMBERS = count(1)  # of moves: no two that anybody makes are the same
NOT_OF_A_ROOM = {"hello", "create", "lobby", "queue", "daily", "ping"} | {
    t for t in TYPES if t.startswith("tournament_")
}
MOVES = [name for name, message in TYPES.items() if issubclass(message, Move)]
FIELDS: dict[str, dict[str, object]] = {
    "ready": {"ready": False},
    "bot": {"level": "easy"},
    "kick": {"seat": 0},
    "rematch": {"want": True},
    "chat": {"text": "let me"},
    "focus": {"on": False},
    "report": {"player": "w6tq9ek2hmpa", "reason": "other"},
    "match": {"a": 0, "b": 1, "seen": 1},
    "call": {"seen": 1},
}
OUTSIDE: Codes = {
    **dict.fromkeys(MOVES, "not_seated"),
    **dict.fromkeys(
        ("ready", "start", "bot", "kick", "rematch", "chat", "report", "focus", "leave"), "no_such_room"
    ),
}
WATCHING: Codes = {
    **dict.fromkeys(MOVES, "not_seated"),
    **dict.fromkeys(("start", "bot", "kick"), "not_host"),
    **dict.fromkeys(("ready", "rematch", "report"), "not_allowed"),  # nobody of that id is there
}
STARTED: Codes = dict.fromkeys(("ready", "start", "bot", "kick"), "game_started")
KICKED: Codes = {**OUTSIDE, "join": "not_allowed"}


async def opened(mode: str, *players: Peer, **options: object) -> RoomId:
    """Let players sit down in a room of the first."""
    chosen = {"countdown_ms": 0, "max_players": 2, **options}
    room = (await players[0].ask("create", mode=mode, options=chosen))["room"]
    for player in players[1:]:
        assert (await player.ask("join", room=room))["t"] == "snapshot"
    return RoomId(str(room))


async def begun(mode: str, *players: Peer, **options: object) -> RoomId:
    """Let players begin a game."""
    room = await opened(mode, *players, **options)
    for player in players:
        assert (await player.ask("ready", room=room, ready=True))["t"] == "ok"
    for player in players:
        await player.find(lambda message: message.get("kind") == "started" and message["room"] == room)
    return room


def fields(node: Running, room: RoomId, t: str) -> dict[str, object]:
    """Return what a message would say that is meant to do harm: a legal match, the host's seat."""
    chosen = dict(FIELDS.get(t, {}))
    state = node.node.tables.loaded[room].state
    if t == "match" and state.sheets and state.sheets[0].witness is not None:
        chosen["a"], chosen["b"] = state.sheets[0].witness
    return chosen


async def outcome(node: Running, room: RoomId, who: Peer, t: str) -> str:
    """Let somebody say it; return the code of the refusal, or what else came of it."""
    said = fields(node, room, t)
    if t not in MOVES:
        answer = await who.ask(t, room=room, **said)
    else:
        n = next(NUMBERS)
        await who.send({"t": t, "room": room, "n": n, **said})
        answer = await who.find(lambda message: message.get("n") == n and message.get("room") == room)
    return str(answer["code"] if answer["t"] in ("error", "refused") else answer["t"])


async def refused(node: Running, room: RoomId, who: Peer, codes: Codes) -> None:
    """Let somebody say everything there is to say: each is refused with its code, and nothing happens."""
    before = await node.log(room)
    outcomes = {t: await outcome(node, room, who, t) for t in codes}
    assert outcomes == codes
    assert await node.log(room) == before


def test_every_message_of_a_room_is_tried() -> None:
    assert set(KICKED) == set(TYPES) - NOT_OF_A_ROOM
    assert set(WATCHING) == set(TYPES) - NOT_OF_A_ROOM - {
        "join",
        "leave",
        "chat",
        "focus",
    }  # which a watcher may


@pytest.mark.parametrize("mode", ["race", "turns"])
async def test_a_stranger_and_a_watcher_change_nothing(node: Running, meet: Meet, mode: str) -> None:
    anna, bert, watcher, stranger = [await meet() for _ in range(4)]
    waiting = await opened(mode, anna, bert)
    playing = await begun(mode, anna, bert)
    for room in (waiting, playing):
        await refused(node, room, stranger, OUTSIDE)
        assert (await watcher.ask("join", room=room, watch=True))["seat"] is None
        await refused(node, room, watcher, WATCHING)
    assert (await stranger.ask("join", room=waiting))["code"] == "room_full"
    assert (await stranger.ask("join", room=playing))["code"] == "game_started"
    assert (await anna.ask("leave", room=waiting))["t"] == "ok"  # so what was refused could have been done


@pytest.mark.parametrize("mode", ["race", "turns"])
async def test_another_seat_is_not_the_hosts(node: Running, meet: Meet, mode: str) -> None:
    anna, bert = await meet(), await meet()
    waiting = await opened(mode, anna, bert, max_players=3)
    early: dict[str, str] = dict.fromkeys(MOVES, "not_playing")
    early |= dict.fromkeys(("start", "bot", "kick"), "not_host")
    await refused(node, waiting, bert, {**early, "rematch": "not_allowed"})
    assert (await anna.ask("kick", room=waiting, seat=1))["t"] == "ok"
    playing = await begun(mode, anna, bert)
    late: dict[str, str] = {**STARTED, "rematch": "not_allowed"}
    if mode == "turns":
        late |= {"match": "not_your_turn", "pass": "not_your_turn", "add": "wrong_mode", "call": "wrong_mode"}
    await refused(node, playing, bert, late)


async def test_who_was_kicked_is_out(node: Running, meet: Meet) -> None:
    anna, bert, carl = await meet(), await meet(), await meet()
    room = await opened("race", anna, bert)
    assert (await anna.ask("kick", room=room, seat=1))["t"] == "ok"
    await bert.find(lambda message: message["t"] == "detached")
    await refused(node, room, bert, KICKED)
    assert (await bert.ask("join", room=room, watch=True))["seat"] is None
    await refused(node, room, bert, {**WATCHING, "join": "not_allowed"})  # it may watch, and no more
    assert (await carl.ask("join", room=room))["seat"] == 1
    for player in (anna, carl):
        await player.ask("ready", room=room, ready=True)
    await carl.find(lambda message: message.get("kind") == "started")
    await refused(node, room, bert, WATCHING)


async def test_who_left_is_out_until_it_comes_back(node: Running, meet: Meet) -> None:
    anna, bert = await meet(), await meet()
    waiting = await opened("race", anna, bert)
    playing = await begun("race", anna, bert)
    for room in (waiting, playing):
        assert (await bert.ask("leave", room=room))["t"] == "ok"
        await refused(node, room, bert, OUTSIDE)
    assert (await bert.ask("join", room=playing))["seat"] == 1
    assert await outcome(node, playing, bert, "match") == "event"


async def test_who_was_taken_over_is_out(node: Running, meet: Meet) -> None:
    anna, bert = await meet(), await meet()
    await bert.ask("lobby", on=True)  # so that its old connection stays
    room = await begun("race", anna, bert)
    newer = await meet(token=welcome(bert)["token"])
    assert (await newer.ask("join", room=room))["seat"] == 1
    await bert.find(lambda message: message["t"] == "detached")
    await refused(node, room, bert, OUTSIDE)
    assert await outcome(node, room, newer, "match") == "event"


async def test_who_is_out_of_the_game_moves_no_more(node: Running, meet: Meet) -> None:
    anna, bert, carl = await meet(), await meet(), await meet()
    room = await begun("race", anna, bert, carl, max_players=3)
    assert await outcome(node, room, bert, "resign") == "event"
    await refused(node, room, bert, {"match": "out", "call": "out"})


async def test_after_the_end_nothing_is_logged_but_a_rematch_of_players(node: Running, meet: Meet) -> None:
    anna, bert, watcher = await meet(), await meet(), await meet()
    room = await begun("race", anna, bert)
    await watcher.ask("join", room=room, watch=True)
    assert await outcome(node, room, bert, "resign") == "event"
    await watcher.find(lambda message: message.get("kind") == "ended")
    await refused(node, room, watcher, WATCHING)
    await refused(node, room, anna, {**dict.fromkeys(MOVES, "not_playing"), **STARTED})


async def test_nobody_hears_anothers_secrets(node: Running, meet: Meet) -> None:
    anna, bert, watcher = await meet(), await meet(), await meet()
    room = await begun("race", anna, bert)
    await watcher.ask("join", room=room, watch=True)
    assert await outcome(node, room, anna, "match") == "event"
    await anna.ask("chat", room=room, text="well")
    state = node.node.tables.loaded[room].state
    assert state.seed is not None
    secrets = [state.seed, state.salt]
    for who in (anna, bert, watcher):
        others = [welcome(other)["token"] for other in (anna, bert, watcher) if other is not who]
        heard = json.dumps(await who.quiet())
        assert "matched" in heard
        assert not [secret for secret in (*secrets, *others) if secret in heard]

"""Making rooms, coming and going, and the way to the start, through the public protocol."""

import asyncio
import json

import pytest
from tests.live.client import CODECS, Client
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.live.wire import fetch

DEFAULTS = {
    "size": 35,
    "deal": "random",
    "adds": 5,
    "seconds": 180,
    "base_s": 120,
    "increment_s": 3,
    "max_players": 2,
    "countdown_ms": 3000,
    "penalty": True,
    "row_again": False,
    "spectators": True,
    "spectator_delay_ms": 0,
    "rated": False,
}


async def make(client: Client, mode: str = "race", **fields: object) -> str:
    """Make a room and return its id."""
    made = await client.ask("create", mode=mode, **fields)
    assert made["t"] == "snapshot", made
    return str(made["room"])


# Making one


@pytest.mark.parametrize("codec", CODECS)
async def test_the_maker_sits_on_seat_0_and_is_host(meet: Meet, codec: str) -> None:
    maker = await meet(codec, name="Ada")
    made = await maker.ask("create", mode="race")
    assert (made["seat"], made["seq"], made["state"]["host"]) == (0, 2, 0)
    assert made["state"]["options"] == DEFAULTS
    assert made["state"]["seats"][0]["player"] == {"id": maker.player, "name": "Ada"}
    assert made["state"]["phase"] == "open"
    assert made["code"] == made["state"]["code"]
    assert (len(made["room"]), len(made["code"])) == (10, 6)


async def test_the_same_key_of_the_same_player_makes_one_room(node: Node, meet: Meet) -> None:
    maker = await meet()
    made = await maker.ask("create", mode="race", key="once")
    again = await maker.ask("create", mode="race", key="once")
    assert await make(maker, key="twice") != made["room"]
    assert await make(await meet(), key="once") != made["room"]
    elsewhere = await meet(CODECS[1], token=maker.token)
    there = await elsewhere.ask("create", mode="race", key="once")
    assert made["room"] == again["room"] == there["room"]
    assert (made["seq"], there["seq"], there["seat"]) == (2, 2, 0)


@pytest.mark.parametrize(
    ("mode", "options", "field"),
    [
        ("race", {"size": 8}, "size"),
        ("race", {"size": 181}, "size"),
        ("race", {"size": "35"}, "size"),
        ("race", {"size": 35.0}, "size"),
        ("race", {"adds": 21}, "adds"),
        ("race", {"adds": -1}, "adds"),
        ("race", {"seconds": 9}, "seconds"),
        ("race", {"max_players": 9}, "max_players"),
        ("turns", {"max_players": 5}, "max_players"),
        ("race", {"max_players": True}, "max_players"),
        ("turns", {"base_s": 4}, "base_s"),
        ("turns", {"increment_s": 61}, "increment_s"),
        ("race", {"countdown_ms": 10001}, "countdown_ms"),
        ("race", {"penalty": 0}, "penalty"),
        ("race", {"spectator_delay_ms": 120001}, "spectator_delay_ms"),
        ("race", {"deal": "fair"}, "deal"),
        ("race", {"deal": "even", "size": 35}, "size"),
        ("race", {"deal": "classic", "size": 36}, "size"),
        ("race", {"deal": "classic", "seed": "00" * 32}, "seed"),
        ("race", {"seed": "00"}, "seed"),
        ("race", {"seed": "zz" * 32}, "seed"),
        ("race", {"seeds": 1}, "seeds"),
        ("race", {"": 1}, ""),
        ("chess", {}, "mode"),
    ],
)
async def test_options_that_cannot_be_are_named(
    meet: Meet, mode: str, options: dict[str, object], field: str
) -> None:
    answer = await (await meet()).ask("create", mode=mode, options=options)
    assert (answer["t"], answer["code"], answer["field"]) == ("error", "bad_options", field)


async def test_one_player_may_have_made_only_so_many_rooms(
    meet: Meet, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Node(tmp_path_factory.mktemp("few"), rooms_per_player=2) as node:
        client = await meet(url=node.url)
        rooms = [await make(client) for _ in range(2)]
        assert await client.denied("create", mode="race") == "too_many_rooms"
        await client.ok("leave", room=rooms[0])  # its last person: it is over
        while (answer := await client.ask("create", mode="race"))["t"] == "error":
            assert answer["code"] == "too_many_rooms"


# Finding one


async def test_a_room_is_joined_by_its_id_or_its_code_in_either_case(meet: Meet) -> None:
    made = await (await meet()).ask("create", mode="race", options={"max_players": 4})
    ways = [{"room": made["room"]}, {"code": made["code"]}, {"code": made["code"].upper()}]
    for seat, where in enumerate(ways, 1):
        joined = await (await meet()).ask("join", **where)
        assert (joined["t"], joined["room"], joined["seat"]) == ("snapshot", made["room"], seat)


async def test_there_is_no_such_room(meet: Meet) -> None:
    client = await meet()
    assert await client.denied("join", room="2222222222") == "no_such_room"
    assert await client.denied("join", code="222222") == "no_such_room"
    requests: dict[str, dict[str, object]] = {
        "leave": {},
        "ready": {"ready": True},
        "start": {},
        "bot": {"level": "easy"},
        "kick": {"seat": 1},
        "rematch": {"want": True},
        "chat": {"text": "hm"},
    }
    for t, fields in requests.items():
        assert await client.denied(t, room="2222222222", **fields) == "no_such_room"


async def test_a_private_room_is_in_no_list_and_its_code_lets_in(node: Node, meet: Meet) -> None:
    maker, follower = await meet(), await meet(CODECS[1])
    await follower.ask("lobby", on=True)
    hidden = await maker.ask("create", mode="race", private=True)
    shown = await make(maker)

    def lines_of(room: str) -> list[object]:
        lists = [m.get("rooms") or m.get("changed") or [] for m in follower.inbox if m["t"] == "rooms"]
        return [line for lines in lists for line in lines if line["room"] == room]

    await follower.until(lambda: bool(lines_of(shown)))
    assert not lines_of(hidden["room"])
    answer = await fetch(node.url, "/v1/rooms")
    assert answer.headers["access-control-allow-origin"] == "*"
    listed = [line["room"] for line in json.loads(answer.body)["rooms"]]
    assert shown in listed
    assert hidden["room"] not in listed
    joined = await (await meet()).ask("join", code=hidden["code"])
    assert (joined["room"], joined["seat"], joined["state"]["private"]) == (hidden["room"], 1, True)


async def test_the_lobby_tells_what_changes_and_what_is_gone(meet: Meet) -> None:
    follower, maker = await meet(), await meet(name="Grace")
    first = await follower.ask("lobby", on=True)
    assert first["t"] == "rooms"
    room = await make(maker, options={"max_players": 3, "size": 18})

    async def line(**fields: object) -> dict[str, object]:
        def tells(message: dict[str, object]) -> bool:
            # Of a message.
            return any(fields.items() <= line.items() for line in message.get("changed") or ())  # type: ignore[attr-defined]

        message = await follower.find(lambda m: m["t"] == "rooms" and tells(m))
        return next(line for line in message["changed"] if fields.items() <= line.items())

    made = await line(room=room, seats=1)
    assert made["host"] == {"id": maker.player, "name": "Grace"}
    assert (made["mode"], made["phase"], made["max_players"], made["size"]) == ("race", "open", 3, 18)
    assert (made["rated"], made["scores"], made["started_at"]) == (False, [0, None, None], None)
    await maker.ok("bot", room=room, level="easy")
    await line(room=room, seats=2)
    await maker.ok("leave", room=room)
    await follower.find(lambda m: m["t"] == "rooms" and room in (m.get("gone") or ()))
    await follower.ok("lobby", on=False)


# Who sits where


async def test_seats_are_given_from_the_lowest_until_the_room_is_full(meet: Meet) -> None:
    table = await Table.open(meet, "race", codecs=CODECS * 2)
    assert await (await meet()).denied("join", room=table.room) == "room_full"
    await table.players[1].ok("leave", room=table.room)
    late = await meet()
    assert (await late.ask("join", room=table.room))["seat"] == 1
    await table.sync(table.players[0].rooms[table.room].seq)
    await table.sync(late.rooms[table.room].seq)


async def test_joining_twice_on_one_connection_keeps_the_seat(meet: Meet) -> None:
    table = await Table.open(meet, "race")
    guest = table.players[1]
    before = guest.rooms[table.room].seq
    again = await guest.ask("join", room=table.room)
    watching = await guest.ask("join", room=table.room, watch=True)
    assert (again["seat"], watching["seat"]) == (1, 1)  # watch is ignored
    assert again["seq"] == before
    await guest.ok("ready", room=table.room, ready=True)
    readied = [m for m in guest.inbox if m.get("kind") == "readied"]
    assert len(readied) == 1  # every event is sent once, however often one joins
    await table.players[0].event(table.room, "readied")


@pytest.mark.slow
@pytest.mark.parametrize("codec", CODECS)
async def test_joining_twice_in_one_breath_is_joining_once(meet: Meet, codec: str) -> None:
    table = await Table.open(meet, "race", codecs=CODECS[:1], max_players=3)
    guest = await meet(codec)
    answers = await asyncio.gather(*(guest.ask("join", room=table.room) for _ in range(3)))
    assert {answer["seat"] for answer in answers} == {1}
    await table.players[0].ok("ready", room=table.room, ready=True)
    await table.sync()
    assert [event["kind"] for event in table.judge.told] == ["created", "seated", "seated", "readied"]
    await guest.reach(table.room, 4)
    await guest.ask("ping")
    assert len([message for message in guest.inbox if message.get("kind") == "readied"]) == 1
    await table.players[0].told("presence", online=[True, True, None])


async def test_who_gave_up_a_seat_cannot_do_anything_for_its_next_player(node: Node, meet: Meet) -> None:
    table = await Table.open(meet, "race")
    first, second = table.players[1], await meet(CODECS[0])
    await first.ok("leave", room=table.room)
    table.players[1] = second
    assert (await second.ask("join", room=table.room))["seat"] == 1
    assert await first.denied("ready", room=table.room, ready=True) == "no_such_room"
    for player in table.players:
        await player.ok("ready", room=table.room, ready=True)
    await table.players[0].event(table.room, "started")
    await table.sync()
    (a, b), seen = table.judge.game.pairs()[0], table.seq
    for t, fields in (("match", {"a": a, "b": b, "seen": seen}), ("call", {"seen": seen}), ("resign", {})):
        refused = await first.move(t, table.room, n=1, **fields)
        assert (refused["t"], refused["code"]) == ("refused", "not_seated")
    assert await first.denied("chat", room=table.room, text="hm") == "no_such_room"
    assert await first.denied("leave", room=table.room) == "no_such_room"
    assert len(node.entries(table.room)) == table.seq
    assert (await table.match(1))["n"] == 1  # that number is not used up
    await table.agree()


async def test_a_watcher_may_sit_down_later(meet: Meet) -> None:
    table = await Table.open(meet, "race", max_players=3)
    watcher = table.watchers[0]
    sat = await watcher.ask("join", room=table.room)
    assert sat["seat"] == 2
    await table.sync(sat["seq"])
    await watcher.ok("ready", room=table.room, ready=True)


async def test_a_room_may_want_no_spectators(meet: Meet) -> None:
    maker = await meet()
    room = await make(maker, options={"spectators": False})
    assert await (await meet()).denied("join", room=room, watch=True) == "not_allowed"
    assert (await maker.ask("join", room=room, watch=True))["seat"] == 0


async def test_the_host_moves_on_to_the_lowest_person(meet: Meet) -> None:
    table = await Table.open(meet, "race", codecs=CODECS * 2, max_players=5)
    host, second, third, _ = table.players
    await second.whole(table.room)
    await host.ok("leave", room=table.room)
    left = await second.event(table.room, "unseated")
    assert (left["seat"], left["reason"], left["host"]) == (0, "left", 1)
    assert await third.denied("start", room=table.room) == "not_host"
    await second.ok("bot", room=table.room, level="easy")  # on seat 0, and no host for that
    await second.ok("leave", room=table.room)
    table.judge.take(second.rooms[table.room].events)
    assert (await third.event(table.room, "unseated", seat=1))["host"] == 2
    await third.ok("kick", room=table.room, seat=0)


async def test_a_room_ends_with_its_last_person(meet: Meet) -> None:
    maker, watcher = await meet(), await meet(CODECS[1])
    room = await make(maker)
    await maker.ok("bot", room=room, level="easy")
    await watcher.ask("join", room=room, watch=True)
    await maker.ok("leave", room=room)
    left = await watcher.event(room, "unseated")
    ended = await watcher.event(room, "ended")
    assert (left["host"], ended["reason"], ended["ranking"]) == (None, "abandoned", [])
    assert ended["at"] == left["at"]
    assert await (await meet()).denied("join", room=room) == "game_started"
    assert await watcher.denied("rematch", room=room, want=True) == "not_allowed"


async def test_who_was_kicked_may_watch_but_not_sit(meet: Meet) -> None:
    table = await Table.open(meet, "race")
    host, guest = table.players
    assert await guest.denied("kick", room=table.room, seat=0) == "not_host"
    assert await host.denied("kick", room=table.room, seat=0) == "not_allowed"
    await host.ok("kick", room=table.room, seat=1)
    assert (await guest.told("detached"))["reason"] == "kicked"
    assert (await host.event(table.room, "unseated"))["reason"] == "kicked"
    assert await guest.denied("chat", room=table.room, text="why?") == "no_such_room"
    assert await guest.denied("join", room=table.room) == "not_allowed"
    again = await meet(token=guest.token)
    assert await again.denied("join", room=table.room) == "not_allowed"
    assert (await guest.ask("join", room=table.room, watch=True))["seat"] is None
    assert (await guest.move("resign", table.room))["code"] == "not_seated"
    assert guest.close_code is None


# The start


async def test_when_all_seats_are_taken_and_ready_the_game_starts_by_itself(meet: Meet) -> None:
    table = await Table.open(meet, "race", countdown_ms=200)
    host, guest = table.players
    await host.ok("ready", room=table.room, ready=True)
    await host.ok("ready", room=table.room, ready=True)  # nothing to change
    await guest.ok("ready", room=table.room, ready=True)
    started = await host.event(table.room, "started")
    await table.sync(started["seq"])
    assert [event["kind"] for event in table.judge.told][-4:] == ["readied", "readied", "starting", "started"]


async def test_an_ok_comes_after_the_events_it_caused(meet: Meet) -> None:
    table = await Table.open(meet, "race")
    for player in table.players:
        await player.ok("ready", room=table.room, ready=True)
    told = [message.get("kind", message["t"]) for message in table.players[1].inbox]
    assert told[-4:] == ["readied", "starting", "started", "ok"]


@pytest.mark.parametrize("how", ["unready", "leave", "kick"])
async def test_the_countdown_stops_when_someone_is_no_longer_ready_or_gone(meet: Meet, how: str) -> None:
    table = await Table.open(meet, "race", countdown_ms=10000)
    host, guest = table.players
    for player in table.players:
        await player.ok("ready", room=table.room, ready=True)
    assert await (await meet()).denied("join", room=table.room) == "game_started"
    assert await host.denied("bot", room=table.room, level="easy") == "game_started"
    if how == "unready":
        await guest.ok("ready", room=table.room, ready=False)
    elif how == "leave":
        await guest.ok("leave", room=table.room)
    else:
        await host.ok("kick", room=table.room, seat=1)
    snapshot = await table.watchers[0].ask("join", room=table.room, watch=True)
    assert (snapshot["state"]["phase"], snapshot["state"]["starts_at"]) == ("open", None)
    await table.sync(snapshot["seq"])


async def test_the_host_starts_with_those_who_sit_there(meet: Meet) -> None:
    table = await Table.open(meet, "turns", codecs=CODECS[:1], max_players=4)
    host = table.players[0]
    assert await host.denied("start", room=table.room) == "too_few_players"
    guest = await meet()
    await guest.ask("join", room=table.room)
    assert await guest.denied("start", room=table.room) == "not_host"
    assert await table.watchers[0].denied("start", room=table.room) == "not_host"
    await host.ok("start", room=table.room)
    started = await guest.event(table.room, "started")
    assert [clock is None for clock in started["clocks"]] == [False, False, True, True]
    await table.sync(started["seq"])
    assert await host.denied("start", room=table.room) == "game_started"
    assert await host.denied("kick", room=table.room, seat=1) == "game_started"


async def test_only_who_sits_can_be_ready(meet: Meet) -> None:
    table = await Table.open(meet, "race")
    assert await table.watchers[0].denied("ready", room=table.room, ready=True) == "not_allowed"


async def test_only_the_host_gives_seats_to_computer_players(meet: Meet) -> None:
    table = await Table.open(meet, "race", max_players=3)
    host, guest = table.players
    assert await guest.denied("bot", room=table.room, level="easy") == "not_host"
    await host.ok("bot", room=table.room, level="medium")
    seated = await guest.event(table.room, "seated", seat=2)
    assert seated["player"]["bot"] == "medium"
    assert await host.denied("bot", room=table.room, level="easy") == "room_full"
    await table.sync(seated["seq"])


async def test_leaving_in_play_keeps_the_seat(meet: Meet) -> None:
    table = await Table.begin(meet, "race")
    guest = table.players[1]
    await guest.ok("leave", room=table.room)
    assert (await guest.move("resign", table.room))["code"] == "not_seated"
    assert (await guest.ask("join", room=table.room))["seat"] == 1
    assert (await table.match(1))["kind"] == "matched"
    await table.sync()


async def test_joining_a_game_that_began_is_for_watchers(meet: Meet) -> None:
    table = await Table.begin(meet, "race", max_players=2)
    late = await meet()
    assert await late.denied("join", room=table.room) == "game_started"
    watching = await late.ask("join", room=table.room, watch=True)
    table.judge.check_snapshot(watching)
    table.watchers.append(late)
    await table.match(0)
    await table.agree()

"""What is said in rooms: in words and by phrase, how much, where not; and what is reported of players."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.gateway.meeting import Meet, made
from tests.gateway.nodes import Running, running
from tests.gateway.peer import Heard, Peer, peer, welcome

from tenmatch.protocol.phrases import PHRASES
from tenmatch.protocol.report import Report, decode
from tenmatch.store import reports


def is_chat(message: Heard) -> bool:
    return bool(message["t"] == "chat")


def id_of(peer: Peer) -> str:
    return str(welcome(peer)["player"]["id"])


async def two(meet: Meet, **options: object) -> tuple[Peer, Peer, str]:
    """Return two players, and the room in which they sit."""
    anna, bob = await meet(name="Anna"), await meet(name="Bob")
    room = await made(anna, max_players=3, **options)
    await bob.ask("join", room=room)
    return anna, bob, room


async def kept(node: Running) -> list[Report]:
    return [decode(report) for report in await reports.read(node.store)]


# phrases


@pytest.mark.parametrize("key", PHRASES)
async def test_a_phrase_comes_with_its_key_and_what_it_says(meet: Meet, key: str) -> None:
    anna, bob, room = await two(meet)
    assert (await anna.ask("chat", room=room, phrase=key))["t"] == "ok"
    said = await bob.find(is_chat)
    assert (said["phrase"], said["text"]) == (key, PHRASES[key])


async def test_words_come_without_a_key(meet: Meet) -> None:
    anna, bob, room = await two(meet)
    await anna.ask("chat", room=room, text="so it is")
    assert (await bob.find(is_chat)).keys() == {"t", "room", "player", "text", "at"}


async def test_a_phrase_that_is_none(meet: Meet) -> None:
    anna, _, room = await two(meet)
    answer = await anna.ask("chat", room=room, phrase="curse")
    assert (answer["code"], answer["field"]) == ("bad_message", "phrase")


async def test_either_words_or_a_phrase(meet: Meet) -> None:
    anna, _, room = await two(meet)
    for fields in ({}, {"text": "hi", "phrase": "hello"}):
        answer = await anna.ask("chat", room=room, **fields)
        assert (answer["code"], answer["field"]) == ("bad_message", "text")


# where nobody talks, and how much


async def test_a_room_may_be_without_chat(meet: Meet) -> None:
    anna, bob, room = await two(meet, chat=False)
    created = (await anna.ask("join", room=room))["state"]["options"]
    assert created["chat"] is False
    for peer_ in (anna, bob, await meet()):
        await peer_.ask("join", room=room, watch=True)
        for fields in ({"text": "hello"}, {"phrase": "hello"}):
            assert (await peer_.ask("chat", room=room, **fields))["code"] == "not_allowed"


async def test_with_chat_an_option_is_as_it_was(meet: Meet) -> None:
    anna = await meet()
    for options in ({}, {"chat": True}, {"chat": None}):
        snapshot = await anna.ask("create", mode="race", options=options)
        assert "chat" not in snapshot["state"]["options"]


@asynccontextmanager
async def one_on(url: str, **settings: object) -> AsyncIterator[tuple[Running, Peer, str]]:
    """Run a node with these settings; yield it, a player there, and a room they sit in."""
    async with running(url, **settings) as node, peer(node.port) as anna:
        yield node, anna, await made(anna)


async def test_a_server_may_be_without_chat(url: str) -> None:
    async with one_on(url, chat=False) as (_, anna, room):
        assert welcome(anna)["chat"] is False
        assert (await anna.ask("chat", room=room, text="hello"))["code"] == "not_allowed"


async def test_one_player_says_no_more_than_so_much_on_all_connections(url: str) -> None:
    async with one_on(url, chats_per_minute=1) as (node, anna, room):
        token = welcome(anna)["token"]
        async with peer(node.port, token=token) as again, peer(node.port) as bob:
            mine = await made(again, max_players=2)
            answers = [await anna.ask("chat", room=room, text=str(n)) for n in range(6)]
            answers += [await again.ask("chat", room=mine, phrase="oops") for n in range(5)]
            assert [answer["t"] for answer in answers] == ["ok"] * 10 + ["error"]
            assert answers[-1]["code"] == "rate_limited"
            await bob.ask("join", room=room)
            assert (await bob.ask("chat", room=room, text="I may"))["t"] == "ok"


# reports


async def test_a_report_is_kept_with_what_was_said(node: Running, meet: Meet) -> None:
    anna, bob, room = await two(meet)
    for text in ("you fool", "you utter fool"):
        await bob.ask("chat", room=room, text=text)
    await anna.ask("chat", room=room, text="please")
    for text in ("you fool", "you utter fool", "please"):  # which come by way of the store
        await anna.find(lambda message, text=text: message.get("text") == text)  # type: ignore[misc]  # mypy infers no type for it
    answer = await anna.ask("report", room=room, player=id_of(bob), reason="abuse", text=" he  insults me ")
    assert answer["t"] == "ok"
    [report] = await kept(node)
    assert (report.room, report.mode, report.seat, report.reason) == (room, "race", 1, "abuse")
    assert (report.about["name"], report.by["name"]) == ("Bob", "Anna")
    assert report.text
    assert [line.text for line in report.said] == ["you fool", "you utter fool"]
    assert [message["t"] for message in await bob.quiet()].count("ok") == 2  # and no word of it


async def test_a_report_sent_again_takes_the_place_of_the_former(node: Running, meet: Meet) -> None:
    anna, bob, room = await two(meet)
    for reason in ("other", "stalling"):
        await anna.ask("report", room=room, player=id_of(bob), reason=reason)
    await bob.ask("report", room=room, player=id_of(anna), reason="cheating")
    assert {report.reason.value for report in await kept(node)} == {"stalling", "cheating"}


async def test_who_has_talked_and_left_can_be_reported(node: Running, meet: Meet) -> None:
    anna, bob, room = await two(meet)
    await bob.ask("chat", room=room, text="bye, losers")
    await anna.find(is_chat)
    await bob.ask("leave", room=room)
    await anna.ask("report", room=room, player=id_of(bob), reason="abuse")
    [report] = await kept(node)
    assert (report.seat, report.said[0].text) == (None, "bye, losers")


async def test_only_other_people_who_are_there_are_reported(node: Running, meet: Meet) -> None:
    anna, _, room = await two(meet)
    stranger = await meet()
    await anna.ask("bot", room=room, level="easy")
    seats = (await anna.ask("join", room=room))["state"]["seats"]
    for player in (id_of(anna), id_of(stranger), seats[2]["player"]["id"]):
        answer = await anna.ask("report", room=room, player=player, reason="other")
        assert (answer["code"], answer["field"]) == ("not_allowed", "player")
    answer = await stranger.ask("report", room=room, player=id_of(anna), reason="other")
    assert answer["code"] == "no_such_room"
    assert not await kept(node)


async def test_no_more_than_so_many_reports_a_day(url: str) -> None:
    async with one_on(url, reports_per_day=1) as (node, anna, room), peer(node.port) as bob:
        await bob.ask("join", room=room)
        reported = {"room": room, "player": id_of(bob), "reason": "other"}
        other = await made(bob)
        await anna.ask("join", room=other)
        answers = [await anna.ask("report", **reported), await anna.ask("report", **reported)]
        answers.append(await anna.ask("report", **{**reported, "room": other}))
        assert [answer.get("code", "ok") for answer in answers] == ["ok", "ok", "rate_limited"]

"""What one connection, one player and one address may do, and that others do not feel who does more."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from tests.gateway.conftest import Watch
from tests.gateway.meeting import Meet, meeting
from tests.gateway.nodes import Running, running
from tests.gateway.peer import Heard, Peer, welcome
from tests.gateway.sockets import UPGRADE, Wire, request
from tests.store.waiting import until

from tenmatch.gateway import connection
from tenmatch.gateway.credits import Credits, Shared


@asynccontextmanager
async def node_with(url: str, **limits: object) -> AsyncIterator[tuple[Running, Meet]]:
    """Run a node that has these limits alone; yield also what connects peers to it."""
    async with running(url, **limits) as node, meeting(node) as meet:
        yield node, meet


async def pings(peer: Peer, count: int) -> list[str]:
    """Ping so many times; return what came back, by type or code."""
    return [outcome(await peer.ask("ping")) for _ in range(count)]


def outcome(answer: Heard) -> str:
    """Return an error's code, or what else it is."""
    return str(answer["code"] if answer["t"] == "error" else answer["t"])


@pytest.fixture
def no_refill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no credits come back while a test takes them, however slow it is."""
    take = Credits.take
    monkeypatch.setattr(Credits, "take", lambda credits, now: take(credits, credits._at))
    monkeypatch.setattr(Shared, "_forget", lambda shared, now: None)


GOOD, DROPPED = "pong", "rate_limited"


# Credits that are shared


def test_a_bucket_is_shared_by_all_who_use_it() -> None:
    shared = Shared(1, 3)
    one, two, other = shared.enter("a", 0.0), shared.enter("a", 0.0), shared.enter("b", 0.0)
    assert [one.take(0.0), two.take(0.0), one.take(0.0), two.take(0.0)] == [True, True, True, False]
    assert other.take(0.0)
    assert shared.users("a") == 2
    assert two.take(1.0)
    assert not one.take(1.0)


def test_who_comes_back_finds_what_was_left() -> None:
    shared = Shared(1, 3)
    credits = shared.enter("a", 0.0)
    assert [credits.take(0.0) for _ in range(3)] == [True] * 3
    shared.leave("a", 0.0)
    assert shared.users("a") == 0
    again = shared.enter("a", 1.0)
    assert [again.take(1.0), again.take(1.0)] == [True, False]


def test_nothing_is_kept_of_whoever_has_been_away_for_long() -> None:
    shared = Shared(1, 3)
    for number in range(100):
        shared.enter(str(number), 0.0)
        shared.leave(str(number), 0.0)
    assert len(shared) == 100
    shared.enter("a", 3.0)
    assert len(shared) == 1
    shared.leave("a", 3.0)
    unlimited = Shared(0, 0)
    assert unlimited.enter("a", 0.0).take(0.0)
    unlimited.leave("a", 0.0)
    assert len(unlimited) == 0


# Messages


@pytest.mark.usefixtures("no_refill")
async def test_all_connections_of_a_player_share_what_it_may_send(url: str, watch: Watch) -> None:
    async with node_with(url, messages_per_s_player=2) as (_, meet):
        anna, other = await meet(), await meet()
        tab = await meet(token=welcome(anna)["token"])
        answers = [*await pings(anna, 3), *await pings(tab, 3), *await pings(anna, 1), *await pings(tab, 1)]
        assert answers == [GOOD] * 6 + [DROPPED] * 2
        assert await pings(other, 6) == [GOOD] * 6


@pytest.mark.usefixtures("no_refill")
async def test_hanging_up_gains_a_player_nothing(url: str, watch: Watch) -> None:
    async with node_with(url, messages_per_s_player=1) as (node, meet):
        anna = await meet()
        assert await pings(anna, 4) == [GOOD] * 3 + [DROPPED]
        await anna.end()
        await until(lambda: not node.node.desk.sessions)
        assert await pings(await meet(token=welcome(anna)["token"]), 3) == [DROPPED] * 3


@pytest.mark.usefixtures("no_refill")
async def test_all_connections_from_an_address_share_what_it_may_send(url: str, watch: Watch) -> None:
    async with node_with(url, messages_per_s_address=2, trusted_proxies=("127.0.0.1",)) as (node, meet):
        anna, bert = await meet(), await meet()  # two messages
        answers = [*await pings(anna, 2), *await pings(bert, 4)]
        assert answers == [GOOD] * 4 + [DROPPED] * 2
        async with Wire(node.port) as wire:  # from elsewhere
            await wire.upgrade(headers={"X-Forwarded-For": "203.0.113.9"})
            elsewhere = Peer(wire)
            assert (await elsewhere.ask("hello"))["t"] == "welcome"
            assert await pings(elsewhere, 5) == [GOOD] * 5
            await elsewhere.end()


@pytest.mark.usefixtures("no_refill")
async def test_what_is_sent_before_the_hello_counts(url: str, watch: Watch) -> None:
    async with node_with(url, messages_per_s_address=1) as (_, meet):
        stranger = await meet(hello=False)
        answers = [(await stranger.ask("create", mode="race"))["code"] for _ in range(4)]
        assert answers == ["hello_first"] * 3 + [DROPPED]


@pytest.mark.parametrize("limit", ["messages_per_s", "messages_per_s_player", "messages_per_s_address"])
async def test_who_goes_on_all_the_same_is_sent_away(url: str, watch: Watch, limit: str) -> None:
    async with node_with(url, **{limit: 1}) as (_, meet):
        anna = await meet()
        await anna.send(*[{"t": "ping"}] * 300)
        assert await anna.closed() == 1008
    async with node_with(url) as (_, meet):
        anna = await meet()
        await anna.send(*[{"t": "ping"}] * 300)
        assert await pings(anna, 1) == [GOOD]


@pytest.mark.usefixtures("no_refill")
async def test_a_move_that_was_dropped_is_named(url: str, watch: Watch) -> None:
    async with node_with(url, messages_per_s_player=1) as (_, meet):
        anna = await meet()
        await pings(anna, 3)
        await anna.send({"t": "resign", "room": "abcdefghjk", "n": 7})
        answer = await anna.find(lambda message: message.get("n") == 7)
        assert (answer["code"], answer["room"]) == (DROPPED, "abcdefghjk")


# Rooms


async def room_of(host: Peer) -> str:
    return str((await host.ask("create", mode="race"))["room"])


@pytest.mark.usefixtures("no_refill")
async def test_joins_are_few_in_a_minute_and_the_rest_goes_on(url: str, watch: Watch) -> None:
    async with node_with(url, joins_per_minute=3) as (_, meet):
        host, anna, bert = await meet(), await meet(), await meet()
        room = await room_of(host)
        answers = [await anna.ask("join", room=room, watch=True) for _ in range(4)]
        assert [outcome(answer) for answer in answers] == ["snapshot"] * 3 + [DROPPED]
        assert (await anna.ask("join", code="abcdef"))["code"] == DROPPED  # nor to guess at codes
        assert await pings(anna, 3) == [GOOD] * 3
        assert (await anna.ask("chat", room=room, text="still here"))["t"] == "ok"
        assert (await bert.ask("join", room=room))["t"] == "snapshot"


async def test_an_address_makes_so_many_rooms_in_an_hour_whoever_it_says_it_is(
    url: str, watch: Watch
) -> None:
    async with node_with(url, rooms_per_address=3) as (_, meet):
        guests = [await meet() for _ in range(4)]
        made = [await guest.ask("create", mode="race", key="one") for guest in guests]
        assert [outcome(answer) for answer in made] == ["snapshot"] * 3 + ["too_many_rooms"]
        assert "address" in made[3]["text"]
        again = await guests[0].ask("create", mode="race", key="one")
        assert again["room"] == made[0]["room"]
        assert (await guests[0].ask("leave", room=again["room"]))["t"] == "ok"  # over, and it counts
        assert (await guests[0].ask("create", mode="race"))["code"] == "too_many_rooms"


async def test_a_room_that_was_not_made_does_not_count_for_its_player(url: str, watch: Watch) -> None:
    async with node_with(url, rooms_per_address=1, rooms_per_player=1, trusted_proxies=("127.0.0.1",)) as (
        node,
        meet,
    ):
        first, anna = await meet(), await meet()
        await room_of(first)
        assert "address" in (await anna.ask("create", mode="race"))["text"]
        async with Wire(node.port) as wire:
            await wire.upgrade(headers={"X-Forwarded-For": "203.0.113.9"})
            moved = Peer(wire)
            await moved.ask("hello", token=welcome(anna)["token"])
            assert (await moved.ask("create", mode="race"))["t"] == "snapshot"
            assert "player" in (await moved.ask("create", mode="race"))["text"]
            await moved.end()


# Connections


async def test_a_player_has_so_many_connections(url: str, watch: Watch) -> None:
    async with node_with(url, sockets_per_player=2) as (node, meet):
        anna, other = await meet(), await meet()
        token = welcome(anna)["token"]
        tab = await meet(token=token)
        assert (await tab.ask("hello", token=token))["t"] == "welcome"  # said again, it is no other
        third = await meet(hello=False)
        await third.send({"t": "hello", "token": token})
        assert await third.closed() == 1013
        assert third.heard == []
        await tab.end()
        await until(lambda: len(node.node.desk.sessions) == 2)
        assert welcome(await meet(token=token))["player"] == welcome(anna)["player"]
        assert await pings(other, 1) == [GOOD]


async def test_more_who_only_knock_end_the_oldest_of_them(
    url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HANDSHAKE_S", 60.0)
    async with node_with(url, handshakes=5) as (node, meet), AsyncExitStack() as wires:
        anna = await meet()
        slow = [await wires.enter_async_context(Wire(node.port)) for _ in range(5)]
        await until(lambda: node.node.handshake.knocking == 5)
        bert = await meet()
        assert await slow[0].end() == b""
        assert (await slow[1].upgrade()).status_code == 101  # it was quick enough
        assert [*await pings(anna, 1), *await pings(bert, 1)] == [GOOD] * 2
        for _ in range(50):
            await wires.enter_async_context(Wire(node.port))
        await until(lambda: node.node.handshake.knocking == 5)
        assert [*await pings(anna, 1), *await pings(await meet(), 1)] == [GOOD] * 2


async def test_who_knocks_counts_for_its_address(
    url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HANDSHAKE_S", 60.0)
    async with node_with(url, sockets_per_address=3) as (node, meet), AsyncExitStack() as wires:
        anna = await meet()
        slow = [await wires.enter_async_context(Wire(node.port)) for _ in range(3)]
        await until(lambda: node.node.handshake.knocking == 3)
        refused = await wires.enter_async_context(Wire(node.port))
        assert await refused.end() == b""  # too many who say nothing
        assert (await slow[0].upgrade()).status_code == 429  # with the others it would be the fourth
        slow[1].socket.close()
        await until(lambda: node.node.handshake.knocking == 2)
        assert await pings(anna, 1) == [GOOD]


@pytest.mark.slow
async def test_five_hundred_slow_handshakes_are_cut_off_and_nobody_waits_for_them(
    url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it costs the others is the time for which the one thread that does it all is busy."""
    monkeypatch.setattr(connection, "HANDSHAKE_S", 2.0)
    async with node_with(url) as (node, meet), AsyncExitStack() as wires:
        anna = await meet()
        slow = [await wires.enter_async_context(Wire(node.port)) for _ in range(500)]
        head = request()
        worst = 0.0
        for number in range(len(head) - 1):  # a byte now and then: that gains no time
            for wire in slow[number % 10 :: 10]:
                try:
                    await wire.send(head[number : number + 1])
                except ConnectionError:
                    continue
            asked = time.thread_time()
            assert await pings(anna, 1) == [GOOD]
            worst = max(worst, time.thread_time() - asked)
            if not node.node.handshake.knocking:
                break
            await asyncio.sleep(0.05)
        else:
            pytest.fail("who sends a byte every now and then is given time for all of them")
        assert worst < 0.5


# Who says who it is


ATTEMPTS = {
    "cookie": {"Cookie": "token={token}; session={token}; tenmatch={token}"},
    "authorization": {"Authorization": "Bearer {token}"},
    "subprotocol": {"Sec-WebSocket-Protocol": "tenmatch.v1.json, {token}"},
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
async def test_only_a_hello_says_who_one_is(url: str, watch: Watch, attempt: str) -> None:
    """A browser adds headers to what a foreign page begins; a message only the page itself can send."""
    async with node_with(url) as (node, meet):
        anna = await meet()
        token = welcome(anna)["token"]
        async with Wire(node.port) as wire:
            headers = {name: value.format(token=token) for name, value in ATTEMPTS[attempt].items()}
            assert (await wire.upgrade(headers=headers)).status_code == 101
            stranger = Peer(wire)
            assert (await stranger.ask("create", mode="race"))["code"] == "hello_first"
            assert (await stranger.ask("hello"))["player"]["id"] != welcome(anna)["player"]["id"]
            await stranger.end()


OWN = UPGRADE["Host"]


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 101),
        (f"http://{OWN}", 101),
        (f"https://{OWN}", 101),
        ("https://play.example", 101),
        ("http://play.example", 403),
        ("https://play.example:443", 403),
        ("https://play.example:8443", 403),
        ("https://play.example/", 403),
        ("https://play.example.evil.example", 403),
        ("https://evil-play.example", 403),
        ("https://evil.example/https://play.example", 403),
        ("https://play.example@evil.example", 403),
        ("https://play.example, https://evil.example", 403),
        ("https://play.example https://evil.example", 403),
        ("HTTPS://PLAY.EXAMPLE", 403),
        ("https://Play.example", 403),
        (f"HTTP://{OWN.upper()}", 403),
        (f"http://{OWN}.", 403),
        (f"http://{OWN}:80", 403),
        (f"wss://{OWN}", 403),
        (f"//{OWN}", 403),
        (OWN, 403),
        ("null", 403),
        ("NULL", 403),
        ("file://", 403),
        ("*", 403),
        ("", 403),
    ],
)
async def test_only_pages_of_the_exact_list_connect(
    url: str, watch: Watch, origin: str | None, status: int
) -> None:
    async with node_with(url, origins=("https://play.example",)) as (node, _), Wire(node.port) as wire:
        headers = {"Origin": origin, "Cookie": "anything=goes"}
        assert (await wire.upgrade(headers=headers)).status_code == status


async def test_two_origins_are_none(url: str, watch: Watch) -> None:
    async with node_with(url) as (node, _), Wire(node.port) as wire:
        twice = request(headers={"Origin": f"http://{OWN}"})[:-2] + f"Origin: http://{OWN}\r\n\r\n".encode()
        await wire.send(twice)
        assert (await wire.end()).startswith(b"HTTP/1.1 400 ")

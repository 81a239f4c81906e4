"""What every client must do, in whatever language: each runs through all of this against a real server.

What a client is asked, and what it answers, stands in tests/client/README.md.
"""

import asyncio
from functools import partial
from typing import Any

import pytest
from tests.client.conftest import Meet
from tests.client.meddler import Meddler, Message
from tests.client.troupe import DRIVERS, Player, Refusal
from tests.live.client import Client
from tests.live.node import Node

QUICK = {"countdown_ms": 0, "seed": "5eed" * 16}


async def begun(meet: Meet, mode: str = "race", **options: Any) -> tuple[Player, Player]:
    """Let two sit down and begin."""
    one, other = await meet(), await meet()
    view = await one.enter("create", mode=mode, options={**QUICK, "max_players": 2, **options})
    assert (await other.enter("join", room=view["code"]))["seat"] == 1
    for player in (one, other):
        await player.ask("ready")
    for player in (one, other):
        await player.ask("until", phase="playing")
    return one, other


async def same_at_last(node: Node, *players: Player) -> dict[str, Any]:
    """Return what all of them hold of their room, when they have all heard the latest of it.

    The server says what the latest is: a client may have heard of a move, and not yet of what that brought.
    """
    true = await true_state(node, players[0].room)
    views = [await player.ask("until", seq=true["seq"], status="live") for player in players]
    assert {(view["seq"], view["chain"]) for view in views} == {(true["seq"], true["chain"])}
    for name in ("phase", "scores", "mistakes", "ranking"):
        assert all(view[name] == views[0][name] for view in views), name
    return views[0]


async def true_state(node: Node, room: str) -> dict[str, Any]:
    """Return what the server itself shows of a room."""
    stranger = await Client.connect(node.url)
    await stranger.hello()
    snapshot = await stranger.ask("join", room=room, watch=True)
    await stranger.close()
    return {**snapshot["state"], "seq": snapshot["seq"], "chain": snapshot["chain"]}


async def nothing_missed(player: Player) -> list[list[Any]]:
    """Return what a client was told of its room; fail if it was not each event once, in order."""
    kinds = (await player.ask("kinds"))["kinds"]
    seqs = [seq for seq, _ in kinds]
    assert seqs == sorted(set(seqs))
    return list(kinds)


async def test_a_race_from_the_making_of_the_room_to_its_end(meet: Meet, node: Node) -> None:
    one, other = await begun(meet)
    watcher = await meet()
    assert (await watcher.enter("watch", room=one.room))["seat"] is None
    mistaken = await one.ask("move", t="call")
    assert mistaken["kind"] == "mistaken"
    await asyncio.gather(other.play_on(), watcher.ask("until", phase="over"))
    view = await same_at_last(node, one, other, watcher)
    true = await true_state(node, one.room)
    assert view["phase"] == "over"
    assert [true["seq"], true["chain"], true["board"]] == [view["seq"], view["chain"], view["boards"][0]]
    assert [[rank["seat"], rank["place"]] for rank in true["ranking"]] == view["ranking"]
    kinds = [kind for _, kind in await nothing_missed(one)]
    assert kinds[-1] == "ended"
    assert "matched" in kinds


async def test_turns_are_taken_and_let_go(meet: Meet, node: Node) -> None:
    one, other = await begun(meet, "turns")
    assert (await other.ask("move", t="pass"))["refused"] == "not_your_turn"
    assert (await one.ask("move", t="pass"))["kind"] == "passed"
    await other.ask("until", seq=(await one.ask("view"))["seq"])
    assert (await other.match())["kind"] == "matched"
    assert (await one.ask("move", t="resign"))["kind"] == "resigned"
    assert (await same_at_last(node, one, other))["ranking"][0] == [1, 1]


async def test_in_mirror_rivals_boards_are_hidden_and_their_progress_told(meet: Meet, node: Node) -> None:
    one, other = await begun(meet, "mirror", size=36, deal="even")
    for _ in range(3):
        assert (await one.match())["kind"] == "matched"
    assert (await one.ask("move", t="add"))["kind"] == "added"
    view = await other.ask("until", seq=(await one.ask("view"))["seq"])
    assert view["boards"][0] is None
    assert view["progress"][0] == [60, 0]
    assert view["boards"][1] is not None
    assert (await other.match())["kind"] == "matched"
    await same_at_last(node, one, other)


async def test_what_is_denied_says_why(meet: Meet) -> None:
    player = await meet()
    with pytest.raises(Refusal) as denied:
        await player.ask("create", mode="race", options={"size": 7})
    assert (denied.value.code, denied.value.field) == ("bad_options", "size")
    with pytest.raises(Refusal, match="no_such_room"):
        await player.ask("join", room="aaaaaaaaaa")


async def test_a_move_is_made_once_though_its_answer_is_lost(
    meet: Meet, node: Node, between: Meddler
) -> None:
    one, other = await begun(meet)

    def cut_before_the_answer(to: int, message: Message) -> list[Message] | None:
        if to == 0 and message.get("kind") == "matched":
            between.honest()
            return None
        return [message]

    between.meddle = cut_before_the_answer
    answer = await one.match()
    assert (answer["kind"], answer["n"]) == ("matched", 1)
    await one.match()
    view = await same_at_last(node, one, other)
    assert [kind for _, kind in await nothing_missed(other)].count("matched") == 2
    assert (await true_state(node, one.room))["seq"] == view["seq"]
    first = [move for move in between.spoken("match") if move["n"] == 1]
    assert len({(move["a"], move["b"]) for move in first}) == 1


async def test_a_cut_connection_comes_back_and_goes_on_after_the_last_event(
    meet: Meet, node: Node, between: Meddler
) -> None:
    one, other = await begun(meet)
    await one.match()
    held = await same_at_last(node, one, other)
    between.said.clear()
    between.cut()
    await one.match()
    await same_at_last(node, one, other)
    asked = between.spoken("join")
    assert asked
    for join in asked:
        assert (join["after"], join["chain"]) == (held["seq"], held["chain"])
    assert all("token" in hello for hello in between.spoken("hello"))
    await nothing_missed(one)


async def test_a_gap_is_noticed_and_filled(meet: Meet, node: Node, between: Meddler) -> None:
    one, other = await begun(meet)
    held = await same_at_last(node, one, other)
    lost: list[Message] = []

    def lose_one(to: int, message: Message) -> list[Message]:
        if to == 0 and message.get("kind") == "matched" and not lost:
            lost.append(message)
            return []
        return [message]

    between.meddle = lose_one
    between.said.clear()
    assert (await other.match())["kind"] == "matched"
    await between.until(lambda: bool(lost))
    await other.match()
    await same_at_last(node, one, other)
    assert {(join["after"], join["chain"]) for join in between.spoken("join")} == {
        (held["seq"], held["chain"])
    }
    for player in (one, other):
        assert [kind for _, kind in await nothing_missed(player)].count("matched") == 2


async def test_a_board_that_differs_is_asked_for_anew(meet: Meet, node: Node, between: Meddler) -> None:
    one, other = await begun(meet)

    def lie(to: int, message: Message) -> list[Message]:
        return [{**message, "hash": message["hash"] ^ 1}] if message.get("kind") == "matched" else [message]

    between.meddle = lie
    between.said.clear()
    answer = asyncio.create_task(one.match())
    await between.until(lambda: len(between.spoken("join")) >= 2)  # both find out
    assert all("after" not in join for join in between.spoken("join"))
    between.honest()
    assert (await answer)["kind"] == "matched"
    await one.ask("until", status="live")  # with the board as it is
    assert (await one.match())["kind"] == "matched"
    view = await same_at_last(node, one, other)
    assert view["boards"][0] == (await true_state(node, one.room))["board"]


async def test_a_move_is_sent_again_under_its_number_where_the_server_asks_for_patience(
    meet: Meet, node: Node, between: Meddler
) -> None:
    one, other = await begun(meet)
    put_off = 0

    def not_now(to: int, message: Message) -> list[Message]:
        nonlocal put_off
        if to == 0 and message.get("kind") == "matched" and put_off < 2:
            put_off += 1
            return [{"t": "error", "room": message["room"], "n": 1, "code": "unavailable", "text": "not now"}]
        return [message]

    between.meddle = not_now
    answer = await one.match()
    assert (answer["kind"], answer["n"]) == ("matched", 1)
    assert len({move["n"] for move in between.spoken("match")}) == 1
    between.honest()
    await same_at_last(node, one, other)
    assert [kind for _, kind in await nothing_missed(one)].count("matched") == 1


async def test_what_a_newer_server_adds_is_borne(meet: Meet, node: Node, between: Meddler) -> None:
    def add(to: int, message: Message) -> list[Message]:
        return [{"t": "novelty", "of": ["a", "newer", {"server": 1}]}, {**message, "news": {"very": "new"}}]

    between.meddle = add
    one, other = await begun(meet)
    assert (await one.match())["kind"] == "matched"
    await same_at_last(node, one, other)


@pytest.mark.parametrize(
    ("code", "least_s", "most_s"), [(1012, 0, 0.01), (1013, 0, 0.5), (1001, 0, 0.5), (1008, 50, 60)]
)
async def test_a_close_says_when_to_come_back(
    meet: Meet, between: Meddler, code: int, least_s: float, most_s: float
) -> None:
    player = await meet()
    waiting = asyncio.create_task(player.ask("until_status", status="reconnecting"))
    await asyncio.sleep(0)  # it is asked
    await player.ask("who")  # and heard: requests are heard in order
    await between.close(code)
    found = await waiting
    assert found["code"] == code
    assert least_s <= (found["wait_s"] or 0) <= most_s
    if most_s < 1:
        await player.ask("until_status", status="open")
        assert between.connections == 2


async def test_a_first_connection_that_breaks_is_made_again(meet: Meet, between: Meddler) -> None:
    between.meddle = lambda to, message: None if to == 0 else [message]
    player = await meet()
    assert (await player.ask("who"))["status"] == "open"
    assert between.connections == 2


@pytest.mark.parametrize("code", [1003, 1009, 4501, 4777])
async def test_a_close_says_to_stay_away(meet: Meet, between: Meddler, code: int) -> None:
    player = await meet()
    await between.close(code)
    assert (await player.ask("until_status", status="closed"))["code"] == code
    assert between.connections == 1


async def test_a_token_that_is_not_good_is_not_used_again(meet: Meet, between: Meddler) -> None:
    with pytest.raises(Refusal, match="closed"):
        await refused(meet, token="forged")
    spoken = between.spoken("hello")
    assert [hello.get("token") for hello in spoken].count("forged") == 1


async def refused(meet: Meet, token: str) -> None:
    """Come with a token, and fail where one is let in as that player."""
    player = await meet(token=token)  # a client may be a new guest instead, which is another player
    assert (await player.ask("who"))["token"] != token
    raise Refusal({"error": "closed"})


async def test_a_newer_connection_of_the_same_player_takes_the_seat(meet: Meet, node: Node) -> None:
    one, other = await begun(meet)
    again = await meet(token=(await one.ask("who"))["token"])
    assert (await again.enter("join", room=one.room))["seat"] == 0
    assert (await one.ask("until_gone"))["reason"] == "taken_over"
    assert (await one.ask("until_status", status="closed"))["code"] == 4501
    assert (await again.match())["kind"] == "matched"
    await same_at_last(node, again, other)


async def test_strangers_are_called_together(meet: Meet) -> None:
    one, other = await meet(), await meet()
    views = await asyncio.gather(*(player.enter("queue", mode="race") for player in (one, other)))
    assert views[0]["room"] == views[1]["room"]
    assert {view["seat"] for view in views} == {0, 1}


async def test_who_is_called_to_the_games_of_a_tournament_comes(
    meet: Meet, node: Node, between: Meddler
) -> None:
    best, other = await meet(), await meet()
    host = await Client.connect(node.url)
    await host.hello()
    wanted = {"title": "Cup", "format": "knockout", "mode": "race", "options": {"countdown_ms": 0}}
    id = (await host.ask("tournament_create", **wanted))["tournament"]
    for player in (best, other):
        await player.ask("enter_tournament", tournament=id)
    played = [
        asyncio.create_task(player.ask("play_tournament", gives_up=player is other))
        for player in (best, other)
    ]
    between.cut()
    await host.ask("tournament_start", tournament=id)
    first, second = [(await player.ask("who"))["player"] for player in (best, other)]
    for told in await asyncio.gather(*played):
        assert told["ranking"] == [[first, 1], [second, 2]]
    await host.close()


async def test_public_rooms_are_listed(meet: Meet) -> None:
    player = await meet()
    await player.enter("create", mode="turns", options=QUICK)
    assert (await player.ask("lobby"))["phase"] == "open"


async def test_a_server_that_falls_silent_is_left(meet_as: Meet, node: Node, between: Meddler) -> None:
    """By clients of all languages at once: to be sure of it takes them a while."""
    pairs = [await begun(partial(meet_as, language)) for language in DRIVERS]
    players = [player for pair in pairs for player in pair]
    between.freeze()
    await asyncio.gather(*(player.ask("until_status", status="reconnecting") for player in players))
    between.thaw()
    for one, other in pairs:
        await one.match()
        await same_at_last(node, one, other)

"""A room on one node and on two: races, hints and doubts, logs that change behind a node's back, outages."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.game.rooms import person
from tests.gateway.conftest import Watch
from tests.gateway.nodes import (
    Question,
    Running,
    claim,
    clock_stopped,
    ended,
    founded,
    listen,
    playing,
    running,
)
from tests.gateway.sockets import PATIENCE_S
from tests.servers import Server
from tests.store.waiting import until

from tenmatch.game import commands
from tenmatch.game.answers import Denial, Denied, Obstacle
from tenmatch.game.events import Matched, Resigned
from tenmatch.game.ids import MoveNumber, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase
from tenmatch.gateway import held, ruling, tables
from tenmatch.gateway.asked import Answer, Done, Holder, NotMade, Repeated, Unavailable, asked
from tenmatch.gateway.table import Table
from tenmatch.gateway.tables import UnreadableRoom
from tenmatch.protocol.stored import open_all
from tenmatch.store import keys
from tenmatch.store.committer import TooMuchWaits
from tenmatch.store.log import Stored, Untimely, read

ZERO, ONE = SeatNumber(0), SeatNumber(1)
FIRST = 8  # the seq of the first event after a game of two has begun


@pytest.fixture
async def one(url: str, watch: Watch, by_hand: None) -> AsyncIterator[Running]:
    """A node that compares no room with its log, nor looks for any, unless it is told to."""
    async with running(url) as one:
        yield one


@pytest.fixture
async def two(one: Running, url: str) -> AsyncIterator[Running]:
    """Another node on the same store."""
    async with running(url) as two:
        yield two


def resign(seat: int = 0, n: int = 1) -> commands.Resign:
    return commands.Resign(SeatNumber(seat), MoveNumber(n))


async def opened(running: Running, table: Table) -> Table:
    """Return another node's table of the same room."""
    return await running.node.tables.open(table.room)


# One node


async def test_events_come_before_the_answer(one: Running) -> None:
    table = await playing(one)
    ear = listen(table, 0)
    told: list[object] = []
    table.ask(claim(table, 0, 1), lambda answer: told.extend(ear.kinds()))
    await until(lambda: bool(told))
    assert told == ["matched"]


async def test_commands_asked_at_once_are_judged_in_order_on_what_the_ones_before_lead_to(
    one: Running,
) -> None:
    table = await playing(one)
    move = claim(table, 0, 1)
    rival = commands.Claim(ONE, MoveNumber(1), move.a, move.b, move.seen, move.sent)
    first, second = Question(table, move), Question(table, rival)
    third = Question(table, resign(1, 2))
    assert isinstance(await first.answer(), Done)
    refusal = await second.answer()
    assert isinstance(refusal, NotMade)
    assert refusal.refused.code == Obstacle.STALE
    assert refusal.seq == move.seen + 1, "the board on which it was judged, not the one at the end"
    assert isinstance(await third.answer(), Done)
    assert table.state.phase is Phase.OVER
    assert len(await one.log(table.room)) == table.state.seq


async def test_a_move_sent_again_is_answered_with_the_event_it_made(one: Running) -> None:
    table = await playing(one)
    move = claim(table, 0, 7)
    twice = [Question(table, move), Question(table, move)]
    assert isinstance(await twice[0].answer(), Done)
    for repeated in (await twice[1].answer(), await asked(table, move)):
        assert isinstance(repeated, Repeated)
        assert isinstance(repeated.entry.event, Matched)
        assert (repeated.entry.event.seat, repeated.entry.event.n) == (0, 7)
    assert [len(question.answers) for question in twice] == [1, 1]


async def test_a_command_for_a_seat_that_is_anothers_by_then_is_refused(one: Running) -> None:
    """Kicked, replaced, and a `ready` of the old player's still on its way: it must not be the new one's."""
    table = await founded(one)
    assert isinstance(await asked(table, commands.Sit(person(1))), Done)
    theirs = Holder(ONE, person(1).id)
    questions = [
        Question(table, commands.Kick(ZERO, ONE)),
        Question(table, commands.Sit(person(2))),
        Question(table, commands.GetReady(ONE, True), theirs),
        Question(table, commands.Leave(ONE), theirs),
    ]
    kicked, sat, ready, left = [await question.answer() for question in questions]
    assert isinstance(kicked, Done)
    assert isinstance(sat, Done)
    assert isinstance(ready, NotMade)
    assert isinstance(left, NotMade)
    seat = table.state.seated(ONE)
    assert (seat.player, seat.ready) == (person(2), False)


async def test_a_question_without_a_command_compares_only(one: Running) -> None:
    table = await founded(one)
    assert await asked(table, None) == Done(())
    assert len(await one.log(table.room)) == 2


async def test_a_room_in_which_nothing_happens_asks_the_store_nothing(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await founded(one)
    committer = table._committer
    await asked(table, None)
    before = committer.pipelines
    table.doubt()
    await until(lambda: committer.pipelines == before + 1)
    await asyncio.sleep(0.1)
    assert committer.pipelines == before + 1


@pytest.mark.slow
async def test_a_node_ends_although_somebody_waits_for_a_frozen_store(
    own_server: Server, watch: Watch
) -> None:
    async with asyncio.timeout(PATIENCE_S):
        async with running(own_server.url) as one:
            table = await founded(one)
            own_server.freeze()
            question = Question(table, commands.GetReady(ZERO, True))
            one.node.tables._spawn(wait_for_an_answer(table))
        assert question.answers == [Unavailable()]
        own_server.thaw()


async def wait_for_an_answer(table: Table) -> None:
    await asked(table, None)


async def test_a_room_that_was_let_go_answers_everyone(one: Running) -> None:
    table = await founded(one)
    under_way, waiting = Question(table, None), Question(table, None)
    one.node.tables.unload(table)
    assert [await question.answer() for question in (under_way, waiting, Question(table, None))] == [
        Unavailable(),
        Unavailable(),
        Unavailable(),
    ]


async def test_a_bug_in_one_answer_costs_nobody_else_theirs(one: Running, watch: Watch) -> None:
    watch.bugs_expected = True
    table = await founded(one)

    def fail(answer: Answer) -> None:
        raise RuntimeError("a bug")

    table.ask(None, fail)
    assert isinstance(await Question(table, None).answer(), Done)
    assert isinstance(await asked(table, None), Done)


async def test_a_bug_in_judging_gives_the_room_up_and_answers_everyone(
    one: Running, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.bugs_expected = True
    table, other = await founded(one), await founded(one)
    ear = listen(table, 0)

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    with monkeypatch.context() as broken:
        broken.setattr(ruling, "decide", fail)
        broken.setattr(tables, "GIVEN_UP_S", 3_600.0)
        assert await asked(other, commands.GetReady(ZERO, True)) == Unavailable()
        broken.setattr(tables, "GIVEN_UP_S", 0.1)
        assert await asked(table, commands.GetReady(ZERO, True)) == Unavailable()
    assert ear.is_detached == "closed"
    with pytest.raises(UnreadableRoom):  # who comes back at once would meet the bug again
        await opened(one, other)
    await until(lambda: one.node.tables._given_up == {other.room})
    again = await opened(one, table)
    assert again is not table
    assert isinstance(await asked(again, commands.GetReady(ZERO, True)), Done)


async def test_a_bug_in_folding_gives_the_room_up_and_answers_everyone(
    one: Running, two: Running, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.bugs_expected = True
    here = await founded(one)
    there = await opened(two, here)
    deaf(there, monkeypatch)
    assert isinstance(await asked(here, commands.Sit(person(1))), Done)

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    with monkeypatch.context() as broken:
        broken.setattr(held, "evolve", fail)
        assert await asked(there, None) == Unavailable()
    assert two.node.tables.loaded.get(here.room) is not there


async def test_what_finds_no_room_in_the_committer_is_unavailable_and_what_was_due_is_not_forgotten(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await founded(one, countdown_ms=150)
    for seat in (1, 2):
        await asked(table, commands.Sit(person(seat)))
    await asked(table, commands.GetReady(ZERO, True))

    def full(*_: object, **__: object) -> None:
        raise TooMuchWaits("full")

    with monkeypatch.context() as busy:
        busy.setattr(table._committer, "append", full)
        assert await asked(table, None) == Unavailable()
    await until(lambda: not table._resting)
    with monkeypatch.context() as busy:
        with clock_stopped(one):
            await asked(table, commands.GetReady(ONE, True))
            assert table.state.phase is Phase.STARTING
            busy.setattr(table._committer, "append", full)
        await until(lambda: table._resting)  # the start is due now, and finds no room
    await until(lambda: table.state.phase is Phase.PLAYING)


async def test_an_untimely_append_is_judged_again_without_a_busy_loop(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await founded(one)
    calls = 0

    def refuse(*_: object, outcome: object, **__: object) -> None:
        nonlocal calls
        calls += 1
        # As it comes from outside.
        asyncio.get_running_loop().call_soon(outcome, Untimely(one.store.clock.now()))  # type: ignore[arg-type]

    with monkeypatch.context() as odd:
        odd.setattr(table._committer, "append", refuse)
        question = Question(table, commands.GetReady(ZERO, True))
        await asyncio.sleep(0.35)
    assert 2 <= calls <= 6
    assert isinstance(await question.answer(), Done)
    assert len(question.answers) == 1


async def test_what_is_due_happens_by_itself(one: Running) -> None:
    with clock_stopped(one):
        table = await founded(one, countdown_ms=100)
        for command in (
            commands.Sit(person(1)),
            commands.GetReady(ZERO, True),
            commands.GetReady(ONE, True),
        ):
            await asked(table, command)
        assert table.state.phase is Phase.STARTING
    await until(lambda: table.state.phase is Phase.PLAYING)
    assert table.state.started_at == table.state.starts_at


async def test_a_rematch_is_made_once_and_named(one: Running) -> None:
    table = await playing(one)
    await asked(table, resign())
    for seat in (ZERO, ONE):
        await asked(table, commands.WantRematch(seat, True))
    await until(lambda: table.state.rematch is not None)
    room = table.state.rematch
    assert room is not None
    again = await one.node.tables.open(room)
    assert [seat.player for _, seat in again.state.taken()] == [person(1), person(0)]
    assert not one.node.tables._rematching


# Two nodes


def deaf(table: Table, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let a table hear nothing from the feed, nor be told to compare; return what it misses, by first seq."""
    missed: list[int] = []
    monkeypatch.setattr(table, "hint", lambda first, _: missed.append(first))
    monkeypatch.setattr(table, "doubt", lambda: None)
    return missed


async def test_events_of_one_node_reach_the_members_of_the_other(one: Running, two: Running) -> None:
    here = await playing(one)
    there = await opened(two, here)
    ears = [listen(here, 0), listen(there, 1), listen(there)]
    await asked(here, claim(here, 0, 1))
    await until(lambda: there.state.seq == here.state.seq)
    assert all(ear.kinds() == ["matched"] for ear in ears)
    assert ears[0].log == ears[1].log == ears[2].log


async def test_two_nodes_that_move_at_once_take_both_moves_or_answer_stale(
    one: Running, two: Running
) -> None:
    here = await playing(one)
    there = await opened(two, here)
    ears = [listen(here), listen(there)]
    for n in range(1, 15):
        await asyncio.gather(asked(here, None), asked(there, None))
        if here.state.sheets[0].witness is None or here.state.phase is Phase.OVER:
            break
        seq = here.state.seq
        answers = await asyncio.gather(asked(here, claim(here, 0, n)), asked(there, claim(there, 1, n)))
        made = [answer for answer in answers if isinstance(answer, Done)]
        refused = [answer for answer in answers if isinstance(answer, NotMade)]
        assert (len(made), len(refused)) == (1, 1), answers
        assert refused[0].refused.code == Obstacle.STALE
        assert refused[0].seq == seq + 1
    await asyncio.gather(asked(here, None), asked(there, None))
    assert here.head == there.head
    assert ears[0].log == ears[1].log
    assert [message["seq"] for message in ears[0].log] == list(range(FIRST, here.state.seq + 1))
    assert [entry.raw for entry in here.entries] == await one.log(here.room)
    counts = [one.node.counts, two.node.counts]
    assert sum(count.races for count in counts) >= 1, "one came second each time, unless the feed was quicker"
    assert sum(count.repairs.total() for count in counts) == 0


async def test_a_node_that_hears_nothing_neither_accepts_nor_refuses_wrongly(
    one: Running, two: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await playing(one)
    there = await opened(two, here)
    deaf(there, monkeypatch)
    move = claim(here, 0, 1)
    await asked(here, move)
    again = await asked(there, move)
    assert isinstance(again, Repeated | Done), "in the same ms both nodes write the very same event"
    assert [entry.raw for entry in there.entries] == await one.log(here.room)
    assert isinstance(await asked(here, resign(1)), Done)
    late = await asked(there, resign(0, 2))
    assert isinstance(late, NotMade)
    assert late.refused.code == Obstacle.NOT_PLAYING


async def test_a_denial_rests_on_the_logs_end(
    one: Running, two: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await founded(one)
    there = await opened(two, here)
    deaf(there, monkeypatch)
    await asked(here, commands.Sit(person(1)))
    assert there.state.seq == 2
    full = await asked(there, commands.Sit(person(2)))
    assert isinstance(full, Denied)
    assert full.code is Denial.ROOM_FULL


@pytest.mark.slow
async def test_a_lost_message_of_the_feed_is_made_up_for(
    node: Running, other: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await founded(node)
    there = await opened(other, here)
    ear = listen(there)
    lost: list[object] = []
    with monkeypatch.context() as cut:
        cut.setattr(there, "hint", lambda first, _: lost.append(first))
        await asked(here, commands.Sit(person(1)))
        await until(lambda: bool(lost))  # the answer may well be here before the feed's message
    await until(lambda: there.state.seq == here.state.seq)
    assert ear.kinds() == ["seated"]
    assert other.node.counts.repairs == {"missed": 1}


async def test_hints_that_come_twice_late_or_torn_change_nothing(one: Running, two: Running) -> None:
    here = await playing(one)
    there = await opened(two, here)
    ear = listen(there)
    for n in (1, 2, 3):
        await asked(here, claim(here, 0, n))
    await until(lambda: there.state.seq == here.state.seq)
    told = list(ear.log)
    raws = await one.log(here.room)
    for first in range(1, len(raws) + 1):
        there.hint(first, raws[first - 1 :])  # type: ignore[arg-type]  # as it comes from outside
    assert there._under_way is None
    for first, raw in ((len(raws) + 2, b"beyond"), (len(raws) + 1, b"no entry")):
        there.hint(first, [raw])  # type: ignore[arg-type]  # as it comes from outside
        assert there._under_way is not None
        assert await asked(there, None) == Done(())
    assert not there._doubtful
    there.hint(len(raws), [b"forked"])  # type: ignore[arg-type]  # as it comes from outside
    assert there._under_way is not None, "a hint that contradicts what is held is looked into"
    assert await asked(there, None) == Done(())
    assert ear.log == told
    assert there.head == here.head


async def test_what_is_due_on_two_nodes_happens_once(one: Running, two: Running) -> None:
    here = await founded(one, countdown_ms=100)
    there = await opened(two, here)
    ears = [listen(here), listen(there)]
    for command in (
        commands.Sit(person(1)),
        commands.GetReady(ZERO, True),
        commands.GetReady(ONE, True),
    ):
        await asked(here, command)
    await until(lambda: there.state.phase is here.state.phase is Phase.PLAYING)
    assert ears[0].kinds() == ears[1].kinds() == ["seated", "readied", "readied", "starting", "started"]


async def test_a_rematch_due_on_two_nodes_is_one_room(one: Running, two: Running) -> None:
    here = await playing(one)
    there = await opened(two, here)
    await asked(here, resign())
    await asyncio.gather(
        asked(here, commands.WantRematch(ZERO, True)), asked(there, commands.WantRematch(ONE, True))
    )
    await until(lambda: here.state.rematch is not None and here.state.rematch == there.state.rematch)
    named = [entry for entry in here.entries if getattr(entry.event, "room", None)]
    assert len(named) == 1


# Logs that change behind a node's back


async def test_a_log_that_lost_its_tail_gets_it_back(one: Running, caplog: pytest.LogCaptureFixture) -> None:
    table = await playing(one)
    ear = listen(table)
    for n in (1, 2, 3):
        await asked(table, claim(table, 0, n))
    whole, told = await one.log(table.room), list(ear.log)
    await one.store.call("LTRIM", keys.log(table.room), 0, 4)
    assert isinstance(await asked(table, claim(table, 0, 4)), Done)
    assert (await one.log(table.room))[:-1] == whole
    assert ear.log[:-1] == told
    assert ear.kinds()[-1] == "matched"
    assert "a log lost its tail" in caplog.text
    assert one.node.counts.repairs == {"restored": 1}


async def test_two_nodes_that_both_put_a_tail_back_do_it_once(one: Running, two: Running) -> None:
    here = await playing(one)
    there = await opened(two, here)
    for n in (1, 2):
        await asked(here, claim(here, 0, n))
    await until(lambda: there.state.seq == here.state.seq)
    ears = [listen(here), listen(there)]
    whole = await one.log(here.room)
    await one.store.call("LTRIM", keys.log(here.room), 0, 3)
    await asyncio.gather(asked(here, None), asked(there, None))
    assert await one.log(here.room) == whole
    assert [ear.log for ear in ears] == [[], []]


async def test_a_node_that_held_less_of_the_tail_catches_up(
    one: Running, two: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await playing(one)
    there = await opened(two, here)
    with monkeypatch.context() as ears:
        missed = deaf(there, ears)
        await asked(here, claim(here, 0, 1))
        await asked(there, None)
        await asked(here, claim(here, 0, 2))
        await until(lambda: len(missed) == 2)  # else they would be heard late, and not missed
    assert there.state.seq < here.state.seq
    whole = await one.log(here.room)
    await one.store.call("LTRIM", keys.log(here.room), 0, 3)
    await asked(there, None)  # puts back the shorter tail
    await asked(here, None)
    assert await one.log(here.room) == whole
    await until(lambda: there.head == here.head)


async def test_where_the_log_went_another_way_it_wins_and_members_get_reset_snapshots(
    one: Running, two: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failover lost a move; on another node the game went on without it."""
    here = await playing(one)
    before = await one.log(here.room)
    await asked(here, claim(here, 0, 1))
    player, watcher, slow = listen(here, 0), listen(here), listen(here)
    slow.slow = True
    lost = await one.log(here.room)
    await one.store.call("DEL", keys.log(here.room))
    await one.store.call("RPUSH", keys.log(here.room), *before)
    monkeypatch.setattr(here, "hint", lambda *_: None)
    there = await opened(two, here)
    other = claim(there, 1, 1)
    assert isinstance(await asked(there, other), Done)
    assert (await one.log(here.room))[-1] != lost[-1]
    answer = await asked(here, resign(0, 2))
    assert isinstance(answer, Done)
    assert here.entries[:FIRST] == there.entries[:FIRST]
    assert one.node.counts.repairs["reloaded"] == 1
    for ear in (player, watcher, slow):
        [reset, *after] = ear.log
        assert (reset["t"], reset["reset"], reset["seq"]) == ("snapshot", True, FIRST)
        assert [event["kind"] for event in after] == ([] if ear.slow else ["resigned", "ended"])
    assert [message["seq"] for message in player.log] == [FIRST, FIRST + 1, FIRST + 2]


async def test_who_has_no_seat_in_the_log_that_won_is_put_out(one: Running) -> None:
    table = await founded(one)
    before = await one.log(table.room)
    await asked(table, commands.Sit(person(1)))
    host, guest = listen(table, 0), listen(table, 1)
    fork = await founded(one)  # some other log
    await one.store.call("DEL", keys.log(table.room))
    await one.store.call("RPUSH", keys.log(table.room), *(await one.log(fork.room)))
    assert before != await one.log(table.room)
    assert await asked(table, None) == Done(())
    assert host.kinds() == guest.kinds() == ["snapshot"]
    assert (host.is_detached, guest.is_detached) == ("", "closed")


async def test_a_log_that_vanished_takes_its_room_with_it(one: Running) -> None:
    table = await founded(one)
    ear = listen(table, 0)
    await one.store.call("DEL", keys.log(table.room))
    assert await asked(table, None) == Unavailable()
    assert ear.is_detached == "closed"
    assert table.room not in one.node.tables.loaded


async def test_a_log_that_expired_after_the_end_is_let_go(
    one: Running, caplog: pytest.LogCaptureFixture
) -> None:
    table = await playing(one)
    await asked(table, resign())
    await one.store.call("DEL", keys.log(table.room))
    assert await asked(table, None) == Unavailable()
    assert table.room not in one.node.tables.loaded
    of_it = [record for record in caplog.records if getattr(record, "room", None) == table.room]
    assert not [record for record in of_it if record.levelname == "WARNING"]


async def test_reading_a_log_anew_is_not_asked_for_again_and_again(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await founded(one)
    fork = await founded(one)
    await one.store.call("DEL", keys.log(table.room))
    await one.store.call("RPUSH", keys.log(table.room), *(await one.log(fork.room)))
    reloads: list[Table] = []
    reload = one.node.tables.reload

    def count(table: Table) -> None:
        reloads.append(table)
        reload(table)

    monkeypatch.setattr(one.node.tables, "reload", count)
    questions = [Question(table, None) for _ in range(5)]
    table.doubt()
    table.hint(1, [b"no entry"])  # type: ignore[arg-type]  # as it comes from outside
    for question in questions:
        assert await question.answer() == Done(())
    assert len(reloads) == 1


async def test_a_table_that_is_let_go_while_its_log_is_read_anew_is_left_alone(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await ended(one)
    reading, may_read, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def wait_and_read(*asked: Any) -> Stored:
        reading.set()
        await may_read.wait()
        stored = await read(*asked)
        asyncio.get_running_loop().call_soon(done.set)  # after what is done with it
        return stored

    monkeypatch.setattr(tables, "read", wait_and_read)
    held = table.state
    one.node.tables.reload(table)
    await reading.wait()
    one.node.tables.unload(table)
    may_read.set()
    await done.wait()
    assert table.state is held
    assert not one.node.tables.unrecorded


# Outages


@pytest.mark.slow
async def test_a_frozen_store_is_told_within_a_second_and_a_move_happens_once(
    own_server: Server, watch: Watch
) -> None:
    async with running(own_server.url) as one:
        table = await playing(one)
        ear = listen(table, 0)
        move = claim(table, 0, 1)
        own_server.freeze()
        loop, past = asyncio.get_running_loop(), list[float]()
        for seconds in (0.7, 1.0):  # timers ring in their order, however late all of them are
            loop.call_later(seconds, past.append, seconds)
        told: list[tuple[Answer, list[float]]] = []
        for command in (move, resign(1)):
            table.ask(command, lambda answer: told.append((answer, [*past])))
        await until(lambda: len(told) == 2)
        assert told == [(Unavailable(), [0.7])] * 2
        await until(lambda: not one.node.tables.waiting)
        own_server.thaw()
        again = await until_answered(table, move)
        assert isinstance(again, Done | Repeated)
        await asked(table, None)
        log = open_all(await one.log(table.room), 0, 0)
        moves = [entry.event for entry in log if isinstance(entry.event, Matched)]
        assert [(event.seat, event.n) for event in moves] == [(0, 1)]
        resigned = [entry.event for entry in log if isinstance(entry.event, Resigned)]
        assert len(resigned) <= 1
        assert len(told) == 2, "somebody was answered twice"
        assert next(kind for kind in ear.kinds() if kind != "shifted") == "matched"
        assert [message["seq"] for message in ear.log] == list(range(FIRST, len(log) + 1))


@pytest.mark.slow
async def test_a_node_that_lost_its_pulse_takes_nothing_and_goes_on_where_it_was(
    own_server: Server, watch: Watch
) -> None:
    async with running(own_server.url) as one:
        table = await playing(one)
        own_server.freeze()
        began = one.store.clock.monotonic()
        await until(lambda: one.store.clock.monotonic() - began > 3.5)  # longer than the store overlooks
        question = Question(table, claim(table, 0, 1))
        assert question.answers == [Unavailable()], "at once"
        assert not one.node.ready
        own_server.thaw()
        ends = table.state.ends_at
        assert ends is not None
        assert isinstance(await until_answered(table, claim(table, 0, 1)), Done | Repeated)
        assert [entry.event.__struct_config__.tag for entry in table.entries[FIRST - 1 :]] == [
            "shifted",
            "matched",
        ]
        assert table.state.ends_at is not None
        assert table.state.ends_at - ends > 2_000


async def until_answered(table: Table, command: commands.AnyCommand) -> Answer:
    """Ask again until the store is back, as a client does."""
    async with asyncio.timeout(PATIENCE_S):
        # No event tells of it.
        while (answer := await asked(table, command)) == Unavailable():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return answer


async def test_a_turn_passes_on_a_clock_by_itself(one: Running) -> None:
    table = await playing(one, Mode.TURNS, base_s=5, increment_s=0)
    assert table.state.turn == 0
    assert isinstance(await asked(table, claim(table, 0, 1)), Done)
    assert table.state.turn == 1

"""`tenmatch load` against real servers: it counts what was played, and notices whatever is wrong."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
import pytest
from tests.live.line import Line
from tests.live.node import Node
from tests.store.fleet import free_ports
from typer.testing import CliRunner

from tenmatch.app import cli
from tenmatch.app.load.crew import Crew, crew, shares
from tenmatch.app.load.plan import Order, Plan
from tenmatch.app.load.tally import Tally
from tenmatch.game.events import Added, Matched
from tenmatch.protocol.stored import unseal

run = CliRunner().invoke
Change = Callable[[bytes], bytes | None]

pytestmark = pytest.mark.slow  # a load takes a moment to be one


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server without limits."""
    with Node(tmp_path_factory.mktemp("node"), messages_per_s=0, matches_per_s=0, rooms_per_player=0) as node:
        yield node


def figures(output: str) -> dict[str, Any]:
    """Return what `--json` printed."""
    said = json.loads(output)
    assert isinstance(said, dict)
    return said


async def loaded(plan: Plan, so: Callable[[Tally], bool], processes: int = 1) -> Tally:
    """Load a server until something is so of what was counted, and return that; it is so in the end."""
    async with crew(shares(plan, processes)) as workers:
        await workers.until(lambda report: report.entered or so(report.tally), 60)
        await workers.tell(Order("play"))
        return (await workers.until(lambda report: so(report.tally), 60)).tally


# -- what it counts


def test_it_plays_and_says_what_came_of_it(node: Node) -> None:
    result = run(cli.app, ["load", node.url, "--rooms", "3", "--seconds", "1", "--size", "27"])
    assert result.exit_code == 0, result.output
    assert "Every answer came" in result.output
    assert "under" in result.output


@pytest.mark.parametrize(("processes", "adds"), [(1, 0), (2, 3)])
def test_it_counts_the_moves_that_are_in_the_logs(tmp_path: Path, processes: int, adds: int) -> None:
    words = ["--rooms", "4", "--watchers", "2", "--seconds", "0.5", "--size", "27", "--json"]
    with Node(tmp_path, messages_per_s=0, matches_per_s=0, rooms_per_player=0) as node:
        asyncio.run(count_all(node, Plan(url=node.url, rooms=4, watchers=2, size=27, adds=adds), processes))
        before = moves_in_logs(node)
        result = run(cli.app, ["load", node.url, *words, "--processes", str(processes), "--adds", str(adds)])
        assert result.exit_code == 0, result.output
        # What was made in the moment between the last look and the end is in the logs only.
        assert 0 < figures(result.stdout)["moves"] <= moves_in_logs(node) - before


async def count_all(node: Node, plan: Plan, processes: int) -> None:
    """Load a node on which nobody has played, and see that whatever was played was counted."""
    async with crew(shares(plan, processes)) as workers:
        await workers.until(lambda report: report.entered, 60)
        await workers.tell(Order("play"))
        await workers.until(lambda report: report.tally.moves > 100, 60)
        await at_rest(workers)
        made = await asyncio.to_thread(moves_in_logs, node)
        await workers.until(lambda report: report.tally.moves >= made, 60)
        tally = (await workers.tell(Order("report"))).tally
    assert tally.moves == made
    assert not tally.faults, tally.first_faults


def moves_in_logs(node: Node) -> int:
    """Return how many moves are in the logs of a node's store."""
    with node.store() as store:
        keys = cast("list[bytes]", store.keys("tm:*:log"))
        logs = [cast("list[bytes]", store.lrange(key, 0, -1)) for key in keys]
    return sum(isinstance(unseal(raw)[1], Matched | Added) for log in logs for raw in log)


def test_it_keeps_to_a_rate(node: Node) -> None:
    result = run(cli.app, ["load", node.url, "--rooms", "5", "--rate", "100", "--seconds", "3", "--json"])
    assert result.exit_code == 0, result.output
    # 300 at random moments: a tenth is more than five times the deviation that chance allows. There may be
    # fewer, when the machine does not get to them.
    assert 20 < figures(result.stdout)["moves_per_s"] < 140


async def test_it_watches_what_others_play(node: Node) -> None:
    players = Plan(url=node.url, rate=50, adds=20, staggered=False)
    async with crew([players]) as playing:
        report = await playing.until(lambda report: report.entered, 60)
        await playing.tell(Order("play"))
        plan = Plan(url=node.url, watch=report.rooms[0], watchers=5)
        watched = await loaded(plan, lambda tally: tally.told >= 5 * 10)
    assert watched.moves == 0
    assert not watched.faults, watched.first_faults


async def test_both_players_may_be_wanted_on_one_node(tmp_path: Path) -> None:
    with Node(tmp_path, "--workers", "2", messages_per_s=0, matches_per_s=0, rooms_per_player=0) as node:
        plan = Plan(url=node.url, rooms=6, size=27, one_node=True)
        tally = await loaded(plan, lambda tally: tally.moves > 100)
    assert not tally.faults, tally.first_faults


# -- what it notices


def _lie(field: str, kind: str = "matched") -> Callable[[bytes], bytes]:
    """Return what makes a number in events of a kind another one."""
    key = msgspec.msgpack.encode(field)

    def changed(answer: bytes) -> bytes:
        if msgspec.msgpack.encode(kind) not in answer:
            return answer
        at = answer.rindex(key) + len(key)
        last = at + {0xCE: 4, 0xCD: 2, 0xCC: 1}.get(answer[at], 0)
        return answer[:last] + bytes([answer[last] ^ 1]) + answer[last + 1 :]

    return changed


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        (_lie("hash"), "board hash"),
        (_lie("hash", "started"), "board hash"),
        (_lie("seq"), "came"),
        (_lie("n"), "not what was asked for"),
        (_lie("b"), "not what was asked for"),
        (lambda answer: answer.replace(b"matched", b"mistake"), "no answer"),
        (lambda answer: b"" if b"matched" in answer else answer, "no answer"),
    ],
)
async def test_it_notices_what_is_wrong(node: Node, change: Change, noticed: str) -> None:
    patience_s = 0.5 if noticed == "no answer" else 60.0
    async with Line(node) as line:
        line.answered = change
        plan = Plan(url=line.url, size=35, rate=20, staggered=False, patience_s=patience_s)
        await loaded(plan, lambda tally: any(noticed in fault for fault in tally.first_faults))


@pytest.mark.parametrize("field", ["hash", "seq", "chain", "a"])
async def test_watchers_notice_it_too(node: Node, field: str) -> None:
    async with Line(node) as line:
        players = Plan(url=node.url, rate=30, adds=20, staggered=False)
        async with crew([players]) as playing:
            report = await playing.until(lambda report: report.entered, 60)
            await playing.tell(Order("play"))
            seen, lie = 0, _lie(field)

            def changed(answer: bytes) -> bytes:
                nonlocal seen
                seen += b"matched" in answer
                return lie(answer) if seen == 5 else answer  # so that not all are told the same

            line.answered = changed
            async with crew([Plan(url=line.url, watch=report.rooms[0], watchers=2)]) as watching:
                await watching.until(lambda report: report.entered or bool(report.tally.faults), 60)
                await watching.tell(Order("play"))
                await watching.until(lambda report: bool(report.tally.faults), 60)


def test_faults_make_it_end_with_1(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "run_load", lambda *arguments, **more: False)
    assert run(cli.app, ["load", node.url]).exit_code == 1


async def test_limits_that_are_met_are_said_and_lose_nothing(tmp_path: Path) -> None:
    with Node(tmp_path, matches_per_s=2) as node:
        async with crew([Plan(url=node.url, rooms=2, patience_s=60)]) as workers:
            await workers.until(lambda report: report.entered, 60)
            await workers.tell(Order("play"))
            await workers.until(lambda report: "too_fast" in report.tally.held_back, 60)
            moves = (await workers.tell(Order("report"))).tally.moves
            await workers.until(lambda report: report.tally.moves > moves, 60)
            tally = await at_rest(workers)
    assert not tally.faults, tally.first_faults


# -- connections that break


async def test_connections_that_break_come_back_and_lose_nothing(node: Node) -> None:
    async with Line(node) as line:
        plan = Plan(url=line.url, rooms=3, watchers=2, size=60, rate=150, patience_s=60)
        async with crew([plan]) as workers:
            await workers.until(lambda report: report.entered, 60)
            await workers.tell(Order("play"))
            for cuts in range(1, 5):
                await asyncio.sleep(0.3)  # so that the cuts meet the load in many moments
                line.cut()
                # Awaited at once.
                await workers.until(lambda report: report.tally.came_back >= 12 * cuts, 60)  # noqa: B023
            await workers.until(lambda report: report.tally.moves > 100, 60)
            tally = await at_rest(workers)
    assert not tally.faults, tally.first_faults


async def test_a_server_killed_and_started_again_loses_nothing(tmp_path: Path) -> None:
    port = ("--port", str(free_ports(1)[0]))  # that nobody has meanwhile
    with Node(tmp_path, *port, messages_per_s=0, matches_per_s=0, rooms_per_player=0) as node:
        plan = Plan(url=node.url, rooms=4, watchers=1, size=60, rate=100, patience_s=60)
        async with crew([plan]) as workers:
            await workers.until(lambda report: report.entered, 60)
            await workers.tell(Order("play"))
            await workers.until(lambda report: report.tally.moves > 50, 60)
            node.kill()
            await asyncio.to_thread(node.start)
            back = await workers.until(lambda report: report.tally.came_back >= 12, 60)
            await workers.until(lambda report: report.tally.moves > back.tally.moves + 50, 60)
            tally = await at_rest(workers)
    assert not tally.faults, tally.first_faults


async def at_rest(workers: Crew) -> Tally:
    """Return what was counted when every move has its answer."""
    await workers.tell(Order("rest"))
    return (await workers.until(lambda report: report.resting, 90)).tally


@pytest.mark.parametrize("do", ["resume", "cut"])
async def test_all_may_be_made_to_come_back_at_once(node: Node, do: Literal["resume", "cut"]) -> None:
    async with crew(shares(Plan(url=node.url, rooms=10, staggered=False, patience_s=60), 2)) as workers:
        await workers.until(lambda report: report.entered, 60)
        await workers.tell(Order("play", until=6))
        await workers.until(lambda report: report.resting and report.tally.moves >= 10 * 6, 60)
        report = await workers.tell(Order(do))
        assert report.away == 20
        report = await workers.until(lambda report: not report.away, 60)
        await workers.tell(Order("play", until=12))
        report = await workers.until(lambda report: report.resting and report.tally.moves >= 10 * 12, 60)
    assert report.tally.moves == 10 * 12
    assert report.tally.came_back == (20 if do == "cut" else 0)
    assert not report.tally.faults, report.tally.first_faults


# -- what keeps it from beginning


def test_no_server_is_said() -> None:
    result = run(cli.app, ["load", "http://127.0.0.1:1"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.strip() == "tenmatch: no server answers at ws://127.0.0.1:1: Connection refused"


def test_what_is_no_address_is_said() -> None:
    result = run(cli.app, ["load", "here"])
    assert result.exit_code == 2
    assert "'here' is no address of a server" in result.stderr


def test_a_server_that_lets_nobody_in_is_said(tmp_path: Path) -> None:
    with Node(tmp_path, sockets_per_address=3) as node:
        result = run(cli.app, ["load", node.url, "--rooms", "5"])
    assert result.exit_code == 2
    assert "429" in result.stderr or "without letting us in" in result.stderr


def test_a_room_that_is_not_there_is_said(node: Node) -> None:
    result = run(cli.app, ["load", node.url, "--watch", "nowhere234", "--watchers", "1"])
    assert result.exit_code == 2
    assert "no_such_room" in result.stderr


def test_who_watches_says_how_many() -> None:
    result = run(cli.app, ["load", "http://127.0.0.1:1", "--watch", "abcdef"])
    assert result.exit_code == 2
    assert "--watchers" in result.stderr

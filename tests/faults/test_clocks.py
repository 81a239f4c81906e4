"""P30: nodes whose clocks are wrong by minutes, or jump, play as others do: time is the store's alone."""

import json
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import jwt
import pytest
from tests.effort import amount
from tests.faults.deployment import Deployment, apart
from tests.faults.load import playing
from tests.faults.promise import Promise
from tests.live.client import CODECS, Closed
from tests.live.conftest import Knock, knock, meet
from tests.live.node import Node
from tests.live.proof import read
from tests.live.table import Meet, Table

__all__ = ["knock", "meet"]

THREE: Final = (*CODECS, CODECS[0])
WRONG: Final = ("+300s", "-300s", "+0s")  # by so much the nodes' clocks are wrong at first
JUMP: Final = "-60s"
ROOMS: Final = amount(10, 20)
CLOCK_S: Final = 5  # of each seat: the shortest that there may be
LATE_S: Final = 2.0  # for a flag to fall, on a machine that does other things, too
SECRET: Final = "what the issuer and the servers share"
ISSUER: Final[dict[str, Any]] = {"jwt_issuer": "tests", "jwt_audience": "us", "jwt_secret": SECRET}

pytestmark = pytest.mark.slow


@pytest.fixture
def node() -> None:
    """Let nobody use the one of all tests."""


class WrongClock(NamedTuple):
    """A place on this machine where the time of day is another, as a file says; time passes as it does."""

    said: Path
    library: Path
    address: str = "127.0.0.1"

    @property
    def inside(self) -> Sequence[str]:
        """Return what begins a command there."""
        return (
            "env",
            f"LD_PRELOAD={self.library}",
            f"FAKETIME_TIMESTAMP_FILE={self.said}",
            "FAKETIME_CACHE_DURATION=1",  # seconds until it is read again
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
        )

    def set(self, by: str) -> None:
        """Set the clock."""
        self.said.write_text(by)


@pytest.fixture
def clocks(tmp_path: Path) -> list[WrongClock]:
    """Three clocks, none of which is right for long."""
    found = list(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    assert found, "the tests need Debian's faketime (make tools)"
    clocks = [WrongClock(tmp_path / f"clock-{number}", found[0]) for number in range(len(WRONG))]
    for clock, wrong in zip(clocks, WRONG, strict=True):
        clock.set(wrong)
    return clocks


def token(lasts_s: float) -> str:
    """Return a token of another issuer that is good for so long, or has been bad for as long."""
    now = time.time()
    claims = {"iss": "tests", "aud": "us", "sub": "Ada", "iat": int(now - 600), "exp": int(now + lasts_s)}
    return jwt.encode(claims, SECRET, "HS256")


async def answers(knock: Knock, urls: list[str], shown: str) -> list[str]:
    """Show a token to each node; return what each says to it."""
    said = []
    for url in urls:
        client = await knock(url=url)
        await client.say("hello", token=shown)
        try:
            said.append((await client.find(lambda message: True))["t"])
        except Closed:
            said.append(str(client.close_code))
    return said


async def show_tokens(knock: Knock, urls: list[str], promise: Promise) -> None:
    """Show each node tokens that will soon end, that ended just now, and those of its and others' guests."""
    guests = [await knock(url=url) for url in urls]
    own = [(await guest.hello())["token"] for guest in guests]
    shown = [*((each, "welcome") for each in (*own, token(60))), (token(-60), "4500")]
    right = [await answers(knock, urls, each) == [expected] * len(urls) for each, expected in shown]
    promise.equals("tokens judged rightly by all", right.count(True), len(shown))


def noted(logs: dict[str, list[bytes]]) -> list[list[int]]:
    """Return when each event of each log is said to have happened, in ms."""
    return [[read(entry)[2]["at"] for entry in log] for log in logs.values()]


def last_words(node: Node) -> float:
    """Return when a node that has ended logged its last line, by its own clock."""
    said = json.loads(node.log().splitlines()[-1])["time"]
    return datetime.fromisoformat(said).timestamp()


async def lose_on_time(meet: Meet, urls: list[str], promise: Promise) -> None:
    """Play in turns, a seat on each node, until a clock has run out; the table's judge looks at them all."""
    places = iter(urls * 2)
    options = {"size": 27, "base_s": CLOCK_S, "increment_s": 0}
    table = await Table.begin(lambda codec: meet(codec, url=next(places)), "turns", codecs=THREE, **options)
    for seat in (0, 1, 2):
        matched = await table.match(seat)
    moved = time.monotonic()
    flagged = await table.teller.event(table.room, "flagged")
    fell = time.monotonic() - moved
    await table.sync(flagged["seq"])
    promise.equals("whose flag falls first", flagged["seat"], 0)
    left, ran = matched["clocks"][0], flagged["at"] - matched["at"]
    promise.equals("until it falls, from a clock that had as much left", ran, left, "ms")
    promise.at_least("and really, at least", fell, CLOCK_S - LATE_S, "s")
    promise.at_most("and really, at most", fell, CLOCK_S + LATE_S, "s")


@pytest.mark.promise("P30")
async def test_wrong_clocks_of_nodes_change_nothing(
    tmp_path: Path, clocks: list[WrongClock], meet: Meet, knock: Knock, promise: Promise
) -> None:
    async with (
        apart(lambda: Deployment(tmp_path, places=clocks, **ISSUER)) as deployment,
        playing(deployment.addresses, rooms=ROOMS, rate=100) as load,
    ):
        began = time.time()
        await show_tokens(knock, deployment.addresses(), promise)
        clocks[2].set(JUMP)
        await lose_on_time(meet, deployment.addresses(), promise)
        await show_tokens(knock, deployment.addresses(), promise)
        flaws = await load.settle(deployment.redis.url)
        times = noted(load.logs(deployment.redis.url))
    for node, by in zip(deployment.nodes, (300, -300, -60), strict=True):
        assert abs(last_words(node) - time.time() - by) < 30, "its clock was not wrong"
    wrong = [at for log in times for at in log if not began - 60 < at / 1000 < time.time() + 0.5]
    promise.equals("flaws", len(flaws), 0)
    promise.equals("events with a wrong time", len(wrong), 0)
    promise.equals("events before those they follow", sum(log != sorted(log) for log in times), 0)
    promise.at_most("moves that were `unavailable`", load.answers("unavailable"), ROOMS)
    assert not load.record.faults


@pytest.mark.twin("P30")
async def test_nodes_that_go_by_their_own_clocks_are_wrong(
    tmp_path: Path, clocks: list[WrongClock], knock: Knock, promise: Promise
) -> None:
    with Deployment(tmp_path, places=clocks, without="by_its_own_clock", **ISSUER) as deployment:
        await show_tokens(knock, deployment.addresses(), promise)

"""Hostile connections by the thousand: each gets the right answer, and the server is as it was before.

800 of them in every run; 10,000 with `pytest tests/hostile --hypothesis-profile=full`.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.effort import amount
from tests.hostile import verdict
from tests.hostile.attacks import Attack, attacks
from tests.hostile.ends import end_of
from tests.hostile.vitals import Vitals
from tests.live.conftest import Knock
from tests.live.node import Node
from tests.live.wire import Wire, parse

COUNT = amount(800, 10_000)
AT_ONCE = 32
GROWTH = 5_000_000  # bytes


@pytest.fixture(scope="module", params=["uvloop", "asyncio"])
def node(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server on either event loop, which takes as many messages as may come."""
    with Node(tmp_path_factory.mktemp("node"), loop=request.param, messages_per_s=0) as node:
        yield node


async def outcome(url: str, attack: Attack) -> verdict.Code:
    """Attack, and return the close code or the status that it is answered with."""
    wire = await (Wire.upgraded(url, then=attack.sent) if attack.upgraded else Wire.open(url))
    if not attack.upgraded:
        await wire.send(attack.sent)
        wire.half_close()
        answer = await wire.rest()
        return parse(answer).status if answer else None
    if None in attack.codes:
        wire.half_close()
    return await end_of(wire)


async def attack_all(url: str, count: int, seed: int) -> Counter[tuple[str, bool, verdict.Code]]:
    """Make so many attacks, some at a time; count by kind, whether the answer was right, and the answer."""
    found: Counter[tuple[str, bool, verdict.Code]] = Counter()
    waiting = attacks(count, url, seed)

    async def one_after_the_other() -> None:
        for kind, attack in waiting:
            code = await outcome(url, attack)
            found[kind, code in attack.codes, code] += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(one_after_the_other())
    return found


@pytest.mark.slow
async def test_hostile_connections_are_answered_rightly_and_leave_nothing_behind(
    node: Node, knock: Knock
) -> None:
    bystander = await knock()
    await bystander.hello()
    await attack_all(node.url, COUNT // 8, seed=0)
    vitals = Vitals(node, clients=1)
    found = await attack_all(node.url, COUNT, seed=1)
    assert found.total() == COUNT
    assert not [answer for answer in found if not answer[1]]
    assert (await bystander.ask("ping"))["t"] == "pong"
    await vitals.check(GROWTH)

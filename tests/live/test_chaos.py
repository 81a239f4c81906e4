"""Whatever people do, in whatever order, over two nodes that die: what is told is one game, and provable.

Everything is drawn from a seed, but how it interleaves is not: a failure names what was done.
"""

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from tests.live.client import CODECS, Client, Closed, Message
from tests.live.node import Node
from tests.live.table import Meet, Table
from tests.live.wire import fetch
from websockets.exceptions import ConnectionClosed, InvalidHandshake

THREE = (*CODECS, CODECS[0])
STEPS = 150
LOST = (Closed, ConnectionClosed, InvalidHandshake, OSError)
"""What happens to who is on a node that dies, or comes to one."""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Two nodes on one port."""
    with Node(tmp_path_factory.mktemp("chaos"), "--workers", "2", matches_per_s=0, messages_per_s=0) as node:
        yield node


class Chaos:
    """A table at which everything happens at once."""

    def __init__(self, table: Table, node: Node, draw: Random) -> None:
        """Use the table, and the *draw* of what happens."""
        self.table, self.node, self.draw = table, node, draw
        self.done: list[str] = []  # for whoever has to find out
        self.acknowledged: dict[tuple[int, int], Message] = {}
        self.sent: dict[tuple[int, int], Message] = {}

    async def step(self) -> None:
        """Do something."""
        acts = {self.match: 8, self.contend: 3, self.err: 2, self.call: 1, self.repeat: 3, self.skip: 2}
        acts |= {self.cut: 2, self.take_over: 1, self.look: 2}
        [act] = self.draw.choices(list(acts), list(acts.values()))
        self.done.append(act.__name__)
        await act()
        for client in (*self.table.players, *self.table.watchers):
            if client.close_code is not None:
                await self.come_back(client)

    def _seat(self) -> int:
        turn = self.table.judge.now.turn
        if turn is not None and self.draw.random() < 0.8:
            return turn
        return self.draw.choice(self.table.seats)

    async def send(self, seat: int, t: str, **fields: Any) -> None:
        """Make a move until it is answered, over as many connections as that takes."""
        held = self.table.players[seat].rooms[self.table.room]
        n = held.n = held.n + 1
        move = {"t": t, "n": n, **fields}
        if t in ("match", "call"):
            move["seen"] = held.seq
        self.sent[seat, n] = move
        await self.deliver(seat, move)

    async def deliver(self, seat: int, move: Message) -> None:
        """Send a move again until it is answered, and keep the answer."""
        fields = {name: value for name, value in move.items() if name not in ("t", "n")}
        while True:
            player = self.table.players[seat]
            try:
                answer = await player.move(move["t"], self.table.room, n=move["n"], **fields)
            except LOST:
                await self.come_back(player)
                continue
            if answer["t"] == "event":
                assert self.acknowledged.setdefault((seat, move["n"]), answer) == answer
                return
            if answer["t"] == "refused" and answer["code"] != "not_seated":
                assert (seat, move["n"]) not in self.acknowledged
                return
            if answer["t"] == "refused":  # somebody took the seat over
                await self.come_back(player)

    async def match(self) -> None:
        """Match a legal pair."""
        seat = self._seat()
        if pairs := self.table.judge.now.board(seat).pairs():
            a, b = self.draw.choice(pairs)
            await self.send(seat, "match", a=a, b=b)

    async def contend(self) -> None:
        """Let everyone claim the same pair at once."""
        if pairs := self.table.judge.game.pairs():
            a, b = self.draw.choice(pairs)
            await asyncio.gather(*(self.send(seat, "match", a=a, b=b) for seat in self.table.seats))

    async def err(self) -> None:
        """Claim any two numbers."""
        a, b = self.draw.randrange(60), self.draw.randrange(60)
        await self.send(self._seat(), "match", a=a, b=b)

    async def call(self) -> None:
        """Call that no pair is left."""
        await self.send(self._seat(), "call")

    async def skip(self) -> None:
        """Pass, or add."""
        other = {"turns": "pass", "mirror": "add"}.get(self.table.judge.now.mode)
        if other is not None:
            await self.send(self._seat(), other)

    async def repeat(self) -> None:
        """Send a move again that was sent before."""
        if self.sent:
            seat, n = self.draw.choice(list(self.sent))
            await self.deliver(seat, self.sent[seat, n])

    async def cut(self) -> None:
        """Cut somebody's connection."""
        await self.draw.choice([*self.table.players, *self.table.watchers]).drop()

    async def take_over(self) -> None:
        """Come with a second connection while the first is there."""
        await self.come_back(self.draw.choice(self.table.players))

    async def look(self) -> None:
        """Ask for a snapshot and compare it."""
        everyone = [*self.table.watchers, *self.table.players]
        looker = next(client for client in everyone if client is not self.table.teller)
        try:
            snapshot = await looker.ask("join", room=self.table.room, watch=True)
        except LOST:
            return
        assert not snapshot.get("reset")
        await self.settle(snapshot["seq"])
        self.table.judge.check_snapshot(snapshot)

    async def come_back(self, client: Client) -> None:
        """Let somebody come back and hold exactly what was missed."""
        group = self.table.players if client in self.table.players else self.table.watchers
        while client in group:
            try:
                back = await client.again()
                answer = await back.resume(self.table.room, watch=group is self.table.watchers)
            except LOST:
                continue  # the node it came to has died
            if answer["t"] == "error":
                assert answer["code"] == "unavailable"
                continue
            assert answer["t"] == "resumed", answer
            if client in group:
                group[group.index(client)] = back
                if self.table.teller is client:
                    self.table.teller = back

    async def settle(self, seq: int = 0) -> None:
        """Judge all that was told so far, over whatever connection."""
        while True:
            try:
                return await self.table.sync(seq)
            except Closed:
                await self.come_back(self.table.teller)


async def both_nodes(node: Node) -> None:
    """Return when both nodes are there, as one may have died just before."""
    seen: set[str] = set()
    while len(seen) < 2:
        seen.add(json.loads((await fetch(node.url, "/readyz")).body)["node"])


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["race", "turns", "mirror"])
@pytest.mark.parametrize("seed", range(3))
async def test_whatever_happens_it_is_one_game(node: Node, meet: Meet, mode: str, seed: int) -> None:
    await both_nodes(node)
    options = {"size": 27, "adds": 5, "penalty": mode == "turns", "seed": f"{seed:064x}"}
    table = await Table.begin(meet, mode, codecs=THREE, **options)
    chaos = Chaos(table, node, Random(seed))
    for step in range(STEPS):
        if table.over:
            break
        if step == 40:
            os.kill(node.workers()[0], signal.SIGKILL)
        await chaos.step()
        await chaos.settle()
    for seat in table.judge.now.still_in()[1:]:
        await chaos.send(seat, "resign")
    await chaos.settle(max(client.rooms[table.room].seq for client in table.players))
    for (seat, n), event in chaos.acknowledged.items():
        assert table.judge.told[event["seq"] - 1] == event, (chaos.done, seat, n)
    table.judge.check_snapshot(await table.watchers[0].ask("join", room=table.room, watch=True))
    await table.prove(node)

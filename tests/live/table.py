"""A room with its players, a watcher and a judge: what each is told is judged, and must be the same."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from tests.live.client import CODECS, Client
from tests.live.node import Node
from tests.live.oracle_room import RoomJudge
from tests.live.proof import verify
from tests.live.records import prove_record

Message = dict[str, Any]
Meet = Callable[..., Awaitable[Client]]

SEED: Final = "5eed" * 16
QUICK: Final = {"countdown_ms": 0, "seed": SEED}


class Table:
    """One room, from its making to its end."""

    def __init__(self, room: str, players: list[Client], watchers: list[Client]) -> None:
        """Gather who is in the room, the players by their seats."""
        self.room, self.players, self.watchers = room, players, watchers
        self.teller = players[0]  # what this one was told is judged; it must hold the whole log, and see all
        self.judge = RoomJudge()
        self._made: dict[tuple[int, int], int] = {}  # (seat, n) → seq of moves that were acknowledged

    # -- making it

    @classmethod
    async def open(
        cls, meet: Meet, mode: str, *, codecs: tuple[str, ...] = CODECS, **options: Any
    ) -> "Table":
        """Make a room for as many persons as there are *codecs*, who sit and are not ready yet."""
        host = await meet(codecs[0])
        full = {**QUICK, "max_players": len(codecs), **options}
        full = {name: value for name, value in full.items() if value is not None}
        made = await host.ask("create", mode=mode, options=full)
        assert made["t"] == "snapshot", made
        room = made["room"]
        await host.whole(room)
        others = [await meet(codec) for codec in codecs[1:]]
        for seat, other in enumerate(others, 1):
            joined = await other.ask("join", room=room)
            assert (joined["t"], joined.get("seat")) == ("snapshot", seat), joined
        watcher = await meet(CODECS[len(codecs) % 2])
        watching = await watcher.ask("join", room=room, watch=True)
        assert (watching["t"], watching["seat"]) == ("snapshot", None)
        table = cls(room, [host, *others], [watcher])
        if mode == "mirror":  # players see but their own boards
            await watcher.whole(room)
            table.teller = watcher
        return table

    @classmethod
    async def begin(cls, meet: Meet, mode: str, **options: Any) -> "Table":
        """Make a room and let all persons be ready, so that the game starts."""
        table = await cls.open(meet, mode, **options)
        for player in table.players:
            await player.ok("ready", room=table.room, ready=True)
        started = await table.players[0].event(table.room, "started")
        await table.sync(started["seq"])
        return table

    # -- how it stands

    @property
    def seq(self) -> int:
        """The last event judged."""
        return self.judge.now.seq

    @property
    def seats(self) -> range:
        """The seats of the persons."""
        return range(len(self.players))

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.judge.now.phase == "over"

    async def sync(self, seq: int = 0) -> None:
        """Judge all events that the teller was told, at least up to *seq*."""
        await self.teller.reach(self.room, seq)
        self.judge.take(self.teller.rooms[self.room].events)

    # -- playing

    async def play(self, seat: int, t: str, **fields: Any) -> Message:
        """Make a move for a seat, judge the answer and return it."""
        player = self.players[seat]
        held = player.rooms[self.room]
        fields.setdefault("n", held.n + 1)
        held.n = max(held.n, fields["n"])
        if t in ("match", "call"):
            fields.setdefault("seen", held.seq)
        answer = await player.move(t, self.room, **fields)
        await self.sync(answer.get("seq", 0))
        self.judge.check_answer(seat, {"t": t, **fields}, answer)
        if answer["t"] == "event":
            assert self._made.setdefault((seat, answer["n"]), answer["seq"]) == answer["seq"]
        return answer

    async def match(self, seat: int, pair: tuple[int, int] | None = None, **fields: Any) -> Message:
        """Match a pair, the first that is legal unless another is named, and return the answer."""
        a, b = pair or self.judge.now.board(seat).pairs()[0]
        return await self.play(seat, "match", a=a, b=b, **fields)

    async def play_on(self, *seats: int) -> None:
        """Play to the end, with a call or an Add where no pair is left; only *seats* play, or all.

        In turns all play. In mirror it also returns when the boards of these are done.
        """
        while not self.over:
            now = self.judge.now
            playing = [seat for seat in now.still_in() if seat in (seats or self.seats)]
            if now.mirror:
                playing = [seat for seat in playing if not now.sheet(seat).done()]
            if not playing:
                return
            seat = playing[now.seq % len(playing)] if now.turn is None else now.turn
            if now.board(seat).pairs():
                await self.match(seat)
            else:
                await self.play(seat, "add" if now.mirror else "call")

    def wrong_pair(self, code: str, seat: int = 0) -> tuple[int, int]:
        """Find a pair that would be a mistake for this reason on the board that a seat plays on."""
        game = self.judge.now.board(seat)
        return next((a, b) for a in game.ids() for b in game.ids() if game.judge(a, b)[0] == code)

    # -- the end

    async def agree(self) -> None:
        """Fail unless everyone here was told what they must be, and every snapshot showed them the room."""
        head = max(client.rooms[self.room].seq for client in [*self.players, *self.watchers])
        await self.sync(head)
        for client in [*self.players, *self.watchers]:
            await client.reach(self.room, head)
            held = client.rooms[self.room]
            due = self.judge.told_to(held.seat)
            assert held.events == due[len(due) - len(held.events) :]
            for snapshot in held.snapshots:
                self.judge.check_snapshot(snapshot)
        for (seat, n), seq in self._made.items():
            event = self.judge.told[seq - 1]
            assert (event["seat"], event["n"]) == (seat, n), "acknowledged, and lost"

    async def prove(self, node: Node, store: str | None = None) -> None:
        """Fail unless all agree and the finished game is proven: by its log, as stored, and by its record."""
        assert self.over
        await self.agree()
        after = await self.watchers[0].ask("join", room=self.room, watch=True)
        self.judge.check_snapshot(after)
        verify(self.judge.told, node.entries(self.room, store))
        if self.judge.now.sheets:
            await prove_record(node.url, self.room, self.judge.told)


async def enter(table: Table, order: list[int]) -> Table:
    """Go over into the room of the rematch; *order* are the old seats by the new ones."""
    await table.teller.until(lambda: "from" in table.teller.rooms[table.room].events[-1], within=20)
    await table.sync()
    named = table.judge.told[-1]
    assert named["kind"] == "rematch"
    players = [table.players[seat] for seat in order if seat < len(table.players)]
    for player in players:
        joined = await player.ask("join", room=named["room"])
        assert joined["seat"] == order.index(table.players.index(player))
    watcher = table.watchers[0]
    await watcher.ask("join", room=named["room"], watch=True)
    again = Table(named["room"], players, [watcher])
    if table.teller is watcher:
        again.teller = watcher
    await again.teller.whole(named["room"])
    await again.sync()
    return again

"""Plays as it is told, with the Python client: a JSON request a line in, an answer a line out.

What can be asked, and what comes back, stands in tests/client/README.md; all drivers do the same.
"""

import asyncio
import json
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from tenmatch.client import (
    Client,
    ClientError,
    Denied,
    Ending,
    Phase,
    Refused,
    Room,
    State,
    Status,
    Step,
    Tournament,
    text,
)
from tenmatch.game.ids import RoomId

Request = dict[str, Any]


class Person:
    """One client, and what it went through."""

    def __init__(self, request: Request, codec: Literal["msgpack", "json"]) -> None:
        self.ending: Ending | None = None
        self.news = asyncio.Event()
        self.client = Client(
            request["url"],
            name=request.get("name"),
            token=request.get("token"),
            codec=codec,
            proxy=None,
            on_status=self.changed,
        )
        self.kinds: dict[str, list[list[Any]]] = {}  # by room: seq and kind of what was told
        self.tournament: Tournament | None = None
        self.gone: dict[str, str] = {}  # by room: why one is in it no more
        self.readers: list[asyncio.Task[None]] = []

    def changed(self, status: Status, ending: Ending | None) -> None:
        self.ending = ending or self.ending
        self.news.set()

    def follow(self, room: Room) -> Request:
        if room.id not in self.kinds:
            self.kinds[room.id] = []
            self.readers.append(asyncio.create_task(self.read(room)))
        return self.view(room.id)

    async def read(self, room: Room) -> None:
        try:
            async for happening in room:
                if isinstance(happening, Step):
                    kind = str(getattr(happening.event, "kind", None) or _kind(happening.event))
                    self.kinds[room.id].append([happening.seq, kind])
                self.news.set()
        except ClientError as error:
            self.gone[room.id] = str(getattr(error, "reason", error))
        self.news.set()

    def view(self, room: str) -> Request:
        followed = self.client.rooms[RoomId(room)]
        state = followed.state
        return {
            "room": room,
            "code": state.code,
            "status": followed.status.value,
            "seq": state.seq,
            "chain": state.chain,
            "seat": state.viewer,
            "phase": state.phase.value,
            "turn": state.turn,
            "boards": _boards(state),
            "progress": _progress(state),
            "scores": [seat and seat.score for seat in state.seats],
            "mistakes": [seat and seat.mistakes for seat in state.seats],
            "ranking": state.ranking and [[rank.seat, rank.place] for rank in state.ranking],
        }

    async def until(self, true: Callable[[], bool]) -> None:
        while not true():
            self.news.clear()
            await self.news.wait()


def _kind(event: object) -> str:
    return str(getattr(type(event), "__struct_config__").tag)  # noqa: B009  # the checker knows no such field


def _boards(state: State) -> list[str | None]:
    seats = range(len(state.seats)) if state.own_boards else [0]
    boards = [state.board_of(seat) for seat in seats]
    return [None if board is None else text(board) for board in boards]


def _progress(state: State) -> list[list[int] | None]:
    seats = range(len(state.seats)) if state.own_boards else []
    found = [state.progress_of(seat) for seat in seats]
    return [None if far is None else [far.left, far.rows_closed] for far in found]


class Driver:
    """All that a request can ask for; each is a method named as the request's `do`."""

    def __init__(self, codec: Literal["msgpack", "json"]) -> None:
        self.codec = codec
        self.people: dict[str, Person] = {}

    async def connect(self, who: Person, request: Request) -> Request:
        await who.client.connect()
        return self._who(who)

    async def who(self, who: Person, request: Request) -> Request:
        return self._who(who)

    def _who(self, who: Person) -> Request:
        client = who.client
        assert client.player is not None
        code = who.ending.code if who.ending else None
        wait = client.retry_in
        return {
            "player": client.player["id"],
            "token": client.token,
            "status": client.status.value,
            "code": code,
            "wait_s": wait,
        }

    async def until_status(self, who: Person, request: Request) -> Request:
        await who.until(lambda: who.client.status.value == request["status"])
        return self._who(who)

    async def create(self, who: Person, request: Request) -> Request:
        return who.follow(await who.client.create(request["mode"], **request.get("options", {})))

    async def join(self, who: Person, request: Request) -> Request:
        return who.follow(await who.client.join(request["room"]))

    async def watch(self, who: Person, request: Request) -> Request:
        return who.follow(await who.client.watch(request["room"]))

    async def queue(self, who: Person, request: Request) -> Request:
        return who.follow(await who.client.quick_match(request["mode"]))

    async def enter_tournament(self, who: Person, request: Request) -> Request:
        who.tournament = await who.client.tournament(request["tournament"])
        await who.tournament.enter()
        return {}

    async def play_tournament(self, who: Person, request: Request) -> Request:
        assert who.tournament is not None
        while (room := await who.tournament.next_game()) is not None:
            await room.until(lambda state: state.phase in (Phase.PLAYING, Phase.OVER))
            if request["gives_up"]:
                await room.resign()
            await room.until(lambda state: state.phase is Phase.OVER)
        return {"ranking": [[line.player, line.place] for line in who.tournament.state.standings()]}

    async def lobby(self, who: Person, request: Request) -> Request:
        async for rooms in who.client.lobby():
            if request["room"] in rooms:
                return {"phase": rooms[request["room"]]["phase"]}
        raise AssertionError("the lobby ended")

    async def ready(self, who: Person, request: Request) -> Request:
        await self._room(who, request).ready()
        return {}

    async def bot(self, who: Person, request: Request) -> Request:
        await self._room(who, request).bot(request["level"])
        return {}

    async def chat(self, who: Person, request: Request) -> Request:
        await self._room(who, request).chat(request["text"])
        return {}

    async def rematch(self, who: Person, request: Request) -> Request:
        await self._room(who, request).rematch()
        return {}

    async def leave(self, who: Person, request: Request) -> Request:
        await self._room(who, request).leave()
        return {}

    async def move(self, who: Person, request: Request) -> Request:
        room = self._room(who, request)
        moves: dict[str, Callable[[], Awaitable[Any]]] = {
            "match": lambda: room.match(request["a"], request["b"]),
            "call": room.call,
            "add": room.add,
            "pass": room.pass_turn,
            "resign": room.resign,
        }
        answer = await moves[request["t"]]()
        if isinstance(answer, Refused):
            return {"refused": answer.code}
        return {"kind": _kind(answer), "n": answer.n, "seat": answer.seat}

    async def pairs(self, who: Person, request: Request) -> Request:
        return {"pairs": [list(pair) for pair in self._room(who, request).state.pairs()]}

    async def view(self, who: Person, request: Request) -> Request:
        return who.view(request["room"])

    async def until(self, who: Person, request: Request) -> Request:
        room, wanted = (
            request["room"],
            {name: request[name] for name in ("phase", "status") if name in request},
        )

        def true() -> bool:
            view = who.view(room)
            return view["seq"] >= request.get("seq", 0) and wanted.items() <= view.items()

        await who.until(true)
        return who.view(room)

    async def until_gone(self, who: Person, request: Request) -> Request:
        await who.until(lambda: request["room"] in who.gone)
        return {"reason": who.gone[request["room"]]}

    async def kinds(self, who: Person, request: Request) -> Request:
        return {"kinds": who.kinds[request["room"]]}

    async def close(self, who: Person, request: Request) -> Request:
        await who.client.close()
        await asyncio.gather(*who.readers)
        return {}

    def _room(self, who: Person, request: Request) -> Room:
        return who.client.rooms[request["room"]]

    async def answer(self, request: Request) -> None:
        name = request["who"]
        try:
            if request["do"] == "connect":
                self.people[name] = Person(request, self.codec)
            answer = {"ok": await getattr(self, request["do"])(self.people[name], request)}
        except Denied as error:
            answer = {"error": error.code, "field": error.field}
        except ClientError as error:
            answer = {"error": type(error).__name__.lower(), "text": str(error)}
        except Exception:  # told to whoever asked
            answer = {"error": "bug", "text": traceback.format_exc()}
        # Its answers go this way.
        print(json.dumps({"id": request["id"], **answer}), flush=True)  # noqa: T201


async def main(codec: Literal["msgpack", "json"]) -> None:
    """Answer until there is no more to answer."""
    driver = Driver(codec)
    requests = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(requests), sys.stdin
    )
    async with asyncio.TaskGroup() as tasks:
        while line := await requests.readline():
            tasks.create_task(driver.answer(json.loads(line)))


if __name__ == "__main__":
    asyncio.run(main("json" if sys.argv[1:] == ["json"] else "msgpack"))

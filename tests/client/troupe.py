"""Clients in whatever language, played over the standard input and output of their driver."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tests.npm import modules

HERE: Final = Path(__file__).parent
PATIENCE_S: Final = 60.0  # whatever is asked here is due at once; no test waits for it in vain
Answer = dict[str, Any]

DRIVERS: Final[Mapping[str, Callable[[], Sequence[str]]]] = {
    "python": lambda: (sys.executable, str(HERE / "driver.py"), "msgpack"),
    "python-json": lambda: (sys.executable, str(HERE / "driver.py"), "json"),
    "javascript": lambda: ("node", str(HERE / "driver.mjs"), str(modules() / "ws" / "wrapper.mjs")),
}
"""How to start each driver. Another language's client is tested by adding its own."""


class Refusal(Exception):
    """What was asked of a client was not carried out."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"{answer['error']}: {answer.get('text', '')}")
        self.code = answer["error"]
        self.field = answer.get("field")


class Troupe:
    """All clients of one language, in one process; `with` ends it."""

    def __init__(self, language: str, env: Mapping[str, str] | None = None) -> None:
        """Start the driver, with variables of its own (`env`) on top of ours."""
        self.language = language
        self._process = subprocess.Popen(
            DRIVERS[language](),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        self._waiting: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Future[Answer]]] = {}
        self._last = 0
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            loop, future = self._waiting.pop(answer["id"], (None, None))
            if loop is not None and future is not None and not loop.is_closed():
                loop.call_soon_threadsafe(_settle, future, answer)

    async def ask(self, who: str, do: str, **fields: object) -> Answer:
        """Let somebody do something, and return the answer. Raises Refusal."""
        assert self._process.stdin is not None
        loop = asyncio.get_running_loop()
        self._last += 1
        number, future = self._last, loop.create_future()
        self._waiting[number] = (loop, future)
        self._process.stdin.write(json.dumps({"id": number, "who": who, "do": do, **fields}).encode() + b"\n")
        self._process.stdin.flush()
        async with asyncio.timeout(PATIENCE_S):
            answer: Answer = await future
        if "error" in answer:
            raise Refusal(answer)
        ok: Answer = answer["ok"]
        return ok


def _settle(future: "asyncio.Future[Answer]", answer: Answer) -> None:
    if not future.done():
        future.set_result(answer)


class Player:
    """One client of a troupe."""

    def __init__(self, troupe: Troupe, who: str) -> None:
        self.troupe, self.who = troupe, who
        self.room = ""

    async def ask(self, do: str, **fields: object) -> Answer:
        """Let them do something; in their room, unless another is named. Raises Refusal."""
        if self.room:
            fields.setdefault("room", self.room)
        return await self.troupe.ask(self.who, do, **fields)

    async def enter(self, do: str, **fields: object) -> Answer:
        """Let them go into a room, and stay there."""
        view = await self.ask(do, **fields)
        self.room = view["room"]
        return view

    async def match(self, which: int = 0) -> Answer:
        """Let them match a pair that their own board shows: the first, unless told otherwise."""
        a, b = (await self.ask("pairs"))["pairs"][which]
        return await self.ask("move", t="match", a=a, b=b)

    async def play_on(self) -> None:
        """Let them play until the game is over, or their board shows nothing more to do."""
        while (view := await self.ask("view"))["phase"] == "playing":
            if view["turn"] not in (None, view["seat"]):
                view = await self.ask("until", seq=view["seq"] + 1)
                continue
            pairs = (await self.ask("pairs"))["pairs"]
            if pairs:
                await self.ask("move", t="match", a=pairs[0][0], b=pairs[0][1])
                continue
            answer = await self.ask("move", t="add" if view["progress"] else "call")
            if answer.get("refused") in ("done", "no_add"):
                return

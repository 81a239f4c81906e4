"""A TCP port that leads to a server's Unix socket, and can be made to fail in the ways of networks."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

Passed: TypeAlias = Callable[[bytes], Awaitable[bytes | None]]
"""What becomes of bytes on their way: others, none, or None to cut the connection instead."""


class Proxy:
    """Passes bytes both ways, until told otherwise; whatever is told holds for connections old and new."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._pumps: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self.answered: Callable[[bytes], bytes | None] = lambda answer: answer
        """What becomes of an answer: other bytes, none, or None to cut the connection instead."""
        self.connections = 0  # made so far

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self.cut()
        for pump in self._pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)
        await self._server.wait_closed()

    def freeze(self) -> None:
        """Pass nothing on, either way, while connections stay open."""
        self._flows.clear()

    def thaw(self) -> None:
        """Pass on what was held up, and all that follows."""
        self._flows.set()

    def cut(self) -> None:
        """Reset all connections."""
        for pair in self._pairs:
            for writer in pair:
                writer.transport.abort()
        self._pairs.clear()

    async def _accept(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        try:
            server, to_server = await self._dial()
        except OSError:
            to_client.transport.abort()
            return
        self.connections += 1
        self._pairs.add((to_client, to_server))
        for pump in (
            self._pump(client, to_server, self._ask),
            self._pump(server, to_client, self._answering()),
        ):
            task = asyncio.create_task(pump)
            self._pumps.add(task)
            task.add_done_callback(self._pumps.discard)

    async def _dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the server."""
        return await asyncio.open_unix_connection(str(self._socket))

    async def _ask(self, request: bytes) -> bytes:
        await self._flows.wait()
        return request

    def _answering(self) -> Passed:
        """Return what becomes of the answers on a new connection."""

        async def answer(answer: bytes) -> bytes | None:
            await self._flows.wait()
            return self.answered(answer)

        return answer

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, passed: Passed) -> None:
        try:
            while data := await source.read(65536):
                if (data_on := await passed(data)) is None:
                    self.cut()
                else:
                    sink.write(data_on)
        except ConnectionError:
            pass
        finally:
            sink.close()

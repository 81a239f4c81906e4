"""The way to a node on a host, for players who are outside of its network."""

import asyncio
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from tests.faults.network import Host
from tests.live.node import Node
from tests.store.proxy import Proxy


class Way(Proxy):
    """A port here that leads to a node's, from a host: its own, if that is to be cut off."""

    def __init__(self, host: Host, node: Node) -> None:
        super().__init__(Path())
        self.host, self._where = host, urlsplit(node.url)

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    async def _dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        assert self._where.hostname
        assert self._where.port
        line = await self.host.connect(self._where.hostname, self._where.port)
        return await asyncio.open_connection(sock=line)

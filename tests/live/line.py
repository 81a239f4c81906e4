"""A line to a node on which bytes can be lost or changed while the connection seems to live."""

import asyncio
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from tests.live.node import Node
from tests.store.proxy import Proxy


class Line(Proxy):
    """A port that leads to a node's; `url` is its address."""

    def __init__(self, node: Node) -> None:
        super().__init__(Path())
        self._node = urlsplit(node.url)

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    async def _dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(self._node.hostname, self._node.port)

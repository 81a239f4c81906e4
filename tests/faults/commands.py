"""Which commands Redis is given, as MONITOR tells them; what scripts do within is not counted."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

_LINE: Final = re.compile(rb'^\+\d+\.\d+ \[\d+ (?!lua)\S*\] "(\w+)"')


@asynccontextmanager
async def counted(url: str) -> AsyncIterator[Counter[str]]:
    """Count the commands by their names until the block ends."""
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    writer.write(b"MONITOR\r\n")
    assert await reader.readline() == b"+OK\r\n"
    commands: Counter[str] = Counter()
    listening = asyncio.create_task(_listen(reader, commands))
    try:
        yield commands
        assert not listening.done()
    finally:
        listening.cancel()
        writer.close()
        await asyncio.gather(listening, return_exceptions=True)


async def _listen(reader: asyncio.StreamReader, commands: Counter[str]) -> None:
    while line := await reader.readline():
        if found := _LINE.match(line):
            commands[found[1].decode().upper()] += 1

"""How a server's process is: alive, its memory, its descriptors, and what it complained of."""

import contextlib
import json
import os
from pathlib import Path
from typing import NamedTuple

from tests.live.node import Node
from tests.store.waiting import until

PAGE = os.sysconf("SC_PAGE_SIZE")
LISTENS = "0A"  # a state, as the kernel lists it
STORE = 24  # connections to the store are made as they are needed, up to a bound


class Descriptors(NamedTuple):
    """How many there are of each kind."""

    clients: int  # their sockets, also those that they broke off
    local: int  # sockets to the private store, and the event loop's own
    others: int


class Vitals:
    """Compares a server with what it was at first."""

    def __init__(self, node: Node, clients: int) -> None:
        """Take note of how it is; it should have been warmed up. So many clients are here to stay."""
        self._node = node
        self._clients = clients
        self._proc = Path(f"/proc/{node.process.pid}")
        self._others, self._memory = self.descriptors().others, self.memory()

    def descriptors(self) -> "Descriptors":
        """Count what it holds open."""
        held = []
        for descriptor in (self._proc / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                held.append(os.readlink(descriptor))
        tcp, unix = self._sockets("tcp"), self._sockets("unix")
        listening = {f"socket:[{line[9]}]" for line in tcp if line[3] == LISTENS}
        local = {f"socket:[{line[6]}]" for line in unix}
        sockets = {name for name in held if name.startswith("socket:")}
        return Descriptors(len(sockets - local - listening), len(sockets & local), len(held) - len(sockets))

    def _sockets(self, kind: str) -> list[list[str]]:
        return [line.split() for line in (self._proc / "net" / kind).read_text().splitlines()]

    def memory(self) -> int:
        """Return the bytes it has in memory."""
        return int((self._proc / "statm").read_text().split()[1]) * PAGE

    @property
    def growth(self) -> int:
        """The bytes it has in memory more than at first."""
        return self.memory() - self._memory

    async def check(self, most: int) -> None:
        """Fail unless it lives, let go of all connections, grew by *most* bytes at most and met no bug."""
        assert self._node.process.poll() is None
        await until(lambda: self.descriptors().clients <= self._clients)
        held = self.descriptors()
        assert held.local <= STORE
        assert held.others <= self._others
        assert self.growth < most
        assert not complaints(self._node)


def complaints(node: Node) -> list[str]:
    """Return the lines of its log that are warnings, worse, or no lines of a log at all."""
    return [line for line in node.log().splitlines() if not _is_calm(line)]


def _is_calm(line: str) -> bool:
    try:
        said = json.loads(line)
    except ValueError:
        return False
    return said["level"] in ("debug", "info") and "traceback" not in said

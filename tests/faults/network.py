"""Hosts on a network of their own (Linux), each of which can be cut off without a word.

A host is a network namespace, kept by a doorman (`doorman.py`); all are joined by a bridge, which is a host,
too. A host that is cut off keeps its addresses and its links stay up, but the bridge takes nothing from it
and gives it nothing: no reset and no "unreachable" tells anyone. Within a host everything goes on.

As root the namespaces are made as they are; everybody else gets them inside a user namespace, where that is
allowed. Nothing of it is seen outside, and it is gone with its processes.
"""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

DOORMAN: Final = (sys.executable, "-I", "-S", str(Path(__file__).with_name("doorman.py")))
PATIENCE_S: Final = 10.0
NEEDED: Final = (
    "these tests make networks of their own: that needs unshare, nsenter and ip (apt-get install util-linux "
    "iproute2), and root, or a system on which everyone may make user namespaces"
)
_ROOT: Final = os.geteuid() == 0
OWN_USERS: Final = () if _ROOT else ("--user", "--map-root-user")
THEIR_USERS: Final = () if _ROOT else ("--user", "--preserve-credentials")


class Host:
    """A place on the network; whatever runs there has its own ports."""

    def __init__(self, address: str, made_by: Sequence[str]) -> None:
        """Make a host with *made_by* before the doorman's command."""
        self.address = address
        ours, theirs = socket.socketpair()
        ours.settimeout(PATIENCE_S)
        self._asked = ours
        with theirs:
            self._doorman = subprocess.Popen(
                [*made_by, *DOORMAN], stdin=theirs.fileno(), stderr=subprocess.PIPE
            )
        self.inside = ("nsenter", "--target", str(self._doorman.pid), *THEIR_USERS, "--net")
        """Begins a command that is to run there."""
        try:
            self.new_socket().close()  # it comes once the host is there
            self.run("ip link set lo up")
        except OSError as error:
            raise AssertionError(f"{NEEDED}. It said: {self.close()}") from error
        except BaseException:  # cancelled, too
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Return a process that is there as long as the host."""
        return self._doorman.pid

    def new_socket(self) -> socket.socket:
        """Return a new TCP socket of this host. Raises OSError where there is no host (any more)."""
        self._asked.send(b".")
        _, descriptors, _, _ = socket.recv_fds(self._asked, 1, 1)
        if not descriptors:
            raise ConnectionResetError("the doorman is gone")
        return socket.socket(fileno=descriptors[0])

    async def connect(self, address: str, port: int) -> socket.socket:
        """Return a socket of this host, connected to another one (or to itself)."""
        fresh = self.new_socket()
        fresh.setblocking(False)
        try:
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.get_running_loop().sock_connect(fresh, (address, port))
        except BaseException:  # cancelled, too
            fresh.close()
            raise
        return fresh

    def run(self, command: str) -> None:
        """Run a command there to its end; fail if it does."""
        done = subprocess.run([*self.inside, *command.split()], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"

    def close(self) -> str:
        """End the host, and return what was wrong with it; what still runs there is for others to end."""
        self._asked.close()
        self._doorman.kill()
        return self._doorman.communicate()[1].decode().strip()


class Network:
    """A bridge and the hosts on it; `with` ends all of them."""

    def __init__(self) -> None:
        self._hosts: list[Host] = []
        try:
            self.bridge = Host("10.0.0.1", ["unshare", *OWN_USERS, "--net"])
        except FileNotFoundError as error:
            raise AssertionError(NEEDED) from error
        self.bridge.run("ip link add bridge type bridge")
        self.bridge.run("ip address add 10.0.0.1/24 dev bridge")
        self.bridge.run("ip link set bridge up")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for host in (*self._hosts, self.bridge):
            host.close()

    def host(self) -> Host:
        """Add a host."""
        number = len(self._hosts) + 2
        host = Host(f"10.0.0.{number}", [*self.bridge.inside, "unshare", "--net"])
        self._hosts.append(host)
        port = _port_of(host)
        self.bridge.run(f"ip link add {port} type veth peer name uplink netns {host.pid}")
        host.run(f"ip address add {host.address}/24 dev uplink")
        host.run("ip link set uplink up")
        self.bridge.run(f"ip link set {port} up")
        self.heal(host)
        return host

    def cut(self, host: Host) -> None:
        """Let nothing through, to a host or from it, until it is healed."""
        self.bridge.run(f"ip link set {_port_of(host)} nomaster")

    def heal(self, host: Host) -> None:
        """Let everything through again."""
        self.bridge.run(f"ip link set {_port_of(host)} master bridge")


def _port_of(host: Host) -> str:
    return f"port{host.address.rpartition('.')[2]}"

"""Debian's Redis as people run it: with replicas and sentinels, or as a cluster, on loopback or on hosts."""

import asyncio
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeVar

from tests.servers import TETHER, Kind, Server, binary

from tenmatch.store.address import Address
from tenmatch.store.link import Link, Reply, StoreDown, pack

SERVICE: Final = "games"
AT_ONCE: Final = ("--repl-diskless-sync-delay", "0")  # replicas need not wait for others to come


class Place(Protocol):
    """Where a server runs."""

    @property
    def address(self) -> str:
        """Return by what others reach it."""

    @property
    def inside(self) -> Sequence[str]:
        """Return what begins a command that is to run there."""


class Loopback(NamedTuple):
    """This very machine."""

    address: str = "127.0.0.1"
    inside: Sequence[str] = ()


LOOPBACK: Final = Loopback()


def free_ports(many: int) -> list[int]:
    """Return ports that nobody has, no client is given, and no other test gets before this process ends.

    Redis cannot choose one itself, and a server that is started again wants the one it had.
    """
    ports = random.sample(range(16_000, 32_000), 16_000)
    return list(islice(filter(_takes, ports), many))


def _takes(port: int) -> bool:
    """Take a port if it is free: by a name that the kernel gives to one process at a time, to its end."""
    taken, trying = socket.socket(socket.AF_UNIX), socket.socket()
    with taken, trying:
        try:
            taken.bind(f"\0tenmatch-tests-{port}")
            trying.bind(("127.0.0.1", port))
        except OSError:
            return False
        taken.detach()
    return True


class Redis(Server):
    """A Redis, or another of its kind, on a port of a place."""

    def __init__(
        self, folder: Path, *options: str, port: int = 0, kind: Kind = "redis", at: Place = LOOPBACK
    ) -> None:
        """Start it; in an option PORT stands for its port."""
        self.port = port or free_ports(1)[0]
        self.folder = folder / str(self.port)
        self.folder.mkdir()
        own = ("--port", str(self.port), "--protected-mode", "no" if at.inside else "yes", *AT_ONCE)
        wanted = [str(self.port) if option == "PORT" else option for option in options]
        super().__init__(kind, self.folder, *own, *wanted, inside=at.inside)
        self.local = self.url  # from this machine, wherever it runs
        self.where = f"{at.address} {self.port}"
        self.url = f"redis://{at.address}:{self.port}"

    def shut_down(self) -> None:
        """End the process in its own way: a primary waits until its replicas have all that it has."""
        super().stop()

    def stop(self) -> None:
        """End the process at once: one that is asked to, may refuse while it writes its first file."""
        self.kill()

    async def ask(self, *command: str) -> Reply:
        """Run a command and return its reply, also an error; None where none comes."""
        return await ask(self.local, *command)


class Sentinel(Server):
    """One of the sentinels that watch over a primary."""

    ready = b"+monitor master"

    def __init__(
        self, folder: Path, primary: Redis, *options: str, down_after_ms: int, at: Place = LOOPBACK
    ) -> None:
        """Start it; in an option PORT stands for its port."""
        [self.port] = free_ports(1)
        self.kind = "redis"
        self.host = f"{at.address}:{self.port}"
        self.socket = folder / f"sentinel-{self.port}.sock"
        self.url = f"unix://{self.socket}"
        conf = folder / f"sentinel-{self.port}.conf"
        conf.write_text(
            f"port {self.port}\n"
            f"unixsocket {self.socket}\n"
            f"dir {folder}\n"
            f"sentinel monitor {SERVICE} {primary.where} 2\n"
            f"sentinel down-after-milliseconds {SERVICE} {down_after_ms}\n"
            f"sentinel failover-timeout {SERVICE} 6000\n"
            f"sentinel parallel-syncs {SERVICE} 2\n"
        )
        wanted = [str(self.port) if option == "PORT" else option for option in options]
        self._command = [*at.inside, *TETHER, binary("redis"), str(conf), "--sentinel", *wanted]
        self.start()


class Fleet(Protocol):
    """Servers that belong together."""

    async def assemble(self) -> None:
        """Wait until they know of each other."""

    def stop(self) -> None:
        """End all of them."""


F = TypeVar("F", bound=Fleet)


@asynccontextmanager
async def running(fleet: F) -> AsyncIterator[F]:
    """Assemble servers, and end them when the block does."""
    try:
        await fleet.assemble()
        yield fleet
    finally:
        fleet.stop()


class Watched:
    """A primary and two replicas, watched over by three sentinels."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        common: Sequence[str] = (),
        down_after_ms: int = 1000,
        places: Sequence[Place] = (LOOPBACK, LOOPBACK, LOOPBACK),
    ) -> None:
        """Start the servers, one at each of three places; the primary is at the first.

        Args:
            options: Of the servers.
            common: Of the servers and the sentinels.
        """
        self.primary = Redis(folder, *options, *common, at=places[0])
        follow = ("--replicaof", self.primary.where)
        self.replicas = [Redis(folder, *options, *common, *follow, at=place) for place in places[1:]]
        self._common = common
        self._places = places
        self._folder = folder
        self._down_after_ms = down_after_ms
        self.sentinels: list[Sentinel] = []

    async def assemble(self) -> None:
        """Wait until the replicas follow, and the sentinels know of them and of each other."""
        await until_so(partial(replicas_of, self.primary), 2)
        for place in self._places:  # they learn of replicas when they first ask the primary, then after 10 s
            patience, common = self._down_after_ms, self._common
            one = Sentinel(self._folder, self.primary, *common, down_after_ms=patience, at=place)
            self.sentinels.append(one)
        for sentinel in self.sentinels:
            await until_so(partial(_known_to, sentinel), (2, 2))

    @property
    def url(self) -> str:
        """Return the URL that names the sentinels."""
        hosts = ",".join(sentinel.host for sentinel in self.sentinels)
        return f"redis+sentinel://{hosts}/{SERVICE}"

    def stop(self) -> None:
        """End all of them."""
        for server in (*self.sentinels, self.primary, *self.replicas):
            server.stop()


async def replicas_of(primary: Redis) -> int:
    """Return how many replicas have all that a primary has, but for the latest."""
    info = await primary.ask("INFO", "replication")
    return info.count(b"state=online") if isinstance(info, bytes) else 0


async def _known_to(sentinel: Sentinel) -> tuple[int, int]:
    said = await ask(sentinel.url, "SENTINEL", "MASTER", SERVICE)
    if not isinstance(said, list):
        return 0, 0
    known = dict(zip(said[::2], said[1::2], strict=True))
    return int(known[b"num-slaves"]), int(known[b"num-other-sentinels"])


class Cluster:
    """Three primaries with a replica each."""

    def __init__(self, folder: Path, *options: str, timeout_ms: int = 1000, replicas: int = 3) -> None:
        ports = free_ports(2 * (3 + replicas))
        self.members = [
            Redis(
                folder,
                *("--cluster-enabled", "yes", "--cluster-node-timeout", str(timeout_ms)),
                *("--cluster-require-full-coverage", "no"),
                *("--cluster-port", str(bus), *options),
                port=port,
            )
            for port, bus in zip(ports[::2], ports[1::2], strict=True)
        ]
        self._buses = ports[1::2]
        self.url = f"redis+cluster://{','.join(f'127.0.0.1:{member.port}' for member in self.members[:2])}"

    async def assemble(self) -> None:
        """Deal out the slots, let the members meet, and wait until all see the whole."""
        primaries, replicas = self.members[:3], self.members[3:]
        for number, primary in enumerate(primaries):
            ends = str(16384 * number // 3), str(16384 * (number + 1) // 3 - 1)
            assert await primary.ask("CLUSTER", "ADDSLOTSRANGE", *ends) == b"OK"
            assert await primary.ask("CLUSTER", "SET-CONFIG-EPOCH", str(number + 1)) == b"OK"
        for member, bus in zip(self.members[1:], self._buses[1:], strict=True):
            await self.members[0].ask("CLUSTER", "MEET", "127.0.0.1", str(member.port), str(bus))
        for member in self.members:
            await until_so(partial(_told_of, member), ("ok", len(self.members)))
        for primary, replica in zip(primaries, replicas, strict=False):
            assert await replica.ask("CLUSTER", "REPLICATE", await _id_of(primary)) == b"OK"
        for replica in replicas:
            await until_so(partial(_link_of, replica), b"connected")
        for member in self.members:  # that all know who is whose replica
            await until_so(partial(_counted, member), len(replicas))
        await until_so(self.serving, {primary.port for primary in primaries})

    async def take_for_dead(self, after_ms: int) -> None:
        """Let members take each other for dead after so long, from now on."""
        for member in self.members:
            assert await member.ask("CONFIG", "SET", "cluster-node-timeout", str(after_ms)) == b"OK"

    async def serving(self) -> set[int] | None:
        """Return the primaries' ports, as soon as all members that live tell the same of who serves what."""
        told = [await _slots_of(member) for member in self.members if member.process.poll() is None]
        if any(one != told[0] for one in told):
            return None
        return {port for _, _, port in told[0]}

    async def does_without(self, member: Redis) -> bool:
        """Tell whether all members that live know others as primaries than one that is dead."""
        serving = await self.serving()
        return serving is not None and member.port not in serving

    async def reshard(self, slots: int) -> None:
        """Move so many slots from the first primary to the second, one after the other, as operators do."""
        giver, taker = [await _id_of(member) for member in self.members[:2]]
        reshard = await asyncio.create_subprocess_exec(
            *("redis-cli", "--cluster", "reshard", f"127.0.0.1:{self.members[0].port}", "--cluster-yes"),
            *("--cluster-from", giver, "--cluster-to", taker, "--cluster-slots", str(slots)),
            stdout=asyncio.subprocess.PIPE,
        )
        said, _ = await reshard.communicate()
        assert reshard.returncode == 0, said.decode()

    def stop(self) -> None:
        """End all of them."""
        for member in self.members:
            member.stop()


async def role(server: Redis) -> bytes:
    """Return what a server says that it is."""
    said = await server.ask("ROLE")
    return bytes(said[0]) if isinstance(said, list) else b""


async def offset(server: Redis) -> int:
    """Return how much a primary has written, or a replica has got of that."""
    info = await server.ask("INFO", "replication")
    return int(info.partition(b"master_repl_offset:")[2].split()[0])


async def _slots_of(member: Redis) -> set[tuple[int, int, int]]:
    slots = await member.ask("CLUSTER", "SLOTS")
    return {(first, last, primary[1]) for first, last, primary, *_ in slots or ()}


async def _nodes(member: Redis) -> list[bytes]:
    nodes = await member.ask("CLUSTER", "NODES")
    return list(nodes.splitlines())


async def _id_of(member: Redis) -> str:
    [myself] = [line for line in await _nodes(member) if b"myself" in line]
    return myself.split()[0].decode()


async def _told_of(member: Redis) -> tuple[str, int]:
    info = (await member.ask("CLUSTER", "INFO")).decode()
    told = dict(line.split(":") for line in info.split())
    return told["cluster_state"], int(told["cluster_known_nodes"])


async def _link_of(replica: Redis) -> bytes:
    role = await replica.ask("ROLE")
    return bytes(role[3]) if role[0] == b"slave" else b""


async def _counted(member: Redis) -> int:
    return sum(b"slave" in line for line in await _nodes(member))


async def ask(url: str, *command: str, within: float = 15.0) -> Reply:
    """Run a command on one server and return its reply, also an error; None where none comes."""
    [server] = Address(url).servers
    link = Link(server, within)
    try:
        [reply] = await link.exchange([pack(*command)])
    except StoreDown:
        return None
    finally:
        link.abort()
    return reply


async def until_so(ask: Callable[[], Awaitable[object]], expected: object, within: float = 60.0) -> None:
    """Return as soon as *ask* answers what is *expected*; fail when it does not *within* so many seconds."""
    said = None
    try:
        async with asyncio.timeout(within):
            while (said := await ask()) != expected:  # noqa: ASYNC110  # no event tells of it
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"{said!r} and not {expected!r} after {within} s") from None

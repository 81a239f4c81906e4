"""What deploy/compose has, as processes of this machine: two nodes, Redis with a replica, nginx in front."""

import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from tenmatch.store import tethered

DEPLOY: Final = Path(__file__).resolve().parents[1]
PATH: Final = f"{os.environ.get('PATH', '')}:/usr/sbin"
STARTS_S: Final = 30.0  # for anything to be there
RATE: Final = 40  # moves a second of the load
ROOMS: Final = 10
UNLIMITED: Final = dict.fromkeys(
    (
        *("SOCKETS_PER_ADDRESS", "SOCKETS_PER_PLAYER", "HANDSHAKES", "ROOMS_PER_PLAYER", "ROOMS_PER_ADDRESS"),
        *("JOINS_PER_MINUTE", "MATCHES_PER_S", "MESSAGES_PER_S", "MESSAGES_PER_S_PLAYER"),
        "MESSAGES_PER_S_ADDRESS",
    ),
    "0",
)
"""All players come from one address."""
NGINX: Final = """
{user}
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include tenmatch.conf;
}}
"""


class Trouble(Exception):
    """The set-up does not come about, or does not do what it is told; says what to look at."""


class Process:
    """A process that writes a log, and that is ended by whoever ends the installation."""

    def __init__(self, log: Path, command: Sequence[str], settings: Mapping[str, str] | None = None) -> None:
        """Start it; *settings* are its own `TENMATCH_…` variables, those of this shell do not count."""
        self.log = log
        others = {name: value for name, value in os.environ.items() if not name.startswith("TENMATCH_")}
        self._environment = others | {f"TENMATCH_{name}": value for name, value in (settings or {}).items()}
        # It dies with us whatever happens, and hears nothing of a Ctrl-C that is meant for us.
        self._command = [sys.executable, "-I", "-S", tethered.__file__, str(os.getpid()), *command]
        self.start()

    def start(self) -> None:
        """Start it, or start it again."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdout=log,
                stderr=log,
                env=self._environment,
                cwd=self.log.parent,
                start_new_session=True,
            )

    @property
    def ended(self) -> bool:
        """Tell whether it is no more."""
        return self._process.poll() is not None

    def send(self, signal: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(signal)

    def kill(self) -> None:
        """End it at once, frozen or not."""
        self._process.kill()
        self._process.wait()

    async def wait(self, within: float) -> int:
        """Return its exit status. Raises Trouble where it does not end."""
        await until(lambda: self.ended, within, f"{self.log.stem} to end")
        return self._process.wait()


P = TypeVar("P", bound=Process)


class Redis(Process):
    """Debian's Redis with the settings of deploy/redis.conf."""

    def __init__(self, folder: Path, name: str, of: int | None = None) -> None:
        """Start it, as the replica of the one at port *of* or as a primary."""
        [self.port] = free_ports(1)
        data = folder / name
        data.mkdir()
        program = shutil.which("redis-server", path=PATH)
        if program is None or shutil.which("redis-cli", path=PATH) is None:
            raise Trouble("redis-server and redis-cli are needed: apt-get install redis-server")
        own = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(data))
        follow = ("--replicaof", f"127.0.0.1 {of}") if of else ()
        super().__init__(
            folder / f"{name}.log", [program, str(DEPLOY / "redis.conf"), "--daemonize", "no", *own, *follow]
        )

    async def ask(self, *command: str) -> str:
        """Return what it answers; nothing where it does not."""
        return await output("redis-cli", "-p", str(self.port), *command)

    async def answers(self) -> bool:
        """Tell whether it has read its data."""
        return (await self.ask("PING")).strip() == "PONG"

    async def followed(self) -> bool:
        """Tell whether a replica has all that it has."""
        return "state=online" in await self.ask("INFO", "replication")


class Node(Process):
    """A `tenmatch serve`."""

    def __init__(self, folder: Path, name: str, port: int, redis: Redis, settings: Mapping[str, str]) -> None:
        """Start it."""
        [self.metrics_port] = free_ports(1)
        settings = {
            "REDIS": f"redis://127.0.0.1:{redis.port}",
            "DURABILITY": "replicated",
            "METRICS_PORT": str(self.metrics_port),
            "LOG_FORMAT": "json",
            **UNLIMITED,
            **settings,
        }
        command = [sys.executable, "-m", "tenmatch", "serve", "--port", str(port)]
        super().__init__(folder / f"{name}.log", command, settings)


class Load(Process):
    """A `tenmatch load` that plays until it is asked what it saw."""

    def __init__(self, log: Path, url: str) -> None:
        """Let it begin."""
        lots = ("--rooms", str(ROOMS), "--rate", str(RATE), "--seconds", "86400", "--json")
        super().__init__(log, [sys.executable, "-m", "tenmatch", "load", url, *lots])

    async def result(self) -> dict[str, Any]:
        """Let it come to its end, and return its figures. Raises Trouble."""
        self.send(signal.SIGINT)
        await self.wait(STARTS_S)
        said = self.log.read_text()
        try:
            figures: dict[str, Any] = json.loads(said[said.index("{") :])
        except ValueError:
            raise Trouble(f"the load came to nothing: {said.strip()[-500:]}") from None
        return figures


class Installation:
    """All of it; `with` ends it."""

    def __init__(self, folder: Path) -> None:
        """Be ready to start it, with all it has in *folder*."""
        self.folder = folder
        self.proxied = shutil.which("nginx", path=PATH) is not None
        self.processes: list[Process] = []
        self._loads = count(1)
        self.redis: Redis
        self.replica: Redis
        self.nodes: list[Node] = []
        self.url = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        for process in reversed(self.processes):
            process.kill()

    async def start(self, ready: Callable[[], Awaitable[bool]]) -> None:
        """Start it and wait until it is *ready*. Raises Trouble."""
        self.redis = self._noted(Redis(self.folder, "redis"))
        await until(self.redis.answers, STARTS_S, "Redis to start")
        self.replica = self._noted(Redis(self.folder, "replica", self.redis.port))
        await until(self.redis.followed, STARTS_S, "the replica to follow")
        front, *ports = free_ports(3)
        self.url = f"http://127.0.0.1:{front}"
        if self.proxied:
            settings = {"TRUSTED_PROXIES": "127.0.0.1"}
        else:  # the kernel deals connections out to whoever listens
            ports, settings = [front, front], {"REUSE_PORT": "true"}
        for number, port in enumerate(ports, 1):
            self.nodes.append(self._noted(Node(self.folder, f"node{number}", port, self.redis, settings)))
        await until(ready, STARTS_S, "the nodes to be ready")
        if self.proxied:
            self._noted(self._nginx(front, ports))
            await until(lambda: _listens(front), STARTS_S, "nginx to start")

    def _noted(self, process: P) -> P:
        self.processes.append(process)
        return process

    def _nginx(self, front: int, ports: Sequence[int]) -> Process:
        """Start nginx as deploy/nginx.conf has it, but without TLS."""
        text = (DEPLOY / "nginx.conf").read_text()
        lines = [line for line in text.splitlines() if not line.strip().startswith("ssl_")]
        places = {
            "listen 443 ssl http2;": f"listen 127.0.0.1:{front};",
            "127.0.0.1:8765": f"127.0.0.1:{ports[0]}",
            "127.0.0.1:8766": f"127.0.0.1:{ports[1]}",
        }
        text = "\n".join(lines)
        for place, here in places.items():
            text = text.replace(place, here)
        folder = self.folder / "nginx"
        folder.mkdir()
        (folder / "tenmatch.conf").write_text(text)
        main = folder / "main.conf"
        main.write_text(NGINX.format(user="user root;" if os.geteuid() == 0 else ""))
        program = shutil.which("nginx", path=PATH) or "nginx"
        command = [program, "-p", str(folder), "-c", str(main), "-e", "stderr"]
        return Process(self.folder / "nginx.log", command)

    def load(self) -> Load:
        """Begin to play at `url`."""
        return self._noted(Load(self.folder / f"load{next(self._loads)}.log", self.url))

    async def log_of(self, room: str) -> list[dict[str, Any]]:
        """Return a room's log as it is stored, its chain checked. Raises Trouble."""
        redis = ("--redis", f"redis://127.0.0.1:{self.redis.port}")
        inspect = (sys.executable, "-m", "tenmatch", "inspect", room, *redis)
        said = await output(*inspect, "--events", "100000", "--json")
        if not said:
            raise Trouble(f"tenmatch inspect cannot read room {room}")
        events: list[dict[str, Any]] = json.loads(said)["events"]
        return events


async def output(*command: str) -> str:
    """Run a command and return what it prints; nothing where it fails."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        said, _ = await process.communicate()
    except BaseException:  # cancelled, too
        if process.returncode is None:
            process.kill()
        raise
    return "" if process.returncode else said.decode()


async def until(so: Callable[[], bool | Awaitable[bool]], within: float, what: str) -> None:
    """Return as soon as it is *so*. Raises Trouble where that takes longer than *within* seconds."""
    try:
        async with asyncio.timeout(within):
            while True:
                said = so()
                if said if isinstance(said, bool) else await said:
                    return
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise Trouble(f"waited {within:g} s in vain for {what}") from None


def free_ports(many: int) -> list[int]:
    """Return ports that nobody has at the moment, and that no client is given."""
    return [port for port in random.sample(range(16_000, 32_000), 20 * many) if _is_free(port)][:many]


def _is_free(port: int) -> bool:
    with socket.socket() as trying:
        try:
            trying.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _listens(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0

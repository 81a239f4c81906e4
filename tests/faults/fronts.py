"""nginx and haproxy before nodes, configured as deploy/ has it: other ports, other files, other times."""

import os
import shutil
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Self
from urllib.parse import urlsplit

from tests.certificates import Pair
from tests.servers import TETHER
from tests.store.fleet import free_ports
from tests.store.waiting import until

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
STARTS_S: Final = 10.0
LISTENS: Final = "0A"  # a state, as the kernel lists it
NGINX: Final = """
{user}
daemon off;
pid nginx.pid;
error_log stderr;
worker_processes 2;
worker_shutdown_timeout {old_s}s;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    {more}
    include tenmatch.conf;
}}
"""
"""What stands around ours, as Debian's nginx.conf has it; but all in a folder of its own."""


@dataclass(frozen=True)
class Wishes:
    """What is to be otherwise than in deploy/."""

    tls: bool = True  # else plain HTTP
    idle_ms: int = 40_000  # how long nothing may be said on a connection
    old_s: int = 600  # how long connections live on after a reload
    more: str = ""  # lines for nginx, before ours


class Front(ABC):
    """A proxy that is running; `with` ends it."""

    tool: ClassVar[str]
    conf: ClassVar[str]  # in deploy/
    reloads: ClassVar[signal.Signals]

    def __init__(self, folder: Path, nodes: Sequence[str], wishes: Wishes, pair: Pair) -> None:
        """Start it before two nodes; `ready` waits until it takes connections.

        Args:
            nodes: Their URLs.
            pair: The certificate that it shows.
        """
        self._folder = folder / self.tool
        self._folder.mkdir()
        [self.port] = free_ports(1)
        self.url = f"http{'s' * wishes.tls}://127.0.0.1:{self.port}"
        ports = {f"127.0.0.1:{8765 + number}": urlsplit(node).netloc for number, node in enumerate(nodes)}
        command = self._set_up(ports, wishes, pair)
        found = shutil.which(self.tool, path=f"{os.environ['PATH']}:/usr/sbin")
        assert found, f"the tests need Debian's {self.tool} (make tools)"
        with (self._folder / "log").open("ab") as log:
            self.process = subprocess.Popen([*TETHER, found, *command], stdout=log, stderr=log)

    @abstractmethod
    def _set_up(self, ports: dict[str, str], wishes: Wishes, pair: Pair) -> list[str]:
        """Write its configuration, and return the options to start it with."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failed: object) -> None:
        self.process.terminate()
        self.process.wait()

    async def ready(self) -> Self:
        """Wait until it takes connections."""
        await until(self._listens, STARTS_S)
        return self

    def _listens(self) -> bool:
        assert self.process.poll() is None, self.log()
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
        return any(line[1].endswith(f":{self.port:04X}") and line[3] == LISTENS for line in lines)

    def reload(self) -> None:
        """Let it read its configuration again; who is connected stays for a while."""
        self.process.send_signal(self.reloads)

    def log(self) -> str:
        """Return what it logged."""
        return (self._folder / "log").read_text()

    def _write(self, name: str, substituted: dict[str, str]) -> Path:
        """Write the file of deploy/ under a name, with other words in some places."""
        text = (DEPLOY / self.conf).read_text()
        for old, new in substituted.items():
            assert old in text, f"deploy/{self.conf} has no {old}"
            text = text.replace(old, new)
        written = self._folder / name
        written.write_text(text)
        return written


class Nginx(Front):
    """nginx, as Debian has it."""

    tool = "nginx"
    conf = "nginx.conf"
    reloads = signal.SIGHUP

    def _set_up(self, ports: dict[str, str], wishes: Wishes, pair: Pair) -> list[str]:
        others = {
            "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port}{' ssl http2' * wishes.tls};",
            "/etc/ssl/tenmatch/fullchain.pem": str(pair.cert),
            "/etc/ssl/tenmatch/privkey.pem": str(pair.key),
            "40s": f"{wishes.idle_ms}ms",
        }
        self._write("tenmatch.conf", ports | others)
        user = "user root;" if os.geteuid() == 0 else ""
        main = NGINX.format(user=user, old_s=wishes.old_s, more=wishes.more)
        (self._folder / "main.conf").write_text(main)
        return ["-p", str(self._folder), "-c", str(self._folder / "main.conf"), "-e", "stderr"]


class Haproxy(Front):
    """haproxy, as Debian has it."""

    tool = "haproxy"
    conf = "haproxy.cfg"
    reloads = signal.SIGUSR2

    def _set_up(self, ports: dict[str, str], wishes: Wishes, pair: Pair) -> list[str]:
        both = self._folder / "both.pem"
        both.write_bytes(pair.cert.read_bytes() + pair.key.read_bytes())
        others = {
            " ssl crt /etc/ssl/tenmatch/both.pem alpn http/1.1": " ssl crt BOTH alpn http/1.1" * wishes.tls,
            "bind :443": f"bind 127.0.0.1:{self.port}",
            "40s": f"{wishes.idle_ms}ms",
            "10m": f"{wishes.old_s}s",
        }
        if wishes.tls:
            others["BOTH"] = str(both)
        return ["-W", "-db", "-f", str(self._write("haproxy.cfg", ports | others))]

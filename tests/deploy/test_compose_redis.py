"""Redis as compose starts it: the nodes' user may do its work on the primary, and the replica follows."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from redis import AuthenticationError, Redis
from redis.backoff import ConstantBackoff, NoBackoff
from redis.exceptions import BusyLoadingError, ConnectionError, NoPermissionError
from redis.retry import Retry
from tests.deploy.files import DEPLOY
from tests.store.fleet import free_ports

PASSWORD = "long-enough"
AT_ONCE = Retry(NoBackoff(), 0)  # the client takes a wrong password for a connection that may yet come
PATIENT = Retry(ConstantBackoff(0.1), 600, (ConnectionError, BusyLoadingError))


@contextmanager
def started(folder: Path, port: int, primary: int | None = None) -> Iterator[None]:
    """Run redis.sh as a container would, but on a port and in a folder of its own."""
    folder.mkdir()
    script = (DEPLOY / "compose" / "redis.sh").read_text()
    elsewhere = {
        "/etc/redis/tenmatch.conf": str(DEPLOY / "redis.conf"),
        "/etc/redis/acl.conf": str(DEPLOY / "redis-acl.conf"),
        "/tmp/redis.conf": str(folder / "redis.conf"),
        "6379": str(primary),
        "exec redis-server": f"exec redis-server --port {port} --dir {folder} --include",
    }
    for place, other in elsewhere.items():
        assert place in script, place
        script = script.replace(place, other)
    command = ["/bin/sh", "-c", script, "redis.sh", *(["127.0.0.1"] if primary else [])]
    environment = {"PATH": os.environ["PATH"], "REDIS_PASSWORD": PASSWORD}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as server:
        try:
            yield
        finally:
            server.kill()


def client(port: int) -> "Redis":
    """Return a node's client, which waits for the server to start."""
    return Redis(port=port, username="tenmatch", password=PASSWORD, retry=PATIENT, decode_responses=True)


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """The ports of a primary and of its replica."""
    one, two = free_ports(2)
    with ExitStack() as stack:
        stack.enter_context(started(tmp_path / "primary", one))
        stack.enter_context(started(tmp_path / "replica", two, one))
        yield one, two


def test_what_is_written_is_on_both(ports: tuple[int, int]) -> None:
    with client(ports[0]) as node:
        node.set("tm:written", "so")
        for _ in range(300):  # until the replica is there
            if node.execute_command("WAIT", 1, 200) == 1:
                break
            node.set("tm:written", "again")
        else:
            pytest.fail("the replica does not follow")
        with pytest.raises(NoPermissionError):
            node.flushall()
    with client(ports[1]) as node:
        assert node.get("tm:written") in ("so", "again")
    backup = ("redis-cli", "-p", str(ports[1]), "--user", "replica", "--rdb", "-")
    taken = subprocess.run(backup, env=os.environ | {"REDISCLI_AUTH": PASSWORD}, capture_output=True)
    assert taken.returncode == 0, taken.stderr
    assert taken.stdout.startswith(b"REDIS")
    assert b"tm:written" in taken.stdout


def test_nobody_else_is_let_in(ports: tuple[int, int]) -> None:
    for port in ports:
        with client(port) as node:
            assert node.ping()
        with Redis(port=port, retry=AT_ONCE) as stranger, pytest.raises(AuthenticationError):
            stranger.ping()

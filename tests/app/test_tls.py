"""TLS as it is run: announced, renewed on SIGHUP while people play, with workers too."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.certificates import Pair
from tests.live.node import Node
from tests.store.waiting import until
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tenmatch.app.settings import BadSettings, read_settings

pytestmark = pytest.mark.slow


def start(folder: Path, pair: Pair, *flags: str) -> Node:
    return Node(folder, "--tls-cert", str(pair.cert), "--tls-key", str(pair.key), *flags)


def client(node: Node, pair: Pair) -> connect:
    """Return a client that trusts one certificate."""
    return connect(node.url.replace("http", "ws", 1) + "/v1", ssl=pair.trusting(), proxy=None)


async def ask(client: ClientConnection, t: str, **fields: Any) -> Any:
    """Send a request and return its answer."""
    await client.send(json.dumps({"t": t, "id": 1, **fields}))
    async with asyncio.timeout(60):
        while (answer := json.loads(await client.recv())).get("re") != 1:
            pass
    return answer


async def test_all_is_tls_and_the_certificate_can_be_renewed(tmp_path: Path) -> None:
    pair = Pair.make(tmp_path, "first")
    with start(tmp_path, pair) as node:
        assert node.url.startswith("https://127.0.0.1:")
        async with client(node, pair) as before:
            assert (await ask(before, "hello"))["t"] == "welcome"
            newer = Pair.make(tmp_path, "second")
            pair.replace(newer)
            node.process.send_signal(signal.SIGHUP)
            await until(lambda: renewals(node) == 1)
            async with client(node, newer) as after:
                assert (await ask(after, "hello"))["t"] == "welcome"
            pair.key.write_text("nonsense")
            node.process.send_signal(signal.SIGHUP)
            await until(lambda: "the certificate stays as it was" in node.log())
            async with client(node, newer) as after:
                assert (await ask(after, "hello"))["t"] == "welcome"
            assert (await ask(before, "create", mode="race"))["t"] == "snapshot"
            node.terminate()
            with suppress(ConnectionClosed):
                while await before.recv():
                    pass
            assert before.close_code == 1012


def renewals(node: Node) -> int:
    return node.log().count("the certificate was read again")


async def shown(node: Node, pair: Pair) -> bool:
    """Tell whether whoever connects next is shown this certificate."""
    host, port = node.url.removeprefix("https://").split(":")
    try:
        _, writer = await asyncio.open_connection(host, int(port), ssl=pair.trusting())
    except OSError:
        return False
    writer.transport.abort()
    return True


async def test_workers_renew_it_too(tmp_path: Path) -> None:
    pair = Pair.make(tmp_path, "first")
    with start(tmp_path, pair, "--workers", "2") as node:
        assert node.url.startswith("https://")
        assert all([await shown(node, pair) for _ in range(12)])
        await until(lambda: renewals(node) == 2)  # what was replaced while they started
        old = Pair(pair.cert.rename(tmp_path / "old.pem"), pair.key)
        newer = Pair.make(tmp_path, "second")
        pair.replace(newer)
        node.process.send_signal(signal.SIGHUP)
        await until(lambda: renewals(node) == 4)
        assert all([await shown(node, newer) for _ in range(12)])
        assert not await shown(node, old)
        [victim, _] = node.workers()
        os.kill(victim, signal.SIGKILL)
        await until(lambda: len(node.workers()) == 2 and victim not in node.workers())
        assert all([await shown(node, newer) for _ in range(12)])


@pytest.mark.parametrize("missing", ["tls_cert", "tls_key"])
def test_a_certificate_has_a_key(missing: str) -> None:
    both = {"tls_cert": "cert.pem", "tls_key": "key.pem"}
    assert read_settings(**both).tls_cert == Path("cert.pem")
    with pytest.raises(BadSettings, match="tls_cert and tls_key go together"):
        read_settings(**{name: value for name, value in both.items() if name != missing})


def test_what_is_no_certificate_stops_the_start(tmp_path: Path) -> None:
    pair, other = Pair.make(tmp_path, "first"), Pair.make(tmp_path, "second")
    flags = ["--port", "0", "--tls-cert", str(pair.cert), "--tls-key", str(other.key)]
    command = [sys.executable, "-m", "tenmatch", "serve", *flags]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 2
    assert "first.pem" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "data").exists()

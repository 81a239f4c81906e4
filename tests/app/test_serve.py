"""Serving from start to end: what keeps a node from starting, how it ends, and what it leaves behind."""

import asyncio
import os
import re
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.gateway.conftest import Watch, own_server, patience, shared_server, url, watch
from tests.gateway.nodes import NO_LIMITS, running
from tests.gateway.peer import peer
from tests.gateway.sockets import Wire, request
from tests.gateway.wire import raw, text
from tests.servers import Server
from tests.store.waiting import until
from websockets.frames import Opcode

from tenmatch.app import drain as drain_module
from tenmatch.app import website
from tenmatch.app.serving import fitness, sockets, workers
from tenmatch.app.serving import serve as serve_module
from tenmatch.app.serving.fitness import Stopped, Unfit, unless
from tenmatch.app.serving.process import run_node
from tenmatch.app.serving.sockets import listen
from tenmatch.app.serving.workers import run_workers
from tenmatch.app.settings import Settings, read_settings
from tenmatch.app.website import WebsiteMissing
from tenmatch.gateway import connection
from tenmatch.gateway.connection import Connection
from tenmatch.gateway.session import Session
from tenmatch.store.connect import Address, Store

__all__ = ["own_server", "patience", "shared_server", "url", "watch"]


def settings(**chosen: Any) -> Settings:
    return read_settings(**{**NO_LIMITS, "port": 0, "drain_s": 0, **chosen})


class Serving:
    """A node that serves, and what ends it."""

    def __init__(self, port: int, stop: asyncio.Event, task: "asyncio.Task[None]") -> None:
        self.port = port
        self.stop = stop
        self.task = task


@asynccontextmanager
async def serving(url: str, **chosen: Any) -> AsyncIterator[Serving]:
    """Run a node as `serve` does, until it is stopped or the block ends."""
    options = settings(**chosen)
    stop = asyncio.Event()
    with listen(options) as listener:
        port = listener.getsockname()[1]
        task = asyncio.create_task(run_node(options, url, listener, stop))
        while not await answers(port):
            assert not task.done(), task
        try:
            yield Serving(port, stop, task)
        finally:
            stop.set()
            async with asyncio.timeout(60):
                await task


async def answers(port: int) -> bool:
    """Tell whether a node there is ready."""
    try:
        async with Wire(port) as wire:
            await wire.send(request("/readyz", {"Upgrade": None, "Connection": None}))
            return (await wire.end()).startswith(b"HTTP/1.1 200 ")
    except ConnectionError:
        await asyncio.sleep(0.005)
        return False


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for what is known to come, and a little for the rest."""
    monkeypatch.setattr(connection, "CLOSE_S", 0.2)
    monkeypatch.setattr(drain_module, "GOODBYE_S", 0.5)
    monkeypatch.setattr(workers, "RESTART_S", 0.02)


# before it serves


def test_a_port_of_its_own_is_taken_when_none_is_named() -> None:
    with listen(settings()) as one, listen(settings()) as other:
        assert one.getsockname()[1] != other.getsockname()[1] > 0


def test_an_address_that_cannot_be_had_is_said() -> None:
    with listen(settings()) as taken:
        port = taken.getsockname()[1]
        taken.listen()
        with pytest.raises(Unfit, match=f"cannot listen on 127.0.0.1:{port}: .* Name another with --port"):
            listen(settings(port=port))
    with pytest.raises(Unfit, match=re.escape("cannot listen on 192.0.2.1:0")):
        listen(settings(host="192.0.2.1"))
    with pytest.raises(Unfit, match=re.escape("cannot listen on no.such.host.invalid:0")):
        listen(settings(host="no.such.host.invalid"))


def test_a_port_for_figures_that_cannot_be_had_is_said() -> None:
    with listen(settings()) as taken:
        port = taken.getsockname()[1]
        taken.listen()
        with pytest.raises(Unfit, match=f"cannot listen on 127.0.0.1:{port}: .* with TENMATCH_METRICS_PORT"):
            sockets.metrics_listener(settings(metrics_port=port))


def test_ipv6_can_be_listened_on() -> None:
    with listen(settings(host="::1")) as listener:
        assert listener.family is socket.AF_INET6


def test_workers_share_a_port() -> None:
    with (
        listen(settings(workers=2)) as one,
        listen(settings(port=one.getsockname()[1], reuse_port=True)) as two,
    ):
        assert one.getsockname() == two.getsockname()


async def test_what_takes_long_ends_when_we_are_told_to(watch: Watch) -> None:
    stop, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    asyncio.get_running_loop().call_later(0.01, stop.set)
    with pytest.raises(Stopped):
        await unless(stop, work())
    assert ended.is_set()


async def test_what_ends_in_time_is_not_disturbed(watch: Watch) -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 7

    async def fail() -> None:
        raise Unfit("why")

    assert await unless(asyncio.Event(), work()) == 7
    with pytest.raises(Unfit, match="why"):
        await unless(asyncio.Event(), fail())


async def run(url: str, stop: asyncio.Event | None = None, **chosen: Any) -> None:
    options = settings(**chosen)
    with listen(options) as listener:
        await run_node(options, url, listener, stop or asyncio.Event())


async def test_a_store_that_is_not_there_is_waited_for_and_then_said(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitness, "FIRST_ANSWER_S", 0.3)
    with pytest.raises(Unfit, match=r"no store answers at .*nowhere\.sock"):
        await run(f"unix://{tmp_path}/nowhere.sock")


async def test_whoever_is_told_to_end_does_not_wait_for_a_store(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = asyncio.Event()
    monkeypatch.setattr(fitness, "FIRST_ANSWER_S", 3600.0)
    asyncio.get_running_loop().call_later(0.02, stop.set)
    with pytest.raises(Stopped):
        await run(f"unix://{tmp_path}/nowhere.sock", stop)


async def test_a_store_that_would_lose_games_is_refused_unless_that_is_wanted(
    watch: Watch, own_server: Server
) -> None:
    store = Store(Address(own_server.url))
    await store.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    store.close()
    with pytest.raises(Unfit, match=r"(?s)maxmemory-policy is allkeys-lru.*TENMATCH_UNFIT_REDIS"):
        await run(own_server.url)
    async with serving(own_server.url, unfit_redis=True):
        pass


async def test_a_missing_web_client_is_said(watch: Watch, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise WebsiteMissing("not there")

    monkeypatch.setattr(website, "folder", missing)
    with pytest.raises(WebsiteMissing):
        await run(url)
    with pytest.raises(WebsiteMissing):
        with listen(settings(workers=2)) as listener:
            await run_workers(settings(workers=2), url, listener, asyncio.Event())


# while it serves


async def test_its_pages(watch: Watch, url: str) -> None:
    async with serving(url) as node:
        for path, status, part in (
            ("/", 200, b"<html"),
            ("/healthz", 200, b"alive"),
            ("/readyz", 200, b'"ready":true'),
            ("/v1/rooms", 200, b'{"rooms":[]'),
            ("/v1", 426, b"WebSocket"),
            ("/nowhere", 404, b"nothing is at"),
        ):
            async with Wire(node.port) as wire:
                await wire.send(request(path, {"Upgrade": None, "Connection": None}))
                answer = await wire.end()
            assert answer.startswith(f"HTTP/1.1 {status} ".encode()), path
            assert part in answer
        async with Wire(node.port) as wire:
            await wire.send(request("/v1/rooms", {"Upgrade": None}, method="HEAD"))
            answer = await wire.end()
        assert answer.endswith(b"\r\n\r\n")
        assert b"Access-Control-Allow-Origin: *" in answer


@pytest.mark.slow
async def test_it_is_not_ready_without_its_store(watch: Watch, own_server: Server) -> None:
    async with serving(own_server.url) as node:
        own_server.freeze()
        async with asyncio.timeout(60):
            while await answers(node.port):
                pass
        async with Wire(node.port) as wire:
            await wire.send(request("/healthz", {"Upgrade": None}))
            assert (await wire.end()).startswith(b"HTTP/1.1 200 "), "alive all the same"
        own_server.thaw()
        async with asyncio.timeout(60):
            while not await answers(node.port):
                pass


# how it ends


async def test_everyone_is_told_and_sent_away(watch: Watch, url: str) -> None:
    async with serving(url) as node, peer(node.port) as anna, peer(node.port, hello=False) as silent:
        room = (await anna.ask("create", mode="race"))["room"]
        node.stop.set()
        closing = await anna.find(lambda message: message["t"] == "closing")
        assert (closing["in_ms"], closing["reason"]) == (0, "drain")
        assert await anna.closed() == await silent.closed() == 1012
        await node.task
        with pytest.raises(ConnectionError):
            async with Wire(node.port):
                pass
    async with serving(url) as again, peer(again.port) as bob:
        assert (await bob.ask("join", room=room))["seat"] == 1, "rooms outlive their nodes"


async def test_a_move_under_way_is_answered_before_the_end(
    watch: Watch, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = True
    real = Session.idle.fget  # type: ignore[attr-defined]  # on the class it is a property

    def idle(session: Session) -> bool:
        return bool(real(session)) and not busy

    monkeypatch.setattr(Session, "idle", property(idle))
    monkeypatch.setattr(drain_module, "IN_FLIGHT_S", 60.0)
    async with serving(url) as node, peer(node.port) as anna:
        room = (await anna.ask("create", mode="race"))["room"]
        node.stop.set()
        await anna.find(lambda message: message["t"] == "closing")
        assert (await anna.ask("ready", room=room, ready=True))["t"] == "ok"
        busy = False
        assert await anna.closed() == 1012


async def test_who_resets_or_never_answers_does_not_hold_it_up(watch: Watch, url: str) -> None:
    async with serving(url, drain_s=0.2) as node, AsyncExitStack() as wires:
        for number in range(30):
            wire = await wires.enter_async_context(Wire(node.port))
            await wire.upgrade()
            await wire.send(text({"t": "hello"}))
            if number % 3 == 0:
                wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                asyncio.get_running_loop().call_later(number / 150, wire.socket.close)
        began = time.monotonic()
        node.stop.set()
        await node.task
        assert time.monotonic() - began < 15  # in real time: it takes half a second, and might for ever


async def test_what_never_closes_is_cut_off_in_the_end(
    watch: Watch, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CLOSE_S", 60.0)
    async with serving(url) as node, Wire(node.port) as wire:
        await wire.upgrade()
        node.stop.set()
        await node.task
        await wire.end()


async def test_closing_is_spread_over_time(watch: Watch, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now, closed = 0.0, list[float]()
    real = Connection.close

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        await asyncio.sleep(0)

    def close(connection: Connection, *why: Any) -> None:
        closed.append(now)
        real(connection, *why)

    async with running(url) as node, AsyncExitStack() as peers:
        everyone = [await peers.enter_async_context(peer(node.port)) for _ in range(8)]
        clock = SimpleNamespace(sleep=sleep, get_running_loop=lambda: SimpleNamespace(time=lambda: now))
        with monkeypatch.context() as patched:
            patched.setattr(Connection, "close", close)
            patched.setattr(drain_module, "asyncio", clock)
            await drain_module._close([*node.node.handshake.connections], 4.0)
        assert closed == pytest.approx([0.5 * number for number in range(8)])
        assert [await one.closed() for one in everyone] == [1012] * 8


@pytest.mark.slow
async def test_an_end_while_the_store_is_frozen_is_an_end(watch: Watch, own_server: Server) -> None:
    async with serving(own_server.url) as node, peer(node.port) as anna:
        room = (await anna.ask("create", mode="race"))["room"]
        own_server.freeze()
        await anna.send({"t": "ready", "room": room, "ready": True, "id": 1}, {"t": "create", "mode": "race"})
        await anna.wire.send(raw(Opcode.PING))
        began = time.monotonic()
        node.stop.set()
        await anna.closed()
        await node.task
        assert time.monotonic() - began < 20  # in real time: it takes four seconds, and might for ever
        own_server.thaw()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_a_server_with_a_store_of_its_own(
    watch: Watch, tmp_path: Path, capsys: pytest.CaptureFixture[str], number: signal.Signals
) -> None:
    options = settings(data=tmp_path / "data")
    task = asyncio.create_task(serve_module._serve(options))
    said = ""
    async with asyncio.timeout(60):
        while "tenmatch is at http://127.0.0.1:" not in said:
            assert not task.done(), task
            await asyncio.sleep(0.01)
            said += capsys.readouterr().out
    port = int(said.strip().rpartition(":")[2])
    async with peer(port) as anna:
        assert (await anna.ask("create", mode="race"))["t"] == "snapshot"
    os.kill(os.getpid(), number)
    async with asyncio.timeout(60):
        await task
    assert not (tmp_path / "data" / "valkey.sock").exists()


# workers


@pytest.mark.parametrize(
    ("program", "said"), [("/bin/false", "a worker died"), ("/bin/none", "a worker cannot be started")]
)
async def test_workers_that_do_not_start_are_tried_again_and_do_not_hold_up_the_end(
    watch: Watch,
    url: str,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    program: str,
    said: str,
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    options, stop = settings(workers=2), asyncio.Event()
    with listen(options) as listener:
        task = asyncio.create_task(run_workers(options, url, listener, stop))
        await until(lambda: caplog.text.count(said) > 4)
        stop.set()
        async with asyncio.timeout(workers.STOP_S - 1):
            await task
    assert capsys.readouterr().out == "", "nobody serves"


async def test_workers_are_not_begun_on_a_store_that_is_not_there(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitness, "FIRST_ANSWER_S", 0.3)
    options = settings(workers=2)
    with listen(options) as listener:
        with pytest.raises(Unfit, match="no store answers"):
            await run_workers(options, f"unix://{tmp_path}/nowhere.sock", listener, asyncio.Event())

"""The private server: its folder, its life and its death, and ours."""

import asyncio
import importlib.metadata
import os
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
from tests.store import serving
from tests.store.fleet import until_so
from tests.store.waiting import until

from tenmatch.store import checks
from tenmatch.store import embedded as embedded_module
from tenmatch.store.connect import Address, Store, StoreDown
from tenmatch.store.embedded import Embedded, EmbeddedError, FolderBusy, server_binary


@asynccontextmanager
async def started(folder: Path) -> AsyncIterator[tuple[Embedded, Store]]:
    embedded = Embedded(folder)
    await embedded.start()
    store = Store(Address(embedded.url))
    try:
        yield embedded, store
    finally:
        store.close()
        await embedded.stop()


@contextmanager
def served(folder: Path, where: str) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """Another process that runs the store in *folder*, and the pid of its server."""
    command = [sys.executable, serving.__file__, str(folder), where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


async def server_pid(store: Store) -> int:
    info: bytes = await store.call("INFO", "server")
    return int(info.partition(b"process_id:")[2].split()[0])


async def get(store: Store, key: str) -> bytes | None:
    """Return what lies under *key*, None as long as nobody answers."""
    try:
        return cast(bytes, await store.call("GET", key))
    except StoreDown:
        return None


def lives(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


async def test_it_is_fit_and_private(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "when needed"
    async with started(folder) as (_, store):
        assert await checks.check(store) == []
        assert await store.call("CONFIG", "GET", "port") == [b"port", b"0"]
        assert await store.call("CONFIG", "GET", "maxmemory") == [b"maxmemory", b"536870912"]
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "valkey.sock").stat().st_mode) == 0o700


async def test_what_was_stored_is_there_at_the_next_start(tmp_path: Path) -> None:
    async with started(tmp_path) as (_, store):
        await store.call("SET", "key", "kept")
        pid = await server_pid(store)
    assert not lives(pid)
    async with started(tmp_path) as (_, store):
        assert await store.call("GET", "key") == b"kept"


async def test_a_second_one_on_the_same_folder_says_so(tmp_path: Path) -> None:
    async with started(tmp_path) as (_, store):
        for folder in (tmp_path, tmp_path / "." / ".." / tmp_path.name):
            with pytest.raises(FolderBusy, match=str(tmp_path)):
                await Embedded(folder).start()
        assert await store.call("PING") == b"PONG"
    with served(tmp_path, "main"), pytest.raises(FolderBusy):
        await Embedded(tmp_path).start()


async def test_it_dies_with_us_and_nothing_is_lost(tmp_path: Path) -> None:
    with served(tmp_path, "main") as (process, pid):
        process.kill()
        await until(lambda: not lives(pid))
    async with started(tmp_path) as (_, store):
        assert await store.call("GET", "starts") == b"1"


async def test_one_that_is_still_dying_is_waited_for(tmp_path: Path) -> None:
    with served(tmp_path, "main") as (process, pid):
        os.kill(pid, signal.SIGSTOP)  # so slow at dying that it takes until told
        process.kill()
        process.wait()
        embedded = Embedded(tmp_path)
        starting = asyncio.create_task(embedded.start())
        await until(lambda: embedded._claim is not None)
        assert not starting.done()
        os.kill(pid, signal.SIGCONT)
        await starting
        store = Store(Address(embedded.url))
        assert await store.call("GET", "starts") == b"1"
        assert await server_pid(store) != pid
        assert not lives(pid)
        store.close()
        await embedded.stop()


async def test_it_is_killed_again_and_again_while_it_dies(tmp_path: Path) -> None:
    for _ in range(2):
        with served(tmp_path, "main") as (process, _):
            process.kill()
    async with started(tmp_path) as (_, store):
        assert await store.call("GET", "starts") == b"2"


async def test_one_that_survived_is_adopted(tmp_path: Path) -> None:
    with served(tmp_path, "thread") as (process, pid):
        process.kill()
        process.wait()
    assert lives(pid)
    async with started(tmp_path) as (_, store):
        assert await server_pid(store) == pid
        assert await store.call("GET", "starts") == b"1"
    assert not lives(pid)


async def test_one_that_dies_by_itself_is_started_again(tmp_path: Path) -> None:
    async with started(tmp_path) as (embedded, store):
        running = asyncio.create_task(embedded.run())
        await store.call("SET", "key", "kept")
        os.kill(pid := await server_pid(store), signal.SIGKILL)
        await until(lambda: not lives(pid))
        await until_so(partial(get, store, "key"), b"kept")
        assert await server_pid(store) != pid
        running.cancel()
        await asyncio.wait([running])


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A folder whose path is short, whatever the other folders of tests are called."""
    with TemporaryDirectory(prefix="run") as folder:
        yield Path(folder)


async def test_a_path_too_long_for_a_socket_is_shortened(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    folder = tmp_path / ("long" * 30) / "data"
    for _ in range(2):
        async with started(folder) as (embedded, store):
            assert await store.call("INCR", "starts")
            assert str(runtime) in embedded.url
        assert os.listdir(runtime) == []


async def test_a_link_that_leads_elsewhere_is_not_trusted(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    folder = tmp_path / ("long" * 30)
    embedded = Embedded(folder)
    link = embedded_module._link_to(folder)
    link.symlink_to(tmp_path)
    with pytest.raises(EmbeddedError, match=f"{link} is not our link"):
        await embedded.start()
    link.unlink()
    async with started(folder):
        pass


async def test_why_it_does_not_come_up_is_told_and_the_folder_is_free_again(tmp_path: Path) -> None:
    (tmp_path / "appendonlydir").mkdir()
    manifest = tmp_path / "appendonlydir" / "appendonly.aof.manifest"
    manifest.write_text("this is no manifest\n")
    with pytest.raises(EmbeddedError, match=r"status 1: .*AOF"):
        await Embedded(tmp_path).start()
    manifest.unlink()
    async with started(tmp_path):
        pass


async def test_one_that_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(tmp_path, "thread") as (process, pid):
        process.kill()
        process.wait()
    os.kill(pid, signal.SIGSTOP)
    monkeypatch.setattr(embedded_module, "START_TIMEOUT", 0.3)
    with pytest.raises(EmbeddedError, match=f"pid {pid}"):
        await Embedded(tmp_path).start()
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not lives(pid))


@pytest.mark.slow
async def test_one_that_does_not_stop_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_module, "STOP_TIMEOUT", 0.1)
    async with started(tmp_path) as (_, store):
        pid = await server_pid(store)
        os.kill(pid, signal.SIGSTOP)
    assert not lives(pid)


async def test_a_long_log_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_module, "LOG_LIMIT", 10)
    (tmp_path / "valkey.log").write_text("a long, long log")
    async with started(tmp_path):
        assert (tmp_path / "valkey.log.1").read_text() == "a long, long log"


def test_the_program_is_found_and_can_be_run() -> None:
    assert os.access(server_binary(), os.X_OK)


@pytest.mark.parametrize("installed", [True, False])
def test_without_a_program_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    def files(name: str) -> list[importlib.metadata.PackagePath]:
        if not installed:
            raise importlib.metadata.PackageNotFoundError(name)
        return []

    monkeypatch.setattr(importlib.metadata, "files", files)
    with pytest.raises(EmbeddedError, match="name a Redis of your own"):
        server_binary()

"""deploy/redis.conf: both servers take it, and find themselves fit."""

from pathlib import Path

from tests.servers import Kind, Server

from tenmatch.store.checks import check
from tenmatch.store.connect import Address, Store

CONF = Path(__file__).parents[2] / "deploy" / "redis.conf"


async def test_a_server_with_these_settings_is_fit(kind: Kind, tmp_path: Path) -> None:
    with Server(kind, tmp_path, "--include", str(CONF)) as server:
        store = Store(Address(server.url))
        assert await check(store) == []
        assert await store.call("CONFIG", "GET", "maxmemory") == [b"maxmemory", b"1073741824"]
        store.close()

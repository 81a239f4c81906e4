"""/admin: what it tells of nodes and rooms, and what it does when it may."""

import asyncio
import contextlib
import json
from typing import Any

from tests.gateway.meeting import Meet, started
from tests.gateway.nodes import Running
from tests.store.waiting import until

from tenmatch.app.admin.access import Access
from tenmatch.app.admin.answers import Admin
from tenmatch.app.registry import Registry
from tenmatch.game.ids import RoomId
from tenmatch.game.room import Phase

TOKEN = "0123456789abcdef0123456789abcdef"


async def serve(node: Running, *, writes: bool) -> None:
    """Answer operators on a node."""
    registry = Registry(node.node, "http://127.0.0.1")
    await node.node.orders.listen()
    await registry.say()
    access = Access(TOKEN, lambda: node.store.clock.now() / 1000, secure=False)
    admin = Admin(node.node, registry, access, writes=writes, spawn=asyncio.ensure_future)
    node.node.pages.update(admin.pages())


async def ask(node: Running, what: str, *headers: str, method: str = "GET") -> tuple[int, str, Any]:
    """Ask a node over its port; return the status, the head and, where it is JSON, the body."""
    head = [f"{method} /admin/api/{what} HTTP/1.1", "Host: play.example", "Content-Length: 0", *headers]
    reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
    with contextlib.closing(writer):
        writer.write("\r\n".join([*head, "", ""]).encode())
        answer = (await reader.read(-1)).decode()
    top, _, body = answer.partition("\r\n\r\n")
    return int(top.split(" ")[1]), top, json.loads(body) if "application/json" in top else body


async def login(node: Running) -> str:
    """Exchange the token for a cookie; return the header that shows it."""
    status, top, _ = await ask(node, "login", f"Authorization: Bearer {TOKEN}", method="POST")
    assert status == 200
    [given] = [line for line in top.split("\r\n") if line.startswith("Set-Cookie: ")]
    return given.replace("Set-", "").split(";")[0]


async def test_strangers_learn_nothing(node: Running) -> None:
    assert (await ask(node, "me"))[0] == 404
    await serve(node, writes=True)
    for what in ("me", "nodes", "rooms", "rooms/abcdefghjk"):
        assert (await ask(node, what))[0] == 401
    for what in ("login", "logout", "announce?text=x", "close/abcdefghjk"):
        assert (await ask(node, what, method="POST"))[0] == 401


async def test_nodes_and_rooms_are_shown(node: Running, meet: Meet) -> None:
    await serve(node, writes=False)
    me = await login(node)
    room = await started(await meet(name="Ann"), await meet())
    assert (await ask(node, "me", me))[2] == {"node": node.node.name, "writes": False}
    nodes = (await ask(node, "nodes", me))[2]
    assert [one["node"] for one in nodes["nodes"]] == [node.node.name]
    assert len(nodes["nodes"][0]["append"]) == len(nodes["bounds"]) + 1
    rooms = (await ask(node, "rooms", me))[2]
    assert [one["room"] for one in rooms["rooms"]] == [room]
    told = (await ask(node, f"rooms/{room}", me))[2]
    assert told["state"]["phase"] == "playing"
    assert told["state"]["seed"] is None
    assert (await ask(node, "rooms/nothing", me))[0] == 409


async def test_it_only_looks_unless_told_otherwise(node: Running, meet: Meet) -> None:
    await serve(node, writes=False)
    me, room = await login(node), await started(await meet(), await meet())
    for what in (f"kick/{room}:0", f"close/{room}", "announce?text=x", f"drain/{node.node.name}"):
        assert (await ask(node, what, me, method="POST"))[0] == 405
        assert (await ask(node, what, me))[0] == 404
    assert node.node.tables.loaded[RoomId(room)].state.phase is Phase.PLAYING


async def test_it_does_what_it_is_told(node: Running, meet: Meet) -> None:
    await serve(node, writes=True)
    drained: list[None] = []
    node.node.orders.drain = lambda: drained.append(None)
    ann, bo, eve = await meet(), await meet(), await meet()
    me, room = await login(node), await started(ann, bo, eve)
    status, _, done = await ask(node, f"kick/{room}:0", me, method="POST")
    assert (status, [event["kind"] for event in done["events"]]) == (200, ["resigned"])
    await bo.find(lambda said: said.get("kicked") is True)
    assert (await ask(node, f"kick/{room}:x", me, method="POST"))[0] == 409
    assert (await ask(node, f"close/{room}", me, method="POST"))[0] == 200
    await bo.find(lambda said: said.get("closed") is True)
    assert (await ask(node, "announce?text=We%20restart%20%E2%8F%B8", me, method="POST"))[2] == {"nodes": 1}
    assert (await bo.find(lambda said: said["t"] == "announcement"))["text"] == "We restart ⏸"
    assert (await ask(node, "drain/elsewhere", me, method="POST"))[0] == 409
    assert (await ask(node, f"drain/{node.node.name}", me, method="POST"))[0] == 200
    await until(lambda: bool(drained))
    assert (await ask(node, f"close/{room}", me, "Sec-Fetch-Site: cross-site", method="POST"))[0] == 403
    gone = (await ask(node, "logout", me, method="POST"))[1]
    assert "Max-Age=0" in gone

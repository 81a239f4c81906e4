"""`tenmatch export` and `import`: rooms out of one store and into another."""

import json
from pathlib import Path

from tests.app.operating.conftest import Tenmatch
from tests.gateway.meeting import Meet, made, match, started
from tests.gateway.nodes import Running
from tests.store.waiting import until

from tenmatch.game.ids import RoomId
from tenmatch.store import keys


async def test_rooms_go_on_in_another_store_as_if_no_time_had_passed(
    node: Running, meet: Meet, tenmatch: Tenmatch, file: Path
) -> None:
    ann, bo = await meet(), await meet()
    room = await started(ann, bo)
    open_ = await made(ann)
    await ann.send(match(node, room, 1))
    await bo.find(lambda said: said.get("kind") == "matched")
    before = node.node.tables.loaded[RoomId(room)].state
    out = await tenmatch("export", "--all")
    assert out.exit_code == 0
    exported = [json.loads(line) for line in out.stdout.splitlines()]
    assert {one["room"] for one in exported} == {room, open_}
    for one in exported:  # an hour ago
        one["until"] -= 3_600_000
    _write(file, "\n".join(map(json.dumps, exported)))

    there = await tenmatch("import", file)
    assert there.exit_code == 0
    assert there.stdout.count("there already") == 2
    for table in tuple(node.node.tables.loaded.values()):
        node.node.tables.unload(table)
    await node.store.call("FLUSHALL")
    put = await tenmatch("import", file, "--json")
    assert put.exit_code == 0
    assert {json.loads(line)["became"] for line in put.stdout.splitlines()} == {"imported"}

    again = await ann.ask("join", code=before.code)
    assert again["seat"] == 0
    assert again["state"]["phase"] == "playing"
    assert before.ends_at is not None
    assert again["state"]["ends_at"] - before.ends_at >= 3_600_000
    await ann.send(match(node, room, 2))
    moved = await ann.find(lambda said: said.get("kind") == "matched" and said["n"] == 2)
    assert moved["seq"] == before.seq + 2
    await until(lambda: RoomId(open_) in node.node.tables.loaded)  # taken up by itself


async def test_another_room_of_that_name_stays_as_it_is(
    node: Running, meet: Meet, tenmatch: Tenmatch
) -> None:
    room = await made(await meet())
    exported = (await tenmatch("export", room)).stdout
    await node.store.call("RENAME", keys.log(RoomId(room)), f"tm:{{{room}}}:other")
    other = await made(await meet())
    node.node.tables.unload(node.node.tables.loaded[RoomId(room)])
    await node.store.call("RENAME", f"tm:{{{room}}}:other", keys.log(RoomId(room)))
    forged = json.loads(exported)
    forged["entries"] = json.loads((await tenmatch("export", other)).stdout)["entries"]
    refused = await tenmatch("import", "-", stdin=json.dumps(forged))
    assert (refused.exit_code, "another log" in refused.stdout) == (1, True)
    forged["entries"] = forged["entries"][1:]
    refused = await tenmatch("import", "-", stdin=json.dumps(forged))
    assert (refused.exit_code, "cannot be read" in refused.stdout) == (1, True)


async def test_what_is_no_export_is_said(tenmatch: Tenmatch, file: Path) -> None:
    for text, said in (
        ("nonsense", "is not what tenmatch export writes"),
        ('{"tenmatch":2,"room":"abcdefghjk","until":0,"entries":[]}', "format 2"),
    ):
        _write(file, text)
        result = await tenmatch("import", file)
        assert (result.exit_code, said in result.stderr) == (1, True)
    assert "cannot be read: No such file" in (await tenmatch("import", f"{file}.not")).stderr
    assert (await tenmatch("export")).exit_code == 2


def _write(file: Path, text: str) -> None:
    file.write_text(text)

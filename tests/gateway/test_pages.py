"""Each answer of the OpenAPI document, by a real server."""

import asyncio

from tests.game.rooms import person
from tests.gateway.conftest import Watch
from tests.gateway.nodes import ended, running
from tests.gateway.pages import ask, page_at
from tests.gateway.peer import peer
from tests.gateway.test_ratings import ANN, BOB, game, ratings_of
from tests.servers import Server
from tests.store.fleet import until_so
from tests.store.waiting import until

from tenmatch.app import reference
from tenmatch.game.days import day_of
from tenmatch.protocol.openapi import PAGES

NONE = "abcdefghjkm"  # a tournament that was never announced; less a letter, such a room


async def test_every_answer_is_one_that_a_server_gives(own_server: Server, watch: Watch) -> None:
    """`ask` looks whether each is as the document says."""
    seen: set[tuple[str, int]] = set()
    async with running(own_server.url) as node, peer(node.port, name=person(0).name) as host:

        async def see(path: str, **headers: str) -> dict[str, str]:
            answer = await ask(node, path, **headers)
            page = page_at(path)
            assert page is not None, path
            seen.add((page.path, answer.status))
            return answer.headers

        await until(lambda: node.node.ready)
        node.node.pages.update(reference.pages())
        room = (await ended(node)).room
        await ratings_of(node).enter(game(1, ANN, BOB))
        asked = {"title": "Cup", "format": "knockout", "mode": "race", "enter": True}
        cup = (await host.ask("tournament_create", **asked))["tournament"]
        await host.ask("create", mode="mirror")
        for path in (
            "/healthz",
            "/readyz",
            "/v1/rooms",
            f"/v1/records/{room}",
            f"/v1/records/{NONE[1:]}",
            f"/v1/leaderboards/race?player={ANN}",
            "/v1/leaderboards/race?page=0",
            "/v1/leaderboards/chess",
            f"/v1/players/{ANN}",
            f"/v1/players/{NONE}z",
            f"/v1/daily?player={ANN}",
            "/v1/daily?page=0",
            "/v1/daily/2026-12-01?page=0",
            "/v1/daily/2026-13-01",
            "/v1/tournaments",
            f"/v1/tournaments/{cup}",
            f"/v1/tournaments/{NONE}",
            f"/v1/tournaments/{cup}.csv",
            f"/v1/tournaments/{NONE}.csv",
        ):
            await see(path)
        await see(f"/v1/daily/{day_of(node.store.clock.now())}")
        for path in ("/v1/docs", "/v1/asyncapi.json", "/v1/openapi.json"):
            await see(path, If_None_Match=(await see(path))["etag"])
        await see(f"/v1/records/{room}", Accept_Encoding="gzip")
        own_server.freeze()
        lost = {page.path for page in PAGES for answer in page.answers if answer.status == 503}
        async with asyncio.timeout(60):  # what was read a moment ago is known for a moment more
            while left := [path for path in lost if (path, 503) not in seen]:
                await asyncio.gather(*(see(_somewhere(path)) for path in left))
        own_server.thaw()
        await until(lambda: node.node.pulse.fresh)
        for path in (f"/v1/players/{ANN}", f"/v1/records/{room}"):

            async def status(path: str = path) -> int:
                return (await ask(node, path)).status

            await until_so(status, 200)
    assert seen == {(page.path, answer.status) for page in PAGES for answer in page.answers}


def _somewhere(path: str) -> str:
    names = {"room": NONE[1:], "mode": "race", "player": f"{NONE}z", "day": "2026-12-01", "tournament": NONE}
    return path.format(**names)

"""The rooms loaded on a node, where tests/gateway/test_table.py does not look: what is left at its end."""

import gc

from tests.gateway.conftest import Watch
from tests.gateway.nodes import ended, running

from tenmatch.game import commands
from tenmatch.game.ids import SeatNumber
from tenmatch.gateway.asked import asked


async def test_what_a_node_would_still_have_written_at_its_end_is_let_go(url: str, watch: Watch) -> None:
    async with running(url) as one:
        table = await ended(one)
        before = table.state
        one.node.stop()
        one.node.tables.changed(table, before, [table.entries[1]], mine=True)
        gc.collect()  # what was begun and never awaited would be complained of here
    async with running(url) as two:
        table = await two.node.tables.open(table.room)
        await asked(table, commands.WantRematch(SeatNumber(0), True))
        assert table.state.wants == (0,)

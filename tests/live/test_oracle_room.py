"""The judge is no better than what it notices: of a real game nothing may be changed without its noticing."""

import pytest
from tests.live.node import Node
from tests.live.oracle_room import Message, RoomJudge
from tests.live.proof import verify
from tests.live.table import Meet, Table

ON_TRUST = {"seq", "chain", "at", "n", "private", "host"}
"""What events alone do not prove: seq follows from the place, and the stored log proves the rest."""


def believes(told: list[Message]) -> bool:
    """Tell whether the judge takes these events for a game."""
    try:
        RoomJudge().take(told)
    except (AssertionError, LookupError, ValueError):
        return False
    return True


def _other(value: int) -> int:
    return not value if isinstance(value, bool) else value + 1


@pytest.mark.parametrize("mode", ["race", "turns", "mirror"])
async def test_whatever_number_in_a_game_is_changed_the_judge_notices(
    node: Node, meet: Meet, mode: str
) -> None:
    table = await Table.begin(meet, mode, size=10, adds=2, seed="0011" * 16)
    await table.match(0, table.wrong_pair("blocked"))
    if mode == "turns":
        await table.play(0, "pass")
    if mode == "mirror":
        await table.play_on(0)
    await table.play_on(1)
    told = table.judge.told
    tampered = [
        (at, name)
        for at, event in enumerate(told)
        for name, value in event.items()
        if type(value) in (int, bool) and name not in ON_TRUST
    ]
    assert len(tampered) > 30
    missed = {
        (told[at]["kind"], name)
        for at, name in tampered
        if believes([*told[:at], told[at] | {name: _other(told[at][name])}, *told[at + 1 :]])
    }
    assert missed == {("readied", "seat"), ("readied", "ready")}  # as the host may start without it


async def test_whatever_is_left_out_of_a_game_the_judge_notices(meet: Meet) -> None:
    table = await Table.begin(meet, "turns", size=10, adds=2, seed="0011" * 16)
    await table.play_on()
    told = table.judge.told
    missed = {
        told[at]["kind"]
        for at in range(len(told) - 1)
        if believes([*told[:at], *(event | {"seq": event["seq"] - 1} for event in told[at + 1 :])])
    }
    assert missed == {"readied"}


async def test_whatever_byte_of_a_log_is_changed_the_proof_fails(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", size=9, adds=0, seed="0000" * 16)
    await table.play_on()
    entries = node.entries(table.room)
    verify(table.judge.told, entries)
    for at, entry in enumerate(entries):
        for place in range(0, len(entry), 7):
            changed = entry[:place] + bytes([entry[place] ^ 1]) + entry[place + 1 :]
            with pytest.raises((AssertionError, LookupError, ValueError)):
                verify(table.judge.told, [*entries[:at], changed, *entries[at + 1 :]])

"""Two verifiers of records that share nothing: they believe the same, and find the same wrong.

One is the server's own code, the other the browser library, whose rules were written from server/rules.md.
"""

import json
from collections.abc import Iterable
from typing import Final

import pytest
from tests.game.whole import mirror, race, turns
from tests.protocol.forgery import NAMES, Forged, Json, changed, genuine, sealed
from tests.web.verdicts import Verdict, browsers, ours

from tenmatch.protocol.record import encode, record_of
from tenmatch.protocol.stored import seal_all

SHORT: Final = ("frozen race", "frozen turns", "frozen mirror", "race to the end", "in an operator's hands")
"""Games that have every kind of event, and few of each."""

FREE: Final = frozenset(
    {
        *("created.private", "created.code", "created.options.max_players", "created.options.spectators"),
        *("created.options.penalty", "created.options.row_again", "created.options.spectator_delay_ms"),
        *(
            "seated.at",
            "seated.seat",
            "seated.player.id",
            "seated.player.name",
            "seated.player.rating",
            "seated.player.bot",
        ),
        *("unseated.at", "unseated.reason", "readied.at", "shifted.at", "shifted.by_ms"),
        *(
            "matched.at",
            "matched.n",
            "mistaken.at",
            "mistaken.n",
            "mistaken.a",
            "mistaken.b",
            "mistaken.seen",
        ),
        *("called.at", "called.n", "called.seen", "passed.at", "passed.n", "resigned.at", "resigned.n"),
        "resigned.kicked",  # without it the player has given up by themselves
        "closed.at",
        *("added.at", "added.n"),  # in mirror
    }
)
"""What players choose, or no rule binds: another value may be as good. All else follows from these."""


def verdicts(records: Iterable[Json]) -> list[Verdict | None]:
    """Return what both say of each record; fail where they differ on whether, or on which event is wrong."""
    records = list(records)
    found = []
    for record, mine, other in zip(records, map(ours, records), browsers(records), strict=True):
        assert (mine is None) is (other is None), f"{mine}, {other}: {json.dumps(record)}"
        if mine and other:
            assert mine.event == other.event, f"{mine}, {other}: {json.dumps(record)}"
            assert mine.reason
            assert other.reason
        found.append(mine)
    return found


def test_what_was_played_is_believed_by_both() -> None:
    games = [play(seed, size=9 + seed, adds=seed % 6) for play in (race, turns) for seed in range(20)]
    games.append(race(1, size=9, chat=False))
    games += [mirror(seed, size=9 + seed, adds=seed % 3, max_players=1 + seed % 4) for seed in range(20)]
    logs = [seal_all(game.events, 0, 0, bytes.fromhex(game.room.salt)) for game in games]
    played = [record_of(log) for log in logs]
    records = [json.loads(encode(record)) for record in played if record is not None]
    assert len(records) == 61
    assert set(verdicts([*records, *map(genuine, NAMES)])) == {None}


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT)
def test_whatever_is_changed_both_find_it_in_the_same_event(name: str) -> None:
    forged = list(changed(genuine(name)))
    assert len(forged) > 1500
    for forgery, verdict in zip(forged, verdicts(each.record for each in forged), strict=True):
        assert verdict is not None, forgery.how


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT)
def test_whatever_is_sealed_anew_both_find_unless_players_may_choose_it(name: str) -> None:
    record = genuine(name)
    forged = list(filter(None, map(sealed, filter(in_events, changed(record)))))
    believed: set[str] = set()
    found: set[str] = set()
    for forgery, verdict in zip(forged, verdicts(each.record for each in forged), strict=True):
        field = field_of(record, forgery)
        (believed if verdict is None else found).add(field)
        assert verdict is not None or field in FREE, forgery.how
    assert {"matched.points", "started.board", "matched.hash"} <= found - believed
    assert (found - believed) & {"ended.reason", "closed.reason"}


def in_events(forgery: Forged) -> bool:
    """Tell whether something inside an event was changed that sealing anew does not put right."""
    names = [name for name in forgery.path if isinstance(name, str)]
    return names[0] == "events" and len(names) > 1 and names[-1] not in ("seq", "chain")


def field_of(record: Json, forgery: Forged) -> str:
    event = record["events"][forgery.path[1]]
    kind = "closed" if event.get("closed") else event["kind"]  # an operator does that whenever they like
    return ".".join([kind, *(name for name in forgery.path[2:] if isinstance(name, str))])


@pytest.mark.slow
def test_no_byte_of_a_record_can_be_another() -> None:
    record = genuine("turns, again for a row")
    text = json.dumps(record, separators=(",", ":"))
    forged = []
    for place, sign in enumerate(text):
        other = text[:place] + ("0" if sign == "9" else chr(ord(sign) ^ 1)) + text[place + 1 :]
        try:
            read = json.loads(other)
        except json.JSONDecodeError:
            continue
        if read != record:
            forged.append(read)
    assert len(forged) > len(text) / 2
    assert None not in verdicts(forged)

"""The verifier: it believes every game that was played, and finds whatever in a record cannot be so.

What is changed anywhere and everywhere, and given to both verifiers, is in tests/web/test_verifiers.py.
"""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import pytest
from msgspec import UNSET
from tests.game.rooms import SALT
from tests.game.whole import BOB, Game, race, to_the_end, turns
from tests.protocol.forgery import NAMES, Forged, genuine, sealed

from tenmatch.game import commands
from tenmatch.game.create import found_rematch
from tenmatch.game.events import AnyEvent, Created, Level, Player
from tenmatch.game.ids import Millis, MoveNumber, PlayerId, RoomCode, SeatNumber, Seq
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase
from tenmatch.game.settle import next_due, shift
from tenmatch.protocol.record import Record, encode, record_of
from tenmatch.protocol.stored import seal_all
from tenmatch.protocol.verifier import Wrong, check, verify
from tenmatch.rules.board import NumberId

Json = Any
PLAYED: Final[dict[Mode, Callable[..., Game]]] = {Mode.RACE: race, Mode.TURNS: turns}


def recorded(events: list[AnyEvent]) -> Record:
    created = events[0]
    assert isinstance(created, Created)
    record = record_of(seal_all(events, 0, 0, bytes.fromhex(created.salt)))
    assert record is not None
    return record


def wrong_in(record: Json) -> Wrong:
    found = check(json.dumps(record).encode())
    assert isinstance(found, Wrong)
    return found


def lie(record: Json) -> Wrong:
    """Return what is wrong with a record that was changed, once it is sealed anew."""
    forged = sealed(Forged("", record, ()))
    assert forged is not None
    return wrong_in(forged.record)


def first(record: Json, kind: str, **fields: object) -> Json:
    """Return a record's first event of a kind with these fields."""
    return next(event for event in record["events"] if {"kind": kind, **fields}.items() <= event.items())


# What was played is believed


@pytest.mark.parametrize("name", NAMES)
def test_a_game_that_was_played_is_believed(name: str) -> None:
    record = check(json.dumps(genuine(name)).encode())
    assert isinstance(record, Record)
    assert verify(record) is None


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("mode", PLAYED)
def test_any_game_is_believed(mode: Mode, seed: int) -> None:
    options = {"size": 9 + seed, "max_players": 2 + seed % 3, "adds": seed % 4, "countdown_ms": seed % 2}
    assert verify(recorded(PLAYED[mode](100 + seed, **options).events)) is None


@pytest.mark.parametrize("wanted", [(0, 1), (1,)])
def test_a_rematch_is_believed(wanted: tuple[int, ...]) -> None:
    old = race(21, max_players=3, size=12)
    room = old.room
    for seat in range(2):
        assert room.phase is Phase.OVER
        old.do(commands.WantRematch(SeatNumber(seat), seat in wanted))
    again = Game(Mode.RACE, 22, max_players=3, size=12)
    taken = found_rematch(
        old.room, code=RoomCode("abcdef"), seed=again.draw.randbytes(32), salt=SALT, now=again.now
    )
    again.events, again.room = list(taken.events), taken.room
    if again.room.phase is Phase.OPEN:
        host = again.room.host
        again.do(commands.Start(host))
    record = recorded(to_the_end(again).events)
    assert verify(record) is None
    seated = first(json.loads(encode(record)), "seated", ready=True)
    assert seated["player"]["bot"] is None


def test_what_is_due_together_after_the_server_was_away_is_believed() -> None:
    game = Game(Mode.RACE, 3, size=9, adds=3)
    game.do(commands.SeatBot(SeatNumber(0), Player(PlayerId("bot000000000"), "Robin", Level.HARD)))
    game.do(commands.GetReady(SeatNumber(0), True))
    believed = 0
    while game.room.phase is not Phase.OVER and len(game.events) < 200:
        due = next_due(game.room)
        assert due is not None
        game.now = max(game.now, due) if believed % 2 else Millis(game.now + 9_000)
        game.take(shift(game.room, 1, game.now))  # and all that was due since then is due at once
        game.wait()
        believed += 1
    assert game.room.phase is Phase.OVER
    ats = [event.at for event in game.events]
    assert sum(one == other for one, other in pairwise(ats)) > 5
    assert verify(recorded(game.events)) is None


# What cannot be so is found, with the event, the field, and what it should be


@pytest.mark.parametrize(
    ("game", "kind", "field", "change"),
    [
        ("race", "created", "commit", lambda commit: commit[::-1]),
        ("race", "created", "host", lambda host: host + 1),
        ("race", "started", "board", lambda board: board[1:2] + board[:1] + board[2:]),
        ("race", "started", "adds_left", lambda adds: adds + 1),
        ("race", "started", "ends_at", lambda at: at + 1),
        ("race", "started", "hash", lambda hash_: hash_ ^ 1),
        ("race", "matched", "points", lambda points: points + 3),
        ("race", "matched", "score", lambda score: score + 1),
        ("race", "matched", "left", lambda left: left - 2),
        ("race", "matched", "hash", lambda hash_: hash_ ^ 1),
        ("race", "mistaken", "code", lambda code: "values"),
        ("race", "mistaken", "points", lambda points: 0),
        ("race", "mistaken", "locked_until", lambda until: until + 1000),
        ("race", "called", "points", lambda points: 4),
        ("race", "added", "digits", lambda digits: digits[::-1]),
        ("race", "added", "first", lambda first: first + 1),
        ("race", "added", "adds_left", lambda adds: adds + 1),
        ("race", "ended", "reason", lambda reason: "cleared"),
        ("race", "ended", "seed", lambda seed: seed[::-1]),
        ("turns", "started", "turn", lambda turn: turn + 1),
        ("turns", "matched", "open", lambda open_: not open_),
        ("turns", "matched", "turn", lambda turn: turn + 1),
        ("turns", "flagged", "at", lambda at: at + 1),
    ],
)
def test_a_lie_is_found_where_it_stands(
    game: str, kind: str, field: str, change: Callable[[Any], Any]
) -> None:
    record = genuine(f"frozen {game}")
    event = first(record, kind)
    due = event[field]
    event[field] = change(due)
    found = lie(record)
    assert (found.event, found.what, found.said, found.due) == (event["seq"], field, event[field], due)
    assert str(found) == f"event {event['seq']}: {found.text}"
    assert found.text.startswith(f"{field} is {json.dumps(event[field])[:90]}")


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("clocks", [1, 2, 3], "clocks[0]"),
        ("clocks", [120_000] * 4, "clocks[3]"),
        ("clocks", [120_000, 120_000], "clocks[2]"),
    ],
)
def test_a_lie_inside_a_list_is_named(field: str, value: Json, path: str) -> None:
    record = genuine("frozen turns")
    event = first(record, "started")
    assert event["clocks"] == [120_000] * 3
    event[field] = value
    assert (lie(record).event, lie(record).what) == (event["seq"], path)


def test_a_ranking_is_reckoned() -> None:
    record = genuine("frozen race")
    ranking = record["events"][-1]["ranking"]
    ranking[0]["score"] += 1
    found = lie(record)
    assert (found.event, found.what, found.due) == (20, "ranking[0].score", ranking[0]["score"] - 1)


def test_a_change_that_no_rule_forbids_breaks_the_chain() -> None:
    record = genuine("frozen race")
    record["events"][1]["player"]["name"] = "Eve"
    found = wrong_in(record)
    assert (found.event, found.what) == (2, "chain")


@pytest.mark.parametrize("gone", [0, 1, 8, 9, 15, -1])
def test_an_event_that_is_missing_is_missed(gone: int) -> None:
    record = genuine("frozen race")
    del record["events"][gone]
    found = wrong_in(record)
    assert found.event == (20 if gone == -1 else gone + 1)


def test_nothing_comes_after_the_end() -> None:
    record = genuine("frozen race")
    record["events"].append(record["events"][-1] | {"at": record["events"][-1]["at"] + 1})
    assert "the game is over" in str(lie(record))
    assert lie(record).event == 21


def test_time_does_not_go_back() -> None:
    record = genuine("frozen race")
    event = record["events"][11]
    event["at"] -= 100_000
    assert (lie(record).event, lie(record).what) == (12, "at")


@pytest.mark.parametrize("field", ["rules", "mode", "options", "commit", "seed", "salt", "players", "result"])
def test_the_heading_says_what_the_events_say(field: str) -> None:
    record = genuine("frozen race")
    other = genuine("frozen turns")
    record[field] = 2 if field == "rules" else "00" * 32 if field == "commit" else other[field]
    if field == "seed":
        record[field] = "00" * 32
    found = wrong_in(record)
    assert found.event is None
    assert (found.what or "").startswith(field)


# Verdicts


class Duel(Game):
    """A race between two persons, on one board for all tests."""

    def __init__(self, **options: object) -> None:
        super().__init__(Mode.RACE, 5, size=27, **options)
        self.do(commands.Sit(BOB))
        for seat in (0, 1):
            self.do(commands.GetReady(SeatNumber(seat), True))
        self.wait()
        assert self.room.phase is Phase.PLAYING

    def claim(self, seat: int, a: int, b: int, seen: int | None = None) -> None:
        n = MoveNumber(self.room.seated(SeatNumber(seat)).last_n + 1)
        seq = Seq(self.room.seq)
        pair = NumberId(a), NumberId(b)
        self.do(commands.Claim(SeatNumber(seat), n, *pair, Seq(seq if seen is None else seen), seq))

    def pair(self) -> tuple[int, int]:
        [sheet] = self.room.sheets
        assert sheet.witness is not None
        return sheet.witness

    def record(self) -> Json:
        self.now = Millis(self.now + 10_000)
        self.do(commands.Resign(SeatNumber(0), MoveNumber(99)))
        return json.loads(encode(recorded(self.events)))


def kind_of(wrong: Wrong) -> tuple[object, object, object]:
    return wrong.what, wrong.said, wrong.due


def test_a_pair_that_is_none_is_no_match() -> None:
    duel = Duel()
    a, b = duel.pair()
    duel.claim(0, a, b)
    record = duel.record()
    matched = first(record, "matched")
    matched["b"] = next(n for n in range(27) if n not in (a, b) and n != a + 9)
    assert lie(record).event == matched["seq"]
    assert kind_of(lie(record)) == ("kind", "matched", "mistaken")


def test_a_legal_pair_is_no_mistake() -> None:
    duel = Duel()
    pair = duel.pair()
    duel.claim(0, pair[0], pair[0])
    record = duel.record()
    mistaken = first(record, "mistaken")
    mistaken["b"] = pair[1]
    assert (lie(record).event, kind_of(lie(record))) == (mistaken["seq"], ("kind", "mistaken", "matched"))


def test_without_penalties_there_are_no_mistakes() -> None:
    duel = Duel()
    duel.claim(0, 1, 1)
    record = duel.record()
    record["options"]["penalty"] = record["events"][0]["options"]["penalty"] = False
    assert "it is refused, same_number" in str(lie(record))


def test_who_is_locked_does_not_move() -> None:
    duel = Duel()
    duel.claim(0, 1, 1)
    duel.now = Millis(duel.now + 5_000)
    duel.claim(0, *duel.pair())
    record = duel.record()
    matched = first(record, "matched")
    matched["at"] = first(record, "mistaken")["at"] + 999
    assert "'matched' cannot be here: it is refused, locked" in str(lie(record))
    matched["at"] += 1
    forged = sealed(Forged("", record, ()))
    assert forged is not None
    assert isinstance(check(json.dumps(forged.record).encode()), Record)  # the lock had just ended


def test_who_was_only_late_made_no_mistake() -> None:
    duel = Duel()
    pair, seen = duel.pair(), duel.room.seq
    duel.claim(0, *pair)
    duel.now = Millis(duel.now + 2_001)
    duel.claim(1, *pair, seen=seen)
    record = duel.record()
    mistaken = first(record, "mistaken")
    assert mistaken["code"] == "inactive"
    for name in ("at", "locked_until"):
        mistaken[name] -= 1
    assert "'mistaken' cannot be here: it is refused, stale" in str(lie(record))


def test_a_move_is_made_once() -> None:
    duel = Duel()
    duel.claim(0, *duel.pair())
    duel.claim(0, *duel.pair())
    record = duel.record()
    first(record, "matched", n=2)["n"] = 1
    assert "cannot be here" in str(lie(record))
    assert lie(record).event == first(record, "matched")["seq"] + 1


@pytest.mark.parametrize("n", [0, -1, 2**31])
def test_a_move_has_a_number_that_can_be(n: int) -> None:
    duel = Duel()
    duel.claim(0, *duel.pair())
    record = duel.record()
    first(record, "matched")["n"] = n
    assert "n is 1 to 2147483647" in str(lie(record))


@pytest.mark.parametrize(
    ("kind", "field", "value", "why"),
    [
        ("matched", "seat", 2, "there is no seat 2"),
        ("matched", "seat", -1, "there is no seat -1"),
        ("readied", "seat", -1, "there is no seat -1"),
        ("mistaken", "a", -1, "a is less than nothing"),
        ("mistaken", "seen", -1, "seen is less than nothing"),
        ("matched", "kind", "added", "it was not due"),
    ],
)
def test_what_nobody_could_have_asked_for(kind: str, field: str, value: Json, why: str) -> None:
    duel = Duel()
    duel.claim(0, *duel.pair())
    duel.claim(1, 1, 1)
    record = duel.record()
    event = first(record, kind)
    event[field] = value
    if field == "kind":
        event.clear()
        at = record["events"][6]["at"]
        event |= {"kind": "added", "at": at, "digits": "1", "first": 0, "adds_left": 1, "left": 1}
    assert why in str(lie(record))


@pytest.mark.parametrize("kind", ["passed", "resigned", "readied"])
def test_a_computer_player_does_nothing_but_play(kind: str) -> None:
    game = turns(31, size=12)
    record = json.loads(encode(recorded(game.events)))
    bot = next(sitter["seat"] for sitter in record["players"] if sitter["player"]["bot"])
    event = (
        next(e for e in record["events"] if e["kind"] == "readied")
        if kind == "readied"
        else first(record, "matched", seat=bot)
    )
    kept = {"kind": kind, "at": event["at"], "seat": bot}
    event.clear()
    event |= kept | ({"ready": False} if kind == "readied" else {"n": 1, "turn": 0, "clocks": [1, 1]})
    assert "a computer player does no such thing" in str(lie(record))


# Rooms in which nothing can be judged


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"rules": 2}, "rules"),
        ({"salt": "00"}, "salt"),
        ({"salt": "0G" * 16}, "salt"),
        ({"seed": "00"}, "seed"),
        ({"seed": None}, "seed"),
        ({"options.size": 181}, "size"),
        ({"options.deal": "classic"}, "size"),
        ({"options.max_players": 9}, "max_players"),
        ({"options.row_again": True}, "row_again"),
        ({"options.seconds": 9}, "seconds"),
    ],
)
def test_a_room_that_cannot_be(changes: dict[str, Json], what: str) -> None:
    record = genuine("frozen race")
    for path, value in changes.items():
        for holder in (record["events"][0], record):
            *inner, name = path.split(".")
            target = holder[inner[0]] if inner else holder
            target[name] = value
            if value is None and holder is not record:
                del target[name]
    found = wrong_in(record)
    assert (found.event, found.what) == (1, what)


@pytest.mark.parametrize("spelt", [str.upper, lambda text: f"{text[:4]} {text[4:]}"])
@pytest.mark.parametrize("name", ["seed", "salt"])
def test_hex_is_written_in_one_way(name: str, spelt: Callable[[str], str]) -> None:
    record = genuine("frozen race")
    for holder in (record, record["events"][0], record["events"][-1]):
        holder[name] = spelt(holder[name])
    assert (wrong_in(record).event, wrong_in(record).what) == (1, name)


def test_a_log_begins_with_its_room() -> None:
    record = genuine("frozen race")
    assert wrong_in(record | {"events": []}).event == 1
    assert wrong_in(record | {"events": record["events"][1:]}).event == 1


def test_a_person_sits_down_first() -> None:
    record = genuine("frozen race")
    record["events"][1]["player"]["bot"] = "easy"
    assert (lie(record).event, lie(record).what) == (2, "player")
    record = genuine("frozen race")
    record["events"][1]["at"] += 1
    assert lie(record).event == 2


def test_nobody_sits_twice() -> None:
    record = Duel().record()
    first(record, "seated", seat=1)["player"] = first(record, "seated", seat=0)["player"]
    assert 'should be "unseated"' in str(lie(record))  # who sits down elsewhere has left the other seat


def test_what_should_not_be_there_is_named() -> None:
    record = genuine("frozen race")
    first(record, "matched")["open"] = True
    found = lie(record)
    assert (found.what, found.said, found.due) == ("open", True, UNSET)
    assert "open is true, should be nothing" in str(found)


def test_what_is_missing_is_named() -> None:
    record = genuine("frozen turns")
    del first(record, "matched")["open"]
    found = lie(record)
    assert (found.what, found.said, found.due) == ("open", UNSET, True)

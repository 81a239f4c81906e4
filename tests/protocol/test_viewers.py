"""Who may see what: secrets, the fields of events, states in every phase, lines of a list."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from tests.game.rooms import person, playing
from tests.game.whole import GAMES
from tests.protocol.logs import EVENTS, KINDS, LOGS, Log, patient

from tenmatch.game.events import Added, AnyEvent, Matched
from tenmatch.game.ids import RoomId, SeatNumber, Seq
from tenmatch.game.options import Mode
from tenmatch.game.room import evolve
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.maps import EVENT_TYPES, ApartMap, RoomLine, SharedMap, StateMap
from tenmatch.protocol.progress import Course, Hidden, Progress
from tenmatch.protocol.stored import Entry, seal_all
from tenmatch.protocol.to_client import event as event_message
from tenmatch.protocol.viewers import (
    EVERYTHING,
    View,
    event_map,
    hides,
    line_map,
    person_map,
    progress_map,
    state_map,
    view_of,
)
from tenmatch.rules.notation import restored

ROOM = RoomId("k7mp2xw9qd")
RACE, TURNS, MIRROR = LOGS["race"], LOGS["turns"], LOGS["mirror"]
ADA, LYNX = SeatNumber(0), SeatNumber(1)
EYES = (None, ADA, LYNX)
RACE_STARTED, RACE_ENDED = 9, 20


def entry(kind: str, **fields: object) -> Entry:
    """Return an entry of an event of that kind at 5, seq 2 and chain 3."""
    return Entry(Seq(2), 3, msgspec.convert({"kind": kind, "at": 5, **fields}, AnyEvent), b"")


def told(kind: str, **fields: object) -> dict[str, object]:
    """Return what is told of an event besides what is told of all."""
    message = event_map(entry(kind, **fields))
    assert [message.pop(name) for name in ("seq", "chain", "at", "kind")] == [2, 3, 5, kind]
    return message


CREATED: dict[str, Any] = {
    "mode": "turns", "options": {}, "private": False, "code": "h4tr9z", "host": 0, "salt": "s", "rules": 1,
    "seed": "e",
}  # fmt: skip
MATCHED: dict[str, Any] = {
    "seat": 0, "n": 1, "a": 2, "b": 3, "rows": (), "points": 1, "score": 1, "left": 0,
}  # fmt: skip


def test_a_field_that_is_not_optional_is_null() -> None:
    created = told("created", **CREATED)
    assert created.pop("options") == msgspec.to_builtins(RACE.room().options) | {"size": 35, "adds": 5}
    assert created == {
        "hash": None,
        "mode": "turns",
        "private": False,
        "code": "h4tr9z",
        "host": 0,
        "commit": None,
    }
    assert told("unseated", seat=1, reason="left") == {
        "hash": None,
        "seat": 1,
        "reason": "left",
        "host": None,
    }
    ended = told("ended", reason="time", ranking=(), salt="s", hash=9)
    assert ended == {"hash": 9, "reason": "time", "ranking": (), "seed": None, "salt": "s"}
    assert told("shifted", by_ms=4000) == {"hash": None, "by_ms": 4000}


def test_an_optional_field_is_left_out() -> None:
    assert told("matched", **MATCHED, hash=9) == {"hash": 9, **MATCHED}
    assert told("rematch", room="q7pm2xw9kd") == {"hash": None, "room": "q7pm2xw9kd"}
    mistaken = {"seat": 0, "n": 1, "code": "pairs_left", "points": -2, "score": -2}
    assert told("mistaken", **mistaken, seen=1, hash=9) == {"hash": 9, **mistaken}
    player = {"id": "b8rj3vnd5ycs", "name": "Lynx 27"}
    assert told("seated", seat=0, player=player) == {"hash": None, "seat": 0, "player": player}
    rated = {**player, "bot": "hard", "rating": 1500}
    assert told("seated", seat=0, player=rated) == {"hash": None, "seat": 0, "player": rated}


def test_where_clocks_are_told_it_is_told_that_no_turn_follows() -> None:
    turns = {**MATCHED, "open": False, "clocks": (5, 6)}
    assert told("matched", **turns, hash=9) == {"hash": 9, **turns, "turn": None}
    assert told("matched", **turns, turn=1, hash=9) == {"hash": 9, **turns, "turn": 1}
    mistaken = {"seat": 0, "n": 1, "code": "values", "points": -2, "score": -2, "clocks": (5, 6)}
    assert told("mistaken", **mistaken, seen=1, hash=9) == {"hash": 9, **mistaken}  # a mistake costs no turn


@given(EVENTS)
@patient
def test_an_event_is_told_without_its_secrets_and_with_all_else(event: AnyEvent) -> None:
    message = event_map(Entry(Seq(2), 3, event, b""))
    known = {name for name in event.__struct_fields__ if getattr(event, name) is not None}
    told = {name for name, value in message.items() if value is not None}
    assert told == (known - set(event.SECRET)) | {"kind", "seq", "chain"}


@given(EVENTS)
@settings(patient, max_examples=60)
def test_an_event_has_the_fields_of_its_type(event: AnyEvent) -> None:
    message = event_map(Entry(Seq(2), 3, event, b""))
    typed = msgspec.convert(message, EVENT_TYPES[str(event.__struct_config__.tag)])
    for name, value in message.items():
        assert name == "kind" or msgspec.to_builtins(getattr(typed, name)) == value


def test_secrets_are_those_of_the_wire_reference() -> None:
    hidden = {kind.__struct_config__.tag: kind.SECRET for kind in KINDS if kind.SECRET}
    assert hidden == {"created": ("seed", "salt", "rules"), "mistaken": ("seen",), "called": ("seen",)}


@pytest.mark.parametrize("name", LOGS)
def test_seed_and_salt_leave_with_the_end_and_not_before(name: str) -> None:
    log = LOGS[name]
    secrets = {log.room().salt, log.room().seed} - {None}
    end = next(one.seq for one in log.entries if one.event.__struct_config__.tag == "ended")
    for seen in log.entries:
        room = log.room(seen.seq)
        messages = [event_message(ROOM, event_map(seen)), state_map(room), line_map(ROOM, room, 0)]
        for codec in CODECS.values():
            event, state, line = (codec.encode(message) for message in messages)
            for secret in map(str.encode, filter(None, secrets)):
                told = secret.decode() != room.seed or room.daily is None  # a day's is told elsewhere
                assert (secret in event) == (told and seen.seq == end)
                assert (secret in state) == (told and seen.seq >= end)
                assert secret not in line


def test_a_room_that_is_open() -> None:
    assert state_map(RACE.room(4)) == {
        "mode": "race",
        "options": msgspec.to_builtins(RACE.room().options),
        "private": False,
        "phase": "open",
        "host": 0,
        "code": "h4tr9z",
        "commit": RACE.room().commit,
        "seed": None,
        "salt": None,
        "seats": [
            {
                "player": {"id": "m4kx7q2wz9ht", "name": "Ada"},
                "ready": False,
                "score": 0,
                "mistakes": 0,
                "locked_until": None,
                "out": False,
                "last_n": 0,
            },
            None,
        ],
        "board": None,
        "ids": [],
        "next_id": 0,
        "adds_left": 2,
        "left": 0,
        "open": None,
        "turn": None,
        "clocks": None,
        "clocks_at": None,
        "starts_at": None,
        "ends_at": None,
        "ranking": None,
    }


def test_a_race_under_way() -> None:
    state = state_map(RACE.room(11))
    assert (state["phase"], state["board"], state["left"]) == ("playing", "59.858165/4.5157441", 16)
    assert (state["next_id"], state["adds_left"], state["open"]) == (18, 2, None)
    assert (state["starts_at"], state["ends_at"]) == (1_798_761_621_514, 1_798_761_801_514)
    assert (state["turn"], state["clocks"], state["clocks_at"], state["ranking"]) == (None, None, None, None)
    ada, lynx = state["seats"]
    assert ada is not None
    assert lynx is not None
    assert (ada["score"], ada["mistakes"], ada["locked_until"], ada["last_n"]) == (
        -2,
        1,
        1_798_761_625_474,
        1,
    )
    assert (lynx["score"], lynx["mistakes"], lynx["locked_until"], lynx["last_n"]) == (1, 0, None, 1)


def test_a_race_tells_whether_a_pair_is_left_only_after_the_end() -> None:
    told = [state_map(RACE.room(one.seq))["open"] for one in RACE.entries]
    assert told == [None] * (RACE_ENDED - 1) + [True] * (len(told) - RACE_ENDED + 1)


def test_a_race_that_is_over() -> None:
    state = state_map(RACE.room(RACE_ENDED))
    assert (state["phase"], state["seed"], state["salt"]) == ("over", RACE.room().seed, RACE.salt.hex())
    assert state["ranking"] == [
        {"seat": 0, "place": 1, "score": 20, "mistakes": 1},
        {"seat": 1, "place": 2, "score": 6, "mistakes": 0},
    ]
    assert [seat and seat["out"] for seat in state["seats"]] == [False, True]


def test_a_game_in_turns_under_way() -> None:
    state = state_map(TURNS.room(13))
    assert (state["open"], state["turn"], state["commit"]) == (True, 0, None)
    assert (state["clocks"], state["clocks_at"]) == ((114_270, 110_860, 121_096), 1_798_765_238_581)
    bot = state["seats"][2]
    assert bot is not None
    assert bot["player"] == {"id": "f3zs8ghc4ux7", "name": "Abacus", "bot": "hard"}
    assert bot["ready"]
    assert state_map(TURNS.room())["turn"] is None


@pytest.mark.parametrize("name", LOGS)
def test_a_state_has_just_the_fields_of_its_type_and_gives_the_board(name: str) -> None:
    log = LOGS[name]
    for one in log.entries:
        room = log.room(one.seq)
        state = state_map(room, view_of(room, SeatNumber(0)))
        boards = ApartMap if room.own_boards else SharedMap
        of_its_own = {"daily": {"daily", "join_by"}, "teams": {"teams"} if room.teams else set()}
        expected = StateMap.__required_keys__ | set(boards.__annotations__) | of_its_own.get(name, set())
        assert set(state) == expected
        for codec in CODECS.values():
            encoded = codec.encode(state)
            read = msgspec.msgpack.decode if codec.binary else msgspec.json.decode
            again = read(encoded, type=StateMap)
            assert codec.encode(again) == encoded
        if room.sheets and "boards" in state:
            mine = state["boards"][0]
            assert mine is not None
            assert restored(mine["board"], mine["ids"], mine["next_id"]) == room.sheets[0].board
        elif room.sheets:
            assert restored(str(state["board"]), state["ids"], state["next_id"]) == room.sheets[0].board


def test_a_line_of_the_list() -> None:
    line = line_map(ROOM, RACE.room(18), 3)
    assert line == {
        "room": ROOM,
        "code": "h4tr9z",
        "mode": "race",
        "phase": "playing",
        "host": {"id": "m4kx7q2wz9ht", "name": "Ada"},
        "seats": 2,
        "max_players": 2,
        "size": 18,
        "rated": False,
        "watching": 3,
        "scores": [20, 6],
        "started_at": 1_798_761_621_514,
    }
    assert {*line, "teams", "rating"} == set(RoomLine.__annotations__)  # the latter of rated rooms
    open_room = line_map(ROOM, RACE.room(4), 0)
    assert (open_room["seats"], open_room["scores"], open_room["started_at"]) == (1, [0, None], None)


def test_a_list_can_show_a_room_that_nobody_hosts() -> None:
    assert line_map(ROOM, RACE.room(1), 0)["host"] is None


@pytest.mark.parametrize("log", [RACE, TURNS], ids=["race", "turns"])
def test_a_race_and_turns_have_one_view_for_all(log: Log) -> None:
    for one in log.entries:
        room = log.room(one.seq)
        assert {view_of(room, seat) for seat in EYES} == {EVERYTHING}
        assert not any(hides(room, one.event, seat) for seat in EYES)


# Mirror


def test_before_the_end_a_player_of_a_mirror_game_sees_one_board_and_a_watcher_all() -> None:
    assert [view_of(MIRROR.room(12), seat) for seat in EYES] == [EVERYTHING, View(ADA), View(LYNX)]
    mine, theirs, both = (state_map(MIRROR.room(12), view) for view in (View(ADA), View(LYNX), EVERYTHING))
    assert [board and board["left"] for board in mine["boards"]] == [16, None]
    assert [board and board["left"] for board in theirs["boards"]] == [None, 6]
    assert both["boards"] == [mine["boards"][0], theirs["boards"][1]]
    progress = [{"left": 16, "rows_closed": 1}, {"left": 6, "rows_closed": 1}]
    assert [state["progress"] for state in (mine, theirs, both)] == [progress] * 3


def test_of_a_rival_a_state_tells_no_more_than_its_progress() -> None:
    told = state_map(MIRROR.room(12), View(LYNX))["seats"][ADA]
    whole = state_map(MIRROR.room(12))["seats"][ADA]
    assert told is not None
    assert whole is not None
    assert (whole["locked_until"], whole["last_n"]) == (1_798_768_816_120, 3)
    assert told == {**whole, "locked_until": None, "last_n": 0}


def test_before_the_start_there_are_no_boards_and_after_the_end_all_see_all() -> None:
    for seat in EYES:
        before = state_map(MIRROR.room(5), view_of(MIRROR.room(5), seat))
        assert (before["boards"], before["progress"]) == ([None, None], [None, None])
        over = state_map(MIRROR.room(), view_of(MIRROR.room(), seat))
        assert [board and (board["board"], board["open"]) for board in over["boards"]] == [
            ("..6614776/.6614776", True),
            ("", False),
        ]


def test_seats_that_nobody_took_have_no_boards() -> None:
    room = playing(Mode.MIRROR, "112233", {"max_players": 4}, [person(0), person(1)]).room
    state = state_map(room)
    assert [board is None for board in state["boards"]] == [False, False, True, True]
    assert [progress is None for progress in state["progress"]] == [False, False, True, True]


def test_what_rivals_do_on_their_boards_is_hidden_and_nothing_else() -> None:
    hidden = {
        seat: [one.seq for one in MIRROR.entries if hides(MIRROR.room(one.seq), one.event, seat)]
        for seat in EYES
    }
    assert hidden == {None: [], ADA: [8, 11, 13, 14, 15], LYNX: [9, 10, 12, 16]}


def test_what_was_hidden_stays_so_after_the_end() -> None:
    assert hides(MIRROR.room(), MIRROR.events[7], ADA)


@pytest.mark.parametrize("name", [name for name in GAMES if name.startswith("mirror")])
def test_rivals_are_told_how_far_a_player_has_come_and_nothing_more(name: str) -> None:
    game = GAMES[name]()
    log = seal_all(game.events, 0, 0, bytes.fromhex(game.room.salt))
    course, room = Course(), evolve(None, log[0].event)
    kinds = set()
    for one in log[1:]:
        room = evolve(room, one.event)
        if not isinstance(one.event, Hidden):
            continue
        assert one.event.seat is not None
        seat, sheet = room.seated(one.event.seat), room.sheet_of(one.event.seat)
        kinds.add(type(one.event))
        message = progress_map(one, course.after(one, log))
        ends_at = getattr(one.event, "ends_at", None)
        assert message == {
            "seq": one.seq,
            "chain": one.chain,
            "at": one.event.at,
            "hash": None,
            "kind": "progress",
            "seat": one.event.seat,
            "left": sheet.board.left,
            "rows_closed": sheet.rows_closed,
            "score": seat.score,
            "mistakes": seat.mistakes,
        } | ({} if ends_at is None else {"ends_at": ends_at})
        assert msgspec.convert(message, EVENT_TYPES["progress"])
    assert {Matched, Added} <= kinds


def test_a_course_can_be_asked_of_any_event_in_any_order() -> None:
    course = Course()
    late, early = (course.after(MIRROR.entries[seq - 1], MIRROR.entries) for seq in (15, 9))
    assert (late, early) == (Progress(0, 2, 191, 0), Progress(10, 0, -2, 1))
    with pytest.raises(AssertionError, match="no rival's move"):
        course.after(MIRROR.entries[6], MIRROR.entries)
    with pytest.raises(AssertionError, match="told to all alike"):
        progress_map(MIRROR.entries[6], early)


def test_a_person_is_told_without_level_and_rating() -> None:
    bot = TURNS.room().seats[2]
    assert bot is not None
    assert person_map(bot.player) == {"id": "f3zs8ghc4ux7", "name": "Abacus"}

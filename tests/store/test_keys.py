"""The names of keys: where they lie in a cluster, and that the table in the module tells of all of them."""

import re

import pytest

from tenmatch.game.ids import Day, PlayerId, RoomCode, RoomId, TournamentId
from tenmatch.store import keys

ROOM = RoomId("abcdefghjk")
PLAYER = PlayerId("mnpqrstuvwxy")
DAY = Day("2026-12-01")

NAMES = [
    keys.log(ROOM),
    keys.here(ROOM),
    keys.feed(ROOM),
    keys.record(ROOM),
    keys.probe("node-1", 0),
    keys.due(3),
    keys.NODES_SAID,
    keys.NODES_AT,
    keys.ALIVE,
    keys.OUTAGES,
    keys.LOBBY_LINES,
    keys.LOBBY_RANKS,
    keys.LOBBY_WORTH,
    keys.LOBBY_FRESH,
    keys.LOBBY_VERSION,
    *keys.TOURNAMENTS_LISTED,
    keys.SEEKERS,
    keys.waiting("race:casual"),
    keys.unsought(PLAYER),
    keys.PAIRINGS,
    keys.PAIRINGS_DUE,
    keys.code(RoomCode("abcdef")),
    keys.made(PLAYER, "{a} key: of a player's"),
    keys.made_rooms(PLAYER),
    keys.made_tournaments(PLAYER),
    keys.made_from("2001:db8::/64"),
    keys.tournaments_from("2001:db8::/64"),
    keys.entrants_from("2001:db8::/64", TournamentId(RoomId("c7qm3xw9kd2"))),
    keys.reports_from("2001:db8::/64"),
    keys.seats(PLAYER),
    keys.standing(PLAYER, "race"),
    keys.games(PLAYER, "race"),
    keys.board("race"),
    keys.board_seen("race"),
    keys.board("race", "2026-W49"),
    keys.observed(ROOM),
    keys.REPORTS,
    keys.REPORTS_AT,
    keys.reports_by(PLAYER),
    keys.daily_seed(DAY),
    keys.daily_rooms(DAY),
    keys.daily_played(DAY),
    keys.daily_board(DAY),
    keys.SECRET,
]


def documented() -> list[re.Pattern[str]]:
    """Return the shapes in the module's table, words in capitals standing for whatever."""
    shapes = re.findall(r"^\| (tm:\S+)", str(keys.__doc__), re.MULTILINE)
    return [re.compile(re.sub(r"[A-Z]+", ".+", re.escape(shape)) + r"\Z") for shape in shapes]


def hash_tag(name: str) -> str:
    """Return what a cluster takes the slot from."""
    tagged = re.search(r"\{([^}]+)\}", name)
    return tagged.group(1) if tagged else name


@pytest.mark.parametrize("name", NAMES)
def test_every_key_is_documented(name: str) -> None:
    assert [shape for shape in documented() if shape.match(name)]


def test_no_documented_key_has_gone() -> None:
    assert len(documented()) == len(NAMES)


@pytest.mark.parametrize(
    "together",
    [
        [keys.log(ROOM), keys.here(ROOM), keys.feed(ROOM), keys.record(ROOM), keys.observed(ROOM)],
        [keys.ALIVE, keys.OUTAGES],
        [keys.LOBBY_LINES, keys.LOBBY_WORTH, keys.LOBBY_RANKS, keys.LOBBY_FRESH, keys.LOBBY_VERSION],
        [
            keys.SEEKERS,
            keys.waiting("race:casual"),
            keys.PAIRINGS,
            keys.PAIRINGS_DUE,
            keys.feed(keys.QUEUE),
            keys.unsought(PLAYER),
        ],
        [keys.made_rooms(PLAYER), keys.seats(PLAYER), keys.made(PLAYER, "{x}")],
        [keys.standing(PLAYER, "race"), keys.games(PLAYER, "race")],
        [keys.daily_seed(DAY), keys.daily_rooms(DAY), keys.daily_played(DAY), keys.daily_board(DAY)],
        [keys.board("race"), keys.board_seen("race"), keys.board("race", "2026-W49")],
    ],
)
def test_what_one_script_touches_lies_in_one_slot(together: list[str]) -> None:
    assert len({hash_tag(name) for name in together}) == 1


def test_a_room_can_be_told_from_its_channel() -> None:
    assert keys.room_of_feed(keys.feed(ROOM).encode()) == ROOM
    assert keys.room_of_feed(keys.feed(keys.QUEUE).encode()) == keys.QUEUE


def test_rooms_spread_over_all_buckets() -> None:
    buckets = {keys.due_bucket(RoomId(f"room{number:06}")) for number in range(1000)}
    assert buckets == set(range(keys.DUE_BUCKETS))

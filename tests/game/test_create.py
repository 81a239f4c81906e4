"""How rooms begin, and what follows a game."""

import pytest
from msgspec.structs import replace
from tests.game.rooms import SALT, SEED, T0, computer, fold, opened, paired, person, playing

from tenmatch.game.answers import Denied, Taken
from tenmatch.game.commands import AnyCommand, GetReady, Leave, NameRematch, Sit, WantRematch
from tenmatch.game.create import came, found_rematch, rematch_room_id
from tenmatch.game.decide import decide
from tenmatch.game.events import Created, Ended, Level, Player, Seated, Started, Starting
from tenmatch.game.ids import LETTERS, Millis, RoomCode, RoomId, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.room import FULL_LOG, Phase, Room
from tenmatch.game.settle import next_due, rematch_due, settle
from tenmatch.rules.deal import DealKind, commitment, deal
from tenmatch.rules.notation import text

LATER = Millis(T0 + 1_000_000)


def test_a_room_is_created_and_its_maker_seated() -> None:
    taken = opened(Mode.TURNS, {"size": 20})
    assert taken.events == (
        Created(
            at=T0,
            mode=Mode.TURNS,
            options=taken.room.options,
            private=False,
            code=RoomCode("abcdef"),
            host=SeatNumber(0),
            commit=commitment(SEED),
            seed=SEED.hex(),
            salt=SALT.hex(),
            rules=1,
        ),
        Seated(at=T0, seat=SeatNumber(0), player=person(0)),
    )
    assert fold(taken.events) == taken.room
    assert (taken.room.phase, taken.room.seq, len(taken.room.seats)) == (Phase.OPEN, 2, 2)


def started(room: Room) -> Started:
    for command in (Sit(person(1)), GetReady(SeatNumber(0), True), GetReady(SeatNumber(1), True)):
        answer = decide(room, command, T0)
        assert isinstance(answer, Taken)
        room = answer.room
    [event] = settle(room, Millis(T0 + 3000)).events
    assert isinstance(event, Started)
    return event


def test_the_board_is_dealt_from_the_seed() -> None:
    event = started(opened(Mode.RACE, {"size": 20}).room)
    assert event.board == text(deal(SEED, 20, DealKind.RANDOM).board)


def test_the_classic_board_has_no_seed_and_no_commitment() -> None:
    room = opened(Mode.RACE, {"deal": "classic"}).room
    assert (room.seed, room.commit) == (None, None)
    assert started(room).board == "123456789/111213141/516171819"


def test_the_end_opens_seed_and_salt() -> None:
    ended = settle(opened(Mode.RACE, {}).room, LATER).events[-1]
    assert isinstance(ended, Ended)
    assert (ended.seed, ended.salt) == (SEED.hex(), SALT.hex())


def over(*players: Player, mode: Mode = Mode.RACE, **asked: object) -> Room:
    """Return a room in which these have played."""
    board = "112233445/566778899"
    room = settle(playing(mode, board, {"seconds": 10, **asked}, players).room, LATER).room
    assert room.phase is Phase.OVER
    return room


def want(room: Room, seat: int, at: int, *, wanted: bool = True) -> Room:
    answer = decide(room, WantRematch(SeatNumber(seat), wanted), Millis(LATER + at))
    assert isinstance(answer, Taken)
    return answer.room


def due(room: Room) -> int | None:
    """Return when the rematch is due, in ms after LATER."""
    at = next_due(room)
    if at is None:
        assert not rematch_due(room, Millis(LATER + 10**9))
        return None
    assert rematch_due(room, at)
    assert not rematch_due(room, Millis(at - 1))
    return at - LATER


def test_a_rematch_is_due_when_all_persons_want_it() -> None:
    room = over(person(0), person(1))
    assert due(room) is None
    room = want(room, 1, 0)
    assert due(room) is None
    assert due(want(room, 0, 700)) == 700


def test_computer_players_always_want_one() -> None:
    assert due(want(over(person(0), computer(1, Level.EASY)), 0, 50)) == 50


def test_or_15_seconds_after_the_second_who_does() -> None:
    room = over(person(0), person(1), person(2), person(3))
    room = want(want(room, 3, 0), 1, 2000)
    assert due(room) == 17_000
    assert due(want(room, 0, 9000)) == 17_000
    fewer = want(room, 1, 3000, wanted=False)
    assert due(fewer) is None
    assert due(want(fewer, 2, 5000)) == 20_000


def test_no_longer_once_it_is_named() -> None:
    room = want(want(over(person(0), person(1)), 0, 0), 1, 0)
    answer = decide(room, NameRematch(RoomId("abcdefghjk")), LATER)
    assert isinstance(answer, Taken)
    assert due(answer.room) is None


def rematch(old: Room) -> Taken:
    return found_rematch(old, code=RoomCode("ghjkmn"), seed=bytes(32), salt=bytes(16), now=LATER)


def test_two_change_places_and_the_countdown_begins() -> None:
    old = replace(over(person(0), person(1), mode=Mode.RACE), private=True)
    taken = rematch(want(want(old, 0, 0), 1, 0))
    created, *seated, starting = taken.events
    assert isinstance(created, Created)
    assert (created.mode, created.options, created.private) == (old.mode, old.options, True)
    assert (created.seed, created.salt, created.host, created.code) == ("00" * 32, "00" * 16, 0, "ghjkmn")
    assert seated == [
        Seated(at=LATER, seat=SeatNumber(0), player=person(1), ready=True),
        Seated(at=LATER, seat=SeatNumber(1), player=person(0), ready=True),
    ]
    assert starting == Starting(at=LATER, starts_at=Millis(LATER + 3000))
    assert fold(taken.events) == taken.room


def test_without_a_countdown_it_begins_at_once() -> None:
    old = over(person(0), person(1), countdown_ms=0)
    kinds = [type(event) for event in rematch(want(want(old, 0, 0), 1, 0)).events]
    assert kinds == [Created, Seated, Seated, Starting, Started]


@pytest.mark.parametrize(
    ("wanting", "expected"),
    [
        ((0, 3), ["robot0000001", "person000003", "person000000"]),
        ((2, 3), ["robot0000001", "person000002", "person000003"]),
        ((0, 2), ["robot0000001", "person000002", "person000000"]),
    ],
)
def test_the_order_turns_by_one_and_closes_up(wanting: tuple[int, int], expected: list[str]) -> None:
    room = over(person(0), computer(1, Level.EASY), person(2), person(3), max_players=6)
    for seat in wanting:
        room = want(room, seat, 0)
    taken = rematch(room)
    assert [seat.player.id for _, seat in taken.room.taken()] == expected
    assert [number for number, _ in taken.room.taken()] == [0, 1, 2]
    assert all(seat.ready for _, seat in taken.room.taken())
    assert taken.room.host == 1  # the lowest person
    assert taken.room.phase is Phase.OPEN  # there is room for more: the host starts


def test_practice_is_played_again_by_oneself() -> None:
    room = over(person(0), mode=Mode.MIRROR, max_players=1)
    taken = rematch(want(room, 0, 0))
    kinds = [type(event) for event in taken.events]
    assert kinds == [Created, Seated, Starting]
    assert due(want(room, 0, 40)) == 40


def test_the_room_of_a_rematch_has_a_name_that_follows_from_the_old_one() -> None:
    room = over(person(0), person(1))
    name = rematch_room_id(room)
    assert name == rematch_room_id(want(room, 0, 0))
    assert len(name) == 10
    assert set(name) <= set(LETTERS)
    assert name != rematch_room_id(replace(room, salt="00" * 16))


def test_a_full_log_takes_no_more_wishes_but_names_what_is_made() -> None:
    room = replace(over(person(0), person(1)), seq=FULL_LOG)
    assert isinstance(decide(room, WantRematch(SeatNumber(0), True), LATER), Denied)
    assert isinstance(decide(room, NameRematch(RoomId("abcdefghjk")), LATER), Taken)


def test_the_room_of_a_quick_match_has_all_its_players_from_the_first() -> None:
    taken = paired(Mode.TURNS, {}, [person(1), person(0)])
    created, *seated = taken.events
    assert isinstance(created, Created)
    assert (created.join_by, created.host, created.private) == (T0 + 10_000, 0, False)
    assert seated == [Seated(at=T0, seat=SeatNumber(n), player=person(1 - n)) for n in (0, 1)]
    assert fold(taken.events) == taken.room
    assert (taken.room.phase, next_due(taken.room)) == (Phase.OPEN, T0 + 10_000)


def after(room: Room, *commands: AnyCommand) -> Room:
    for command in commands:
        answer = decide(room, command, T0)
        assert isinstance(answer, Taken)
        room = answer.room
    return room


ONE, TWO = (GetReady(SeatNumber(seat), True) for seat in (0, 1))


@pytest.mark.parametrize(
    ("happened", "expected"),
    [
        ((), []),
        ((ONE,), [0]),
        ((TWO,), [1]),
        ((TWO, Leave(SeatNumber(0))), [1]),
        ((TWO, Leave(SeatNumber(1))), []),
        ((ONE, TWO, Leave(SeatNumber(1))), [0]),
        ((ONE, TWO, GetReady(SeatNumber(0), False)), [1]),
    ],
)
def test_who_came_to_a_quick_match_that_was_not_played(
    happened: tuple[AnyCommand, ...], expected: list[int]
) -> None:
    room = settle(after(paired(Mode.RACE, {}, [person(0), person(1)]).room, *happened), LATER).room
    assert came(room) == tuple(person(number).id for number in expected)


def test_nobody_has_come_in_vain_while_it_may_be_played_and_when_it_was() -> None:
    room = paired(Mode.RACE, {}, [person(0), computer(1, Level.EASY)]).room
    assert came(room) is None
    room = after(room, ONE)
    assert (room.phase, came(room)) == (Phase.STARTING, None)
    assert came(settle(room, LATER).room) is None

"""Computer players: when they move and what they claim."""

from itertools import product

import pytest
from msgspec.structs import replace
from tests.game.rooms import SALT, T0, ask, computer, fold, person, playing

from tenmatch.game.answers import Taken
from tenmatch.game.clock import Due, What
from tenmatch.game.commands import Claim, TakeAdd
from tenmatch.game.computer import ABILITIES, choose, dues, name_for, thinking_ms
from tenmatch.game.events import Added, AnyEvent, Ended, EndReason, Level, Mistaken
from tenmatch.game.ids import Millis, MoveNumber, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.room import Phase, Room
from tenmatch.game.settle import next_due, settle, settle_first, shift
from tenmatch.game.sheet import renewed
from tenmatch.rules.board import play
from tenmatch.rules.deal import DealKind, deal
from tenmatch.rules.judge import Fault, judge, pairs, witness
from tenmatch.rules.notation import parse, text
from tenmatch.rules.score import pair_points

BOARD = text(deal(bytes(32), 90, DealKind.RANDOM).board)
BOT = SeatNumber(1)


def against(level: Level, number: int = 0, *, mode: Mode = Mode.RACE, **asked: object) -> Room:
    """Return a game of person 0 against a computer player, whose chances *number* decides."""
    players = [person(0), computer(1, level)]
    return playing(mode, BOARD, asked, players, salt=number.to_bytes(16, "big")).room


def due(room: Room) -> Millis:
    [found] = dues(room)
    assert (found.what, found.seat) == (What.COMPUTER, BOT)
    return found.at


@pytest.mark.parametrize("level", Level)
def test_thinking_takes_about_its_time(level: Level) -> None:
    average = ABILITIES[level].thinks_ms
    times = [due(against(level, number)) - T0 for number in range(200)]
    assert average * 0.6 <= min(times) < average * 0.8
    assert average * 1.2 < max(times) <= average * 1.4
    assert abs(sum(times) / len(times) - average) < average * 0.05


def test_the_extremes_of_thinking() -> None:
    assert thinking_ms(Level.EASY, bytes(32)) == 1500
    assert thinking_ms(Level.EASY, b"\xff" * 32) == 3500


def test_they_can_be_left_out_of_what_is_due() -> None:
    room = against(Level.HARD)
    assert settle_first(room, due(room)).events
    assert settle_first(room, due(room), computers=False) == Taken((), room)
    [ended] = settle_first(room, Millis(T0 + 999_000), computers=False).events
    assert isinstance(ended, Ended)


def test_the_next_move_is_thought_about_anew() -> None:
    room = against(Level.HARD)
    first = due(room)
    after = settle(room, first).room
    assert after.seated(BOT).last_n == 1
    assert due(after) > first + 400
    assert due(after) - first != first - T0
    assert after.heard_at == T0  # a game is not kept alive by computer players


def test_a_locked_one_waits_for_its_lock() -> None:
    room = against(Level.HARD)
    seat = replace(room.seated(BOT), locked_until=Millis(T0 + 4000))
    locked = replace(room, seats=(room.seats[0], seat))
    assert due(locked) - T0 - 4000 == due(room) - T0


def test_in_turns_it_thinks_from_when_its_turn_came() -> None:
    room = against(Level.MEDIUM, mode=Mode.TURNS)
    assert list(dues(room)) == []
    [sheet] = room.sheets
    assert sheet.witness is not None
    claim = Claim(SeatNumber(0), MoveNumber(1), *sheet.witness, room.seq, room.seq)
    _, answer = ask(room, claim, 50_000)
    assert isinstance(answer, Taken)
    assert T0 + 50_000 + 900 <= due(answer.room) <= T0 + 50_000 + 2100
    room = settle(answer.room, due(answer.room)).room
    assert (room.turn, list(dues(room))) == (0, [])


def test_a_shift_moves_its_move() -> None:
    room = against(Level.EASY)
    shifted = shift(room, 60_000, Millis(T0 + 61_000)).room
    assert due(shifted) == due(room) + 60_000
    turns = against(Level.EASY, mode=Mode.TURNS)
    turns = replace(turns, turn=BOT, turn_at=Millis(T0 + 10_000))
    assert due(shift(turns, 60_000, Millis(T0 + 61_000)).room) == due(turns) + 60_000


def test_who_is_out_moves_no_more() -> None:
    room = against(Level.EASY)
    out = replace(room, seats=(room.seats[0], replace(room.seated(BOT), out_at=room.seq)))
    assert list(dues(out)) == []


@pytest.mark.parametrize(
    ("level", "least", "most"), [(Level.EASY, 50, 110), (Level.MEDIUM, 22, 58), (Level.HARD, 3, 22)]
)
def test_it_errs_now_and_then(level: Level, least: int, most: int) -> None:
    wrong = 0
    for number in range(1000):
        room = against(level, number)
        pair = choose(room, BOT)
        assert pair is not None
        refusal = judge(room.sheet_of(BOT).board, *pair)
        if refusal is not None:
            assert refusal.code in (Fault.BLOCKED, Fault.NOT_CONNECTED)  # the values fit
            wrong += 1
    assert least <= wrong <= most


def test_an_error_is_punished_like_anyones() -> None:
    rooms = [settle(room, due(room)) for room in (against(Level.EASY, number) for number in range(60))]
    mistakes = [event for taken in rooms for event in taken.events if isinstance(event, Mistaken)]
    assert mistakes
    for event in mistakes:
        assert (event.seat, event.points, event.locked_until) == (BOT, -2, event.at + 1000)


def test_it_does_not_err_where_mistakes_cost_nothing() -> None:
    for number in range(200):
        room = against(Level.EASY, number, penalty=False)
        pair = choose(room, BOT)
        assert pair is not None
        assert judge(room.sheet_of(BOT).board, *pair) is None


def test_the_better_play_for_more() -> None:
    board = deal(bytes(32), 90, DealKind.RANDOM).board
    for _ in range(20):  # at first all pairs touch
        board = play(board, *list(pairs(board))[-1]).board
    worth = dict.fromkeys(Level, 0)
    for level, number in product(Level, range(150)):
        players = [person(0), computer(1, level)]
        salt = number.to_bytes(16, "big")
        pair = choose(playing(Mode.RACE, text(board), {"penalty": False}, players, salt=salt).room, BOT)
        assert pair is not None
        worth[level] += pair_points(parse(text(board)), *pair)
    assert worth[Level.EASY] < worth[Level.MEDIUM] < worth[Level.HARD]


def test_it_does_not_look_at_the_seed() -> None:
    room = against(Level.HARD)
    assert choose(replace(room, seed=None), BOT) == choose(room, BOT)
    assert list(dues(replace(room, seed=None))) == list(dues(room))


def test_it_calls_when_no_pair_is_left() -> None:
    players = [person(0), computer(1, Level.HARD)]
    room = playing(Mode.RACE, "258", {}, players).room
    assert choose(room, BOT) is None
    taken = settle(room, due(room))
    assert [type(event).__name__ for event in taken.events] == ["Called", "Added"]
    assert taken.room.seated(BOT).score == 3


def test_on_its_own_board_it_adds_when_no_pair_is_left_and_rests_when_it_is_done() -> None:
    players = [person(0), computer(1, Level.HARD)]
    room = playing(Mode.MIRROR, "258", {"adds": 1}, players).room
    taken = settle(room, due(room))
    [added] = taken.events
    assert isinstance(added, Added)
    assert (added.seat, added.n, added.digits) == (BOT, 1, "258")
    assert due(taken.room) > added.at
    stuck = playing(Mode.MIRROR, "258", {"adds": 0}, players).room
    assert list(dues(stuck)) == []


def test_on_its_own_board_it_looks_at_no_other() -> None:
    room = against(Level.HARD, mode=Mode.MIRROR)
    theirs = parse("19")
    sheet = renewed(room.sheets[0], theirs, witness(theirs), by=room.seq, at=T0)
    rivals = replace(room, sheets=(sheet, room.sheets[1]))
    assert choose(rivals, BOT) == choose(room, BOT)
    assert due(rivals) == due(room)


def test_an_add_comes_before_a_call_of_the_same_moment() -> None:
    room = playing(Mode.RACE, "258", {}, [person(0), computer(1, Level.HARD)]).room
    sheet = replace(room.sheet_of(BOT), stuck_at=Millis(due(room) - 3000))
    taken = settle(replace(room, sheets=(sheet,)), due(room))
    assert [type(event).__name__ for event in taken.events] == ["Added", "Matched"]


def test_of_two_at_the_same_moment_the_lower_seat_moves_first() -> None:
    assert min(Due(T0, What.COMPUTER, SeatNumber(2)), Due(T0, What.COMPUTER, BOT)).seat == BOT


def test_names_are_short_and_tell_the_level() -> None:
    names = {
        level: {name_for(level, bytes([one, other])) for one, other in product(range(8), range(32))}
        for level in Level
    }
    assert all(1 <= len(name) <= 24 for found in names.values() for name in found)
    assert all(len(found) == 64 for found in names.values())
    assert not names[Level.EASY] & names[Level.HARD]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    "size", [pytest.param(size, marks=pytest.mark.slow if size > 100 else ()) for size in (9, 35, 180)]
)
def test_whole_games_come_to_an_end(mode: Mode, size: int) -> None:
    reasons = set()
    for number in range(12 if size < 180 else 4):
        seed = bytes([number]) * 32
        board = text(deal(seed, size, DealKind.RANDOM).board)
        players = [person(0), *(computer(seat, level) for seat, level in enumerate(Level, 1))]
        taken = playing(mode, board, {}, players, salt=SALT[:15] + bytes([number]))
        log, room = play_on(taken)
        assert fold(log) == room
        ended = log[-1]
        assert isinstance(ended, Ended)
        reasons.add(ended.reason)
        assert [rank.place for rank in ended.ranking] == sorted(rank.place for rank in ended.ranking)
        assert {rank.seat: rank.score for rank in ended.ranking} == {
            number: seat.score for number, seat in room.taken()
        }
    assert reasons <= {EndReason.CLEARED, EndReason.STUCK, EndReason.TIME}


def play_on(taken: Taken) -> tuple[list[AnyEvent], Room]:
    """Let a game go on to its end, with person 0 playing whenever it is their turn, or now and then."""
    log, room = list(taken.events), taken.room
    while room.phase is Phase.PLAYING:
        at = next_due(room)
        assert at is not None
        idle = room.own_boards and not room.sheets[0].done and at > room.at + 500
        if room.turn == 0 or idle:
            _, answer = ask(room, own_move(room), room.at - T0 + 500)
            assert isinstance(answer, Taken)
            taken = answer
        else:
            taken = settle(room, at)
        log, room = [*log, *taken.events], taken.room
    return log, room


def own_move(room: Room) -> Claim | TakeAdd:
    n, pair = MoveNumber(room.seq), room.sheets[0].witness
    if pair is None:
        return TakeAdd(SeatNumber(0), n)
    return Claim(SeatNumber(0), n, *pair, room.seq, room.seq)

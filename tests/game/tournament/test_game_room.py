"""The room of a tournament's game: its seats are kept, and what came of it is told."""

from tests.game.rooms import SALT, SEED, T0, person

from tenmatch.game import commands
from tenmatch.game.answers import Taken
from tenmatch.game.create import found_paired
from tenmatch.game.decide import decide
from tenmatch.game.ids import Millis, MoveNumber, RoomCode, RoomId, SeatNumber, TournamentId
from tenmatch.game.options import Mode, choose
from tenmatch.game.room import Phase, Room
from tenmatch.game.settle import settle
from tenmatch.game.tournament.outcome import Outcome, outcome

CUP = TournamentId(RoomId("abcdefghjkm"))
PLAYERS = person(0).id, person(1).id
SEAT = SeatNumber(0), SeatNumber(1)


def room() -> Room:
    options, _ = choose(Mode.RACE, {"max_players": 2, "countdown_ms": 1000})
    return found_paired(
        mode=Mode.RACE,
        options=options,
        code=RoomCode("abcdef"),
        players=[person(0), person(1)],
        seed=SEED,
        salt=SALT,
        now=T0,
        join_ms=60_000,
        tournament=CUP,
    ).room


def after(room: Room, command: commands.AnyCommand, at: int = 1) -> Room:
    settled = settle(room, Millis(T0 + at)).room
    answer = decide(settled, command, Millis(T0 + at))
    assert isinstance(answer, Taken), answer
    return answer.room


def test_it_is_of_the_tournament_and_waits_for_its_players() -> None:
    assert room().tournament == CUP
    assert room().join_by == T0 + 60_000
    assert settle(room(), Millis(T0 + 59_999)).events == ()


def test_who_leaves_before_the_start_keeps_the_seat_and_may_come_back() -> None:
    left = after(after(room(), commands.GetReady(SEAT[0], True)), commands.Leave(SEAT[0]))
    assert left.phase is Phase.OPEN
    assert [seat and seat.ready for seat in left.seats] == [False, False]
    assert after(left, commands.FreeAbsent(SEAT[1])) == left
    both = after(after(left, commands.GetReady(SEAT[0], True)), commands.GetReady(SEAT[1], True))
    assert both.phase is Phase.STARTING


def test_who_leaves_during_the_countdown_stops_it() -> None:
    both = after(after(room(), commands.GetReady(SEAT[0], True)), commands.GetReady(SEAT[1], True))
    assert after(both, commands.Leave(SEAT[1])).phase is Phase.OPEN


def outcome_of(room: Room) -> Outcome | None:
    return outcome(room, PLAYERS)


def test_what_came_of_it_is_known_when_it_is_over() -> None:
    assert outcome_of(room()) is None
    waits = after(room(), commands.GetReady(SEAT[0], True))
    assert outcome_of(settle(waits, Millis(T0 + 60_000)).room) == (PLAYERS[0], (PLAYERS[1],))
    assert outcome_of(settle(room(), Millis(T0 + 60_000)).room) == (None, PLAYERS)
    playing = settle(after(waits, commands.GetReady(SEAT[1], True)), Millis(T0 + 2_000)).room
    assert outcome_of(playing) is None
    resigned = after(playing, commands.Resign(SEAT[1], MoveNumber(1)), 2_001)
    assert outcome_of(resigned) == (PLAYERS[0], ())
    drawn = settle(playing, Millis(T0 + 3_600_000)).room
    assert drawn.phase is Phase.OVER
    assert outcome_of(drawn) == (None, ())

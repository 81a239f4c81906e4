"""What a game tells of its players: reactions, best pairs, mistakes, locks, and what was noted beside it."""

from collections.abc import Callable

import pytest
from tests.game.whole import BOB, Game, mirror, race, turns

from tenmatch.game import commands
from tenmatch.game.events import Ended, Matched, Mistaken
from tenmatch.game.evidence import Change, Conduct, Evidence, Note, evidence
from tenmatch.game.ids import Millis, MoveNumber, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.settle import shift
from tenmatch.rules.board import Pair
from tenmatch.rules.judge import judge, pairs
from tenmatch.rules.score import worth

ANN_SEAT, BOB_SEAT = SeatNumber(0), SeatNumber(1)


def begun(mode: Mode = Mode.RACE) -> Game:
    game = Game(mode, 3, countdown_ms=0)
    for command in (
        commands.Sit(BOB),
        commands.GetReady(ANN_SEAT, True),
        commands.GetReady(BOB_SEAT, True),
    ):
        game.do(command)
    if mode is Mode.MIRROR:
        game.do(commands.Start(ANN_SEAT))
    assert game.room.sheets
    return game


def claim(game: Game, seat: SeatNumber, after_ms: int, pair: Pair | None = None) -> None:
    """Let a player claim a pair after a while; some legal one if none is named."""
    game.now = Millis(game.now + after_ms)
    found = pair or game.room.sheet_of(seat).witness
    assert found is not None
    n = MoveNumber(game.room.seated(seat).last_n + 1)
    game.do(commands.Claim(seat, n, *found, game.room.seq, game.room.seq))


def wrong(game: Game, seat: SeatNumber) -> Pair:
    board = game.room.sheet_of(seat).board
    ids = board.ids()
    return next((ids[0], b) for b in ids[1:] if judge(board, ids[0], b) is not None)


def told(game: Game, seat: SeatNumber, *notes: Note) -> Conduct:
    return evidence(game.events, notes).seats[seat]


def test_a_reaction_is_counted_from_when_the_pair_was_there() -> None:
    game = begun()
    claim(game, ANN_SEAT, 1500)
    old = set(pairs(game.room.sheets[0].board))
    claim(game, BOB_SEAT, 300)
    assert told(game, ANN_SEAT).reactions == (1500,)
    [reaction] = told(game, BOB_SEAT).reactions
    assert reaction == 1800
    assert old


def test_it_is_counted_from_ones_own_last_move_and_lock() -> None:
    game = begun()
    claim(game, ANN_SEAT, 1000)
    claim(game, ANN_SEAT, 400)
    claim(game, ANN_SEAT, 400, wrong(game, ANN_SEAT))
    claim(game, ANN_SEAT, 1700)
    found = told(game, ANN_SEAT)
    assert found.reactions == (1000, 400, 700)
    assert (found.fastest, found.median) == (400, 700)
    assert (found.lockouts, found.locked, sum(found.mistakes.values())) == (1, 1000, 1)


def test_in_turns_it_is_counted_from_the_turn() -> None:
    game = begun(Mode.TURNS)
    claim(game, ANN_SEAT, 2000)
    claim(game, BOB_SEAT, 900)
    assert (told(game, ANN_SEAT).reactions, told(game, BOB_SEAT).reactions) == ((2000,), (900,))


def test_time_that_the_server_was_away_is_nobodys() -> None:
    game = begun()
    game.now = Millis(game.now + 60_000)
    game.take(shift(game.room, 59_000, game.now))
    claim(game, BOB_SEAT, 500)
    assert told(game, BOB_SEAT).reactions == (1500,)


def test_which_matches_were_the_best_that_there_were() -> None:
    game = begun()
    for choose, best in ((max, 1), (min, 1)):
        board = game.room.sheets[0].board
        pick: Callable[..., Pair] = choose
        claim(game, ANN_SEAT, 2000, pick(pairs(board), key=lambda pair: worth(board, pair)))
        assert told(game, ANN_SEAT).best == best
    assert told(game, ANN_SEAT).matches == 2


@pytest.mark.parametrize("play", [race, turns, mirror])
def test_whole_games_tell_what_happened_in_them(play: Callable[..., Game]) -> None:
    for seed in range(3):
        events = play(seed, size=27, adds=2).events
        found = evidence(events)
        for conduct in found.seats:
            mine = [event for event in events if getattr(event, "seat", None) == conduct.seat]
            assert conduct.matches == sum(isinstance(event, Matched) for event in mine)
            assert sum(conduct.mistakes.values()) == sum(isinstance(event, Mistaken) for event in mine)
            assert 0 <= conduct.best <= conduct.matches == len(conduct.reactions)
            assert all(reaction >= 0 for reaction in conduct.reactions)
        [ended] = (event for event in events if isinstance(event, Ended))
        assert found.ended_at == ended.at


def test_a_room_that_has_not_begun() -> None:
    game = Game(Mode.RACE, 1)
    found = evidence(game.events, [Note(game.now, ANN_SEAT, Change.HIDDEN)])
    assert (found.started_at, found.ended_at) == (None, None)
    assert isinstance(found, Evidence)
    assert (found.seats[0].matches, found.seats[0].hidden) == (0, 0)


def test_what_was_noted() -> None:
    game = begun()
    start = game.now
    claim(game, ANN_SEAT, 1000)
    claim(game, ANN_SEAT, 4000)
    game.now = Millis(start + 10_000)
    game.do(commands.Resign(BOB_SEAT, MoveNumber(1)))
    changes = [
        *((-500, 0, Change.HIDDEN), (500, 0, Change.SHOWN), (600, 1, Change.HIDDEN)),
        *((4000, 0, Change.HIDDEN), (4500, 0, Change.HIDDEN), (6000, 0, Change.SHOWN)),
        *((7000, 0, Change.DEPARTED), (7500, 0, Change.ARRIVED), (9000, 0, Change.DEPARTED)),
        (11_000, 0, Change.ARRIVED),  # after the end
    ]
    notes = [Note(Millis(start + at), SeatNumber(seat), change) for at, seat, change in changes]
    ann = told(game, ANN_SEAT, *reversed(notes), *notes)  # in whatever order, and twice
    assert (ann.hidden, ann.hidden_for, ann.matches_hidden) == (2, 2500, 1)
    assert (ann.connections, ann.disconnected) == (1, 1500)
    bob = told(game, BOB_SEAT, *notes)
    assert (bob.hidden, bob.hidden_for, bob.connections) == (1, 9400, 0)

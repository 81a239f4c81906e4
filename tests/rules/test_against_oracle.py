"""The rules against the oracle, on boards that games reach: a deal, then matches and Adds in any order."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rules.oracle import OracleGame

from tenmatch.rules.board import MAX_SLOTS, Board, added, may_add, play
from tenmatch.rules.judge import candidates, judge, pairs, witness
from tenmatch.rules.lines import open_lines
from tenmatch.rules.notation import board_hash, copies, parse, restored, text
from tenmatch.rules.score import pair_points, row_points

ADD = 7  # one step in so many is an Add where that is possible


def reached(digits: str, steps: list[int], most: int = MAX_SLOTS) -> Iterator[tuple[Board, OracleGame]]:
    """Play both from one deal, the same way, and yield what they have before each step and at the end.

    No Add makes more than *most* numbers: the oracle is slow.
    """
    dealt = "/".join(digits[start : start + 9] for start in range(0, len(digits), 9))
    board, game = parse(dealt), OracleGame(dealt)
    yield board, game
    for step in steps:
        legal = list(pairs(board))
        if may_add(board) and 2 * board.left <= most and (not legal or step % ADD == 0):
            before = board.next_id
            assert copies(board.active) == game.add()
            board = added(board)
            assert board.next_id == before + len(board.active) // 2
        elif legal:
            a, b = legal[step % len(legal)]
            assert pair_points(board, a, b) == pair_points(board, b, a) == game.pair_points(a, b)
            played = play(board, a, b)
            assert row_points(board, played.rows) == game.row_points(a, b)
            assert list(played.rows) == game.match(a, b)
            board = played.board
            still = {pair for pair in legal if not {a, b} & set(pair)} if not played.rows else set()
            assert set(filter(played.spares, legal)) == still <= set(pairs(board))
        else:
            return
        yield board, game


def agree_on_the_board(board: Board, game: OracleGame) -> None:
    assert text(board) == game.text()
    assert board_hash(board) == game.hash()
    assert board.ids() == game.ids()
    assert board.left == game.left()
    assert board.next_id == game.next_id
    assert board.cleared is (game.left() == 0)
    assert may_add(board) is game.can_add()
    assert restored(game.text(), game.ids(), game.next_id) == board


def agree_on_pairs(board: Board, game: OracleGame) -> None:
    legal = game.pairs()
    assert list(pairs(board)) == legal
    assert (witness(board) in legal) if legal else witness(board) is None


def agree_on_a_claim(board: Board, game: OracleGame, a: int, b: int) -> None:
    verdict, blockers = game.judge(a, b)
    for refusal in (judge(board, a, b), judge(board, b, a)):
        found = ("legal", []) if refusal is None else (refusal.code.value, list(refusal.blockers))
        assert found == (verdict, blockers)
    first, second = board.cell_of(a), board.cell_of(b)
    if verdict == "legal" and first is not None and second is not None:
        early, late = sorted((first, second))
        assert [line.family.value for line in open_lines(board.digits, early, late)] == game.families(a, b)
        assert late in candidates(board, early)


digits = st.text("123456789", min_size=1, max_size=40)
steps = st.lists(st.integers(0, 999), min_size=5, max_size=40)


@settings(max_examples=180, deadline=None)
@given(digits, steps)
def test_boards_and_pairs(digits: str, steps: list[int]) -> None:
    for board, game in reached(digits, steps, most=60):
        agree_on_the_board(board, game)
        agree_on_pairs(board, game)


@settings(max_examples=180, deadline=None)
@given(digits, steps, st.randoms(use_true_random=False))
def test_claims(digits: str, steps: list[int], random: Random) -> None:
    for board, game in reached(digits, steps, most=60):
        for _ in range(6):
            a, b = (random.randint(-1, board.next_id) for _ in "ab")
            agree_on_a_claim(board, game, a, b)


@pytest.mark.parametrize("seed", range(8))
def test_whole_games(seed: int) -> None:
    """Play on for long, and ask for very many claims now and then."""
    random = Random(seed)
    digits = "".join(random.choices("123456789", k=random.choice([27, 35, 36])))
    for count, (board, game) in enumerate(reached(digits, [random.randrange(1000) for _ in range(60)])):
        agree_on_the_board(board, game)
        if count % 20 == 0:
            agree_on_pairs(board, game)
            for a in random.sample(range(board.next_id), 5):
                for b in random.sample(range(board.next_id), 9):
                    agree_on_a_claim(board, game, a, b)

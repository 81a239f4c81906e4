"""tenmatch.rules.judge: the first reason that applies, the pairs of a board, a witness."""

import pytest

from tenmatch.rules.board import Board, NumberId, added, play
from tenmatch.rules.judge import Fault, Refusal, candidates, judge, pairs, witness
from tenmatch.rules.notation import parse


@pytest.mark.parametrize(
    ("a", "b", "code"),
    [
        (0, 27, Fault.NO_SUCH_NUMBER),
        (27, 27, Fault.NO_SUCH_NUMBER),  # and named twice
        (-1, 1, Fault.NO_SUCH_NUMBER),  # and the other is a hole
        (1, 10**30, Fault.NO_SUCH_NUMBER),
        (1, 1, Fault.SAME_NUMBER),  # and a hole
        (0, 0, Fault.SAME_NUMBER),
        (0, 1, Fault.INACTIVE),
        (1, 4, Fault.INACTIVE),  # both
        (0, 18, Fault.VALUES),
        (0, 3, Fault.VALUES),  # and blocked
        (2, 26, Fault.VALUES),  # and not connected
        (0, 26, Fault.NOT_CONNECTED),
    ],
)
def test_the_first_check_that_fails_gives_the_reason(a: int, b: int, code: Fault) -> None:
    board = parse("1.37....4/......5../8.......9")
    assert judge(board, a, b) == judge(board, b, a) == Refusal(code)


def test_a_number_of_a_closed_row_is_inactive() -> None:
    board = play(parse("5...5..../123456789/1"), 0, 4).board
    assert judge(board, 0, 9) == Refusal(Fault.INACTIVE)
    assert judge(board, 9, 18) is None


def test_a_number_of_a_closed_short_row_is_inactive() -> None:
    board = play(parse("123456789/19"), 9, 10).board
    assert judge(board, 0, 9) == Refusal(Fault.INACTIVE)
    assert judge(board, 0, 11) == Refusal(Fault.NO_SUCH_NUMBER)


def test_blockers_are_ids_in_reading_order() -> None:
    # The first row closes; below it stand the numbers 9 to 15, two holes, and their copies 18 to 24.
    board = added(play(parse("5...5..../1234567.."), 0, 4).board)
    assert judge(board, 20, 9) == Refusal(Fault.VALUES)
    assert judge(board, 9, 18) is None
    assert judge(board, 11, 24) == judge(board, 24, 11)
    assert judge(board, 24, 11) == Refusal(Fault.BLOCKED, (*range(12, 16), *range(18, 24)))


def test_values_qualify_when_equal_or_ten_together() -> None:
    for x in range(1, 10):
        for y in range(1, 10):
            refusal = judge(Board.dealt(bytes([x, y])), 0, 1)
            assert refusal == (None if x == y or x + y == 10 else Refusal(Fault.VALUES))


def test_candidates_are_the_first_that_a_number_meets() -> None:
    board = parse("12.456789/1.3.56789/123456789/123")
    assert candidates(board, 0) == {1, 9, 20}  # on, down, and down to the right through the hole
    assert candidates(board, 8) == {9, 17, 16}
    assert candidates(board, 4) == {5, 13, 14, 20}  # two to the left and down, past the hole
    assert candidates(board, 29) == set()


def test_pairs_come_in_reading_order_and_once() -> None:
    # 0 and 9 are connected down the column and by a wrap.
    assert list(pairs(parse("5......../5..5...../.......5."))) == [(0, 9), (9, 12), (12, 25)]
    assert list(pairs(parse("555"))) == [(0, 1), (1, 2)]


def test_pairs_name_ids() -> None:
    board = play(parse("5...5..../1.......9/1"), 0, 4).board
    assert list(pairs(board)) == [(9, 17), (9, 18), (17, 18)]


def test_a_witness_is_a_legal_pair() -> None:
    board = parse("123456789/111213141/516171819")
    found = witness(board)
    assert found is not None
    assert judge(board, *found) is None


def test_a_hint_that_still_holds_is_the_witness() -> None:
    board = parse("55......./5")
    hints = list(pairs(board))
    assert len(hints) == 3
    for hint in hints:
        assert witness(board, hint) == hint


def test_a_hint_that_is_legal_no_more_is_not_believed() -> None:
    board = parse("553......")
    hint = witness(board)
    assert hint == (0, 1)
    after = play(parse("553...7.."), *hint).board
    assert witness(after, hint) == (2, 6)
    assert witness(play(after, 2, 6).board, hint) is None


def test_a_hint_from_nowhere_is_not_believed() -> None:
    board = parse("12.1")
    for hint in ((0, 1), (0, 0), (0, 3), (5, 6), (-1, 0)):
        assert witness(board, (NumberId(hint[0]), NumberId(hint[1]))) is None


@pytest.mark.parametrize("board", ["", "7", "26......./....26...", "12"])
def test_no_witness_where_no_pair_is_left(board: str) -> None:
    assert witness(parse(board)) is None
    assert list(pairs(parse(board))) == []

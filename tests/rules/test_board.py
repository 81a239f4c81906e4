"""tenmatch.rules.board: slots and ids, what a match and an Add do."""

import pytest

from tenmatch.rules.board import MAX_SLOTS, Board, added, may_add, play
from tenmatch.rules.notation import parse, text


def played(board: Board, *pairs: tuple[int, int]) -> Board:
    for a, b in pairs:
        board = play(board, a, b).board
    return board


def test_ids_go_on_in_reading_order_of_the_deal() -> None:
    board = Board.dealt(bytes([5] * 12))
    assert board.ids() == list(range(12))
    assert [board.cell_of(number) for number in (0, 8, 9, 11)] == [0, 8, 9, 11]
    assert board.next_id == 12
    assert board.left == 12


def test_an_id_that_was_never_given_has_no_cell() -> None:
    board = Board.dealt(bytes([5] * 12))
    for number in (-1, 12, 17, 18, 10**30):
        assert board.cell_of(number) is None
        assert not board.was_dealt(number)


def test_a_removed_number_was_dealt_and_has_no_cell() -> None:
    board = played(parse("553456789/123456789"), (0, 1))
    assert board.cell_of(0) is None
    assert board.was_dealt(0)
    assert board.ids() == list(range(2, 18))


def test_ids_outlive_a_row_that_closes_above() -> None:
    board = played(parse("5...5..../123456789/987654321"), (0, 4))
    assert text(board) == "123456789/987654321"
    assert board.firsts == (9, 18)
    assert [board.cell_of(number) for number in (0, 8, 9, 17, 18, 26, 27)] == [None, None, 0, 8, 9, 17, None]
    assert [board.number_at(cell) for cell in (0, 8, 9)] == [9, 17, 18]
    assert board.was_dealt(4)
    assert board.next_id == 27


def test_numbers_of_a_closed_short_row_keep_their_ids_to_themselves() -> None:
    board = played(parse("123456789/19"), (9, 10))
    assert text(board) == "123456789"
    assert [board.cell_of(number) for number in (9, 10, 11)] == [None, None, None]
    assert board.was_dealt(10)
    again = added(board)
    assert again.firsts == (0, 11)  # the copies begin a row of their own, but not at a multiple of nine
    assert again.ids() == [*range(9), *range(11, 20)]
    assert again.cell_of(11) == 9
    assert again.cell_of(9) is None


def test_a_match_leaves_the_board_before_it_alone() -> None:
    board = parse("553456789")
    play(board, 0, 1)
    assert text(board) == "553456789"


@pytest.mark.parametrize(
    ("before", "pair", "rows", "after"),
    [
        ("123456789/19", (9, 10), (1,), "123456789"),
        ("3......../.46....../7.......1", (0, 18), (0,), ".46....../........1"),
        ("......3../....7..../123456789", (6, 13), (0, 1), "123456789"),
        ("4......../123456789/123456789/6.......", (0, 27), (0, 3), "123456789/123456789"),
        ("5...5....", (4, 0), (0,), ""),
    ],
    ids=["short-last", "upper-of-two", "two-neighbours", "first-and-last", "all"],
)
def test_rows_close(before: str, pair: tuple[int, int], rows: tuple[int, ...], after: str) -> None:
    # What a match does is asked here, not whether the pair is legal.
    found = play(parse(before), *pair)
    assert (found.rows, text(found.board)) == (rows, after)


def test_a_match_of_what_is_not_there_is_our_bug() -> None:
    with pytest.raises(AssertionError, match="1 is not active"):
        play(parse("5.5"), 0, 1)
    with pytest.raises(AssertionError, match="3 is not active"):
        play(parse("5.5"), 3, 0)


def test_an_add_fills_the_short_row_with_the_next_ids() -> None:
    board = added(parse("12345.8"))
    assert text(board) == "12345.812/3458"
    assert board.firsts == (0, 9)
    assert board.ids() == [0, 1, 2, 3, 4, 6, *range(7, 13)]
    assert board.next_id == 13


def test_an_add_that_just_fills_the_last_row_begins_no_other() -> None:
    board = added(parse("123456789/...4567"))
    assert text(board) == "123456789/...456712/345678945/67"
    just = added(parse("1...5...9/6....3"))
    assert text(just) == "1...5...9/6....3159/63"
    full = added(parse("5......"))
    assert text(full) == "5......5"
    assert full.firsts == (0,)


def test_the_largest_board_that_an_add_may_make() -> None:
    rows = ["123456789"] * 30
    assert may_add(parse("/".join(rows)))  # 270 numbers become 540 slots
    board = added(parse("/".join(rows)))
    assert len(board.digits) == MAX_SLOTS
    assert not may_add(board)
    assert not may_add(parse("/".join([*rows, "1"])))
    assert may_add(parse("/".join([*rows[1:], "12345678."])))  # a hole has a slot, but no copy
    with pytest.raises(AssertionError):
        added(board)


def test_nothing_is_left_of_the_cleared_board() -> None:
    board = parse("")
    assert board.cleared
    assert board.left == 0
    assert board.ids() == []
    assert board.cell_of(0) is None
    assert not may_add(board)
    cleared = played(parse("55"), (0, 1))
    assert cleared.cleared
    assert cleared.was_dealt(1)
    assert cleared.next_id == 2

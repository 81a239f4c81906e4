"""tenmatch.rules.notation: boards as text, both ways, and what is refused."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenmatch.rules.board import added, play
from tenmatch.rules.notation import NotationError, board_hash, copies, parse, restored, text


@pytest.mark.parametrize("board", ["", "7", "12.456789/9871", "1.......2/.......3.", "123456789/1."])
def test_text_of_what_was_read_is_the_same_text(board: str) -> None:
    assert text(parse(board)) == board


def test_holes_have_ids_too() -> None:
    board = parse("1.3456789/.2")
    assert board.ids() == [0, *range(2, 9), 10]
    assert board.next_id == 11


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ("/", "row 0 has 0 slots; only the last row may have fewer than nine"),
        ("123456789/", "row 1 is wholly empty"),
        ("/123456789", "row 0 has 0 slots"),
        ("123456789//1", "row 1 has 0 slots"),
        ("12345678/1", "row 0 has 8 slots; only the last row may have fewer than nine"),
        ("1234567891", "row 0 has 10 slots; a row has nine"),
        ("123456789/1234567891/1", "row 1 has 10 slots; a row has nine"),
        (".........", "row 0 is wholly empty"),
        ("123456789/........./1", "row 1 is wholly empty"),
        ("123456789/..", "row 1 is wholly empty"),
        ("120", "row 0, column 2: '0' is neither a digit 1-9 nor '.' for a hole"),
        ("123456789/1 2", "row 1, column 1: ' ' is neither"),
        ("12\n", "row 0, column 2: '\\n' is neither"),
        ("1\u0663", "row 0, column 1: '\\u0663' is neither"),  # a digit, but not one of ours
        ("\ud800", "row 0, column 0: '\\ud800' is neither"),
        ("12\\12", "row 0, column 2: '\\\\' is neither"),
        ("x" * 100_000, "row 0, column 0: 'x' is neither"),
        ("1" * 100_000, "row 0 has 100000 slots"),
        ("/".join(["123456789"] * 60 + ["1"]), "the board has 541 slots; at most 540 are allowed"),
    ],
)
def test_what_is_no_board_is_refused(board: str, message: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)):
        parse(board)


def test_the_largest_board_is_read() -> None:
    board = "/".join(["123456789"] * 60)
    assert text(parse(board)) == board


@settings(max_examples=200)
@given(st.text("123456789./ 0\n\u0663\ud800", max_size=60))
def test_any_text_is_a_board_or_refused(candidate: str) -> None:
    try:
        board = parse(candidate)
    except NotationError:
        return
    assert text(board) == candidate


def test_hashes() -> None:
    assert board_hash(parse("")) == 0
    assert board_hash(parse("123456789")) == 0xCBF43926  # the check value that defines CRC-32 (IEEE)
    assert board_hash(parse("12.456789/9871")) == 0x28E7B8D1


def test_copies_are_digits_without_rows() -> None:
    assert copies(parse("12.456789/9871").active) == "124567899871"


def test_a_board_under_way_is_restored() -> None:
    board = play(parse("5...5..../12345678./.....19"), 0, 4).board
    for before in (
        board,
        play(board, 23, 24).board,
        added(board),
        added(play(board, 23, 24).board),
        parse(""),
    ):
        assert restored(text(before), before.ids(), before.next_id) == before


@pytest.mark.parametrize(
    ("board", "ids", "next_id"),
    [
        ("1.3", [0], 3),  # one too few
        ("1.3", [0, 2, 3], 4),
        ("1.3", [0, 3], 4),  # a gap within the row
        ("1.3", [2, 0], 3),
        ("1.3", [4, 6], 6),  # beyond what was given
        (".23", [0, 1], 2),  # the hole would be number -1
        ("123456789/1", [*range(9), 8], 10),
        ("123456789/1", [*range(10, 19), 9], 20),
    ],
)
def test_ids_that_do_not_fit_the_board_are_refused(board: str, ids: list[int], next_id: int) -> None:
    with pytest.raises(NotationError, match="ids"):
        restored(board, ids, next_id)

"""tenmatch.rules.deal: a seed gives the same board everywhere, and one that is worth playing."""

from collections import Counter
from hashlib import sha256

import pytest
from tests.rules.oracle import OracleGame

from tenmatch.rules.deal import DEFAULT_SIZE, SIZES, DealError, DealKind, commitment, deal
from tenmatch.rules.judge import pairs
from tenmatch.rules.notation import text

SEED = bytes(range(32))


def digits_by_the_book(seed: bytes, attempt: int, size: int) -> str:
    """Write the digit stream of rule 12 as plainly as it is stated."""
    digits = ""
    block = 0
    while len(digits) < size:
        for byte in sha256(seed + attempt.to_bytes(4, "big") + block.to_bytes(4, "big")).digest():
            if byte < 252:
                digits += str(1 + byte % 9)
        block += 1
    return digits[:size]


def rows_of_nine(digits: str) -> str:
    return "/".join(digits[start : start + 9] for start in range(0, len(digits), 9))


def is_taken(board: str, kind: DealKind) -> bool:
    game = OracleGame(board)
    low, high = {27: (12, 20), 35: (18, 27), 36: (19, 28)}.get(game.left(), (1, 10**9))
    if not low <= len(game.pairs()) <= high:
        return False
    classes = Counter(min(int(digit), 10 - int(digit)) for digit in board if digit != "/")
    return kind is not DealKind.EVEN or all(count % 2 == 0 for count in classes.values())


@pytest.mark.parametrize(
    ("size", "kind"),
    [
        (9, "random"),
        (10, "random"),
        (27, "random"),
        (35, "random"),
        (36, "random"),
        (60, "random"),
        (36, "even"),
    ],
)
def test_the_first_attempt_that_is_good_enough_is_taken(size: int, kind: str) -> None:
    for seed in (sha256(bytes([n])).digest() for n in range(6)):
        dealt = deal(seed, size, DealKind(kind))
        boards = [rows_of_nine(digits_by_the_book(seed, k, size)) for k in range(dealt.attempt + 1)]
        assert [is_taken(board, DealKind(kind)) for board in boards] == [False] * dealt.attempt + [True]
        assert text(dealt.board) == boards[-1]


@pytest.mark.parametrize(("size", "fewest", "most"), [(27, 12, 20), (35, 18, 27), (36, 19, 28)])
def test_all_counts_of_pairs_in_the_range_occur_and_no_others(size: int, fewest: int, most: int) -> None:
    boards = (deal(sha256(bytes([n])).digest(), size, DealKind.RANDOM).board for n in range(256))
    assert {len(list(pairs(board))) for board in boards} == set(range(fewest, most + 1))


def test_a_known_seed_deals_a_known_board() -> None:
    dealt = deal(SEED, 35, DealKind.RANDOM)
    assert (text(dealt.board), dealt.attempt) == ("898377635/613173959/578976961/35293456", 1)
    assert commitment(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_the_largest_deal() -> None:
    dealt = deal(SEED, 180, DealKind.RANDOM)
    assert dealt.attempt == 0
    assert text(dealt.board) == rows_of_nine(digits_by_the_book(SEED, 0, 180))
    assert dealt.board.ids() == list(range(180))


def test_the_classic_deal_has_no_seed() -> None:
    dealt = deal(None, 27, DealKind.CLASSIC)
    assert (text(dealt.board), dealt.attempt) == ("123456789/111213141/516171819", 0)


@pytest.mark.parametrize(
    ("seed", "size", "kind", "message"),
    [
        (SEED, 8, DealKind.RANDOM, "from 9 to 180, not 8"),
        (SEED, 181, DealKind.RANDOM, "from 9 to 180, not 181"),
        (SEED, -35, DealKind.RANDOM, "not -35"),
        (SEED, 35, DealKind.EVEN, "from 36 to 36, not 35"),
        (None, 36, DealKind.CLASSIC, "from 27 to 27, not 36"),
        (SEED, 27, DealKind.CLASSIC, "no seed"),
        (None, 35, DealKind.RANDOM, "needs a seed of 32 bytes"),
        (SEED[1:], 35, DealKind.RANDOM, "needs a seed of 32 bytes"),
        (SEED + b"x", 36, DealKind.EVEN, "needs a seed of 32 bytes"),
    ],
)
def test_what_cannot_be_dealt(seed: bytes | None, size: int, kind: DealKind, message: str) -> None:
    with pytest.raises(DealError, match=message):
        deal(seed, size, kind)


def test_every_kind_has_a_default_size_that_it_allows() -> None:
    assert {kind: DEFAULT_SIZE[kind] in SIZES[kind] for kind in DealKind} == dict.fromkeys(DealKind, True)

"""The positions of tests/vectors/positions.json: what every implementation of the rules must agree on."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.rules.oracle import OracleGame

from tenmatch.rules.board import COLUMNS, added, may_add
from tenmatch.rules.deal import DealKind, commitment, deal
from tenmatch.rules.judge import judge, pairs
from tenmatch.rules.lines import open_lines
from tenmatch.rules.notation import parse, text
from tenmatch.rules.score import Match, try_match

Position = dict[str, Any]

POSITIONS: dict[str, list[Position]] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "positions.json").read_text()
)


def named(kind: str, *, legal: bool | None = None) -> list[Any]:
    return [
        pytest.param(position, id=position.get("id", f"{position.get('deal')}-{position.get('size')}"))
        for position in POSITIONS[kind]
        if legal is None or (position["verdict"] == "legal") is legal
    ]


def claimed(position: Position) -> tuple[int, int]:
    """Give the ids of the claimed cells; a cell that the board does not have is a number never dealt."""
    board = parse(position["board"])
    slots = [row * COLUMNS + column for row, column in (position["a"], position["b"])]
    a, b = (slot if slot < len(board.digits) else board.next_id + slot for slot in slots)
    return a, b


@pytest.mark.parametrize("position", named("match", legal=True))
@pytest.mark.parametrize("turned", [False, True], ids=["a-b", "b-a"])
def test_legal(position: Position, turned: bool) -> None:
    board = parse(position["board"])
    a, b = reversed(claimed(position)) if turned else claimed(position)
    assert judge(board, a, b) is None
    assert [line.family for line in open_lines(board.digits, min(a, b), max(a, b))] == position["families"]
    assert (min(a, b), max(a, b)) in list(pairs(board))
    match = try_match(board, a, b)
    assert isinstance(match, Match)
    assert match.kind == position["kind"]
    assert match.pair_points == position["pair_points"]
    assert match.row_points == position["row_points"]
    played = match.played
    assert list(played.rows) == position["rows"]
    assert text(played.board) == position["after"]
    assert played.board.cleared is position["cleared"]


@pytest.mark.parametrize("position", named("match", legal=False))
@pytest.mark.parametrize("turned", [False, True], ids=["a-b", "b-a"])
def test_not_legal(position: Position, turned: bool) -> None:
    board = parse(position["board"])
    a, b = reversed(claimed(position)) if turned else claimed(position)
    refusal = judge(board, a, b)
    assert refusal is not None
    assert refusal.code.replace("number", "cell") == position["verdict"]
    assert [list(divmod(number, COLUMNS)) for number in refusal.blockers] == position.get("blockers", [])
    assert (min(a, b), max(a, b)) not in list(pairs(board))


@pytest.mark.parametrize("position", named("match"))
def test_the_oracle_agrees(position: Position) -> None:
    game = OracleGame(position["board"])
    a, b = claimed(position)
    verdict, blockers = game.judge(a, b)
    assert verdict.replace("number", "cell") == position["verdict"]
    assert [list(divmod(number, COLUMNS)) for number in blockers] == position.get("blockers", [])
    if verdict == "legal":
        assert game.families(a, b) == position["families"]
        assert game.pair_points(a, b) == position["pair_points"]
        assert game.row_points(a, b) == position["row_points"]
        assert game.match(a, b) == position["rows"]
        assert game.text() == position["after"]


@pytest.mark.parametrize("position", named("add"))
def test_add(position: Position) -> None:
    board, game = parse(position["board"]), OracleGame(position["board"])
    assert may_add(board)
    assert game.can_add()
    game.add()
    assert text(added(board)) == game.text() == position["add"]
    assert added(board).ids() == game.ids()


@pytest.mark.parametrize("position", named("pairs"))
def test_pairs(position: Position) -> None:
    assert len(list(pairs(parse(position["board"])))) == position["pairs"]
    assert len(OracleGame(position["board"]).pairs()) == position["pairs"]


@pytest.mark.parametrize("position", named("refused"))
def test_no_add(position: Position) -> None:
    board = parse(position["board"])
    assert not may_add(board)
    assert not OracleGame(position["board"]).can_add()
    assert board.cleared is (position["add"] == "cleared")


@pytest.mark.parametrize("position", named("deal"))
def test_deal(position: Position) -> None:
    seed = None if position["seed"] is None else bytes.fromhex(position["seed"])
    dealt = deal(seed, position["size"], DealKind(position["deal"]))
    assert text(dealt.board) == position["board"]
    assert dealt.attempt == position["attempt"]
    assert (seed and commitment(seed)) == position["commit"]

"""Prepared games: legal to their end, and the boards as they must be."""

import random

import pytest

from tenmatch.app.load.games import choose_games, openers, prepare
from tenmatch.rules.board import Board, added, play
from tenmatch.rules.judge import judge, witness
from tenmatch.rules.notation import board_hash

SEEDS = [bytes([number]) * 32 for number in range(4)]


@pytest.mark.parametrize("adds", [0, 3])
@pytest.mark.parametrize("size", [9, 35, 60])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_game_is_legal_step_by_step_and_whole(seed: bytes, size: int, adds: int) -> None:
    game = prepare(seed, size, adds)
    board = Board.dealt(game.digits)
    assert game.size == size
    assert board_hash(board) == game.hash
    for step in game.steps:
        if step.pair is None:
            assert witness(board) is None, "a call is right only when no pair is left"
            board = added(board)
        else:
            assert judge(board, *step.pair) is None
            board = play(board, *step.pair).board
        assert board_hash(board) == step.hash
    assert witness(board) is None, "so that the room ends by itself"
    assert board.cleared or sum(step.pair is None for step in game.steps) == adds


def test_the_same_arguments_give_the_same_game() -> None:
    assert prepare(SEEDS[0], 60, 2) == prepare(SEEDS[0], 60, 2)
    assert prepare(SEEDS[0], 60, 2) != prepare(SEEDS[1], 60, 2)


def test_games_are_those_of_the_seeds() -> None:
    games = choose_games(SEEDS, 9, 0, random.Random(1))
    assert {next(games).seed for _ in range(50)} == set(SEEDS)


def test_first_games_are_of_many_lengths() -> None:
    games = openers(180, random.Random(1))
    lengths = {len(next(games).steps) for _ in range(50)}
    assert min(lengths) < 25
    assert max(lengths) > 60

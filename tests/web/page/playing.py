"""Whole games on the page by people who know the rules: the oracle finds their moves in what they see."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Final

from tests.rules.oracle import OracleGame
from tests.web.page.visitor import Visitor

from tenmatch.rules.deal import DealKind, deal
from tenmatch.rules.notation import text

ADDS: Final = 5  # what a game has unless its maker wants another number
CALL_POINTS: Final = 3
CLEAR_POINTS: Final = 20


def deal_where(size: int, fits: Callable[[OracleGame], bool]) -> tuple[str, OracleGame]:
    """Return the first seed, in hex, whose deal of so many numbers fits, and that deal.

    What *fits* is given it may play on.
    """
    for number in count():
        seed = number.to_bytes(32, "big")
        board = text(deal(seed, size, DealKind.RANDOM).board)
        if fits(OracleGame(board)):
            return seed.hex(), OracleGame(board)
    raise AssertionError("count() never ends")


def match(game: OracleGame, a: int, b: int) -> int:
    """Take a legal pair off the oracle's board; returns what it brings on a shared board."""
    points = game.pair_points(a, b) + game.row_points(a, b)
    game.match(a, b)
    return points if game.left() else points + CLEAR_POINTS


class Tally:
    """What everyone at a table should see, and whether they do."""

    def __init__(self, everyone: Sequence[Visitor], seats: int = 2) -> None:
        self.everyone = everyone
        self.scores = [0] * seats
        self.adds = ADDS

    def expect(self, game: OracleGame) -> None:
        """Wait until everybody sees this board and these scores, the same numbers under the same ids."""
        for visitor in self.everyone:
            visitor.shows(game.text())
            assert visitor.board().ids() == game.ids()
            for number, score in enumerate(self.scores):
                visitor.has_score(number, score)

    def can_add(self, game: OracleGame) -> bool:
        """Tell whether there is an Add to come."""
        return self.adds > 0 and game.can_add()

    def is_over(self, game: OracleGame) -> bool:
        """Tell whether nothing is left to do on this board."""
        return not game.pairs() and not self.can_add(game)


def play_race(players: Sequence[Visitor], tally: Tally) -> OracleGame:
    """Take pairs in turn, call whenever none is left, and return the last board."""
    mover, game = 0, players[0].board()
    while not tally.is_over(game):
        if pairs := game.pairs():
            tally.scores[mover] += match(game, *pairs[0])
            players[mover].claim(*pairs[0])
        else:
            players[mover].press("call")
            tally.scores[mover] += CALL_POINTS
            tally.adds -= 1
            game.add()
        tally.expect(game)
        mover = (mover + 1) % len(players)
    return game


def play_turns(players: Sequence[Visitor], tally: Tally, mover: int) -> OracleGame:
    """Take one pair each from seat *mover* on; the server adds by itself. Returns the last board."""
    game = players[0].board()
    while not tally.is_over(game):
        pair = game.pairs()[-1]
        tally.scores[mover] += match(game, *pair)
        players[mover].claim(*pair)
        while not game.pairs() and tally.can_add(game):
            tally.adds -= 1
            game.add()
        tally.expect(game)
        mover = (mover + 1) % len(players)
        if not tally.is_over(game):
            for visitor in tally.everyone:
                visitor.sees_turn(mover)
    return game

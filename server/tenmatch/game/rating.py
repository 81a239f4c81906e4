"""How strong a player is believed to be, and what a game makes of that: Plackett-Luce, as openskill has it.

A belief is a mean and how unsure it is. It is kept in whole thousandths: logs know no fractions, and so every
node comes to the same. The rating that people see is one number made of both: what a player is worth at
least, almost certainly. So it begins low, and who wins only now and then does not overtake who always does.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from openskill.models import PlackettLuce

from tenmatch.game.events import Skill

NEW: Final = Skill(mu=25_000, sigma=8_333)
"""What is believed of who has never played."""
NEW_RATING: Final = 1_000

_MODEL: Final = PlackettLuce()
_SURE: Final = 3  # standard deviations below the mean: in 999 of 1,000 cases a player is better


class Ranked(NamedTuple):
    """A player's place in a game, from 1, shared by who drew; and what was believed of them before it."""

    place: int
    skill: Skill


def rating(skill: Skill) -> int:
    """Return the number that people see: 1,000 for who is new, 40 more for each point that is certain."""
    certain = skill.mu - _SURE * skill.sigma
    return NEW_RATING + (certain * 4 + 50) // 100


def skill_after(own: Ranked, rivals: Iterable[Sequence[Ranked]], mates: Iterable[Ranked] = ()) -> Skill:
    """Return what is to be believed of a player after a game against *rivals*, in whatever order.

    Args:
        rivals: At least one side, of one or more who won or lost together.
        mates: Who was on the player's own side.
    """
    others = [sorted(side, key=_in_order) for side in rivals]  # sums of fractions depend on the order
    others.sort(key=lambda side: [_in_order(each) for each in side])
    sides = [[own, *sorted(mates, key=_in_order)], *others]
    teams = [
        [_MODEL.rating(each.skill.mu / 1000, each.skill.sigma / 1000) for each in side] for side in sides
    ]
    [[after, *_], *_] = _MODEL.rate(teams, ranks=[float(side[0].place) for side in sides])
    return Skill(mu=round(after.mu * 1000), sigma=round(after.sigma * 1000))


def _in_order(ranked: Ranked) -> tuple[int, int, int]:
    return ranked.place, ranked.skill.mu, ranked.skill.sigma

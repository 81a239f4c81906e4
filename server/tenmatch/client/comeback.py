"""Whether, and when, to come back after a connection ended (server/protocol.md, "Close codes")."""

import random
from collections.abc import Mapping
from enum import Enum
from typing import Final

from tenmatch.protocol.limits import CloseCode

CUT: Final = 1006
"""Stands for a connection that ended without a word."""
MINUTE_S: Final = 60.0
_LEAST_S, _MOST_S = 0.5, 10.0

PASSING: Final = frozenset({"rate_limited", "too_fast", "unavailable"})
"""Errors that say: not now, but send it again."""


class Plan(Enum):
    """What a close asks of a client."""

    STOP = "stop"
    NOW = "now"  # come back at once
    WAIT = "wait"  # come back, with back-off
    MINUTE = "minute"  # come back after a minute


_PLANS: Final[Mapping[int, Plan]] = {
    CloseCode.NORMAL: Plan.STOP,
    CloseCode.GOING_AWAY: Plan.WAIT,
    CloseCode.BROKEN_FRAME: Plan.STOP,
    CloseCode.WRONG_KIND: Plan.STOP,
    CloseCode.NOT_ONE_VALUE: Plan.STOP,
    CloseCode.TOO_MANY_MESSAGES: Plan.MINUTE,
    CloseCode.TOO_LARGE: Plan.STOP,
    CloseCode.OUR_BUG: Plan.WAIT,
    CloseCode.RESTART: Plan.NOW,
    CloseCode.TOO_SLOW: Plan.WAIT,
    CloseCode.NO_HELLO: Plan.WAIT,
}


def plan_for(code: int) -> Plan:
    """Return what a close code asks for; of unknown ones 4500 to 4999 mean "do not come back"."""
    return _PLANS.get(code) or (Plan.STOP if 4500 <= code <= 4999 else Plan.WAIT)


def back_off(failures: int, chance: random.Random | None = None) -> float:
    """Return how many seconds to wait after so many failures: a random part of 0.5 s, doubling to 10 s."""
    return (chance or _CHANCE).uniform(0, min(_MOST_S, _LEAST_S * 2 ** min(failures, 16)))


_CHANCE: Final = random.Random()

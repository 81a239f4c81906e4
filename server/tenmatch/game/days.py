"""Days (UTC), by their names: `2026-12-01`. Only the calendar is reckoned here.

The arithmetic is that of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms": years begin in
March, so that a leap day is the last of its year, and 400 of them have always as many days.
"""

import re
from typing import Final

from tenmatch.game.ids import Day, Millis

DAY_MS: Final = 86_400_000

_NAME: Final = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})")
_ERA_YEARS: Final = 400
_ERA_DAYS: Final = 146_097
_EPOCH: Final = 719_468  # days from 0000-03-01 to 1970-01-01


def day_of(at: Millis) -> Day:
    """Return the day of a moment."""
    return _name(at // DAY_MS)


def day_named(name: str) -> Day | None:
    """Return the day that is named so; None where it is none."""
    return Day(name) if _NAME.fullmatch(name) and _name(_number(name)) == name else None


def after(day: Day, days: int = 1) -> Day:
    """Return a day that comes so many later, or earlier."""
    return _name(_number(day) + days)


def begins_at(day: Day) -> Millis:
    """Return the first moment of a day."""
    return Millis(_number(day) * DAY_MS)


def _name(number: int) -> Day:
    """Name the day that comes so many after 1970-01-01."""
    era, of_era = divmod(number + _EPOCH, _ERA_DAYS)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153  # from March
    day = of_year - (153 * month + 2) // 5 + 1
    early = month >= 10  # January and February are the last of the year before
    return Day(f"{era * _ERA_YEARS + year + early:04}-{month - 9 if early else month + 3:02}-{day:02}")


def _number(name: str) -> int:
    """Return how many days after 1970-01-01 that is; also of a name that no day has, as 2026-02-30."""
    found = _NAME.fullmatch(name)
    assert found, f"no day is named {name!r}"
    year, month, day = map(int, found.groups())
    era, of_era = divmod(year - (month <= 2), _ERA_YEARS)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * _ERA_DAYS + of_era * 365 + of_era // 4 - of_era // 100 + of_year - _EPOCH

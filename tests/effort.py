"""How much is done, and how eagerly: a part in every run, all with `pytest … --hypothesis-profile=full`."""

from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")

PROFILE: Final = "full"
QUICK: Final = "quick"
NICE: Final = 2  # the kernel gives such processes two thirds of what others get


def offer_all() -> None:
    """Let pytest know of the profile, and take the one of every run; to be called by a conftest.

    However busy the machine is, that is no failure. In every run the examples are the same, so that it fails
    for what was changed and not by chance; `full` draws others each time.
    """
    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile(PROFILE, patient, derandomize=False, max_examples=200, stateful_step_count=50)
    settings.register_profile(QUICK, patient, derandomize=True)
    settings.load_profile(QUICK)


def full() -> bool:
    """Tell whether all is to be done; known once pytest is configured, so not in a conftest's own lines."""
    return settings.get_current_profile_name() == PROFILE


def amount(quick: T, all_of_it: T) -> T:
    """Return how many, how long or how fast: *quick* in every run, or *all_of_it*."""
    return all_of_it if full() else quick


def give_way(process: int | str = "self") -> None:
    """Let a process' session give way to others, where the kernel shares between sessions (autogroup)."""
    with suppress(OSError):
        Path(f"/proc/{process}/autogroup").write_text(str(NICE))

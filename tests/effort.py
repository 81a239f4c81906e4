"""How much is done: a part in every run, all of it with `pytest … --hypothesis-profile=full`."""

from typing import Final, TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")

PROFILE: Final = "full"


def offer_all() -> None:
    """Let pytest know of the profile; to be called by a conftest."""
    settings.register_profile(
        PROFILE,
        max_examples=200,
        stateful_step_count=50,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


def full() -> bool:
    """Tell whether all is to be done; known once pytest is configured, so not in a conftest's own lines."""
    return settings.get_current_profile_name() == PROFILE


def amount(quick: T, all_of_it: T) -> T:
    """Return how many, how long or how fast: *quick* in every run, or *all_of_it*."""
    return all_of_it if full() else quick

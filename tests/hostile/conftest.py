"""A real server for whoever needs none of its own; `--hypothesis-profile=full` does all that there is."""

from hypothesis import HealthCheck, settings
from tests.live.conftest import knock, meet, node, wires

__all__ = ["knock", "meet", "node", "wires"]

settings.register_profile(
    "full",
    max_examples=200,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

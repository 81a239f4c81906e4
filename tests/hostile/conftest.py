"""A real server for whoever needs none of its own; `--hypothesis-profile=full` does all that there is."""

from tests.live.conftest import knock, meet, node, wires

__all__ = ["knock", "meet", "node", "wires"]

"""What deploy/ asks Prometheus: the dashboard's queries and the alerts'."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final, NamedTuple

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
ALERTS: Final = DEPLOY / "prometheus" / "alerts.yml"
ALERTS_TEST: Final = DEPLOY / "prometheus" / "alerts_test.yml"
CONFIG: Final = DEPLOY / "prometheus" / "prometheus.yml"
DASHBOARD: Final = DEPLOY / "grafana" / "tenmatch.json"
VARIABLES: Final = {"$node": ".*", "$__rate_interval": "10s"}
NAME: Final = re.compile(r"\b(?:tenmatch|process)_[a-z_]+|\bup\b")


class Query(NamedTuple):
    """One query of a dashboard's panel or of an alert."""

    title: str
    expr: str

    @property
    def names(self) -> set[str]:
        """The metrics that it reads."""
        return set(NAME.findall(re.sub(r"\{[^}]*\}|\"[^\"]*\"", "", self.expr)))


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    board: dict[str, Any] = json.loads(DASHBOARD.read_text())
    return board


def panels() -> list[Query]:
    """Return the queries of the dashboard's panels, as Grafana would send them."""
    found = []
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", ()):
            expr = target["expr"]
            for variable, value in VARIABLES.items():
                expr = expr.replace(variable, value)
            found.append(Query(panel["title"], expr))
    return found


def alerts() -> list[Query]:
    """Return the alerts' conditions."""
    pairs = re.findall(r"- alert: (\w+)\n\s+expr: (.+)", ALERTS.read_text())
    return [Query(name, expr) for name, expr in pairs]


def promtool(*arguments: str | Path) -> str:
    """Have promtool check something, and return what it said; a test fails where it complains."""
    ran = subprocess.run(["promtool", *arguments], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout

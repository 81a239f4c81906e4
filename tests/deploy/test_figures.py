"""The dashboard and the alerts: each query parses and asks for what there is, each alert goes off in time."""

import json
import re
import time
from pathlib import Path

import pytest
from tests.deploy.queries import (
    ALERTS,
    ALERTS_TEST,
    CONFIG,
    Query,
    alerts,
    dashboard,
    panels,
    promtool,
)
from tests.live.figures import scrape
from tests.live.node import Node


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What a server of two workers tells of, with what Prometheus adds."""
    asked_for = {name for query in [*panels(), *alerts()] for name in query.names}
    until = time.monotonic() + 30
    with Node(tmp_path_factory.mktemp("node"), workers=2, metrics_port=0) as node:
        while True:
            figures = scrape(node)
            # Some are told of once there is something to tell.
            declared = set(re.findall(r"^# TYPE (\w+) counter$", figures.text, re.MULTILINE))
            names = figures.names() | declared | {"up"}
            if asked_for <= names or time.monotonic() > until:
                return names
            time.sleep(0.1)  # a worker that takes long to answer is not asked again


@pytest.mark.slow
@pytest.mark.parametrize("query", [*panels(), *alerts()], ids=lambda query: query.title)
def test_every_metric_that_is_asked_for_is_there(names: set[str], query: Query) -> None:
    assert query.names
    assert not query.names - names


def test_every_query_of_the_dashboard_parses(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{number}", "expr": query.expr} for number, query in enumerate(panels())]
    file = tmp_path / "panels.yml"
    file.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))  # YAML has all of JSON
    assert f"{len(rules)} rules found" in promtool("check", "rules", file)


def test_the_alerts_are_rules() -> None:
    assert f"{len(alerts())} rules found" in promtool("check", "rules", ALERTS)
    assert "SUCCESS" in promtool("check", "config", CONFIG)


def test_each_alert_goes_off_when_it_should_and_not_before() -> None:
    assert "SUCCESS" in promtool("test", "rules", ALERTS_TEST)


def test_each_alert_is_tried_and_says_what_to_do() -> None:
    tried = ALERTS_TEST.read_text()
    for name, _ in alerts():
        assert f"alertname: {name}" in tried, name
        assert re.search(rf"alertname: {name}\n\s+exp_alerts:\n\s+- exp_labels", tried), name
    assert ALERTS.read_text().count("action:") == len(alerts())


def test_the_dashboard_stands_by_itself() -> None:
    board = dashboard()
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))
    for panel in board["panels"]:
        if panel["type"] != "row":
            assert panel["description"], panel["title"]
            assert panel["datasource"]["uid"] == "${source}", "whatever the data source is called there"
    places = [(p["gridPos"]["y"], p["gridPos"]["x"]) for p in board["panels"]]
    assert len(places) == len(set(places))

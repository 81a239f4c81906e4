"""What a server says of itself at /metrics, read as Prometheus would."""

import json
from collections.abc import Iterator
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample
from tests.live.node import Node


class Figures:
    """One answer."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.samples: list[Sample] = [
            sample for family in text_string_to_metric_families(text) for sample in family.samples
        ]

    def names(self) -> set[str]:
        """Return the names of all samples."""
        return {sample.name for sample in self.samples}

    def sum(self, name: str, **labels: str) -> float:
        """Return the sum of all samples of a name that have these labels."""
        found = list(self._fitting(name, labels))
        assert found, f"there is no {name} with {labels}"
        return sum(sample.value for sample in found)

    def _fitting(self, name: str, labels: dict[str, str]) -> Iterator[Sample]:
        for sample in self.samples:
            if sample.name == name and labels.items() <= sample.labels.items():
                yield sample


def address(node: Node) -> str:
    """Return where a server that was started with `metrics_port=0` gives its figures, as it logged."""
    lines = [json.loads(line) for line in node.log().splitlines() if "figures for Prometheus" in line]
    return f"{lines[-1]['host']}:{lines[-1]['port']}"


def scrape(node: Node) -> Figures:
    """Ask a server for its figures."""
    with urlopen(f"http://{address(node)}/metrics", timeout=10) as answer:
        return Figures(answer.read().decode())

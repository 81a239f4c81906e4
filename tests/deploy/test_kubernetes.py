"""The manifests are what Kubernetes takes, and fit each other and the nodes."""

import logging
from typing import Any

import kubernetes_validate
import pytest
from tests.deploy.files import DEPLOY, documents, values

from tenmatch.app.serving.workers import STOP_S

FOLDER = DEPLOY / "kubernetes"
[KUSTOMIZATION] = documents(FOLDER / "kustomization.yaml")
MANIFESTS = {
    file.name: documents(file) for file in sorted(FOLDER.glob("*.yaml")) if file.name != "kustomization.yaml"
}
VERSION = "1.33"  # of Kubernetes


def pods() -> dict[str, Any]:
    found: dict[str, Any] = MANIFESTS["nodes.yaml"][0]["spec"]["template"]
    return found


def test_all_of_them_are_applied() -> None:
    assert sorted(KUSTOMIZATION["resources"]) == sorted(MANIFESTS)


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_follows_its_schema(name: str) -> None:
    logging.getLogger("kubernetes_validate").setLevel(logging.WARNING)
    for manifest in MANIFESTS[name]:
        kubernetes_validate.validate(manifest, VERSION, strict=True)


def test_what_is_wrong_would_be_found() -> None:
    [service] = documents(FOLDER / "service.yaml")
    service["spec"]["ports"][0]["prot"] = 80
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(service, VERSION, strict=True)


def test_everything_selects_the_nodes() -> None:
    labels = pods()["metadata"]["labels"]
    for name in ("service.yaml", "budget.yaml", "network.yaml", "nodes.yaml"):
        spec = MANIFESTS[name][0]["spec"]
        selector = spec.get("selector") or spec["podSelector"]
        assert selector.get("matchLabels", selector) == labels, name


def test_every_port_that_is_named_is_one_of_a_node() -> None:
    [node] = pods()["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in node["ports"]}
    named = [
        port
        for manifests in MANIFESTS.values()
        for key in ("targetPort", "port")
        for port in values(manifests, key)
        if isinstance(port, str)
    ]
    assert set(named) <= ports.keys()
    literals = dict(line.split("=", 1) for line in KUSTOMIZATION["configMapGenerator"][0]["literals"])
    assert int(literals["TENMATCH_METRICS_PORT"]) == ports["metrics"]
    assert int(pods()["metadata"]["annotations"]["prometheus.io/port"]) == ports["metrics"]


def test_a_node_is_given_time_to_drain() -> None:
    spec = pods()["spec"]
    [node] = spec["containers"]
    command, seconds = node["lifecycle"]["preStop"]["exec"]["command"]
    assert command == "sleep"
    assert spec["terminationGracePeriodSeconds"] > int(seconds) + STOP_S

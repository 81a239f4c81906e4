"""Every variable that a file of deploy/ sets is a setting, and its value a good one."""

import re
from collections.abc import Mapping

import pytest
from tests.deploy.files import DEPLOY, documents

from tenmatch.app.settings import BadSettings, read_settings


def of_dockerfile() -> dict[str, str]:
    return dict(re.findall(r"(TENMATCH_\w+)=(\S+)", (DEPLOY / "docker" / "Dockerfile").read_text()))


def of_unit() -> dict[str, str]:
    lines = (DEPLOY / "systemd" / "tenmatch.service").read_text().splitlines()
    set_there = [line for line in lines if line.startswith("Environment=")]
    return dict(re.findall(r"(TENMATCH_\w+)=(\S+)", " ".join(set_there)))


def of_compose() -> dict[str, str]:
    [compose] = documents(DEPLOY / "compose" / "compose.yaml")
    found: dict[str, str] = compose["services"]["node1"]["environment"]
    return found | {"TENMATCH_REDIS": re.sub(r"\$\{.*\}", "secret", found["TENMATCH_REDIS"])}


def of_kubernetes() -> dict[str, str]:
    [kustomization] = documents(DEPLOY / "kubernetes" / "kustomization.yaml")
    [nodes] = documents(DEPLOY / "kubernetes" / "nodes.yaml")
    [made] = kustomization["configMapGenerator"]
    [node] = nodes["spec"]["template"]["spec"]["containers"]
    secret = {variable["name"]: "redis://tenmatch:secret@redis:6379" for variable in node["env"]}
    return dict(line.split("=", 1) for line in made["literals"]) | secret


@pytest.mark.parametrize(
    "variables",
    [of_dockerfile(), of_unit(), of_compose(), of_kubernetes()],
    ids=["docker", "systemd", "compose", "kubernetes"],
)
def test_variables_are_settings(variables: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert variables
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    chosen = read_settings()
    names = {f"TENMATCH_{field.upper()}" for field in chosen.model_fields_set}
    assert names == set(variables)


def test_and_variables_that_are_none_stop_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENMATCH_REDDIS", "redis://localhost")
    with pytest.raises(BadSettings, match="TENMATCH_REDDIS"):
        read_settings()

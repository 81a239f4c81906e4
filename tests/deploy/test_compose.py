"""Two nodes, Redis with a replica, nginx, Prometheus, Grafana: docker-compose takes the file; it is whole."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.deploy.files import DEPLOY, documents

FOLDER = DEPLOY / "compose"
[COMPOSE] = documents(FOLDER / "compose.yaml")
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PASSWORDS = {"REDIS_PASSWORD": "long", "GRAFANA_PASSWORD": "longer"}


def config(variables: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    command = ["docker-compose", "-f", str(FOLDER / "compose.yaml"), "config"]
    environment = {"PATH": os.environ["PATH"], **variables}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_docker_compose_takes_it() -> None:
    done = config(PASSWORDS)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("missing", PASSWORDS)
def test_but_not_without_a_password(missing: str) -> None:
    done = config({name: value for name, value in PASSWORDS.items() if name != missing})
    assert done.returncode != 0
    assert missing in done.stderr


def test_what_is_to_be_chosen_stands_in_the_example() -> None:
    named = set(re.findall(r"\$\{(\w+)", (FOLDER / "compose.yaml").read_text()))
    assert named == PASSWORDS.keys()
    example = (FOLDER / ".env.example").read_text()
    assert named <= set(re.findall(r"^(\w+)=", example, re.M))


def test_what_is_mounted_is_there() -> None:
    volumes = COMPOSE["volumes"].keys()
    for name, service in SERVICES.items():
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            made_later = source == "./certificate"
            assert source in volumes or made_later or (FOLDER / source).is_file(), (name, source)


def test_whoever_is_named_is_a_service() -> None:
    nginx = set(re.findall(r"server (\w+):8765", (FOLDER / "nginx.conf").read_text()))
    scraped = set(re.findall(r'"(\w+):9464"', (FOLDER / "prometheus.yml").read_text()))
    assert nginx == scraped == {"node1", "node2"} <= SERVICES.keys()
    [sources] = documents(FOLDER / "grafana.yml")
    assert [source["url"] for source in sources["datasources"]] == ["http://prometheus:9090"]


def test_every_image_of_others_has_a_version() -> None:
    for name, service in SERVICES.items():
        if "build" not in service:
            assert re.search(r":v?\d+\.\d+", service["image"]), name


def test_the_image_is_made_of_what_is_there() -> None:
    [build] = {(s["build"]["context"], s["build"]["dockerfile"]) for s in SERVICES.values() if "build" in s}
    context, dockerfile = FOLDER / build[0], build[1]
    assert (context / dockerfile).is_file()
    kept = [line[1:] for line in (context / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert all((Path(context) / name).exists() for name in kept), kept


def test_nginx_is_as_without_compose() -> None:
    """Only the names of things differ, and that plain HTTP leads to HTTPS."""
    ours, theirs = (_lines(folder / "nginx.conf") for folder in (DEPLOY, FOLDER))
    same = [re.sub(r"127\.0\.0\.1:876\d|node\d:8765", "NODE", line) for line in theirs]
    same = [line.replace("localhost", "play.example") for line in same]
    there = [re.sub(r"127\.0\.0\.1:876\d", "NODE", line) for line in ours]
    assert same[: len(there)] == there


def _lines(conf: Path) -> list[str]:
    text = conf.read_text()
    return text[text.index("upstream") :].splitlines()

"""The floors hold: a module imports its own floor and those below, and the pure floors stay pure."""

import ast
from pathlib import Path

import pytest

import tenmatch

PACKAGE = Path(tenmatch.__file__).parent
BELOW: dict[str, tuple[str, ...]] = {
    "rules": (),
    "game": ("rules",),
    "protocol": ("rules", "game"),
    "client": ("rules", "game", "protocol"),  # beside the server: it knows of it what the wire tells
    "store": ("rules", "game", "protocol"),
    "gateway": ("rules", "game", "protocol", "store"),
    "app": ("rules", "game", "protocol", "client", "store", "gateway"),
}
FLOORS = list(BELOW)
MODULES = sorted(PACKAGE.rglob("*.py"))

PURE = {"rules", "game", "protocol"}
IMPURE = {
    "asyncio", "datetime", "dotenv", "http", "io", "logging", "multiprocessing", "os", "pathlib", "random",
    "redis", "secrets", "selectors", "signal", "socket", "ssl", "subprocess", "sys", "threading", "time",
    "typer", "urllib", "uuid", "uvloop", "websockets",
}  # fmt: skip
ONLY_THERE = {
    "redis": {"store"},
    "websockets": {"client", "gateway", "app"},  # the app's plain HTTP answers speak its Request and Response
    "typer": {"app"},
    "pydantic_settings": {"app"},
}


def imported(path: Path) -> set[str]:
    """Return every module that a file imports, also inside functions and for types only."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return names


def floor_of(path: Path) -> str | None:
    """Return the floor a file belongs to; the package's own two files belong to none."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_its_own_floor_and_those_below(path: Path) -> None:
    floor = floor_of(path)
    if floor is None:
        return
    others = set(FLOORS) - {floor, *BELOW[floor]}
    wrong = {name for name in imported(path) for other in others if name.startswith(f"tenmatch.{other}")}
    assert not wrong, f"{floor} must not import {sorted(wrong)}"


@pytest.mark.parametrize(
    "path", [path for path in MODULES if floor_of(path) in PURE], ids=lambda path: path.stem
)
def test_the_pure_floors_have_no_clock_no_chance_and_no_input(path: Path) -> None:
    wrong = {name for name in imported(path) if name.split(".")[0] in IMPURE}
    assert not wrong, f"{floor_of(path)} is pure, but imports {sorted(wrong)}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_each_library_is_met_where_it_belongs(path: Path) -> None:
    for name in imported(path):
        floors = ONLY_THERE.get(name.split(".")[0])
        assert floors is None or floor_of(path) in floors, f"{name} belongs to {floors}"


def test_every_floor_is_there() -> None:
    assert {floor_of(path) for path in MODULES} == {*FLOORS, None}


def test_the_web_client_is_imported_by_nothing_and_imports_nothing_of_ours() -> None:
    client = PACKAGE.parent.parent / "client_demo"
    for path in client.rglob("*.py"):
        inside = {
            n for n in imported(path) if n.startswith("tenmatch.") and not n.startswith("tenmatch.client")
        }
        assert not inside, f"{path}: a client uses the public protocol only, not {sorted(inside)}"

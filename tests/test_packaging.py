"""What is packed: a source distribution, and from that a wheel which brings all that a server needs."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Final

import pytest
from tests.live.client import Client
from tests.live.node import Node
from tests.live.wire import fetch

import tenmatch

ROOT: Final = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


def run(*command: str) -> str:
    """Return all that a command says; it must not fail."""
    ran = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both, made without a word of complaint."""
    made = tmp_path_factory.mktemp("dist")
    said = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(made))
    assert not re.search("warn|deprecat", said, re.IGNORECASE), said
    return made


@pytest.fixture(scope="module")
def wheel(packed: Path) -> Path:
    [found] = packed.glob("*.whl")
    return found


def test_both_are_named_after_the_version(packed: Path) -> None:
    named = f"tenmatch-{tenmatch.__version__}"
    assert {path.name for path in packed.iterdir()} == {f"{named}.tar.gz", f"{named}-py3-none-any.whl"}


def test_the_source_distribution_has_every_file(packed: Path) -> None:
    [source] = packed.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    tracked = [name for name in run("git", "ls-files").splitlines() if (ROOT / name).is_file()]
    assert [name for name in tracked if name not in held] == []


def test_the_wheel_has_what_is_no_module_too(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    package, web = ROOT / "server" / "tenmatch", ROOT / "client_demo" / "web"
    wanted = {f"tenmatch/{path.relative_to(package)}" for path in package.rglob("*.*") if _packs(path)}
    wanted |= {f"tenmatch/web/{path.relative_to(web)}" for path in web.rglob("*.*") if _packs(path)}
    assert {"tenmatch/py.typed", "tenmatch/web/index.html", "tenmatch/store/scripts/append.lua"} <= wanted
    assert wanted - held == set()
    assert not [name for name in held if name.startswith(("tests/", "deploy/"))]


def _packs(path: Path) -> bool:
    return path.is_file() and path.suffix != ".pyc" and not {"types", "node_modules"} & set(path.parts)


class Installed(Node):
    """A server that was installed somewhere else."""

    def __init__(self, folder: Path, *program: str) -> None:
        self.program = program
        super().__init__(folder)


async def serves_all(node: Node) -> None:
    """See that it sends the page, and takes who comes."""
    page = await fetch(node.url, "/")
    assert page.status == 200
    assert b"Number Match" in page.body
    for name in re.findall(rb'(?:src|href)="(at/[^"]+)"', page.body):
        assert (await fetch(node.url, f"/{name.decode()}")).status == 200, name
    client = await Client.connect(node.url)
    await client.hello()
    made = await client.ask("create", mode="race")
    assert made["t"] == "snapshot"
    await client.close()


async def test_the_wheel_by_itself_serves_the_web_client(wheel: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(there), str(wheel))
    apart = ("env", f"PYTHONPATH={there}", sys.executable)
    assert run(*apart, "-c", "import tenmatch; print(tenmatch.__file__)").startswith(str(there))
    with Installed(tmp_path, *apart, "-m", "tenmatch") as node:
        await serves_all(node)


@pytest.mark.full
@pytest.mark.parametrize("what", ["wheel", "."])
async def test_it_is_installed_where_nothing_is(wheel: Path, tmp_path: Path, what: str) -> None:
    constraints = ROOT / "deploy" / "constraints.txt"
    target = str(wheel if what == "wheel" else ROOT)
    run(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    run(str(tmp_path / "venv/bin/pip"), "install", "-q", "-c", str(constraints), target)
    with Installed(tmp_path, "env", f"HOME={tmp_path}", str(tmp_path / "venv/bin/tenmatch")) as node:
        await serves_all(node)

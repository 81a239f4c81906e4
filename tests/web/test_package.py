"""The library as a package for npm: its types hold, and what would be published works once installed."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.npm import modules

import tenmatch

WEB = Path(__file__).parent.parent.parent / "client_demo" / "web"
PACKAGE = json.loads((WEB / "package.json").read_text())

USE = """
import { Client } from 'tenmatch';
import { Board } from 'tenmatch/board.js';
import { Tournament } from 'tenmatch/tournament.js';
import { verify } from 'tenmatch/verify.js';

const client: Client = new Client({ url: 'ws://127.0.0.1:9/v1', WebSocket: class {}, storage: null });
const board: Board = Board.parse('12.456789/9871');
const wrong: string | undefined = verify({})?.message;
console.log(client.status, board.left, typeof wrong, typeof Tournament);
"""


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def tsc(*flags: str, cwd: Path) -> None:
    run("node", str(modules() / "typescript" / "bin" / "tsc"), *flags, cwd=cwd)


def test_the_types_in_its_comments_hold() -> None:
    tsc("--project", str(WEB), cwd=WEB)


def test_it_has_the_version_of_the_server() -> None:
    assert PACKAGE["version"] == tenmatch.__version__


def test_it_is_whole_where_it_is_installed(tmp_path: Path) -> None:
    source, user = tmp_path / "source", tmp_path / "user"
    shutil.copytree(WEB, source)
    tsc("--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", "types", cwd=source)
    [packed] = json.loads(run("npm", "pack", "--json", "--ignore-scripts", cwd=source))
    named = {file["path"] for file in packed["files"]}
    assert {"package.json", "README.md", "tenmatch.js", "types/tenmatch.d.ts"} <= named
    assert "app.js" not in named
    installed = user / "node_modules" / "tenmatch"
    installed.mkdir(parents=True)
    run("tar", "xf", str(source / packed["filename"]), "--strip-components=1", cwd=installed)
    (user / "package.json").write_text('{"type": "module"}')
    (user / "use.mts").write_text(USE)
    tsc("--strict", "--module", "nodenext", "--target", "es2022", "use.mts", cwd=user)
    assert run("node", "use.mjs", cwd=user) == "idle 12 string function\n"


@pytest.mark.parametrize("name", sorted(PACKAGE["exports"]))
def test_what_it_offers_is_there(name: str) -> None:
    assert (WEB / PACKAGE["exports"][name]["default"]).is_file()

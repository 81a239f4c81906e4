"""Modules joined for the way: they do what they did apart, and what is not understood is refused."""

import json
import subprocess
from pathlib import Path

import pytest

from tenmatch.app.bundle import NotJoinable, joined, needed

# Two entries and modules that stay by themselves; each form of import and export, and the same names in all.
SOURCES = {
    "app.js": """import * as sums from './sums.js';
import { add as plus, log } from './sums.js';
import { Box } from './box.js';
const own = 1;
export const told = () => [plus(own, 2), sums.times(2, 3), new Box(4).own, log.length];
""",
    "sums.js": """import { one } from './one.js';
export { one };
export { zero as nothing } from './one.js';
const own = 10;
export function add(a, b) {
  log.push(own);
  return a + b;
}
export async function later() {}
export function* all() {}
export const times = (a, b) => a * b;
export const log = [];
""",
    "one.js": "export const one = 1;\nexport const zero = 0;\n",
    "box.js": "export class Box {\n  constructor(own) {\n    this.own = own;\n  }\n}\n",
    "late.js": """import { add, log, nothing, one } from './sums.js';
import { shared } from './apart.js';
export const told = () => (add(one, nothing), [log.length, shared]);
""",
    "apart.js": "import { one } from './one.js';\nexport const shared = one + 1;\n",
    "alone.js": """import { told } from './late.js';
import {
  one,
  zero as none,
} from './one.js';
import { free } from './free.js';
export const all = () => [told(), one, none, free];
""",
    "free.js": "export const free = true;\n",
}
ENTRIES = ("app.js", "late.js")
RUN = """const { told, $ } = await import('./app.js');
const first = told();
const { all } = await import('./alone.js');
console.log(JSON.stringify([first, all(), $['sums.js'].log.length]));
"""


def test_joined_they_do_what_they_did_apart(tmp_path: Path) -> None:
    files = joined(SOURCES, ENTRIES)
    assert set(files) == {"app.js", "late.js", "alone.js", "free.js"}
    for name, text in {**files, "run.js": RUN, "package.json": '{"type": "module"}'}.items():
        (tmp_path / name).write_text(text)
    ran = subprocess.run(["node", "run.js"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [[3, 6, 4, 1], [[2, 2], 1, 0, True], 2]


def test_each_comes_after_those_that_it_imports() -> None:
    assert needed(SOURCES, "app.js") == ["one.js", "sums.js", "box.js", "app.js"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import one from './one.js';", "import one from"),
        ("import './one.js';", "import './one.js'"),
        ("export default 1;", "export default 1"),
        ("export let a = 1;", "export let a"),
        ("export const [a, b] = [1, 2];", "export const"),
        ("export * from './one.js';", "export *"),
        ("import { a } from './nowhere.js';", "app.js imports nowhere.js"),
        ("import { a } from './app.js';", "app.js → app.js"),
    ],
)
def test_what_is_not_understood_is_refused(source: str, words: str) -> None:
    with pytest.raises(NotJoinable) as refused:
        joined({**SOURCES, "app.js": source}, ENTRIES)
    assert words in str(refused.value)

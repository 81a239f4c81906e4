"""JavaScript modules joined for the way: what a screen needs comes in one answer.

Each plain answer costs a connection of its own here, and on a telephone far away each connection costs
time. The modules themselves stay as they are written: this knows the forms of `import` and `export` that they
use, and refuses others.

In a joined file each module is a block of its own, so no two see each other's names, after those that it
imports. What they export stands in one object, `$`, by their names, for the others and for what comes later.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

# import { a, b as c } from './x.js';   import * as x from './x.js';
IMPORT: Final = re.compile(r"^import\s+(?:\{([^}]*)\}|\*\s+as\s+(\w+))\s+from\s+'\./([\w.]+)';", re.M)
# export { a, b };   export { a } from './x.js';
LISTED: Final = re.compile(r"^export\s+\{([^}]*)\}(?:\s+from\s+'\./([\w.]+)')?;", re.M)
# export const a = …, export async function a(…), export class A …
DECLARED: Final = re.compile(r"^export\s+(?=(?:const|class|async\s+function|function)\b)", re.M)
NAME: Final = re.compile(r"(?:const|class|(?:async\s+)?function\*?)\s+(\w+)")
OTHER: Final = re.compile(r"^(?:import|export)\b(?!\().*", re.M)


class NotJoinable(Exception):
    """A module imports or exports in a form that is not known here, or two import each other."""


def needed(sources: Mapping[str, str], entry: str) -> list[str]:
    """Return a module and all that it cannot run without, each after those that it imports.

    Raises:
        NotJoinable: Two import each other, or what is imported does not exist.
    """
    order: list[str] = []
    _visit(sources, entry, order, ())
    return order


def _visit(sources: Mapping[str, str], name: str, order: list[str], path: tuple[str, ...]) -> None:
    if name in path:
        raise NotJoinable(f"modules import each other: {' → '.join((*path, name))}")
    if name not in sources:
        raise NotJoinable(f"{path[-1] if path else 'nothing'} imports {name}, which does not exist")
    if name in order:
        return
    for other in _imports(sources[name]):
        _visit(sources, other, order, (*path, name))
    order.append(name)


def _imports(source: str) -> list[str]:
    named = [found[2] for found in IMPORT.findall(source)]
    return named + [found[1] for found in LISTED.findall(source) if found[1]]


def joined(sources: Mapping[str, str], entries: Sequence[str]) -> dict[str, str]:
    """Return every module as it is to be sent, by name.

    Under the name of an entry comes all that it needs and no entry before it has. What belongs to an entry
    has no file of its own any more; all others import it from there.

    Raises:
        NotJoinable: See there.
    """
    home: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    for entry in entries:
        parts[entry] = [name for name in needed(sources, entry) if name not in home]
        home.update(dict.fromkeys(parts[entry], entry))
    alone = {name: [name] for name in sources if name not in home}
    return {name: _file(sources, name, members, home) for name, members in {**parts, **alone}.items()}


def _file(sources: Mapping[str, str], name: str, members: Sequence[str], home: Mapping[str, str]) -> str:
    """Return a file of these modules, which are named *name* together."""
    if home.get(name) != name:
        return _alone(sources[name], home)
    spaces = _spaces({home[other] for member in members for other in _imports(sources[member])} - {name})
    own = {**spaces, name: "$"}
    within = {other: own[entry] for other, entry in home.items() if entry in own}
    blocks = [_block(member, sources[member], within) for member in members]
    # Who imports the entry gets what it exports, as if nothing were joined to it.
    own_exports = f"export const {{ {', '.join(blocks[-1][1])} }} = $['{name}'];" if blocks[-1][1] else ""
    return "\n".join([*_heads(spaces), "export const $ = {};", *(text for text, _ in blocks), own_exports])


def _spaces(entries: Iterable[str]) -> dict[str, str]:
    """Return what the objects of other files are called in one."""
    return {entry: f"${at}" for at, entry in enumerate(sorted(set(entries)))}


def _heads(spaces: Mapping[str, str]) -> list[str]:
    return [f"import {{ $ as {space} }} from './{entry}';" for entry, space in spaces.items()]


def _alone(source: str, home: Mapping[str, str]) -> str:
    """Return a module that stays by itself, with what others are joined into."""
    spaces = _spaces(home[other] for other in _imports(source) if other in home)

    def take(found: re.Match[str]) -> str:
        names, whole, other = found.groups()
        return _taken(names, whole, spaces[home[other]], other) if other in home else found[0]

    return "\n".join([*_heads(spaces), IMPORT.sub(take, source)])


def _block(name: str, source: str, spaces: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return a module as a block, and what it exports.

    Args:
        spaces: In which object what it imports is to be found.
    """
    exports: dict[str, str] = {}

    def listed(found: re.Match[str]) -> str:
        names, other = found.groups()
        place = f"{spaces[other]}['{other}']." if other else ""
        exports.update({outer: f"{place}{inner}" for inner, outer in _pairs(names)})
        return ""

    body = IMPORT.sub(lambda found: _taken(found[1], found[2], spaces[found[3]], found[3]), source)
    body = LISTED.sub(listed, body)
    for found in DECLARED.finditer(body):
        declared = NAME.match(body, found.end())
        if declared is None:
            raise NotJoinable(
                f"{name}: {body[found.start() :].partition(chr(10))[0]!r} is no form known here"
            )
        exports[declared[1]] = declared[1]
    body = DECLARED.sub("", body)
    if unknown := OTHER.search(body):
        raise NotJoinable(f"{name}: {unknown[0]!r} is no form known here")
    told = ", ".join(key if key == value else f"{key}: {value}" for key, value in exports.items())
    return f"{{\n{body.rstrip()}\n$['{name}'] = {{ {told} }};\n}}", list(exports)


def _taken(names: str | None, whole: str | None, space: str, module: str) -> str:
    """Return what stands for an import: of single names, or of a module as a whole."""
    if whole is not None:
        return f"const {whole} = {space}['{module}'];"
    told = ", ".join(inner if inner == outer else f"{inner}: {outer}" for inner, outer in _pairs(names or ""))
    return f"const {{ {told} }} = {space}['{module}'];"


def _pairs(names: str) -> Iterator[tuple[str, str]]:
    """Yield each of `a, b as c` as what it is called inside and outside."""
    for name in filter(None, (part.strip() for part in names.split(","))):
        inner, _, outer = name.partition(" as ")
        yield inner, outer or inner

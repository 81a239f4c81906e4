"""The project as a whole: what its documents say of it is so."""

import re
import subprocess
from pathlib import Path

import pytest

import tenmatch
from tenmatch.app.settings import PREFIX, Settings

ROOT = Path(__file__).parent.parent
TOP_LEVEL = {
    *(
        ".ci",
        ".dockerignore",
        ".gitignore",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "Makefile",
        "README.md",
        "SECURITY.md",
        "pyproject.toml",
    ),
    *("client_demo", "deploy", "server", "tests"),
}


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def test_the_top_level_holds_what_every_project_has_and_no_more() -> None:
    assert {name.split("/")[0] for name in tracked()} == TOP_LEVEL


@pytest.mark.parametrize("folder", ["server", "client_demo", "tests", "deploy"])
def test_each_top_folder_says_what_is_in_it(folder: str) -> None:
    assert (ROOT / folder / "README.md").read_text().startswith("# ")


def test_the_version_is_in_the_changelog() -> None:
    assert f"## [{tenmatch.__version__}] - " in (ROOT / "CHANGELOG.md").read_text()


def test_every_setting_is_described_with_its_default() -> None:
    rows = dict(
        re.findall(r"^\| `(\w+)` \| (.*?) \|", (ROOT / "deploy" / "README.md").read_text(), re.MULTILINE)
    )
    settings = {PREFIX + name.upper(): field.default for name, field in Settings.model_fields.items()}
    assert rows.keys() == settings.keys()
    for name, default in settings.items():
        shown = (
            ""
            if default in (None, ())
            else str(default).lower()
            if isinstance(default, bool)
            else str(default)
        )
        assert rows[name] == shown, name


@pytest.mark.parametrize("document", [name for name in tracked() if name.endswith(".md")])
def test_links_in_documents_lead_somewhere(document: str) -> None:
    path = ROOT / document
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text()):
        if "://" not in link:
            assert (path.parent / link).exists(), f"{document}: {link}"


def anchors(document: str) -> list[str]:
    """Return where links into a document can lead: its headings, as they are made into anchors."""
    headings = re.findall(r"^#+ (.+)$", (ROOT / document).read_text(), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("document", [name for name in tracked() if name.endswith(".md")])
def test_links_within_documents_lead_to_headings(document: str) -> None:
    path = ROOT / document
    for file, anchor in re.findall(r"\]\(([\w./-]*\.md)?#([^)\s]+)\)", path.read_text()):
        there = (path.parent / file).resolve().relative_to(ROOT) if file else document
        assert anchor in anchors(str(there)), f"{document}: {file}#{anchor}"


def test_the_contents_of_the_protocol_list_every_chapter() -> None:
    text = (ROOT / "server" / "protocol.md").read_text()
    contents = text[: text.index("## ")]
    chapters = [line for line in text.splitlines() if line.startswith("## ")]
    for chapter in chapters:
        assert f"[{chapter.removeprefix('## ')}](#" in contents, chapter


def test_no_file_names_a_path_of_one_machine() -> None:
    for name in tracked():
        path = ROOT / name
        if path.suffix in {
            ".py",
            ".md",
            ".toml",
            ".js",
            ".mjs",
            ".txt",
            ".lua",
            ".html",
            ".css",
            ".conf",
            ".json",
        }:
            assert not re.search(r"/(?:home|root|work|Users)/[a-z]", path.read_text()), name

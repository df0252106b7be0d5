"""The pages' links, in the repository and on the site that `make docs` builds of them."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.papers.pages import ROOT, page, repository

PAGES = [str(file.relative_to(ROOT)) for file in repository() if file.suffix == ".md" and "tests" not in file.parts]
SHOWN = [name for name in PAGES if not name.startswith((".github", "mind_box"))]


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.S | re.M)


def anchors(text: str) -> set[str]:
    """As GitHub makes them of headings."""
    heads = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page(name))):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        assert file.exists(), f"{name}: {target}"
        if anchor:
            assert anchor in anchors(file.read_text(encoding="utf-8")), f"{name}: {target}"


class Html(HTMLParser):
    """What a page has and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids.add(given.get("id", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in ("script", "img", "iframe", "source") and "src" in given:
            self.loaded.append(given["src"])
        elif tag == "link" and given.get("rel") != "canonical":
            self.loaded.append(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Html]:
    place = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(place)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return {file: Html(file.read_text(encoding="utf-8")) for file in place.rglob("*.html") if file.name != "404.html"}


@pytest.mark.slow
def test_every_page_is_on_the_site(site: dict[Path, Html]) -> None:
    place = next(file.parent for file in site if file.with_name("sitemap.xml").exists())
    built = {str(file.relative_to(place).with_suffix(".md")) for file in site}
    assert built == {re.sub(r"README\.md$", "index.md", name) for name in SHOWN}


@pytest.mark.slow
def test_every_link_of_the_site_leads_somewhere(site: dict[Path, Html]) -> None:
    for file, html in site.items():
        for link in [*html.links, *html.loaded]:
            to = urlsplit(link)
            if not to.scheme:
                target = (file.parent / unquote(to.path)).resolve() if to.path else file
                assert target.is_file(), f"{file.name}: {link}"
                if to.fragment and target in site:
                    assert unquote(to.fragment) in site[target].ids, f"{file.name}: {link}"


@pytest.mark.slow
def test_the_site_needs_no_other_server(site: dict[Path, Html]) -> None:
    assert [(f.name, src) for f, html in site.items() for src in html.loaded if urlsplit(src).netloc] == []
    styles = [style.read_text() for f in site for style in f.parent.glob("css/*.css")]
    assert styles and not any(re.search(r"url\([\"']?https?:|@import", style) for style in styles)


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_reads_the_same_on_the_site_as_in_the_repository(name: str) -> None:
    """The site's Markdown wants an empty line before a list or table, and steps of four blanks inside a list."""
    block: list[str] = []
    fenced = False
    for number, line in enumerate(page(name).splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        where = f"{name}, line {number}: {line}"
        if line.lstrip().startswith("```"):
            assert indent % 4 == 0, f"{where}: a fence in a list is indented by four"
            fenced = not fenced
        elif not fenced and line.strip():
            starts = next((kind for kind in (r"\|", r"[-*] ", r"\d+\. ") if re.match(kind, line.lstrip())), None)
            assert block or indent % 4 == 0, f"{where}: after an empty line a list goes on with four blanks"
            if starts and indent < 4:
                assert not block or any(re.match(starts, b.lstrip()) for b in block), f"{where}: an empty line before"
        block = [*block, line] if line.strip() and not fenced else []

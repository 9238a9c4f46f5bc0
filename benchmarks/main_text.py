"""Which library finds the main text of a page best, and at what price, on pages whose main text is known.

    python benchmarks/main_text.py --corpora FOLDER [--half even|odd] [--pages 120]

Pages whose main text is known are of two kinds. Recorded pages have it in an element that their makers marked (the body
of a Sphinx manual, the article of a newspaper). Composed pages are made here: paragraphs of a recorded page in one of
four layouts, with a menu, a cookie note, related links, a form and a footer around them, which other pages give.
The element of a recorded page is marked for the libraries too (role=main, <article>), so the composed pages, half of
which have no marks at all, are told apart.

Words are compared as they come, as often as they come. A page counts as much as any other. Each library runs in an
environment of its own (build/main-text), on one core. `all` is the whole visible text, as wolfspider exports it;
`wolfspider` is `main_text` of this program. Choose on --half even, report on --half odd.
"""

from __future__ import annotations

import argparse
import html as markup
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from wolfspider.core.model import host_of
from wolfspider.web.page.charset import decoded
from wolfspider.web.page.main_text import main_text
from wolfspider.web.page.plaintext import readable
from wolfspider.web.worlds.recorded import Recorded

HERE = Path(__file__).resolve().parent
VENVS = {  # what is installed for each
    "trafilatura": ("trafilatura==2.3.1", "lxml_html_clean==0.4.6"),
    "resiliparse": ("resiliparse==1.1.0",),
    "readability-lxml": ("readability-lxml==0.9",),
    "justext": ("justext==3.0.2", "lxml_html_clean==0.4.6"),
}
LIBRARIES = ("trafilatura", "trafilatura-fast", "trafilatura-recall", "resiliparse", "readability-lxml", "justext")
SPHINX = """
    docs.python.org docs.astropy.org flask.palletsprojects.com scikit-learn.org docs.scipy.org docs.scrapy.org
    docs.sqlalchemy.org pandas.pydata.org requests.readthedocs.io bind9.readthedocs.io downloads.haskell.org
"""
CONTAINERS = {  # of the hosts whose pages mark their main text; others are left out
    "schools-wikipedia.org": "#bodyContent",
    "old.felixonline.co.uk": "article",
    "www.discoverdev.io": "main",
    "httpd.apache.org": "#page-content",
    "tomcat.apache.org": "#content",
    "en.cppreference.com": "#bodyContent",
    "eigen.tuxfamily.org": "div.contents",
    "lilypond.org": "#main",
    "docs.sympy.org": "[role=main]",
    "docs.oracle.com": "main",
    "commons.apache.org": "main",
} | dict.fromkeys(SPHINX.split(), "[role=main]")
NOT_TEXT = "script, style, nav, form, .headerlink, .toc, #toc, .editsection, [role=navigation]"
FEW = 60  # words; a page with fewer has nothing to find
WORD = re.compile(r"\w+")
COOKIES = (
    "We use cookies to store information on your device and to personalise content. Accept all or manage your choice.",
    "This site uses cookies to improve your experience. Read our privacy policy to learn how we handle your data.",
)


class Labelled(NamedTuple):
    """A page and what is known of it."""

    kind: str
    html: str
    paragraphs: tuple[str, ...]

    @property
    def words(self) -> Counter[str]:
        return Counter(WORD.findall(" ".join(self.paragraphs).casefold()))


def recorded(folder: Path, count: int, half: int) -> Iterator[Labelled]:
    """Pages of a recorded web, as many of each host."""
    world, by_host = Recorded(folder), dict[str, list[str]]()
    for number in range(len(world)):
        url = world.url(number)
        if host_of(url) in CONTAINERS:
            by_host.setdefault(host_of(url), []).append(url)
    for host, urls in sorted(by_host.items()):
        draw = random.Random(host)
        found = (labelled(world, url, host) for url in draw.sample(sorted(urls), len(urls)))
        wanted = -(-2 * count // len(by_host))
        pages = [page for page, _ in zip((page for page in found if page is not None), range(wanted), strict=False)]
        yield from pages[half::2]


def labelled(world: Recorded, url: str, host: str) -> Labelled | None:
    answer = world.record(url, world.start)
    text, _ = decoded(answer.headers.get("content-type", ""), answer.body)
    tree = LexborHTMLParser(text)
    main = tree.css_first(CONTAINERS[host])
    if main is None or not text:
        return None
    for node in main.css(NOT_TEXT):
        node.decompose()
    paragraphs = tuple(readable(f"<body>{main.html}".encode(), "text/html; charset=utf-8").split("\n\n"))
    page = Labelled(world.name, text, paragraphs)
    return page if page.words.total() >= FEW else None


def composed(pages: list[Labelled], count: int) -> Iterator[Labelled]:
    """Pages made of the paragraphs of others."""
    headings = [part for page in pages for part in page.paragraphs if 3 <= len(part.split()) <= 12]
    for number, page in enumerate(pages[:count]):
        draw = random.Random(f"{number} {page.paragraphs[0]}")
        body = [part for part in page.paragraphs if len(part.split()) >= 12][: draw.randint(3, 25)]
        if sum(len(part.split()) for part in body) >= FEW:
            layout = LAYOUTS[number % len(LAYOUTS)]
            yield Labelled(f"composed, {layout.__name__}", layout(body, draw, headings), tuple(body))


def links(texts: Iterable[str]) -> str:
    return "".join(f'<li><a href="/{number}">{markup.escape(text)}</a></li>' for number, text in enumerate(texts))


def pieces(body: list[str], draw: random.Random, headings: list[str]) -> dict[str, str]:
    inside = draw.randrange(len(body))  # a paragraph after which related links stand in the middle of the text
    related = f"<p>Read more</p><ul>{links(draw.sample(headings, 3))}</ul>"
    shown = [f"<p>{markup.escape(part)}</p>" for part in body]
    return {
        "menu": f"<ul>{links(' '.join(text.split()[:3]) for text in draw.sample(headings, 25))}</ul>",
        "cookies": f"<p>{draw.choice(COOKIES)}</p><button>Accept all</button><button>Manage</button>",
        "body": "".join(shown),
        "interrupted": "".join((*shown[: inside + 1], f'<div class="related">{related}</div>', *shown[inside + 1 :])),
        "related": f"<h3>Related articles</h3><ul>{links(draw.sample(headings, 12))}</ul>",
        "form": '<form><p>Sign up for our newsletter and never miss a story</p><input name="mail"></form>',
        "footer": f"<p>Copyright 2026. All rights reserved.</p><ul>{links(draw.sample(headings, 8))}</ul>",
    }


def page_of(title: str, body: str) -> str:
    return f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"


def marked(body: list[str], draw: random.Random, headings: list[str]) -> str:
    part = pieces(body, draw, headings)
    return page_of(
        "marked",
        f'<div class="cookie-banner" role="dialog">{part["cookies"]}</div><header><nav>{part["menu"]}</nav></header>'
        f"<main><article>{part['body']}</article></main><aside>{part['related']}{part['form']}</aside>"
        f"<footer>{part['footer']}</footer>",
    )


def named(body: list[str], draw: random.Random, headings: list[str]) -> str:
    part = pieces(body, draw, headings)
    return page_of(
        "named",
        f'<div id="header"><div class="menu">{part["menu"]}</div></div><div class="post-content">'
        f'{part["interrupted"]}</div><div class="sidebar">{part["related"]}{part["form"]}</div>'
        f'<div id="footer">{part["footer"]}</div><div id="cookie-notice">{part["cookies"]}</div>',
    )


def nameless(body: list[str], draw: random.Random, headings: list[str]) -> str:
    part = pieces(body, draw, headings)
    return page_of(
        "nameless",
        f"<div>{part['menu']}</div><div><div>{part['body']}</div><div>{part['related']}</div></div>"
        f"<div>{part['form']}</div><div>{part['footer']}</div><div>{part['cookies']}</div>",
    )


def tabled(body: list[str], draw: random.Random, headings: list[str]) -> str:
    part = pieces(body, draw, headings)
    return page_of(
        "tabled",
        f"<table><tr><td colspan=3>{part['cookies']}</td></tr><tr><td>{part['menu']}</td><td>{part['body']}</td>"
        f"<td>{part['related']}{part['form']}</td></tr><tr><td colspan=3>{part['footer']}</td></tr></table>",
    )


LAYOUTS = (marked, named, nameless, tabled)


class Found(NamedTuple):
    text: str
    seconds: float
    problem: str = ""


def python_of(library: str) -> Path:
    """The interpreter of the environment with this library, made on first use."""
    name = next(name for name in VENVS if library.startswith(name))
    folder = Path("build/main-text", name).absolute()
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *VENVS[name]], check=True)
    return python


def by_library(library: str, folder: Path) -> list[Found]:
    command = [str(python_of(library)), str(HERE / "rivals" / "main_text_once.py"), library, str(folder)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, timeout=1800).stdout.splitlines()
    return [Found(**json.loads(line)) for line in lines]


def by_ourselves(name: str, pages: list[Labelled]) -> list[Found]:
    found = []
    for page in pages:
        began = time.process_time()
        if name == "all":
            text = readable(page.html.encode(), "text/html; charset=utf-8")
        else:
            text = main_text(page.html, "http://a.test/")
        found.append(Found(text, time.process_time() - began))
    return found


def quality(page: Labelled, found: Found) -> tuple[float, float, float, float]:
    """Precision and recall of words, their mean (F1), and the share of paragraphs that are whole."""
    words, wanted = Counter(WORD.findall(found.text.casefold())), page.words
    common = (words & wanted).total()
    precision, recall = common / max(1, words.total()), common / wanted.total()
    lines = {" ".join(line.split()) for line in found.text.split("\n")}
    long = [part for part in page.paragraphs if len(part.split()) >= 12]
    whole = sum(part in lines for part in long) / len(long) if long else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0, whole


def table(pages: list[Labelled], results: dict[str, list[Found]]) -> Iterator[str]:
    yield "| library | pages | precision | recall | F1 | F1 below .5 | paragraphs whole | CPU ms a page | errors |"
    yield "|---|---|---|---|---|---|---|---|---|"
    kinds = sorted({page.kind for page in pages})
    for kinds_shown, label in [(kinds, "all pages"), *(([kind], kind) for kind in kinds)]:
        yield f"| **{label}** | | | | | | | | |"
        for library, found in results.items():
            both = [(page, one) for page, one in zip(pages, found, strict=True) if page.kind in kinds_shown]
            scores = [quality(page, one) for page, one in both]
            mean = [sum(column) / len(scores) for column in zip(*scores, strict=True)]
            poor = sum(score[2] < 0.5 for score in scores) / len(scores)
            cost = 1000 * sum(one.seconds for _, one in both) / len(both)
            errors = sum(bool(one.problem) for _, one in both)
            yield (
                f"| {library} | {len(both)} | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.3f} | {poor:.0%} | "
                f"{mean[3]:.0%} | {cost:.2f} | {errors} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True, help="folder with the recorded webs wiki, docs and news")
    parser.add_argument("--half", choices=("even", "odd"), default="odd")
    parser.add_argument("--pages", type=int, default=120, help="of each recorded web")
    parser.add_argument("--only", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    chosen = parser.parse_args()
    half = ("even", "odd").index(chosen.half)
    found = [list(recorded(chosen.corpora / name, chosen.pages, half)) for name in ("wiki", "docs", "news")]
    pages = [page for group in found for page in group]
    pages += composed([page for trio in zip(*found, strict=False) for page in trio], chosen.pages)
    results = {name: by_ourselves(name, pages) for name in ("all", "wolfspider")}
    with tempfile.TemporaryDirectory() as folder:
        for number, page in enumerate(pages):
            Path(folder, f"{number:04}.html").write_text(page.html, "utf-8")
        for library in chosen.only:
            results[library] = by_library(library, Path(folder))
            print(f"{library} done", file=sys.stderr, flush=True)
    print(f"{len(pages)} pages, {chosen.half} half")
    print("\n".join(table(pages, results)))


if __name__ == "__main__":
    main()

"""Where nothing is compiled, the same pages come out: other code reads them, and must agree in every field."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from pathlib import Path

from wolfspider.core.model import Failure, Fetch
from wolfspider.store.row_codec import packed_page
from wolfspider.testing.mutated_markup import mutated
from wolfspider.web.page.html import parse
from wolfspider.web.worlds.synthetic import Synthetic
from wolfspider.web.worlds.world import open_web

PROGRAM = """
import sys
from pathlib import Path

src = Path(sys.argv[1])
compiled = [".".join(path.relative_to(src).with_suffix("").parts) for path in src.rglob("*.pyx")]
sys.modules.update(dict.fromkeys(compiled))  # to import one of them fails
from wolfspider.core import text
from wolfspider.web.page import html

assert compiled and text._parted is text.slowly_parted and text._signature is text.slow_signature
assert html.read_octets.__module__ == html.__name__
from tests.web.test_without_compiled_code import digests

print(*digests(), sep="\\n")
"""
ODD = (
    "<!doctype html><html lang=en><title>Näh &amp; fern</title><body><p>Ein &#8212; Wort &rarr; noch&nbsp;eins &bogus;",
    "<p>short",
    "<p>zwei Wörter",
    "<title>  </title> <div class='a b' id=c> \n <p>a<b> b </b>c<a href=/x><img alt='a picture'></a><a href='../y'> z",
    "<body>हिन्दी 日本語 <a href=?q rel='nofollow  me'>link</a>" + " word" * 12,
    "<p>" + "a-very-long-word-" * 9 + " " + "x" * 200 + " \U0001d400\U0001d401 \u00bd",
)


def digests() -> list[str]:
    """Of what pages become."""
    rng = random.Random(17)
    world = open_web("synthetic:pages=1000,seed=3")
    assert isinstance(world, Synthetic)
    bodies = [body for number in range(40) if (body := world.look(world.addresses.url(number), world.start).body)]
    texts = [*ODD, *(body.decode() for body in bodies), *(mutated(body.decode(), rng) for body in bodies for _ in "12")]
    return [digest(text) for text in texts]


def digest(text: str) -> str:
    url = "http://a.example/folder/page.html"
    page = parse(Fetch(url, url, 200, {"content-type": "text/html; charset=utf-8"}, text.encode(), at=1.8e9))
    return repr(page) if isinstance(page, Failure) else hashlib.sha256(packed_page(page)).hexdigest()


def test_pages_are_the_same_without_compiled_code() -> None:
    root = Path(__file__).parents[2]
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root / "src")], cwd=root, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines() == digests()

"""A page that was parsed leaves no circle of references behind: in a crawl garbage is sought seldom."""

from __future__ import annotations

import gc

import pytest

from wolfspider.core.model import Fetch, Page
from wolfspider.web.page.html import parse
from wolfspider.web.page.page_reading import PageReading

PAGES = {
    "plain": "<html><head><title>Wolf</title></head><body><p>A wolf <a href=/x>spider</a> hunts.</p></body></html>",
    "hidden parts": "<title>Wolf</title><div hidden>no</div><p>A <a href=/x>spider</a><time datetime=2020>x</time>",
    "broken": "<a href=/x><table><td><a href=/y>two</a>three</table></a><b><i></b>text</i>",
    "frames": "<frameset><frame src=/a><frame src=/b></frameset><svg><a href=/c>x</a></svg><math>y</math>",
}


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_what_a_page_was_read_by_is_gone_when_it_is_read(html: str) -> None:
    fetch = Fetch("http://a.test/", "http://a.test/", 200, {"content-type": "text/html"}, html.encode())
    gc.collect()
    gc.disable()
    try:
        assert isinstance(parse(fetch), Page)
        left = [found for found in gc.get_objects() if isinstance(found, PageReading)]
    finally:
        gc.enable()
    assert left == []

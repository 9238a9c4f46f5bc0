from __future__ import annotations

import sys
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.page import pdf
from wolfspider.web.page.html import parse

URL = "http://example.org/dir/paper.pdf"


def fetch(body: bytes, content_type: str = "application/pdf") -> Fetch:
    return Fetch(URL, URL, 200, {"content-type": content_type}, body, at=1.6e9)


def written(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """A PDF of these objects; the first is its catalog."""
    out = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer\n<</Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF" % (size, trailer, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + end


def stream(data: bytes, coding: bytes = b"") -> bytes:
    return b"<</Length %d %s>>\nstream\n%s\nendstream" % (len(data), coding, data)


def shown(text: bytes) -> bytes:
    return stream(b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % text)


FONT = b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>"
AREA = b"<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /A <</S /URI /URI (%s)>>>>"


def paper(first: bytes = b"Hello great world", second: bytes = b"Second page") -> bytes:
    page = b"<</Type /Page /Parent 2 0 R /Resources <</Font <</F1 3 0 R>>>> /Contents %d 0 R /Annots [%s]>>"
    links = AREA % b"other.html" + AREA % b"mailto:me@here" + AREA % b"http://a.example/x"
    objects = [
        b"<</Type /Catalog /Pages 2 0 R /Lang (en-GB)>>",
        b"<</Type /Pages /Kids [4 0 R 5 0 R] /Count 2>>",
        FONT,
        page % (6, links),
        page % (7, AREA % b"http://a.example/x"),
        shown(first),
        shown(second),
        b"<</Title (On  spiders) /CreationDate (D:20181029120000Z)>>",
    ]
    return written(objects, b"/Info 8 0 R")


def read(body: bytes) -> Page:
    found = parse(fetch(body))
    assert isinstance(found, Page), found
    return found


def test_a_pdf_is_a_page() -> None:
    found = read(paper())
    assert found.title == "On spiders"
    assert found.words == ("on", "spiders", "hello", "great", "world", "second", "page")
    assert (found.type, found.language, found.published) == ("application/pdf", "en", 1540814400.0)
    assert (found.truncated, found.size, found.final_url) == (False, len(paper()), URL)
    assert found.near


def test_its_areas_are_links() -> None:
    links = read(paper()).links
    assert [(link.url, link.at, link.block, link.path, link.rank) for link in links] == [
        ("http://example.org/dir/other.html", 2, (2, 5), "pdf/page1", 0),
        ("http://a.example/x", 2, (2, 5), "pdf/page1", 1),
    ]


def test_whatever_the_header_says() -> None:
    assert isinstance(parse(fetch(paper(), "text/html")), Page)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    found = parse(fetch(paper()))
    assert isinstance(found, Failure)
    assert found.kind == "type"
    assert "wolfspider[pdf]" in found.detail


def test_encrypted_and_broken_files_are_failures() -> None:
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret", algorithm="RC4-128")
    from io import BytesIO

    locked = BytesIO()
    writer.write(locked)
    assert parse(fetch(locked.getvalue())) == Failure("type", "application/pdf, encrypted")
    for body in (b"%PDF-1.4", b"%PDF-1.4 nothing", paper()[:200]):
        found = parse(fetch(body))
        assert isinstance(found, Failure) and found.kind == "encoding", found


def test_pages_and_time_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pdf.read(paper(), seconds=-1) == pdf.PdfDocument("On spiders", [], [], 1540814400.0, "en-GB", True)
    monkeypatch.setattr(pdf, "MOST_PAGES", 1)
    found = read(paper())
    assert found.truncated
    assert found.words[-1] == "world"


def test_bombs_and_loops_end() -> None:
    catalog, font = b"<</Type /Catalog /Pages 2 0 R>>", FONT
    leaf = b"<</Type /Page /Parent 2 0 R /Resources <</Font <</F1 3 0 R>>>> /Contents 5 0 R>>"
    bomb = stream(zlib.compress(b" " * 200_000_000), b"/Filter /FlateDecode")
    deep = b"<</Type /Pages /Kids " + b"[" * 50_000 + b"]" * 50_000 + b" /Count 1>>"
    for tree, content in [
        (b"<</Type /Pages /Kids [4 0 R] /Count 1>>", bomb),
        (b"<</Type /Pages /Kids [2 0 R 4 0 R] /Count 2>>", shown(b"loop")),
        (deep, shown(b"deep")),
        (b"<</Type /Pages /Kids [4 0 R] /Count 999999999>>", shown(b"count")),
    ]:
        found = parse(fetch(written([catalog, tree, font, leaf, content])))
        assert isinstance(found, Page | Failure)


@given(st.integers(0, 2_000), st.binary(min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_no_damage_makes_it_raise(place: int, damage: bytes) -> None:
    body = paper()
    place %= len(body)
    assert isinstance(parse(fetch(body[:place] + damage + body[place + len(damage) :])), Page | Failure)

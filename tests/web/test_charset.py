from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.web.page.charset import codec_of, decoded, kind_of

UMLAUTS = "Grüße"


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("UTF-8", "utf-8"),
        (" iso-8859-1 ", "cp1252"),
        ("latin1", "cp1252"),
        ("us-ascii", "cp1252"),
        ("iso-8859-9", "cp1254"),
        ("iso-8859-15", "iso8859-15"),
        ("windows-1251", "cp1251"),
        ("koi8-r", "koi8-r"),
        ("Shift_JIS", "cp932"),
        ("gb2312", "gb18030"),
        ("euc-kr", "cp949"),
        ("big5", "big5hkscs"),
        ("utf-7", None),
        ("idna", None),
        ("base64", None),
        ("rot13", None),
        ("nonsense", None),
        ("", None),
    ],
)
def test_labels_mean_what_they_mean_to_browsers(label: str, codec: str | None) -> None:
    assert codec_of(label) == codec
    if codec:
        assert isinstance(b"abc".decode(codec), str)


@pytest.mark.parametrize(
    ("header", "body", "codec"),
    [
        ("text/html; charset=windows-1251", b"\xef\xbb\xbfx<meta charset=koi8-r>", "utf-8"),
        ("text/html; charset=windows-1251", b"<meta charset=koi8-r>", "cp1251"),
        ('text/html; Charset="UTF-8"', b"\xe4", "utf-8"),
        ("text/html; charset=utf-7", b"<meta charset='koi8-r'>", "koi8-r"),
        ("text/html", b'<META http-equiv="Content-Type" content="text/html; charset=EUC-JP">', "euc_jp"),
        ("text/html", b"<!-- <meta charset=koi8-r> --><meta charset=gbk>", "gb18030"),
        ("text/html", b"<meta charset=utf-16le>\xc3\xa4", "utf-8"),
        ("text/html", b"<?xml version='1.0' encoding='iso-8859-2'?><html>", "iso8859-2"),
        ("text/html", b" " * 1024 + b"<meta charset=koi8-r>", "utf-8"),
        ("", UMLAUTS.encode(), "utf-8"),
        ("", UMLAUTS.encode("cp1252"), "cp1252"),
        ("", b"abc \xe2\x82", "utf-8"),
        ("", b"abc \xe2\x82 abc", "cp1252"),
        ("", b"\xff\xfea\x00", "utf-16-le"),
        ("", b"\xfe\xff\x00a", "utf-16-be"),
    ],
)
def test_who_is_believed(header: str, body: bytes, codec: str) -> None:
    assert decoded(header, body)[1] == codec


def test_marks_are_taken_off_and_nonsense_replaced() -> None:
    assert decoded("", b"\xef\xbb\xbf" + UMLAUTS.encode())[0] == UMLAUTS
    assert decoded("", b"\xff\xfe" + UMLAUTS.encode("utf-16-le"))[0] == UMLAUTS
    assert decoded("text/html; charset=utf-8", b"a\xffb")[0] == "a\ufffdb"


@given(st.binary(max_size=300), st.sampled_from(["", "text/html", "text/html; charset=gbk", "x; charset=iso-2022-jp"]))
def test_anything_can_be_read(body: bytes, header: str) -> None:
    text, _ = decoded(header, body)
    text.encode()
    kind_of(header, body)


@pytest.mark.parametrize(
    ("header", "body", "kind"),
    [
        ("text/html", b"hello", "html"),
        ("TEXT/HTML ; charset=x", b"hello", "html"),
        ("application/xhtml+xml", b"hello", "html"),
        ("text/plain", b"<html>", "text"),
        ("text/plain", b"a\x00b", ""),
        ("text/plain", b"\xff\xfea\x00", "text"),
        ("text/html", b"%PDF-1.4 ...", "pdf"),
        ("application/pdf", b"not that", ""),
        ("text/html", b"\x89PNG\r\n\x1a\n", ""),
        ("text/html", b"PK\x03\x04....", ""),
        ("text/css", b"<html>", ""),
        ("application/json", b"{}", ""),
        ("application/octet-stream", b"<html>", ""),
        ("image/png", b"<html>", ""),
        ("application/xml", b"<?xml version='1.0'?><rss>", ""),
        ("application/xml", b"<?xml version='1.0'?><html xmlns='x'>", "html"),
        ("", b"  <!DOCTYPE HTML PUBLIC>", "html"),
        ("", b"<!-- hello -->", "html"),
        ("", b"\xef\xbb\xbf<html>", "html"),
        ("", b"<p>x", "html"),
        ("", b"<pre>x", "text"),
        ("", b"<?xml version='1.0'?><rss>", ""),
        ("", b"hello", "text"),
        ("", b"\x01\x02\x03", ""),
    ],
)
def test_what_is_a_page(header: str, body: bytes, kind: str) -> None:
    assert kind_of(header, body) == kind

"""From bytes to text, and whether they are text at all, as browsers decide it.

A byte order mark wins, then the charset of the Content-Type header, then what the page says of itself in its first
1,024 bytes; where nobody says anything it is UTF-8 if it reads as UTF-8, else windows-1252. Labels mean what they mean
to browsers (`iso-8859-1` is windows-1252); only charsets that browsers know are ever looked up, so that no page can
name one of Python's stranger codecs. Bytes that make no sense become U+FFFD: a lying charset spoils words, not a crawl.
"""

from __future__ import annotations

import re

_PRESCAN = 1024
_SNIFFED = 1445  # as many bytes as browsers look at

_LABELS = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "cp1252": "ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 "
    "latin1 latin-1 l1 ibm819 cp819 csisolatin1 windows-1252 cp1252 x-cp1252",
    "cp1254": "iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso-ir-148 latin5 l5 csisolatin5 windows-1254 cp1254 x-cp1254",
    "cp874": "iso-8859-11 iso8859-11 iso885911 tis-620 dos-874 windows-874",
    "cp866": "ibm866 866 cp866 csibm866",
    "koi8-r": "koi8-r koi8 koi koi8_r cskoi8r",
    "koi8-u": "koi8-u koi8-ru",
    "mac_roman": "macintosh mac x-mac-roman csmacintosh",
    "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "gb18030 gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 iso-ir-58 x-gbk csiso58gb231280",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji ms932 csshiftjis windows-31j",
    "euc_jp": "euc-jp x-euc-jp cseucpkdfmtjapanese",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "cp949": "euc-kr cseuckr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 ks_c_5601 iso-ir-149 csksc56011987 "
    "windows-949",
    "utf-16-le": "utf-16 utf-16le ucs-2 iso-10646-ucs-2 unicode csunicode unicodefeff",
    "utf-16-be": "utf-16be unicodefffe",
    "iso8859-2": "latin2",
    "iso8859-5": "cyrillic",
    "iso8859-6": "arabic",
    "iso8859-7": "greek",
    "iso8859-8": "hebrew iso-8859-8-i logical",
}
_NUMBERED = {  # labels by codec, as above, with the numbers that stand in both
    "iso8859-{}": ("iso-8859-{} iso8859-{} iso8859{} iso_8859-{}", (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
    "cp125{}": ("windows-125{} cp125{} x-cp125{}", (0, 1, 3, 5, 6, 7, 8)),
}
_CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()} | {
    label.format(n): codec.format(n)
    for codec, (labels, numbers) in _NUMBERED.items()
    for label in labels.split()
    for n in numbers
}

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_IN_META = re.compile(rb"<meta[\s/][^>]*?charset\s*=\s*[\"']?\s*([^\s\"'/>;]+)", re.IGNORECASE)
_IN_XML = re.compile(rb"\A\s*<\?xml[^>]*?encoding\s*=\s*[\"']([^\"'>]+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)

_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_MAGIC = re.compile(
    rb"%PDF-|%!PS-Adobe-|\x89PNG\r|GIF8[79]a|\xff\xd8\xff|RIFF....WEBP|PK\x03\x04|PK\x05\x06|\x1f\x8b\x08|BZh|\xfd7zXZ|7z\xbc\xaf"
    rb"|Rar!|OggS|ID3|fLaC|\x7fELF|MZ\x90|wOF[F2]|\x00\x00\x01\x00|....ftyp|\x1aE\xdf\xa3|\xd0\xcf\x11\xe0",
    re.DOTALL,
)
_HTML_OPENING = re.compile(
    rb"\s*<(?:!--|(?:!doctype html|html|head|meta|link|title|style|script|body|iframe|h1|div|font|table|a|b|br|p)"
    rb"[\s>/])",
    re.IGNORECASE,
)
_XHTML = re.compile(rb"<html[\s>]", re.IGNORECASE)
_UNTOLD = ("", "unknown/unknown", "application/unknown", "*/*")


def kind_of(content_type: str, body: bytes) -> str:
    """What it is: "html", "text" or "pdf"; "" if no page. Bytes that are plainly something else outweigh the header."""
    if body.startswith(b"%PDF-"):
        return "pdf"
    if _MAGIC.match(body):
        return ""
    told = content_type.partition(";")[0].strip().lower()
    untold = told in _UNTOLD
    if told in ("text/html", "application/xhtml+xml") or (
        untold and _HTML_OPENING.match(body.removeprefix(b"\xef\xbb\xbf"))
    ):
        return "html"
    if told in ("text/xml", "application/xml") or (untold and body.lstrip().startswith(b"<?xml")):
        return "html" if _XHTML.search(body[:_SNIFFED]) else ""
    reads_as_text = body.startswith(tuple(mark for mark, _ in _MARKS)) or not _BINARY.search(body[:_SNIFFED])
    return "text" if reads_as_text and (untold or told == "text/plain") else ""


def decoded(content_type: str, body: bytes) -> tuple[str, str]:
    """The text and the charset it was read as."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace"), codec
    codec = _declared(content_type, body) or ""
    if not codec:
        try:
            return body.decode("utf-8"), "utf-8"
        except UnicodeDecodeError as error:
            cut_off = error.start >= len(body) - 3 and error.reason == "unexpected end of data"
            codec = "utf-8" if cut_off else "cp1252"
    return body.decode(codec, "replace"), codec


def _declared(content_type: str, body: bytes) -> str | None:
    header = _IN_HEADER.search(content_type)
    if header and (codec := codec_of(header[1])):
        return codec
    head = _COMMENT.sub(b"", body[:_PRESCAN])
    told = _IN_META.search(head) or _IN_XML.search(head)
    codec = codec_of(told[1].decode("ascii", "replace")) if told else None
    # A page that could be read far enough to find this is not UTF-16, whatever it says.
    return "utf-8" if codec and codec.startswith("utf-16") else codec


def codec_of(label: str) -> str | None:
    """Python's name for what browsers mean by a label; None if they do not know it."""
    return _CODECS.get(label.strip().lower())

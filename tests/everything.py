"""A web that has everything a page can have, for tests that stop a crawl and resume it.

    async with faults() as server:
        ... f"http://a.test/hub/{name}" by way of 127.0.0.1, server.port, for each name of KINDS ...
        ... "http://a.test/hub", whose pages lead to all of them ...

It is served by the server that misbehaves (faults.py). Each kind of page is at `/page/NAME`. Its hub, `/hub/NAME`,
leads to it and to a few leaves; the page leads to leaves of its own, so that a crawl which reads it differently, or
does not get it, goes on differently. Every answer depends on nothing but its address: a request that is sent again
gets the same answer.
"""

from __future__ import annotations

import asyncio
import codecs
import gzip
import sys
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import brotli

from faults import BEHAVIOURS, HTML, WORDS, Behaviour, Call, a_pdf, close, huge_headers, reset, silence, unknown

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HOST = "http://a.test"
ROAMING = str(Path(__file__).parent / "live" / "roaming.py")
BREAD = "Bread is baked from flour, water and salt; the dough rests overnight and the oven is hot. " * 3
Headers = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Kind:
    """A kind of page, and how a crawl must be set to meet it."""

    answer: Behaviour
    settings: Mapping[str, Any] = field(default_factory=dict)
    more: tuple[str, ...] = ()  # addresses that the hub leads to besides
    alone: bool = False  # takes too long, or needs other settings: no part of the whole web
    failure: str = ""  # the name of the failure that it is


KINDS: dict[str, Kind] = {}


def written(name: str, head: str = "", body: str = "", text: str = WORDS) -> str:
    """A page with two leaves of its own, and whatever is to be in it."""
    return (
        f"<!DOCTYPE html><html><head><title>The page {name}</title>{head}</head><body><h1>{name}</h1><p>{text}</p>"
        f'{body}<ul><li><a href="/leaf/{name}/1">one leaf of {name}</a></li>\n'
        f'<li><a href="/leaf/{name}/2">another leaf, of bread</a></li></ul></body></html>'
    )


def kind(name: str, answer: Behaviour, **more: Any) -> None:
    assert name not in KINDS, name
    KINDS[name] = Kind(answer, **more)


def answered(
    name: str, body: bytes | str, status: int = 200, headers: Headers = (), type: str = HTML, **more: Any
) -> None:
    """A kind of page that is answered properly: all that is special is in the answer."""

    async def answer(call: Call) -> None:
        await call.answer(body, status, headers, type)

    kind(name, answer, **more)


def page(name: str, head: str = "", body: str = "", headers: Headers = (), **more: Any) -> None:
    answered(name, written(name, head, body), headers=headers, **more)


def redirect(name: str, to: str, status: int = 302, **more: Any) -> None:
    answered(name, "", status, [("Location", to)], **more)


def sent(name: str, *pieces: bytes, headers: Headers = (), type: str = HTML, **more: Any) -> None:
    """A kind of page that comes in pieces, apart in time, and ends where they do, whatever was announced."""

    async def answer(call: Call) -> None:
        await call.head(200, headers, type)
        for piece in pieces:
            await call.send(piece)
            await asyncio.sleep(0.03)

    kind(name, answer, **more)


# The rest of the web


async def hub(call: Call) -> None:
    """`/hub/NAME` leads to one kind of page, `/hub` to the hubs of all that can be met in one crawl."""
    name = call.argument
    if name:
        await call.answer(shown(f"Hub of {name}", f"/page/{name}", *KINDS[name].more, "/leaf/hub/1", f"/hub/{name}"))
    else:
        names = [name for name, kind in KINDS.items() if not kind.alone]
        await call.answer(shown("Hub of all", *(f"/page/{name}" for name in names), "/leaf/hub/1"))


async def leaf(call: Call) -> None:
    """Two of three leaves lead on, and one of two is on topic."""
    name, number = [*call.rest, "0", "0"][:2]
    count = int(number) if number.isdecimal() else 0
    links = [f"/leaf/{name}/{count + 2}"] if count % 3 and count < 5 else []
    await call.answer(shown(f"Leaf {number} of {name}", *links, f"/page/{name}", text=WORDS if count % 2 else BREAD))


def shown(title: str, *links: str, text: str = WORDS) -> str:
    anchors = "".join(f'<li><a href="{link}">{link.replace("/", " ")} spiders</a></li>\n' for link in links)
    return f"<title>{title}</title><h1>{title}</h1><p>{text}</p><ul>{anchors}</ul>"


async def any_kind(call: Call) -> None:
    await (KINDS[call.argument].answer(call) if call.argument in KINDS else unknown(call))


# `/all` of faults.py leads to what misbehaves, and to nothing of this.
BEHAVIOURS |= {"hub": hub, "leaf": leaf, "page": any_kind}


# What robots are asked

NOT_THIS_ONE = '<p><a rel="{}" href="/leaf/{}/7">a link with a rel</a></p>'

page("plain")
for rel in ("nofollow", "ugc", "sponsored", "noopener"):
    page(f"rel-{rel}", body=NOT_THIS_ONE.format(rel, f"rel-{rel}"))
page("rel-many", body=NOT_THIS_ONE.format("external\tNoFollow UGC", "rel-many"))
page("rel-twice", body=NOT_THIS_ONE.format("nofollow", "rel-twice") + NOT_THIS_ONE.format("", "rel-twice"))
for said in ("nofollow", "none", "noindex", "all", "NOINDEX,NOFOLLOW", "follow, noindex"):
    page(f"meta-robots-{''.join(filter(str.isalpha, said))}", f'<meta name="robots" content="{said}">')
page("meta-wolfspider", '<meta name="wolfspider" content="nofollow">')
page("meta-otherbot", '<meta name="otherbot" content="nofollow">')
page("meta-two", '<meta name="ROBOTS" content="noarchive"><meta name="wolfspider" content="none">')
page("meta-in-body", body='<meta name="robots" content="nofollow">')
TAGS = {
    "nofollow": "nofollow",
    "none": "none",
    "noindex": "noindex",
    "ours": "wolfspider: nofollow",
    "others": "otherbot: nofollow",
    "ours-and-others": "otherbot: noindex, wolfspider: nofollow",
    "until": "unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow",
    "long": "x" * 12_000 + ", nofollow",
}
for name, said in TAGS.items():
    page(f"tag-{name}", headers=[("X-Robots-Tag", said)])
page("tag-twice", headers=[("X-Robots-Tag", "otherbot: noindex"), ("x-robots-tag", "nofollow")])
answered("tag-text", WORDS, headers=[("X-Robots-Tag", "noindex, nofollow")], type="text/plain")
page("tag-and-rel", body=NOT_THIS_ONE.format("nofollow", "tag-and-rel"), headers=[("X-Robots-Tag", "noindex")])

# Redirects

for status in (301, 302, 303, 307, 308):
    redirect(f"redirect-{status}", f"/leaf/redirect-{status}/1", status)
for number, status in enumerate((301, 302, 303, 307), 1):
    redirect(f"chain-{number}", f"/page/chain-{number + 1}", status, alone=number > 1)
redirect("chain-5", "/leaf/chain/4", 308, alone=True)
redirect("redirect-host", "http://b.test/leaf/redirect-host/1")
redirect("redirect-held", "/hub/redirect-held")
redirect("redirect-nofollow", "/page/rel-nofollow")
redirect("redirect-loop", "/page/redirect-loop", failure="redirect")
redirect("redirect-circle", "/page/redirect-back", alone=True, failure="redirect")
redirect("redirect-back", "/page/redirect-circle", alone=True, failure="redirect")
redirect("redirect-missing", "/page/missing-below", failure="status", alone=True)
redirect("redirect-robots", "http://robots-deny.test/leaf/denied/1", failure="redirect")
redirect("redirect-excluded", "/leaf/excluded/1", settings={"exclude": ("a.test/leaf/excluded/*",)}, alone=True)
redirect("redirect-scheme", "ftp://a.test/leaf", failure="redirect")
answered("redirect-nowhere", "", 302, failure="redirect")
redirect("redirect-odd", " /leaf/redirect-odd/1#part\t")

# Markup

page("canonical", '<link rel="canonical" href="/leaf/canonical/9">')
page("canonical-elsewhere", '<link rel="canonical" href="http://b.test/leaf/x/1">')
page("base", '<base href="/leaf/based/">', '<p><a href="7">a relative link</a> <a href="?a=1">another</a></p>')
page("base-elsewhere", '<base href="http://b.test/leaf/b/">', '<p><a href="7">a relative link</a></p>')
answered(
    "frames",
    "<title>Frames</title><frameset cols='1,1'><frame src='/leaf/frames/1' name='one'><frame src='/leaf/frames/2'>"
    f"<noframes>{WORDS}</noframes></frameset>",
)
page("iframe", body='<iframe src="/leaf/iframe/7" title="an inner page"></iframe>')
page("area", body='<map><area href="/leaf/area/7" alt="a spot"><area rel=nofollow href="/leaf/area/8"></map>')
page("refresh", '<meta http-equiv="refresh" content="0; url=/leaf/refresh/7">')
page("comments", body='<!-- <a href="/leaf/x/7">x</a> --><p>seen</p><!-- never ended <a href="/leaf/x/8">')
page("hidden", body='<div hidden><a href="/leaf/hidden/7">bait</a></div><p style="display:none">nothing</p>')
page("pictures", body='<a href="/leaf/pictures/7"><img src="/x.png" alt="a wolf spider at night"></a>')
page("unseen", body="<noscript>no</noscript><template>t</template><svg><a href='/leaf/unseen/7'>s</a></svg>")
page("references", body="<p>&#xD800; &#0; &amp;lt; &nbsp;&shy; &#x1F577; \x00 \ud7ff</p>")
page("title-escapes", "<title>\x1b[2J two\u202e titles\u2028</title>")
page("dates", '<meta property="article:published_time" content="2021-03-04T05:06:07Z"><time>2020-01-02</time>')
page("description", '<meta name="description" content="About spiders."><meta property="og:title" content="x">')
page("language", '<meta http-equiv="content-language" content="de">', headers=[("Content-Language", "fr")])
page("feeds", '<link rel="alternate" type="application/rss+xml" href="/page/rss">')
page("many-links", body="".join(f'<a href="/leaf/many/{n % 7}?n={n}">{n}</a> ' for n in range(5200)))
page("many-tags", body="<i>x</i>" * 12_000)
page("deep", body="<div>" * 2_000)
page("crowded", body="<p " + " ".join(f"a{n}=1" for n in range(20_000)) + "> crowded</p>")
page("long-anchor", body=f'<a href="/leaf/long-anchor/7">{WORDS * 30}</a>')
page("long-address", body=f'<a href="/leaf/long-address/7?{"x" * 7000}">long</a><a href="/{"y" * 9000}">too long</a>')
page(
    "odd-links", body='<a href="ftp://a.test/">f</a><a href="http://[::1">b</a><a href="http://me:pw@a.test/leaf/o/1">'
)
page("same-one", body="", headers=[("X-Which", "one")])
answered("same-two", written("same-one"))  # to the letter

# Types

for name, text in (("atom", "<feed xmlns='http://www.w3.org/2005/Atom'/>"), ("rss", "<rss version='2.0'/>")):
    answered(name, f"<?xml version='1.0'?>{text}", type=f"application/{name}+xml", failure="type")
answered("xhtml", f"<?xml version='1.0' encoding='utf-8'?>{written('xhtml')}", type="application/xhtml+xml")
answered("xml", "<?xml version='1.0'?><a>spiders</a>", type="text/xml", failure="type")
answered("text", WORDS + " http://a.test/leaf/text/1", type="text/plain")
answered("untyped", written("untyped"), type="")
answered("picture", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), failure="type")
answered("style", "p { color: red }", type="text/css", failure="type")
answered("empty", b"", failure="empty")
answered("blank", b" \r\n\t ", failure="empty")
answered("script-only", "<title>App</title><script>go()</script><div id=root></div>", failure="script")
answered("no-content", b"", 204, failure="empty")
answered("partial", written("partial"), 206)
answered("pdf", a_pdf("Wolf spiders hunt"), type="application/pdf", settings={"pdf": True})
answered("pdf-as-html", a_pdf("Wolf spiders hunt by night"), settings={"pdf": True})
answered("pdf-tagged", a_pdf("Not for you"), headers=[("X-Robots-Tag", "noindex")], type="application/pdf")
answered("pdf-broken", b"%PDF-1.4\nnothing", type="application/pdf", failure="encoding")
answered("pdf-cut", a_pdf("Wolf spiders")[:-20], type="application/pdf", settings={"pdf": True})

# Encodings


def deflated(data: bytes, bits: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, bits)
    return packer.compress(data) + packer.flush()


def encoded(name: str, said: str | Iterable[str], body: bytes, **more: Any) -> None:
    lines = [said] if isinstance(said, str) else said
    answered(name, body, headers=[("Content-Encoding", line) for line in lines], **more)


def long_page(name: str) -> bytes:
    """One that does not pack well, so that it comes in pieces."""
    words = " ".join(f"{number * 7919 % 10007:x}-{number * 104729 % 100003:x}" for number in range(20_000))
    return written(name, text=f"{WORDS} {words}").encode()


encoded("gzip", "gzip", gzip.compress(written("gzip").encode()))
encoded("gzip-old", "X-GZIP", gzip.compress(written("gzip-old").encode()))
encoded("gzip-members", "gzip", b"".join(gzip.compress(part.encode()) for part in (written("gzip-members"), "<p>end")))
encoded("gzip-and-more", "gzip", gzip.compress(written("gzip-and-more").encode()) + b"garbage behind it")
encoded("gzip-long", "gzip", gzip.compress(long_page("gzip-long")))
encoded("deflate", "deflate", zlib.compress(written("deflate").encode()))
encoded("deflate-raw", "deflate", deflated(written("deflate-raw").encode(), -zlib.MAX_WBITS))
encoded("br", "br", brotli.compress(written("br").encode()))
encoded("zstd", "zstd", zstd.compress(written("zstd").encode()))
encoded("identity", "identity", written("identity").encode())
encoded("two", "deflate, gzip", gzip.compress(zlib.compress(written("two").encode())))
encoded("two-lines", ["br", "gzip"], gzip.compress(brotli.compress(written("two-lines").encode())))
encoded("three", "gzip, gzip, gzip", b"whatever", failure="encoding")
encoded("lying", "gzip", written("lying").encode(), failure="encoding")
encoded("unknown", "snail", written("unknown").encode(), failure="encoding")
encoded("gzip-nothing", "gzip", b"", failure="empty")

# What is damaged or cut


def damaged(packed: bytes, at: int) -> bytes:
    """With one byte turned round."""
    turned = bytearray(packed)
    turned[at] ^= 0xFF
    return bytes(turned)


def in_two(data: bytes, at: int) -> tuple[bytes, bytes]:
    return data[:at], data[at:]


SHORT, LONG = gzip.compress(written("damaged").encode()), gzip.compress(long_page("damaged"))
GZIP = [("Content-Encoding", "gzip")]
encoded("gzip-cut", "gzip", gzip.compress(written("gzip-cut").encode())[:-30])
encoded("gzip-checksum", "gzip", damaged(SHORT, len(SHORT) - 6))
sent("gzip-checksum-in-two", *in_two(damaged(SHORT, len(SHORT) - 6), len(SHORT) - 9), headers=GZIP)
sent("gzip-damaged-in-two", *in_two(damaged(LONG, 70_100), 70_000), headers=GZIP)
sent("gzip-damaged-early", *in_two(damaged(LONG, 900), 850), headers=GZIP)
BR, ZSTD = brotli.compress(long_page("damaged")), zstd.compress(long_page("damaged") * 2)
sent("br-damaged-in-two", *in_two(damaged(BR, 70_100), 70_000), headers=[("Content-Encoding", "br")])
sent("zstd-damaged-in-two", *in_two(ZSTD[:80_000] + b"\xff" * 5_000, 79_900), headers=[("Content-Encoding", "zstd")])
sent("short", written("short").encode(), headers=[("Content-Length", "5000")])
sent("short-gzip", gzip.compress(written("short-gzip").encode())[:-20], headers=[*GZIP, ("Content-Length", "5000")])
CHUNKED = [("Transfer-Encoding", "chunked")]
WHOLE = written("chunked").encode()
sent("chunked", b"%x\r\n%s\r\n0\r\nX-Trailer: 1\r\n\r\n" % (len(WHOLE), WHOLE), headers=CHUNKED)
sent("chunked-cut", b"FFFF\r\n" + written("chunked-cut").encode(), headers=CHUNKED)
sent("chunked-gzip", b"%x\r\n%s\r\n0\r\n\r\n" % (len(SHORT), SHORT), headers=[*GZIP, *CHUNKED])
sent("until-closed", written("until-closed").encode(), b"<p>and the end")
sent("more-than-said", written("more-than-said").encode(), headers=[("Content-Length", "700")])
LARGEST = {"largest": 20_000}
page("large", body="<p>" + "spiders " * 4000 + "</p>", settings=LARGEST)
page("large-character", body="<p>" + "äöü€🕷" * 2000 + "</p>", settings={"largest": 19_999}, alone=True)
BIG = written("large", body="<p>" + "spiders " * 9000).encode()
encoded("large-gzip", "gzip", gzip.compress(BIG), settings=LARGEST)
encoded("large-zstd", "zstd", zstd.compress(BIG), settings=LARGEST)
sent("gzip-garbage-then-member-in-two", SHORT + b"X", gzip.compress(b"<p>more</p>"), headers=GZIP)


def damaged_behind_the_limit() -> bytes:
    """A long field in the head makes the inner stream one block of the outer one, so that a single byte of the outer
    stream leads to what lies before the limit, to the limit and to the damage behind it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = packer.compress(BIG) + packer.flush(zlib.Z_FULL_FLUSH) + b"\x07" * 50  # no kind of block
    head = packed[:3] + b"\x04" + packed[4:10]
    return zstd.compress(head + (20_000).to_bytes(2, "little") + bytes(20_000) + packed[10:])


encoded(
    "gzip-in-zstd-damaged-behind-the-limit",
    "gzip, zstd",
    damaged_behind_the_limit(),
    settings={"largest": 60_000},
    alone=True,
)
encoded("bomb", "gzip", gzip.compress(b"<p>spiders hunt " + b" " * (1 << 22)))


async def late_end(call: Call) -> None:
    """The beginning comes at once, the rest never: the deadline cuts it."""
    await call.head(200, [("Content-Length", "5000"), ("Content-Encoding", "gzip")])
    await call.send(gzip.compress(written("late-end").encode())[:-40])
    await silence(call)


kind("late-end", late_end, settings={"deadline": 0.6}, alone=True)

# Charsets

TEXTS = {
    "utf-8": "Wölfe jagen nachts: 蜘蛛, Пауки, العناكب 🕷",
    "shift_jis": "コモリグモは地面で狩りをする。蜘蛛は巣を張らない。",
    "windows-1251": "Пауки-волки охотятся на земле и не плетут сетей.",
    "gb18030": "狼蛛在地面上捕猎,不结网。𠀀",
    "euc-kr": "늑대거미는 땅에서 사냥한다.",
    "iso-8859-1": "Les araignées-loups chassent à l’affût — déjà.",
}
CODECS = {"shift_jis": "cp932", "windows-1251": "cp1251", "iso-8859-1": "cp1252", "euc-kr": "cp949"}
for name, text in TEXTS.items():
    body = written(f"charset-{name}", text=text)
    answered(f"charset-{name}", body.encode(CODECS.get(name, name), "replace"), type=f"text/html; charset={name}")
for name, codec in (("le", "utf-16-le"), ("be", "utf-16-be")):
    mark = codecs.BOM_UTF16_LE if name == "le" else codecs.BOM_UTF16_BE
    answered(f"utf-16-{name}", mark + written(f"utf-16-{name}", text=TEXTS["utf-8"]).encode(codec), type="text/html")
meta = written("charset-meta", '<meta charset="Shift_JIS">', text=TEXTS["shift_jis"])
answered("charset-meta", meta.encode("cp932"), type="text/html")
answered("charset-lying", written("charset-lying", text=TEXTS["utf-8"]).encode(), type="text/html; charset=shift_jis")
answered("charset-unknown", written("charset-unknown").encode(), type="text/html; charset=martian")
answered("charset-none", written("charset-none", text="bad \xff\xfe bytes").encode("latin-1"), type="text/html")
answered("charset-half", written("charset-half", text="\ud83d half").encode("utf-8", "surrogatepass"))

# Heads

page("head-long", headers=[("X-Long", "x" * 15_000), ("Last-Modified", "Mon, 02 Nov 2020 10:00:00 GMT")])
page("head-many", headers=[(f"X-Number-{number}", "y" * 200) for number in range(150)])
page("head-odd", headers=[("X-Odd", "é\u202e 蜘蛛"), ("X-Bytes", "\udcff\udcfe"), ("X-Empty", ""), ("x-odd", "again")])
page("head-cookie", headers=[("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Vary", "*")])
page("head-dates", headers=[("Date", "yesterday"), ("Last-Modified", "Fri, 31 Dec 9999 23:59:59 GMT"), ("Age", "-1")])
answered("type-odd", written("type-odd"), type='Text/HTML;CHARSET="UTF-8"; boundary=é')
answered("type-twice", written("type-twice"), headers=[("Content-Type", "text/plain")])


async def tagged(call: Call) -> None:
    """A page with a validator; whoever has it is told that it still holds."""
    held = call.asked.header("if-none-match")
    tags = [("ETag", '"one"'), ("X-Robots-Tag", "noarchive")]
    text = written("etag", body=NOT_THIS_ONE.format("nofollow", "etag"))
    await (call.answer("", 304, tags) if held else call.answer(text, headers=tags))


kind("etag", tagged)
AGAIN = {"strategy": ROAMING, "exclude": ("out.test",)}
kind("etag-again", tagged, settings=AGAIN, alone=True)
page("fresh-again", body=NOT_THIS_ONE.format("nofollow", "fresh"), settings=AGAIN, alone=True)

# Failures by name

for status in (401, 404, 410, 451):
    answered(f"status-{status}", written(f"status-{status}"), status, failure="status")
answered("status-500", written("status-500"), 500, failure="status")
PATIENT = {"max_wait": 60.0}
answered("busy", "later", 503, failure="status", settings=PATIENT, alone=True)
answered("busy-for-a-second", "later", 429, [("Retry-After", "1")], failure="status", settings=PATIENT, alone=True)
kind("reset", reset, failure="connect", settings=PATIENT, alone=True)
kind("closed", close, failure="connect", settings=PATIENT, alone=True)
kind("silent", silence, failure="timeout", settings={"deadline": 0.6, **PATIENT}, alone=True)
kind("head-too-large", huge_headers, failure="size")
page("robots", more=("http://robots-deny.test/leaf/robots/1",), failure="robots", alone=True)
page("blocked", more=("http://169.254.169.254/latest/", "http://127.0.0.1:22/"), failure="blocked", alone=True)
page("asked-aside", settings={**AGAIN, "search": "http://a.test/page/empty"}, failure="source", alone=True)
page("elsewhere", more=("http://b.test/leaf/elsewhere/1", "http://c.test/leaf/elsewhere/3"), alone=True)
for name in ("rel-nofollow", "gzip-checksum-in-two", "redirect-301", "pdf", "short"):
    page(f"liked-{name}", settings={"like": (f"{HOST}/page/{name}",), "pdf": True, "pages": 6}, alone=True)

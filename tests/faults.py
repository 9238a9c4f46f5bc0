"""A server that misbehaves on purpose, for every live test.

    async with faults() as server:
        ... f"http://any.test/drip/body" by way of 127.0.0.1, server.port ...
        server.log

The path says how: `/drip/body` sends a byte a second, `/bomb/gzip` inflates without end. Each behaviour is a function
below, with a sentence. `/all` links to each of them, so that one crawl meets them all. Host names of the form
`robots-HOW.test` have a robots.txt that misbehaves (`ROBOTS`); other hosts have none.

Everything has a bound: what has no end of its own ends when the client leaves, after SECONDS, or after MOST_SENT bytes.
"""

from __future__ import annotations

import asyncio
import codecs
import functools
import gzip
import struct
import sys
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from socket import SO_LINGER, SOL_SOCKET
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

import brotli

from wolfspider.web.http.web_time import PATH as TIME_OF_A_WEB

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

SECONDS = 60.0  # that any answer may take
MOST_SENT = 256 << 20  # bytes of any answer
MOST_HEAD = 64 << 10
MEGABYTE = 1 << 20
HTML = "text/html; charset=utf-8"
WORDS = "Wolf spiders do not spin webs: they hunt on the ground, alone, and carry their young on their back. " * 5


class Asked(NamedTuple):
    """One request as it came."""

    host: str
    path: str  # with the query
    at: float  # of the monotonic clock
    head: bytes  # all of it, to see what a client sends

    def header(self, name: str) -> str | None:
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name.lower():
                return value.strip()
        return None


class TooMuch(Exception):
    """An answer reached its bound."""


class Call:
    """A request, and how to answer it."""

    def __init__(self, asked: Asked, times: int, writer: asyncio.StreamWriter, together: bool = False) -> None:
        self.asked, self.host = asked, asked.host
        self.times = times  # that this address has been asked for, with this one
        parts = urlsplit(asked.path)
        self.name, *self.rest = [unquote(piece) for piece in parts.path.strip("/").split("/")]
        self.query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        self.stays = False  # may the connection be used again? Only after an answer of known length
        self._writer, self._room = writer, MOST_SENT
        self._held: list[bytes] | None = [] if together else None  # for one segment, where it is small enough

    @property
    def argument(self) -> str:
        return self.rest[0] if self.rest else ""

    def number(self, most: int, default: int = 0) -> int:
        return min(int(self.argument), most) if self.argument.isdecimal() else default

    async def send(self, data: bytes) -> None:
        """Raw bytes, as far as the bound allows."""
        if len(data) > self._room:
            raise TooMuch
        self._room -= len(data)
        if self._held is not None:
            self._held.append(data)
            return
        self._writer.write(data)
        await self._writer.drain()

    async def end(self) -> None:
        if self._held is not None:
            self._writer.write(b"".join(self._held))
            await self._writer.drain()

    async def head(self, status: int = 200, headers: Iterable[tuple[str, str]] = (), kind: str = HTML) -> None:
        lines = [f"HTTP/1.1 {status} Whatever", *([f"Content-Type: {kind}"] if kind else [])]
        lines += [f"{name}: {value}" for name, value in headers]
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape"))

    async def answer(
        self, body: bytes | str, status: int = 200, headers: Iterable[tuple[str, str]] = (), kind: str = HTML
    ) -> None:
        """A proper answer: whatever is wrong with it is in what is answered."""
        data = body.encode() if isinstance(body, str) else body
        data = b"" if status in (204, 304) else data
        await self.head(status, [*headers, ("Content-Length", str(len(data)))], kind)
        self.stays = True
        if not self.asked.head.startswith(b"HEAD "):
            await self.send(data)

    async def page(self, title: str, *links: str, text: str = WORDS) -> None:
        await self.answer(document(title, *links, text=text))

    async def redirect(self, to: str, status: int = 302) -> None:
        await self.answer("", status, [("Location", to)])

    def reset(self) -> None:
        """End the connection so that the client sees a reset, not an end."""
        plug = self._writer.get_extra_info("socket")
        plug.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


def document(title: str, *links: str, text: str = WORDS) -> str:
    anchors = "".join(f'<li><a href="{link}">{link}</a></li>\n' for link in links)
    return (
        f"<!DOCTYPE html><html lang='en'><head><title>{title}</title></head><body><h1>{title}</h1>"
        f"<p>{text}</p><ul>{anchors}</ul></body></html>"
    )


Behaviour = Callable[[Call], Awaitable[None]]
BEHAVIOURS: dict[str, Behaviour] = {}
EXAMPLES: list[str] = []  # the addresses that /all links to


def behaves(*examples: str) -> Callable[[Behaviour], Behaviour]:
    """Register a behaviour under the first segment of its examples."""

    def register(behaviour: Behaviour) -> Behaviour:
        BEHAVIOURS[examples[0].split("?")[0].split("/")[1]] = behaviour
        EXAMPLES.extend(examples)
        return behaviour

    return register


@behaves("/ok")
async def ok(call: Call) -> None:
    """A page like any other."""
    await call.page("A page like any other", "/ok?again=1")


@behaves("/all")
async def everything(call: Call) -> None:
    """Links to every behaviour."""
    await call.page("Everything that can go wrong", *EXAMPLES)


# Time


@behaves("/drip/headers", "/drip/body")
async def drip(call: Call) -> None:
    """One byte a second (or every ?pause= seconds), of the head or of the body."""
    pause = float(call.query.get("pause", "1"))
    body = document("Drop by drop").encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {HTML}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    if call.argument == "body":
        await call.send(head)
        head = b""
    for byte in head + body:
        await call.send(bytes([byte]))
        await asyncio.sleep(pause)


@behaves("/silence")
async def silence(call: Call) -> None:
    """Nothing at all, until the client gives up."""
    await asyncio.sleep(SECONDS)


@behaves("/late")
async def late(call: Call) -> None:
    """A page after ?seconds= (2)."""
    await asyncio.sleep(min(SECONDS, float(call.query.get("seconds", "2"))))
    await call.page("Late")


# Length


@behaves("/endless/length", "/endless/chunks", "/endless/close")
async def endless(call: Call) -> None:
    """A body that goes on and on: of an enormous length, in chunks, or until the connection ends."""
    piece = (WORDS * 40).encode()
    chunked = call.argument == "chunks"
    how = {"length": [("Content-Length", str(1 << 40))], "chunks": [("Transfer-Encoding", "chunked")]}
    await call.head(200, how.get(call.argument, []))
    while True:
        await call.send(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)


@behaves("/short")
async def short(call: Call) -> None:
    """More than the Content-Length says."""
    await call.head(200, [("Content-Length", "100")])
    await call.send(document("More than was said").encode())


@behaves("/long")
async def long(call: Call) -> None:
    """Less than the Content-Length says, and then the end."""
    body = document("Less than was said").encode()
    await call.head(200, [("Content-Length", str(len(body) + 1000))])
    await call.send(body)


@behaves("/lengths")
async def lengths(call: Call) -> None:
    """Two lengths that contradict each other."""
    body = document("Two lengths").encode()
    await call.head(200, [("Content-Length", str(len(body))), ("Content-Length", "10")])
    await call.send(body)


@behaves("/chunks/size", "/chunks/cut", "/chunks/negative")
async def chunks(call: Call) -> None:
    """Chunks that are wrong: a size that is no number, a body that ends within a chunk, a size below zero."""
    await call.head(200, [("Transfer-Encoding", "chunked")])
    await call.send(
        {"cut": b"FFFF\r\n<p>only this", "negative": b"-5\r\nhello\r\n"}.get(call.argument, b"xyz\r\n<p>\r\n")
    )


@behaves("/empty")
async def empty(call: Call) -> None:
    """200, and nothing."""
    await call.answer(b"")


# Bombs


@behaves("/bomb/gzip", "/bomb/deflate", "/bomb/br", "/bomb/zstd", "/bomb/members", "/bomb/chain")
async def bomb(call: Call) -> None:
    """100 MB of nothing (or as many as said: /bomb/gzip/1000), packed: in one piece, in many members, packed twice."""
    size = int(call.rest[1]) if call.rest[1:] and call.rest[1].isdecimal() else 100
    encoding = {"members": "gzip", "chain": "gzip, gzip"}.get(call.argument, call.argument)
    await call.answer(packed_zeros(call.argument, min(size, 10_000)), headers=[("Content-Encoding", encoding)])


@functools.cache
def packed_zeros(form: str, megabytes: int) -> bytes:
    """A page that goes on with so many megabytes of blanks, in little space."""
    if form == "br":
        return brotli_blanks(megabytes)
    if form == "zstd":
        return zstd.compress(b"<p>") + zstd.compress(b" " * MEGABYTE) * megabytes
    if form == "members":
        return gzip.compress(b"<p>") + gzip.compress(b" " * MEGABYTE) * megabytes
    if form == "chain":
        return gzip.compress(deflated(megabytes, zlib.MAX_WBITS | 16))
    return deflated(megabytes, zlib.MAX_WBITS | (16 if form == "gzip" else 0))


def deflated(megabytes: int, bits: int) -> bytes:
    """Every block between two full flushes is the same, so it is made once. The check sum at the end is of the
    beginning alone: nobody should get there."""
    packer = zlib.compressobj(9, zlib.DEFLATED, bits)
    start = packer.compress(b"<p>") + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b" " * MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + block * megabytes + packer.flush()


def brotli_blanks(megabytes: int) -> bytes:
    packer = brotli.Compressor(quality=5)
    pieces = [packer.process(b"<p>")]
    pieces += [packer.process(b" " * MEGABYTE) for _ in range(megabytes)]
    return b"".join([*pieces, packer.finish()])


@behaves("/encoding/unknown", "/encoding/lying", "/encoding/many", "/encoding/cut")
async def encoding(call: Call) -> None:
    """Encodings that are wrong: one nobody knows, gzip that is none, twenty in a row, gzip that stops half-way."""
    body = document("Encoded").encode()
    if call.argument == "many":
        for _ in range(20):
            body = gzip.compress(body)
        await call.answer(body, headers=[("Content-Encoding", ", ".join(["gzip"] * 20))])
    elif call.argument == "cut":
        await call.answer(gzip.compress(body)[:60], headers=[("Content-Encoding", "gzip")])
    else:
        await call.answer(body, headers=[("Content-Encoding", "gzip" if call.argument == "lying" else "snail")])


# Redirects


@behaves("/chain/3", "/chain/30")
async def chain(call: Call) -> None:
    """So many redirects, then a page."""
    left = call.number(10_000)
    await (call.redirect(f"/chain/{left - 1}") if left else call.page("The end of the chain"))


@behaves("/loop")
async def loop(call: Call) -> None:
    """A redirect to /loop/back, which leads here again."""
    await call.redirect("/loop" if call.argument else "/loop/back")


@behaves(
    "/redirect?to=/ok",
    "/redirect?to=file:///etc/passwd",
    "/redirect?to=http://169.254.169.254/latest/meta-data/",
    "/redirect?to=http://127.0.0.1:22/",
    "/redirect?to=//",
    "/redirect?to=/ok%0d%0aX-Injected:%20yes",
    "/redirect",
)
async def redirect(call: Call) -> None:
    """A redirect to anything; without ?to=, a redirect to nowhere."""
    status = int(call.query.get("status", "302"))
    if "to" not in call.query:
        await call.answer("", status)
    else:
        await call.redirect(call.query["to"], status)


@behaves("/meta-refresh")
async def meta_refresh(call: Call) -> None:
    """A page that leads elsewhere by a meta tag, in its markup."""
    to = quote(call.query.get("to", "/ok"), safe=":/?=&%")
    await call.answer(f'<html><head><meta http-equiv="refresh" content="0; url={to}"></head><body></body></html>')


# Status


@behaves(*(f"/status/{status}" for status in (204, 304, 400, 401, 403, 404, 410, 418, 451, 500, 502, 503, 999)))
async def status(call: Call) -> None:
    """Any status."""
    number = call.number(999, 200)
    await call.answer(document(f"Status {number}"), number)


@behaves(
    *(
        f"/retry-after/{value}"
        for value in ("1", "-5", "99999999999", "soon", "Fri,%2031%20Dec%209999%2023:59:59%20GMT")
    )
)
async def retry_after(call: Call) -> None:
    """429 (or ?status=) with any Retry-After."""
    await call.answer("later", int(call.query.get("status", "429")), [("Retry-After", call.argument)])


@behaves("/flaky")
async def flaky(call: Call) -> None:
    """503 with odd, a page with even times of asking; ?key= counts apart."""
    await (call.answer("not now", 503) if call.times % 2 else call.page("Now"))


# Connections


@behaves("/reset", "/reset/body")
async def reset(call: Call) -> None:
    """The connection is reset, at once or within the body."""
    if call.argument == "body":
        await call.head(200, [("Content-Length", "100000")])
        await call.send(WORDS.encode())
        await asyncio.sleep(0.05)
    call.reset()


@behaves("/close")
async def close(call: Call) -> None:
    """The connection ends without an answer."""


@behaves("/garbage", "/garbage/text", "/garbage/old")
async def garbage(call: Call) -> None:
    """What is no HTTP: bytes, text, or a page without a head."""
    said = {"text": b"220 mail.test ESMTP ready\r\n", "old": document("No head").encode()}
    await call.send(said.get(call.argument, bytes(range(256)) * 40))


@behaves("/huge-headers", "/huge-headers/many", "/huge-headers/endless")
async def huge_headers(call: Call) -> None:
    """A header of a megabyte, ten thousand headers, headers without end."""
    await call.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
    if call.argument == "many":
        await call.send(b"".join(b"X-Number-%d: %d\r\n" % (n, n) for n in range(10_000)))
    elif call.argument == "endless":
        while True:
            await call.send(b"X-Again: and again\r\n" * 1000)
    else:
        await call.send(b"X-Large: " + b"a" * MEGABYTE + b"\r\n")
    await call.send(b"Content-Length: 2\r\n\r\nok")


@behaves("/bad-headers")
async def bad_headers(call: Call) -> None:
    """Headers with control characters, without a colon, without a name."""
    await call.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Nul: a\0b\r\nno colon\r\n: no name\r\n")
    await call.send(b"Content-Length: 2\r\n\r\nok")


# What a page is made of


@behaves("/type/image/png", "/type/application/octet-stream", "/type/text/plain", "/type/none", "/type/nonsense")
async def type_(call: Call) -> None:
    """A page under any type, or under none."""
    await call.answer(document("A page by another name"), kind="" if call.argument == "none" else "/".join(call.rest))


@behaves("/picture")
async def picture(call: Call) -> None:
    """A picture that says it is a page."""
    await call.answer(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 20)


@behaves("/pdf")
async def pdf(call: Call) -> None:
    """A PDF of one page."""
    await call.answer(a_pdf("Wolf spiders do not spin webs they hunt"), kind="application/pdf")


def a_pdf(text: str) -> bytes:
    """The smallest PDF that shows a line."""
    stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>>>> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))
    return data + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end


CHARSETS = {"utf-16": "utf-16", "windows-1251": "cp1251", "shift_jis": "cp932", "lying": "cp1252", "hex": "utf-8"}


@behaves(*(f"/charset/{name}" for name in (*CHARSETS, "bad-utf-8", "double-bom", "utf-7")))
async def charset(call: Call) -> None:
    """A page in a charset that its header names; lying names another, hex a codec of Python that is no charset."""
    text = {"shift_jis": "蜘蛛は狩りをする", "windows-1251": "Пауки-волки охотятся"}.get(call.argument, "Wölfe jagen")
    body = document("Charset", text=text)
    if call.argument in ("bad-utf-8", "double-bom", "utf-7"):
        said, data = "utf-8", body.encode()
        data = data.replace(b"<p>", b"<p>\xff\xfe\xc3\x28") if call.argument == "bad-utf-8" else data
        data = codecs.BOM_UTF8 * 2 + data if call.argument == "double-bom" else data
        said, data = ("utf-7", body.encode("utf-7")) if call.argument == "utf-7" else (said, data)
    else:
        said = {"lying": "utf-8"}.get(call.argument, call.argument)
        data = body.encode(CHARSETS.get(call.argument, "utf-8"), "replace")
    await call.answer(data, kind=f"text/html; charset={said}")


@behaves("/deep", "/deep/attributes", "/deep/value")
async def deep(call: Call) -> None:
    """A hundred thousand tags within each other, a tag with as many attributes, an attribute of five megabytes."""
    made = {"attributes": "<p " + " ".join(f"a{n}=1" for n in range(100_000)), "value": f'<p a="{"x" * 5_000_000}"'}
    if call.argument in made:
        await call.answer(f"<html><body>{made[call.argument]}>{WORDS}</p></body></html>")
    else:
        await call.answer("<html><body>" + "<div>" * 100_000 + WORDS)


@behaves("/nul")
async def nul(call: Call) -> None:
    """NUL bytes between the letters."""
    await call.answer(document("N\0U\0L", text=WORDS.replace(" ", "\0 ")))


@behaves("/js-only")
async def js_only(call: Call) -> None:
    """Nothing to read without JavaScript."""
    await call.answer(
        '<html><head><title>App</title><script src="/app.js"></script></head><body><div id="root"></div>'
        "<noscript>You need to enable JavaScript to run this app.</noscript></body></html>"
    )


@behaves("/escape")
async def escape(call: Call) -> None:
    """A title with terminal escapes, line breaks, scripts and text that runs backwards."""
    await call.page("\x1b[2J\x1b]0;owned\x07 line\r\nbreak \u202egnp.exe <script>alert(1)</script> =1+1")


# Links


@behaves("/links/10")
async def links(call: Call) -> None:
    """A page with so many links, each to a page that is there."""
    await call.page("Many links", *(f"/ok?n={n}" for n in range(call.number(200_000, 10))))


@behaves("/schemes")
async def schemes(call: Call) -> None:
    """Links that must never be followed."""
    bad = ("file:///etc/passwd", "ftp://a.test/", "gopher://a.test/", "data:text/html,hello", "javascript:alert(1)")
    odd = ("http://", "http://user:secret@a.test/", "http://[::1", "http://0x7f.1/", "http:\\\\a.test\\", "mailto:a@b")
    await call.page("Odd links", *bad, *odd, "http://a.test:99999/", "/" + "a" * 100_000, "/%0d%0aX-Injected:%20yes")


@behaves("/calendar/2026/11")
async def calendar(call: Call) -> None:
    """A month that links to the one before and the one after, for ever."""
    year, month = (int(piece) if piece.isdecimal() else 1 for piece in [*call.rest, "1", "1"][:2])
    months = [divmod(year * 12 + month - 1 + step, 12) for step in (-1, 1)]
    await call.page(f"{year}/{month}", *(f"/calendar/{then}/{rest + 1}" for then, rest in months))


@behaves("/growing/")
async def growing(call: Call) -> None:
    """Relative links that make every address longer than the one before."""
    await call.page("Ever longer", "deeper/", "deeper/still/")


@behaves("/session")
async def session(call: Call) -> None:
    """The same pages under ever new session numbers."""
    fresh = int(call.asked.at * 1e6)
    await call.page("Session", *(f"/session?page={n}&sid={fresh + n}" for n in range(5)))


@behaves("/soft-404/anything")
async def soft_404(call: Call) -> None:
    """Says 200 and means 404, for whatever is below."""
    await call.page("Page not found", f"/soft-404/{len(call.asked.path)}", text="Sorry, that page is not here.")


# Copies and cookies


@behaves("/etag")
async def etag(call: Call) -> None:
    """A page with ETag and Last-Modified, and 304 for a client that has it."""
    tags = [("ETag", '"one"'), ("Last-Modified", "Mon, 02 Nov 2026 10:00:00 GMT")]
    held = call.asked.header("if-none-match") or call.asked.header("if-modified-since")
    await (call.answer("", 304, tags) if held else call.answer(document("Kept"), headers=tags))


@behaves("/odd-dates")
async def odd_dates(call: Call) -> None:
    """Dates nobody should believe."""
    odd = [("ETag", "no quotes \u00e9"), ("Last-Modified", "Fri, 31 Dec 9999 23:59:59 GMT"), ("Date", "yesterday")]
    await call.answer(document("Odd dates"), headers=odd)


@behaves("/cookie")
async def cookie(call: Call) -> None:
    """Sets cookies, for itself and for everybody, and says which ones came."""
    said = call.asked.header("cookie") or "none"
    jar = [("Set-Cookie", "mine=1; Path=/"), ("Set-Cookie", "all=1; Domain=test; Path=/")]
    await call.answer(document("Cookies", text=f"cookies: {len(said)} {WORDS}"), headers=jar)


@behaves("/robots-tag")
async def robots_tag(call: Call) -> None:
    """Asks by its header not to be kept, and not to have its links followed."""
    await call.answer(document("Not for robots", "/ok?hidden=1"), headers=[("X-Robots-Tag", "noindex, nofollow")])


# robots.txt, by host name: robots-HOW.test


async def robots(call: Call) -> None:
    """The robots.txt of a host: what its name says, or none."""
    how, _, number = call.host.removeprefix("robots-").partition(".")[0].partition("-")
    if not call.host.startswith("robots-"):
        await unknown(call)
    elif how.isdecimal():
        await call.answer(DENY, int(how), kind="text/plain")
    elif how == "redirect":
        await call.redirect(f"/chain-of-robots/{number or 1}")
    elif how == "delay":
        await call.answer(f"User-agent: *\nCrawl-delay: {number or 1}\n", kind="text/plain")
    elif how in ROBOTS:
        await call.answer(ROBOTS[how], kind=HTML if how == "html" else "text/plain")
    else:
        await ROBOTS_ASIDE.get(how, unknown)(call)


async def chain_of_robots(call: Call) -> None:
    """The redirects of `robots-redirect-N.test`; the last is a file that denies everything."""
    left = call.number(1000)
    await (call.redirect(f"/chain-of-robots/{left - 1}") if left > 1 else call.answer(DENY, kind="text/plain"))


DENY = "User-agent: *\nDisallow: /\n"
PRIVATE = "User-agent: *\nDisallow: /private/\n"
ROBOTS: dict[str, bytes | str] = {
    "deny": DENY,
    "private": PRIVATE,
    "bom": codecs.BOM_UTF8 + PRIVATE.encode(),
    "utf16": PRIVATE.encode("utf-16"),
    "html": document("Welcome"),
    "garbage": bytes(range(256)) * 100 + b"\n" + PRIVATE.encode(),
    "huge": PRIVATE + "# a comment\n" * 100_000 + "Disallow: /late/\n",
    "empty": "",
}


async def robots_bomb(call: Call) -> None:
    """A robots.txt of 100 MB in 100 KB."""
    await call.answer(packed_zeros("gzip", 100), headers=[("Content-Encoding", "gzip")], kind="text/plain")


async def unknown(call: Call) -> None:
    """A plain 404."""
    await call.answer(document("Nothing here"), 404)


ROBOTS_ASIDE: dict[str, Behaviour] = {
    "silent": silence,
    "reset": reset,
    "endless": endless,
    "close": close,
    "bomb": robots_bomb,
}
BEHAVIOURS |= {"": everything, "robots.txt": robots, "chain-of-robots": chain_of_robots}


# The server


class Faulty:
    """The server while it runs."""

    def __init__(self) -> None:
        self.port = 0
        self.together = False  # is an answer sent at once, with whatever ends it, or in the pieces it is made of?
        self.log: list[Asked] = []
        self.tasks: set[asyncio.Task[None]] = set()

    def paths(self, host: str | None = None) -> list[str]:
        """What was asked for, in order."""
        return [asked.path for asked in self.log if host in (None, asked.host)]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, TooMuch):
            pass  # the client left, or the answer reached its bound
        finally:
            self.tasks.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; may there be another?"""
        async with asyncio.timeout(SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
            words = head.split(b"\r\n")[0].decode("latin-1").split(" ")
            if len(words) != 3:
                return False
            asked = Asked("", words[1], time.monotonic(), head)
            asked = asked._replace(host=(asked.header("host") or "").partition(":")[0].lower())
            call = self.call(asked, writer)
            await self.behave(call)
            await call.end()
            return call.stays and (asked.header("connection") or "").lower() != "close"

    def call(self, asked: Asked, writer: asyncio.StreamWriter) -> Call:
        if asked.path != TIME_OF_A_WEB:  # a crawl asks it of every server for what time it is there: that is no visit
            self.log.append(asked)
        times = sum((each.host, each.path) == (asked.host, asked.path) for each in self.log)
        return Call(asked, times, writer, self.together)

    async def behave(self, call: Call) -> None:
        await BEHAVIOURS.get(call.name, unknown)(call)


@asynccontextmanager
async def faults() -> AsyncIterator[Faulty]:
    """The server on a free port of loopback, as long as the block lasts."""
    faulty = Faulty()
    server = await asyncio.start_server(faulty.serve, "127.0.0.1", 0, limit=MOST_HEAD)
    faulty.port = server.sockets[0].getsockname()[1]
    try:
        yield faulty
    finally:
        server.close()
        tasks = tuple(faulty.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

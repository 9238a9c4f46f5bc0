"""Inputs for fuzzing: what is known to be interesting, changed at random in the ways that break readers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

LARGEST = 1 << 16  # bytes of an input
NUMBERS = [b"0", b"-1", b"1e999", b"NaN", b"255", b"65536", b"2147483648", b"9" * 20, b"0x10", b"\xd9\xa3"]
PIECES = [b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\r\n", b"\n\n", b"\x85"]
TOKENS = {
    "page": rb"""
        <!-- --> <![CDATA[ ]]> <base href= <a href= </a> <meta http-equiv=refresh content= <meta name=robots <area
        <template> <svg> <math> <noscript> <frameset> <iframe src= <select><option> <table><tr><td> <form> <plaintext>
        <style> <script> <title> </title> <body <html lang= <li> <p hidden> <img alt= srcset= <time datetime=
        {"datePublished":"2026-11-01"} &#0; &#x10FFFF; &nbsp; %PDF-1.4 charset=utf-16 http://[::1]/ javascript: \\
        <link rel=canonical href= rel=nofollow <textarea> </ <! <? class= id=
    """,
    "robots_txt": rb"User-agent: * Disallow: Allow: / Crawl-delay: Sitemap: wolfspider # $ % %2F %zz Request-rate: 1/5",
    "sitemap": rb"""
        <urlset> </urlset> <url> <loc> </loc> </url> <lastmod> <sitemapindex> <sitemap> <?xml <!DOCTYPE <!ENTITY &a;
        <![CDATA[ ]]> http://fuzz.test/ xmlns:a= </
    """,
    "feed": rb"""
        <rss> <channel> <item> <link> <guid isPermaLink="true"> <feed> <entry> <link href= rel= xml:base= <rdf:RDF>
        <title type="html"> <pubDate> <updated> {"version":"https://jsonfeed.org/version/1" "items":[ {"url":" ]}
        &lt; <!DOCTYPE <link rel="alternate" type="application/rss+xml" href=
    """,
    "search_answer": rb"""
        {"results": [ {"url": " "title": "unresponsive_engines": [["a", "b"]] null [ ] } http:// \\ud800 \\u2028 1e999
    """,
    "warc": rb"""
        WARC/1.0 WARC/1.1 WARC-Type: response revisit request Content-Length: WARC-Date: 2026-11-16T05:00:00Z =member=
        WARC-Target-URI: HTTP/1.1 Transfer-Encoding: chunked Content-Encoding: gzip, zstd WARC-Truncated: =member=
    """,
    "snapshot": rb"""
        {"~tuple": {"~set": {"~deque": {"~array": {"~random": {"~value": {"~helper": {"~dict": {"~float": "nan" "inf"
        "a0" ["a0","d"] "Link" "Frontier" "Lottery" [null, [[]]] "<f8" "|O" [1e9] {"format": 1, "text": =member=
    """,
    "command": rb"""
        {"~value": ["SetParam", "SetLimit", "SetTopic", "Label", "AddSeeds", "Exclude", "Include", "Pause", "Finish",
        "Resume" {"~tuple": [ "pages", "slots", "delay", "*" null true 1e308 {"~float": "nan"} http:// [[ ]]
    """,
    "inflate": b"gzip deflate br zstd x-gzip identity , \x1f\x8b\x08 \x28\xb5\x2f\xfd \x78\x9c \x50\x2a\x4d\x18",
    "address": rb"""
        http:// https:// // \\ @ : % %2e%2e .. /./ ?utm_source= ;jsessionid= [::1] 0x7f.1 127.1 169.254.169.254 xn--
        # & *. * Mon, 02 Nov 2026 10:00:00 GMT 2026-02-30 120 localhost
    """,
    "text": rb"""
        text/html; charset= text/plain application/xhtml+xml utf-16 iso-2022-jp hex utf-7 <meta charset=
        <?xml encoding= big5
    """,
    "description": rb"""
        {"format": 1, "about": {"settings": {} "urls": [] "pages": "set": "seed": "nofollow": null true [[ 1e999
    """,
    "settings_file": rb"""
        pages = slots = urls = [] delay = nan inf set = {} [set] "" ''' # 1979-05-27T07:32:00Z 0xff [[a]]
    """,
    "shelf": b"\x94 \x98 \xa0 \xc0 \xc7\x01\x01 \xdd\xff\xff\xff\xff \xc9\xff\xff\xff\xff\x01",
}
TOKENS["archive"] = TOKENS["answer"] = TOKENS["warc"]


class Mutator:
    """Draws inputs for a target from those in its pool; the same seed gives the same inputs."""

    def __init__(self, seed: str, name: str, pool: Sequence[bytes]) -> None:
        self.rng, self.pool = random.Random(seed), [*pool, b""]
        self.tokens = [*TOKENS.get(name, b"").split(), *NUMBERS, *PIECES]
        self.steps: list[Callable[[bytearray], None]] = [
            *(self._flip, self._overwrite, self._delete, self._double, self._insert, self._insert, self._splice),
            *(self._number, self._repeat, self._cut),
        ]

    def draw(self) -> bytes:
        data = bytearray(self.rng.choice(self.pool))
        for _ in range(1 << self.rng.randrange(5)):
            self.rng.choice(self.steps)(data)
        return bytes(data[:LARGEST])

    def keep(self, data: bytes) -> None:
        """An input that did something new is changed further."""
        self.pool.append(data)

    def _place(self, data: bytearray) -> int:
        return self.rng.randint(0, len(data))

    def _span(self, data: bytearray) -> slice:
        start = self._place(data)
        return slice(start, start + self.rng.choice((1, 2, 8, 64, 1000)))

    def _flip(self, data: bytearray) -> None:
        if data:
            data[self.rng.randrange(len(data))] ^= 1 << self.rng.randrange(8)

    def _overwrite(self, data: bytearray) -> None:
        if data:
            data[self.rng.randrange(len(data))] = self.rng.randrange(256)

    def _delete(self, data: bytearray) -> None:
        del data[self._span(data)]

    def _double(self, data: bytearray) -> None:
        piece = data[self._span(data)]
        place = self._place(data)
        data[place:place] = piece

    def _insert(self, data: bytearray) -> None:
        place = self._place(data)
        data[place:place] = self.rng.choice(self.tokens) + self.rng.choice((b"", b" ", b"\n"))

    def _number(self, data: bytearray) -> None:
        """Another number in place of one that stands there."""
        digits = [place for place, letter in enumerate(data) if 48 <= letter < 58]
        if digits:
            place = self.rng.choice(digits)
            data[place : place + self.rng.randint(1, 3)] = self.rng.choice(NUMBERS)

    def _repeat(self, data: bytearray) -> None:
        """Many times the same: what grows, nests or piles up."""
        piece = data[self._span(data)] or bytearray(self.rng.choice(self.tokens))
        place = self._place(data)
        data[place:place] = (piece * self.rng.choice((10, 300, 5000)))[:LARGEST]

    def _splice(self, data: bytearray) -> None:
        other = self.rng.choice(self.pool)
        data[self._place(data) :] = other[self.rng.randint(0, len(other)) :]

    def _cut(self, data: bytearray) -> None:
        del data[self._place(data) :]

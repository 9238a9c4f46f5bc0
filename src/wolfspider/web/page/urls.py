"""One address, one spelling.

Two spellings of one address would be two downloads, so every address that enters the house goes through `canonical`
once, wherever it was found: in a link, a redirect, a seed or a sitemap. The WHATWG parser that browsers follow reads
it (odd IPv4 forms, backslashes, international names, blanks and all), so that what is checked is what is fetched; then
what does not change the answer is taken off: fragment, passwords, the marks of sessions and campaigns, the order of
query keys, and needless percent escapes. A canonical address is printable ASCII, and its own canonical form.

What a site means by its addresses beyond that (slashes at the end, index.html, www) is left alone: it differs from
site to site, and pages that turn out equal are found by their digest.
"""

from __future__ import annotations

import re
from operator import itemgetter

import ada_url

LONGEST = 8192  # bytes; what is longer is a trap or an attack

# Keys that tell the server who is asking or where they came from, never which page is wanted.
_IDLE_NAMES = """
    sid sessid sessionid session_id phpsessid jsessionid aspsessionid cfid cftoken zenid oscsid
    gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid ysclid twclid ttclid igshid li_fat_id mc_cid mc_eid
    _ga _gl _hsenc _hsmi mkt_tok vero_id wickedid
"""
_IDLE_KEYS = frozenset(_IDLE_NAMES.split())
_IDLE_PREFIXES = ("utm_", "hsa_", "mtm_", "pk_campaign", "pk_kwd")
_SESSION_IN_PATH = re.compile(r";jsessionid(?:=[^/;]*)?(?=[/;]|$)", re.IGNORECASE)
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_NEEDS_CARE = re.compile("[%?@;#]")

# The one list of endings of addresses that are not pages. Text (.txt) is a page; feeds and data (.rss, .xml) are not.
_ENDINGS = """
    jpg jpeg jpe png gif bmp ico cur svg svgz webp avif heic tif tiff psd ai eps raw
    mp3 m4a ogg oga opus wav flac aac aif aiff mid midi wma ra
    mp4 m4v webm ogv avi mov mkv mpg mpeg wmv flv swf 3gp ts m3u m3u8
    zip gz tgz bz2 tbz xz txz zst lz4 7z rar tar z jar war ear apk ipa deb rpm dmg pkg iso img msi exe bin dll so
    cab whl egg gem crate crx xpi torrent
    pdf ps dvi djvu epub mobi azw3 chm doc docx docm dot dotx rtf odt ods odp odg xls xlsx xlsm xlsb
    ppt pptx pps ppsx pub vsd
    css js mjs map wasm woff woff2 ttf otf eot less scss
    xml rss atom rdf json jsonl geojson csv tsv sql db sqlite parquet warc wacz kml kmz gpx shp ics vcf
    asc sig md5 sha1 sha256 sha512 patch diff
"""
_FILE_ENDINGS = frozenset(_ENDINGS.split())


def canonical(url: str, base: str | None = None) -> str | None:
    """The one spelling of an address, seen from `base` if it is relative; None if it is no http(s) address."""
    if len(url) > LONGEST:
        return None
    try:
        href: str = ada_url.normalize_url(url) if base is None else ada_url.join_url(base, url)
    except ValueError:
        return None
    if not href.startswith(("https://", "http://")):
        return None
    if _NEEDS_CARE.search(href):
        href = _without_what_is_idle(href)
    return href if len(href) <= LONGEST else None


def _without_what_is_idle(href: str) -> str:
    scheme, _, rest = href.partition("#")[0].partition("://")
    rest, _, query = rest.partition("?")
    authority, _, path = rest.partition("/")
    host = authority.rpartition("@")[2]
    path = _SESSION_IN_PATH.sub("", _ESCAPE.sub(_plain, path))
    query = _ordered(_ESCAPE.sub(_plain, query)) if query else ""
    clean = f"{scheme}://{host}/{path}?{query}" if query else f"{scheme}://{host}/{path}"
    if path[:1] == "." or "/." in path:  # what was taken off may have left a step up or down behind
        return str(ada_url.normalize_url(clean))
    return clean


def _plain(escape: re.Match[str]) -> str:
    """The character itself where the escape was needless, else the escape in capitals. A percent sign that begins no
    escape becomes one, or it might begin one with what follows it decoded."""
    if escape[1] is None:
        return "%25"
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def _ordered(query: str) -> str:
    """Keys in order, equal keys as they stood, idle ones gone."""
    pieces = [(piece.partition("=")[0], piece) for piece in query.split("&") if piece]
    telling = [
        (key, piece)
        for key, piece in pieces
        if key.lower() not in _IDLE_KEYS and not key.lower().startswith(_IDLE_PREFIXES)
    ]
    return "&".join(piece for _, piece in sorted(telling, key=itemgetter(0)))


def looks_like_file(url: str) -> bool:
    """Does a canonical address end like something that is not a page?"""
    name = url.partition("?")[0].rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    return bool(stem) and ending.lower() in _FILE_ENDINGS

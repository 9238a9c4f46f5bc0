"""A web for reports that no setting was chosen on, made from the manuals in Debian packages: many hosts, 22 topics.

    python benchmarks/fresh_web.py FOLDER
    python benchmarks/fresh_web.py FOLDER --packages DEBS
    python benchmarks/fresh_web.py FOLDER --set tuning
    python benchmarks/fresh_web.py FOLDER --set tuning2

The packages with version and hash, the addresses that their pages get, and the topics are in fresh_web.toml beside this
script. `--set tuning` and `--set tuning2` make other webs of the same kind, from tuning_web.toml and tuning2_web.toml:
packages and topics differ, so that settings may be chosen on them. Packages that are not in the folder DEBS
[FOLDER/packages] are fetched by `apt-get download`, from wherever apt is set up to fetch on this machine, which must
know Debian 12. FOLDER gets web.warc.gz, web-redirects.warc.gz and topics.json. The last line has the digest of all of
that, and says whether it is the web of the published figures.
docs/fresh-web.md describes it.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import io
import json
import posixpath
import subprocess
import sys
import tarfile
import tomllib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from pathlib import Path
from typing import Any

from wolfspider.core.model import Capture, Fetch, Page
from wolfspider.files.disk import whole_file
from wolfspider.web.page.html import parse
from wolfspider.web.page.urls import canonical
from wolfspider.web.warc.writer import info, response

PLANS = {name: Path(__file__).with_name(f"{name}_web.toml") for name in ("fresh", "tuning", "tuning2")}
AT = datetime(2026, 11, 16, tzinfo=UTC).timestamp()  # when every page was recorded: no clock is read
MOST_PAGES = 120  # of a package
LARGEST = 160_000  # bytes of a page; entry pages are taken anyway
ENDINGS = (".html", ".htm", ".xhtml")
TYPES = {".xhtml": "application/xhtml+xml"}
PORTAL = "http://manuals.test/"


@dataclass(frozen=True, slots=True)
class Manual:
    """A package, where its manual lies in it, and the address at which it is found in the web."""

    package: str
    version: str
    sha256: str
    address: str  # host and path, ends with a slash
    folder: str
    entry: str  # a file in the folder
    also: tuple[str, ...] = ()  # addresses that lead to the entry

    @property
    def home(self) -> str:
        return self.url(self.entry)

    def url(self, path: str) -> str:
        return canonical(f"http://{self.address}{path}") or ""


@dataclass(slots=True)
class Web:
    """What is to be written: pages by address, and redirects."""

    pages: dict[str, Capture] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)

    def digest(self, topics: str) -> str:
        """Of what is in the web, however it is packed."""
        digest = hashlib.sha256(topics.encode())
        for url in sorted(self.pages):
            digest.update(f"{url} {hashlib.sha256(self.pages[url].body).hexdigest()}\n".encode())
        for url in sorted(self.redirects):
            digest.update(f"{url} -> {self.redirects[url]}\n".encode())
        return digest.hexdigest()


# Packages


def fetch(manuals: Iterable[Manual], folder: Path) -> None:
    """Get the packages that are not in the folder, all in one call: apt reads its lists anew in each."""
    missing = [f"{each.package}={each.version}" for each in manuals if not any(folder.glob(f"{each.package}_*.deb"))]
    if not missing:
        return
    print(f"fetching {len(missing)} packages", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    command = ["apt-get", "download", *missing]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if said.returncode:
        raise SystemExit(
            f"apt-get download failed: {said.stderr.strip()}\n"
            f"Run apt-get update on a machine with Debian 12, or put the packages into {folder}."
        )


def archive(manual: Manual, folder: Path) -> bytes:
    """The package as it was pinned."""
    for path in sorted(folder.glob(f"{manual.package}_*.deb")):
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() == manual.sha256:
            return content
    raise SystemExit(f"The package {manual.package} in {folder} is not version {manual.version}: its hash differs.")


def members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """The parts of an `ar` archive, which a Debian package is."""
    at = 8
    while at + 60 <= len(archive):
        name, size = archive[at : at + 16].decode().strip(" /"), int(archive[at + 48 : at + 58])
        yield name, archive[at + 60 : at + 60 + size]
        at += 60 + size + size % 2


def documents(archive: bytes, folder: str) -> dict[str, bytes]:
    """HTML files in this folder of a package, by their paths in it; links to files of the package are followed."""
    ((_, packed),) = [part for part in members(archive) if part[0].startswith("data.tar")]
    found: dict[str, bytes] = {}
    linked: dict[str, str] = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        for file in files:
            path = posixpath.normpath("/" + file.name)
            if not path.startswith(folder + "/") or not path.endswith(ENDINGS):
                continue
            if file.issym():
                linked[path] = posixpath.normpath(posixpath.join(posixpath.dirname(path), file.linkname))
            elif content := files.extractfile(file):
                found[path] = content.read()
    found |= {path: found[target] for path, target in linked.items() if target in found}
    return {posixpath.relpath(path, folder): content for path, content in found.items()}


# Pages


def add_manual(web: Web, manual: Manual, files: Mapping[str, bytes]) -> str:
    """The pages of a manual, breadth-first from its entry, as many as may be; returns the title of its entry."""
    by_url = {manual.url(path): path for path in sorted(files)}
    folders = {url.rpartition("/")[0] + "/": url for url in by_url if url.rpartition("/")[2].startswith("index.")}
    queue, seen, title, taken = deque([manual.home]), {manual.home}, "", 0
    while queue and taken < MOST_PAGES:
        url = queue.popleft()
        content = files[by_url[url]]
        capture = page(url, content)
        parsed = parse(Fetch(url, url, 200, {name.lower(): value for name, value in capture.headers}, content))
        if not isinstance(parsed, Page) or (len(content) > LARGEST and url != manual.home):
            continue
        web.pages[url] = capture
        taken += 1
        title = title or parsed.title
        for link in parsed.links:
            address = "http://" + link.url.partition("://")[2]
            address = folders.get(address, address)
            if address in by_url and address not in seen:
                seen.add(address)
                queue.append(address)
    web.redirects |= {folder: url for folder, url in folders.items() if url in web.pages}
    also = (canonical(f"http://{address}") or "" for address in (manual.address, *manual.also))
    web.redirects |= {url: manual.home for url in also if url not in web.pages}
    return title


def page(url: str, body: bytes) -> Capture:
    ending = posixpath.splitext(url)[1]
    headers = (
        ("Content-Type", TYPES.get(ending, "text/html")),
        ("Date", formatdate(AT, usegmt=True)),
        ("Content-Length", str(len(body))),
    )
    return Capture(url, AT, 200, headers, body)


def redirect(url: str, target: str) -> Capture:
    return Capture(url, AT, 301, (("Location", target), ("Content-Length", "0")), b"")


def add_portal(web: Web, titles: Mapping[str, str], manuals: Mapping[str, Manual]) -> None:
    """The page that leads to all manuals, by the letters their packages begin with: the only pages made here."""
    letters: dict[str, list[str]] = {}
    for package in sorted(titles, key=plain_name):
        letters.setdefault(plain_name(package)[0], []).append(package)
    index = [f'<li><a href="{letter}.html">Manuals: {letter.upper()}</a></li>' for letter in letters]
    put(web, PORTAL, "Manuals on this system", index)
    for letter, packages in letters.items():
        entries = [
            f'<li><a href="{html.escape(manuals[name].home)}">{html.escape(titles[name] or name)}</a> '
            f"(package {html.escape(name)})</li>"
            for name in packages
        ]
        put(web, f"{PORTAL}{letter}.html", f"Manuals: {letter.upper()}", entries)


def plain_name(package: str) -> str:
    """What a package is about: the name without the words that tell its kind."""
    return package.removeprefix("python-").removeprefix("python3-").removeprefix("lib")


def put(web: Web, url: str, title: str, entries: Iterable[str]) -> None:
    home = f'<p><a href="{PORTAL}">All manuals</a></p>'
    text = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{home}<ul>\n" + "\n".join(entries)
    web.pages[url] = page(url, (text + "\n</ul></body></html>\n").encode())


# Topics


def topics_of(plan: Mapping[str, Any], web: Web, manuals: Mapping[str, Manual]) -> str:
    """topics.json: all pages of a topic's manuals are relevant; seeds are the portal and a manual of another topic."""
    told = {}
    for name, topic in plan["topics"].items():
        own = [manuals[package] for package in topic["packages"]]
        homes = tuple(f"http://{manual.address}" for manual in own)
        others = sorted(set(manuals) - set(topic["packages"]), key=lambda package: hashed(name, package))
        told[name] = {
            "keywords": topic["keywords"],
            "description": topic["description"],
            "seeds": [PORTAL, manuals[others[0]].home],
            "relevant": sorted(url for url in web.pages if url.startswith(homes)),
            "rule": "all pages of " + ", ".join(manual.address for manual in own),
        }
    return json.dumps(told, indent=1) + "\n"


def hashed(*parts: str) -> str:
    return hashlib.sha256("/".join(parts).encode()).hexdigest()


# Writing


def write(web: Web, topics: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    about = {"software": "fresh_web.py", "format": "WARC File Format 1.1"}
    sent_on = [redirect(url, target) for url, target in web.redirects.items()]
    for name, captures in (("web", list(web.pages.values())), ("web-redirects", sent_on)):
        with whole_file(folder / f"{name}.warc.gz", 0o666) as file:
            file.write(info(AT, about))
            for capture in captures:
                file.write(response(capture))
    (folder / "topics.json").write_text(topics, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the web goes")
    parser.add_argument("--set", choices=PLANS, default="fresh", help="which web [fresh: the one for reports]")
    parser.add_argument("--packages", type=Path, help="a folder of the packages [FOLDER/packages]")
    options = parser.parse_args()
    plan = tomllib.loads(PLANS[options.set].read_text(encoding="utf-8"))
    manuals = {entry["package"]: Manual(**entry) for entry in plan["packages"]}
    packages = options.packages or options.folder / "packages"
    fetch(manuals.values(), packages)
    web, titles = Web(), {}
    for manual in manuals.values():
        files = documents(archive(manual, packages), manual.folder)
        before = len(web.pages)
        titles[manual.package] = add_manual(web, manual, files)
        print(f"{manual.package}: {len(web.pages) - before} of {len(files)} pages at {manual.address}", file=sys.stderr)
    add_portal(web, titles, manuals)
    topics = topics_of(plan, web, manuals)
    write(web, topics, options.folder)
    hosts = {url.split("/")[2] for url in web.pages}
    print(f"pages={len(web.pages)} redirects={len(web.redirects)} hosts={len(hosts)} topics={len(plan['topics'])}")
    digest = web.digest(topics)
    same = digest == plan.get("digest")
    print(f"digest={digest}: {'the web of the published figures' if same else 'NOT the web of the published figures'}")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())

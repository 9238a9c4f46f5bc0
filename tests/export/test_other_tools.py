"""What other tools say of WACZ, WARC, its index and Parquet: wacz, pywb, warcio and datasets, each in its own place.

The environments are made below build/other-tools and used again. Where nothing can be downloaded, tests are skipped.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from small_web import SPIDERS, SmallWeb, page
from wolfspider.cli import main
from wolfspider.export.exporting import export
from wolfspider.store.view import RunView
from wolfspider.web.server.serve import serve

TOOLS = Path(__file__).parents[2] / "build" / "other-tools"
REPLAYS = """
import hashlib, sys
from pywb.apps.frontendapp import FrontEndApp
from werkzeug.test import Client
client = Client(FrontEndApp(config_file=None, custom_config={"debug": False}))
for url in sys.argv[1:]:
    answer = client.get("/pages/id_/" + url, follow_redirects=True)
    assert answer.status_code == 200, (url, answer.status)
    print("digest", hashlib.sha256(answer.get_data()).hexdigest())
"""
SHOWS = """
import hashlib, re, sys
from pywb.apps.frontendapp import FrontEndApp
from werkzeug.test import Client
client = Client(FrontEndApp(config_file=None, custom_config={"debug": False}))
waiting, seen = ["/pages/mp_/" + sys.argv[1]], set()
while waiting:
    shown = waiting.pop()
    if shown not in seen:
        seen.add(shown)
        answer = client.get(shown, follow_redirects=True)
        body = answer.get_data()
        url = re.sub(r".*?/pages/[^/]*/", "", shown)
        print("shown", answer.status_code, hashlib.sha256(body).hexdigest(), url)
        kind = answer.headers["content-type"].split(";")[0]
        if kind in ("text/html", "text/css"):  # of which pywb changes the addresses, so that they lead to what it has
            needs = re.findall("(?: src=| href=|url[(])[\\"']?([^\\"')> ]+)", body.decode())
            needs = [shown.rpartition("/")[0] + "/" + need if "/" not in need else need for need in needs]
            waiting += (need for need in needs if "/pages/" in need)
"""
READS = """
import hashlib, json, sys
from io import BytesIO
from warcio.archiveiterator import ArchiveIterator
for line in open(sys.argv[1], encoding="utf-8"):
    said = json.loads(line.split(" ", 2)[2])
    with open(sys.argv[2] + "/" + said["filename"], "rb") as file:
        file.seek(int(said["offset"]))
        record = next(ArchiveIterator(BytesIO(file.read(int(said["length"]))), check_digests="raise"))
        body = record.content_stream().read()
    assert record.rec_headers["WARC-Payload-Digest"].removeprefix("sha1:") == said["digest"].removeprefix("sha1:"), said
    assert record.rec_headers["WARC-Target-URI"] == said["url"]
    assert record.http_headers.get_statuscode() == said["status"]
    print(said["url"], hashlib.sha256(body).hexdigest())
"""
LOADS = """
import sys
from datasets import load_dataset
(part,) = load_dataset(sys.argv[1], cache_dir=sys.argv[2]).values()
print(*part["final_url"], sep="\\n")
"""
VERSIONS = {"wacz": "0.6.0", "pywb": "2.10.0", "warcio": "1.8.1", "datasets": "5.2.0"}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tool() -> Callable[[str], Path]:
    """Programs of a package, installed where it is alone, by one process at a time."""

    def installed(package: str) -> Path:
        home = TOOLS / package
        TOOLS.mkdir(parents=True, exist_ok=True)
        with (TOOLS / f"{package}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            install(package, home)
        return home / "bin"

    def install(package: str, home: Path) -> None:
        if not (home / "ready").is_file():
            made = [sys.executable, "-m", "venv", "--clear", str(home)]
            words = [str(home / "bin" / "pip"), "install", "--quiet", f"{package}=={VERSIONS[package]}"]
            for command in (made, words):
                if subprocess.run(command, capture_output=True, timeout=500, check=False).returncode:
                    pytest.skip(f"{package} could not be installed.")
            (home / "ready").touch()

    return installed


def digests_of(run: Path) -> dict[str, str]:
    """Of the bodies of all pages that are exported, decoded."""
    view = RunView(run)
    return {page.final_url: hashlib.sha256(view.body(page)).hexdigest() for page in view.pages() if not page.robots}


def replayed(programs: Path, urls: Iterable[str], folder: Path) -> list[str]:
    """The digests of what pywb shows at these addresses."""
    words = [str(programs / "python"), "-c", REPLAYS, *urls]
    told = subprocess.run(words, cwd=folder, capture_output=True, timeout=240, check=False)
    assert told.returncode == 0, told.stderr.decode()
    return [line.split()[1] for line in told.stdout.decode().splitlines() if line.startswith("digest ")]


def test_a_wacz_is_valid(made: Path, tmp_path: Path, tool: Callable[[str], Path]) -> None:
    export(made, "wacz", tmp_path / "pages.wacz", stdout=io.BytesIO())
    words = [str(tool("wacz") / "wacz"), "validate", "-f", str(tmp_path / "pages.wacz")]
    told = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert told.returncode == 0 and "is valid" in told.stdout, told.stdout + told.stderr


def test_a_wacz_is_replayed(made: Path, tmp_path: Path, tool: Callable[[str], Path]) -> None:
    export(made, "wacz", tmp_path / "pages.wacz", stdout=io.BytesIO())
    programs = tool("pywb")
    for words in (["init", "pages"], ["add", "--unpack-wacz", "pages", str(tmp_path / "pages.wacz")]):
        subprocess.run([str(programs / "wb-manager"), *words], cwd=tmp_path, timeout=120, check=True)
    assert replayed(programs, digests_of(made), tmp_path) == list(digests_of(made).values())


NEEDED = {
    "http://a.test/look/main.css": ("text/css", b"body { background: url(back.png) }"),
    "http://a.test/look/back.png": ("image/png", b"\x89PNG\r\n\x1a\n of the background"),
    "http://a.test/one.png": ("image/png", b"\x89PNG\r\n\x1a\n of the page"),
    "http://a.test/app.js": ("text/javascript", b"var spiders = 8;"),
}


def test_a_page_is_replayed_with_what_it_needs(
    tmp_path: Path, tool: Callable[[str], Path], aside: Callable[[Any], Any]
) -> None:
    """pywb shows the page, and every image, style and script at the address to which it has turned the page's own."""
    needs = '<link rel="stylesheet" href="/look/main.css"><script src="/app.js"></script><img src="/moved.png">'
    answers = {url: (200, {"content-type": kind}, body) for url, (kind, body) in NEEDED.items()}
    web = SmallWeb(
        {"http://a.test/": page("Start", SPIDERS + needs), **answers},
        {"http://a.test/moved.png": "http://a.test/one.png"},
    )
    run, package = tmp_path / "run", tmp_path / "pages.wacz"
    words = ["--topic", "wolf spiders", "--via", f"127.0.0.1:{aside(serve(web)).port}", "--requisites", "9"]
    words += ["--include", "a.test", "--delay", "0", "--disk-floor", "0", "--quiet", "--out", str(run)]
    assert main(["crawl", "http://a.test/", *words]) == 0
    assert main(["export", str(run), "--relevant", "--format", "wacz", "--out", str(package), "--quiet"]) == 0
    programs = tool("pywb")
    for made in (["init", "pages"], ["add", "--unpack-wacz", "pages", str(package)]):
        subprocess.run([str(programs / "wb-manager"), *made], cwd=tmp_path, timeout=120, check=True)
    shows = [str(programs / "python"), "-c", SHOWS, "http://a.test/"]
    told = subprocess.run(shows, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
    assert told.returncode == 0, told.stderr
    shown = {line.split()[3]: line.split()[1:3] for line in told.stdout.splitlines() if line.startswith("shown ")}
    moved = {"http://a.test/moved.png": NEEDED["http://a.test/one.png"]}
    assert set(shown) == {"http://a.test/", *NEEDED, *moved} - {"http://a.test/one.png"}, shown
    for url, (status, digest) in shown.items():
        kind, body = (NEEDED | moved).get(url, ("text/html", b""))
        assert status == "200" and (kind != "image/png" or digest == hashlib.sha256(body).hexdigest()), url


@pytest.fixture(params=["exported", "of the run"])
def indexed(request: pytest.FixtureRequest, made: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A WARC and its index, as it is exported and as it lies in a run."""
    if request.param == "exported":
        export(made, "warc", tmp_path / "pages.warc.gz", stdout=io.BytesIO())
        return tmp_path / "pages.warc.gz", tmp_path / "pages.cdxj"
    (archive,), (index,) = (made / "warc").glob("*.warc.gz"), (made / "warc").glob("*.cdxj")
    return archive, index


def test_warcio_finds_every_page_where_the_index_says(
    indexed: tuple[Path, Path], made: Path, tool: Callable[[str], Path]
) -> None:
    archive, index = indexed
    words = [str(tool("warcio") / "python"), "-c", READS, str(index), str(archive.parent)]
    told = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert told.returncode == 0, told.stderr
    assert digests_of(made).items() <= dict(line.split() for line in told.stdout.splitlines()).items()


def test_fastwarc_finds_every_page_where_the_index_says(indexed: tuple[Path, Path], made: Path) -> None:
    fastwarc = pytest.importorskip("fastwarc.warc", reason="fastwarc is not installed")
    archive, index = indexed
    data, found = archive.read_bytes(), {}
    for line in index.read_text(encoding="utf-8").splitlines():
        said = json.loads(line.split(" ", 2)[2])
        start = int(said["offset"])
        member = io.BytesIO(data[start : start + int(said["length"])])
        record = next(iter(fastwarc.ArchiveIterator(member, auto_decode="all")))
        assert (record.headers["WARC-Target-URI"], str(record.http_headers.status_code)) == (
            said["url"],
            said["status"],
        )
        found[said["url"]] = hashlib.sha256(record.reader.read()).hexdigest()
    assert digests_of(made).items() <= found.items()


def test_pywb_replays_a_warc_by_our_index(
    indexed: tuple[Path, Path], made: Path, tmp_path: Path, tool: Callable[[str], Path]
) -> None:
    archive, index = indexed
    programs = tool("pywb")
    subprocess.run([str(programs / "wb-manager"), "init", "pages"], cwd=tmp_path, timeout=120, check=True)
    shutil.copy(archive, tmp_path / "collections" / "pages" / "archive")
    shutil.copy(index, tmp_path / "collections" / "pages" / "indexes" / "index.cdxj")
    assert replayed(programs, digests_of(made), tmp_path) == list(digests_of(made).values())


def test_a_warc_passes_the_check_of_another_reader(made: Path, tmp_path: Path, tool: Callable[[str], Path]) -> None:
    export(made, "warc", tmp_path / "pages.warc.gz", stdout=io.BytesIO())
    words = [str(tool("warcio") / "warcio"), "check", str(tmp_path / "pages.warc.gz")]
    told = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


def test_parquet_is_loaded_as_a_dataset(made: Path, tmp_path: Path, tool: Callable[[str], Path]) -> None:
    export(made, "parquet", tmp_path / "corpus", stdout=io.BytesIO())
    words = [str(tool("datasets") / "python"), "-c", LOADS, str(tmp_path / "corpus"), str(tmp_path / "cache")]
    offline = os.environ | {"HF_HUB_OFFLINE": "1"}
    told = subprocess.run(words, cwd=tmp_path, env=offline, capture_output=True, text=True, timeout=240, check=False)
    assert told.returncode == 0, told.stderr
    assert told.stdout.split() == [page.final_url for page in RunView(made).pages() if not page.robots]

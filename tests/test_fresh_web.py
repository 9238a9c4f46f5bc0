"""The parts of benchmarks/fresh_web.py: a package is read, its manual becomes pages, and the same one the same web."""

from __future__ import annotations

import hashlib
import importlib
import io
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
FOLDER = "/usr/share/doc/fox"


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("fresh_web")


def package(files: dict[str, bytes], links: dict[str, str] | None = None) -> bytes:
    """As Debian packs it: an `ar` archive with a compressed tar in it; parts of odd length are padded."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as tar:
        for name, content in files.items():
            file = tarfile.TarInfo("." + name)
            file.size = len(content)
            tar.addfile(file, io.BytesIO(content))
        for name, target in (links or {}).items():
            link = tarfile.TarInfo("." + name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            tar.addfile(link)
    parts = [(b"debian-binary", b"2.0\n"), (b"control.tar.xz", b"odd"), (b"data.tar.xz", packed.getvalue())]
    heads = [(b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (name, 0, 0, 0, 0o100644, len(body)), body) for name, body in parts]
    return b"!<arch>\n" + b"".join(head + body + b"\n" * (len(body) % 2) for head, body in heads)


FILES = {
    f"{FOLDER}/index.html": b'<title>Foxes</title><a href="dens/">dens</a> <a href="gone.html">gone</a>',
    f"{FOLDER}/dens/index.html": b'<title>Dens</title><a href="../large.html">large</a>',
    f"{FOLDER}/large.html": b"<p>" + b"fox " * 60_000,
    f"{FOLDER}/lonely.html": b"<p>nobody links here",
    f"{FOLDER}/picture.png": b"PNG",
    "/usr/share/other.html": b"<p>elsewhere",
}


def test_a_package_is_read_and_links_in_it_are_followed(fresh: Any) -> None:
    found = fresh.documents(package(FILES, {f"{FOLDER}/main.html": "dens/index.html"}), FOLDER)
    assert sorted(found) == ["dens/index.html", "index.html", "large.html", "lonely.html", "main.html"]
    assert found["main.html"] == FILES[f"{FOLDER}/dens/index.html"]


def test_a_manual_gives_the_pages_that_its_entry_leads_to(fresh: Any) -> None:
    manual = fresh.Manual("fox-doc", "1", "", "fox.test/doc/", FOLDER, "index.html", ("fox.test/",))
    web = fresh.Web()
    title = fresh.add_manual(web, manual, fresh.documents(package(FILES), FOLDER))
    assert title == "Foxes"
    assert sorted(web.pages) == ["http://fox.test/doc/dens/index.html", "http://fox.test/doc/index.html"]
    home = "http://fox.test/doc/index.html"
    assert web.redirects["http://fox.test/"] == web.redirects["http://fox.test/doc/"] == home


def test_a_package_with_another_hash_is_refused(fresh: Any, tmp_path: Path) -> None:
    content = package(FILES)
    (tmp_path / "fox-doc_1_all.deb").write_bytes(content)
    pinned = hashlib.sha256(content).hexdigest()
    assert fresh.archive(fresh.Manual("fox-doc", "1", pinned, "", "", ""), tmp_path) == content
    with pytest.raises(SystemExit, match="its hash differs"):
        fresh.archive(fresh.Manual("fox-doc", "1", "0" * 64, "", "", ""), tmp_path)


@pytest.mark.parametrize("name", ["fresh", "tuning"])
def test_every_topic_of_the_plan_names_packages_of_the_plan(fresh: Any, name: str) -> None:
    plan = tomllib.loads(fresh.PLANS[name].read_text(encoding="utf-8"))
    packages = {entry["package"] for entry in plan["packages"]}
    assert all(packages >= set(topic["packages"]) for topic in plan["topics"].values())
    assert all(len(entry["sha256"]) == 64 and entry["address"].endswith("/") for entry in plan["packages"])


def test_the_digest_is_that_of_the_content(fresh: Any) -> None:
    one, other = fresh.Web(), fresh.Web()
    fresh.put(one, "http://a.test/", "A", [])
    fresh.put(other, "http://a.test/", "B", [])
    assert one.digest("{}") == one.digest("{}") != other.digest("{}")
    assert one.digest("{}") != one.digest("[]")

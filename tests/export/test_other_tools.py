"""What other tools say of a WACZ, a WARC and Parquet: wacz, pywb, warcio and datasets, each in a place of its own.

The environments are made below build/other-tools and used again. Where nothing can be downloaded, tests are skipped.
"""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from wolfspider.export.exporting import export
from wolfspider.store.view import RunView

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
    """Programs of a package, installed where it is alone."""

    def installed(package: str) -> Path:
        home = TOOLS / package
        if not (home / "ready").is_file():
            made = [sys.executable, "-m", "venv", "--clear", str(home)]
            words = [str(home / "bin" / "pip"), "install", "--quiet", f"{package}=={VERSIONS[package]}"]
            for command in (made, words):
                if subprocess.run(command, capture_output=True, timeout=500, check=False).returncode:
                    pytest.skip(f"{package} could not be installed.")
            (home / "ready").touch()
        return home / "bin"

    return installed


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
    view = RunView(made)
    pages = [page for page in view.pages() if not page.robots]
    words = [str(programs / "python"), "-c", REPLAYS, *(page.final_url for page in pages)]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=240, check=False)
    assert told.returncode == 0, told.stderr.decode()
    digests = [hashlib.sha256(view.body(page)).hexdigest() for page in pages]
    assert [line.split()[1] for line in told.stdout.decode().splitlines() if line.startswith("digest ")] == digests


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

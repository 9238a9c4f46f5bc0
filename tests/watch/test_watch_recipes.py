"""The recipes of docs/watch.md, as far as they can be tried on one machine: mail, Slack, and a unit for systemd."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from wolfspider.cli.crawling import CODES
from wolfspider.core.events import EndReason

PAGE = (Path(__file__).parents[2] / "docs" / "watch.md").read_text(encoding="utf-8")


def recipe(title: str) -> str:
    found = re.search(rf"^### {re.escape(title)}\n.*?^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed here, which the recipe needs.")
def test_every_report_becomes_a_mail_whatever_its_title_says(tmp_path: Path) -> None:
    """A title cannot become a header of the mail, or a command."""
    titles = ["Floods in the north", "Don't \\n $(touch owned) `touch owned`", "Two\r\nBcc: all@example.org", "Ärger"]
    reports = [{"number": n, "title": title, "url": f"http://paper.test/{n}"} for n, title in enumerate(titles)]
    (tmp_path / "reports").write_text("".join(json.dumps(each) + "\n" for each in reports), encoding="utf-8")
    program(tmp_path, "wolfspider", f'echo "$@" > {tmp_path}/asked; cat {tmp_path}/reports')
    kept = f'n=$(ls {tmp_path} | grep -c mail-); cat > {tmp_path}/mail-$n; echo "$@" >> {tmp_path}/to'
    program(tmp_path, "sendmail", kept)
    path = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", recipe("E-mail")], env=path, cwd=tmp_path, check=True, timeout=30)
    assert (tmp_path / "asked").read_text(encoding="utf-8").split() == ["watch", "--out", "news", "--json"]
    assert (tmp_path / "to").read_text(encoding="utf-8").splitlines() == ["me@example.org"] * len(titles)
    mails = [(tmp_path / f"mail-{n}").read_text(encoding="utf-8") for n in range(len(titles))]
    for number, (mail, title) in enumerate(zip(mails, titles, strict=True)):
        head, _, body = mail.partition("\n\n")
        assert head == "Subject: " + " ".join(re.split(r"[\r\n]+", title)) and body == f"http://paper.test/{number}\n"
    assert not (tmp_path / "owned").exists()


def test_the_unit_stops_the_watch_as_ctrl_c_does_and_goes_on_with_it(tmp_path: Path) -> None:
    unit = dict(line.split("=", 1) for line in recipe("A unit for systemd").splitlines() if "=" in line)
    assert unit["KillSignal"] == "SIGINT" and unit["SuccessExitStatus"] == str(CODES[EndReason.INTERRUPTED])
    words = shlex.split(unit["ExecStart"])
    assert words[1:3] == ["watch", "--out"] and words[3].startswith("/var/lib/" + unit["StateDirectory"] + "/")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed here.")
def test_systemd_finds_no_fault_in_the_unit(tmp_path: Path) -> None:
    program(tmp_path, "wolfspider", "true")
    unit = recipe("A unit for systemd").replace("/usr/local/bin/wolfspider", str(tmp_path / "wolfspider"))
    (tmp_path / "wolfspider-news.service").write_text(unit, encoding="utf-8")
    words = ["systemd-analyze", "verify", "--man=no", str(tmp_path / "wolfspider-news.service")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert "wolfspider-news.service" not in done.stderr + done.stdout, done.stderr


def test_the_recipe_for_slack_names_options_that_are_there() -> None:
    words = shlex.split(recipe("Slack and Mattermost").replace("...", "T0/B0/X"))
    assert words[0].startswith("WOLFSPIDER_WEBHOOK=https://hooks.slack.com/") and words[-2:] == [
        "--webhook-as",
        "slack",
    ]

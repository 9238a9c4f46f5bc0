"""Help lists commands in the order in which people come to need them."""

from __future__ import annotations

import pytest

from wolfspider.cli.common import app


def test_help_begins_with_what_most_people_need(capsys: pytest.CaptureFixture[str]) -> None:
    app(["--help"], standalone_mode=False)
    listed = [
        line.split()[0] for line in capsys.readouterr().out.partition("Commands:\n")[2].splitlines() if line.strip()
    ]
    assert listed[:4] == ["demo", "crawl", "status", "steer"] and "reproduce" in listed

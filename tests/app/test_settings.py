"""Settings: one name for a choice wherever it is made, later sources win, and mistakes are told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.app.changed_limits import changed_limits
from wolfspider.app.presets import PRESETS
from wolfspider.app.settings import Settings, choose, from_environment, from_file, known, read
from wolfspider.app.strange_runs import resumed_with
from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.events import SetLimit
from wolfspider.core.limits import AT_ONCE, Limits


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in known():
        monkeypatch.delenv(f"WOLFSPIDER_{name.upper()}", raising=False)


def test_flags_win_over_the_environment_over_the_file_over_the_preset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "crawl.toml"
    file.write_text('topic = "spiders"\nslots = 3\ndelay = 4.0\npages = 7\n[set]\ngamma = 0.5\n')
    monkeypatch.setenv("WOLFSPIDER_PAGES", "8")
    monkeypatch.setenv("WOLFSPIDER_DELAY", "5")
    chosen = choose({"delay": 6, "set": ["smell=0"]}, file, "gentle")
    assert chosen.settings.adapt == PRESETS["gentle"].settings["adapt"]
    assert (chosen.settings.slots, chosen.settings.pages, chosen.settings.delay) == (3, 8, 6.0)
    assert chosen.settings.set == {"gamma": "0.5", "smell": "0"}
    origins = {"adapt": "preset gentle", "slots": str(file), "pages": "environment", "delay": "command line"}
    assert {name: chosen.origin[name] for name in origins} == origins


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"slot": 3}, "Did you mean 'slots'?"),
        ({"slots": 0}, "slots must be at least 1"),
        ({"slots": "many"}, "slots must be a whole number"),
        ({"urls": 3}, "urls is a list of texts"),
        ({"delay": [1]}, "delay is a single value"),
        ({"set": ["gamma"]}, "NAME=VALUE"),
        ({"memory": "1.5GB"}, "memory must be a whole number of megabytes, not '1.5GB'."),
        ({"max_mb": "5 MB"}, "max_mb must be a number of megabytes, not '5 MB'."),
        ({"hands": 1, "parsers": 2}, "parsers is an earlier name of hands, and both are given: give hands alone."),
        ({"durability": "none"}, "durability is one of normal, full"),
        ({"traps": "aviod"}, "traps is one of ignore, avoid, not 'aviod'. Did you mean 'avoid'?"),
    ],
)
def test_a_mistake_is_told_with_where_it_was_made(given: dict[str, object], says: str) -> None:
    with pytest.raises(Problem, match="here: ") as caught:
        read(given, "here")
    assert says in str(caught.value)


@pytest.mark.parametrize("content", [b"pages = ", b"\xff\xfe", b"pages = 'a'", b"x" * (2 << 20)])
def test_a_file_that_is_no_settings_file_is_told(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "crawl.toml"
    file.write_bytes(content)
    with pytest.raises(Problem, match="toml"):
        from_file(file)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Cannot read"):
        from_file(tmp_path / "none.toml")


def test_the_environment_says_other_things_too() -> None:
    environment = {"WOLFSPIDER_CORPORA": "x", "WOLFSPIDER_DEBUG": "1", "PATH": "y", "WOLFSPIDER_URLS": "a b"}
    assert from_environment(environment) == {"urls": ("a", "b")}
    with pytest.raises(Problem, match=r"WOLFSPIDER_PAEGS.*Did you mean 'pages'"):
        from_environment({"WOLFSPIDER_PAEGS": "1"})


def test_an_unknown_preset_is_told() -> None:
    with pytest.raises(Problem, match="Did you mean 'corpus'"):
        choose({}, named="corpsu")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_chosen(name: str) -> None:
    settings = choose({}, named=name).settings
    chosen = PRESETS[name].settings
    assert {setting: getattr(settings, setting) for setting in chosen} == chosen


@pytest.mark.parametrize("name", PRESETS)
def test_the_docs_tell_the_settings_of_every_preset(name: str) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| `{name}` \| (.*?) \| (.+) \|$", docs, re.MULTILINE)
    assert row and row[2]
    told = dict(pair.split("=") for pair in re.findall(r"`([^`]+)`", row[1]))
    assert read(told, "the docs") == read(PRESETS[name].settings, "the preset")


def test_the_earlier_name_of_hands_is_as_good_as_the_present_one() -> None:
    assert choose({"parsers": 2}, named="archive", environment=False).settings.hands == 2
    assert Settings.from_json({"parsers": 3}).hands == 3 and Settings(parsers=3).hands == 3
    begun = Settings(hands=3)
    assert [choose(resumed_with(begun, given)).settings.hands for given in ({}, {"parsers": 2}, {"hands": 1})] == [
        3,
        2,
        1,
    ]


def test_every_setting_has_a_sentence() -> None:
    assert [name for name, setting in known().items() if not setting.says.endswith(".")] == []


@given(st.lists(st.text()), st.dictionaries(st.text(min_size=1), st.text()), st.integers(1, 10**9))
def test_settings_come_back_from_json(urls: list[str], pairs: dict[str, str], pages: int) -> None:
    settings = Settings(urls=tuple(urls), set=pairs, pages=pages)
    assert Settings.from_json(settings.to_json()) == settings


def test_where_leaps_go_is_found_again_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Settings(leaps="runs/one").leaps == str(tmp_path / "runs" / "one")
    assert Settings(category="spiders").leaps == str(tmp_path / "categories.sqlite")
    assert Settings(category="spiders", leaps="other.sqlite").leaps == str(tmp_path / "other.sqlite")
    assert Settings().leaps == ""
    for leaps in ("sitemap:example.org", "search:http://localhost:8888", "http://example.org/"):
        assert Settings(leaps=leaps).leaps == leaps
    kept = Settings(category="spiders")
    monkeypatch.chdir("/")
    assert Settings.from_json(kept.to_json()) == kept


def test_a_run_that_names_no_judge_keeps_the_default_of_its_time() -> None:
    assert Settings().judge == "context"
    assert Settings.from_json({"pages": 5}).judge == "classifier"


@pytest.mark.parametrize("kind", ["sitemap:", "search:"])
def test_names_and_passwords_of_what_leaps_ask_are_not_kept(kind: str) -> None:
    assert Settings(leaps=f"{kind}https://me:secret@example.org/x").leaps == f"{kind}https://example.org/x"


def test_a_run_begun_before_there_was_thrift_waits_for_nothing_and_a_new_one_does() -> None:
    assert Settings().hurry == 0.0 and Settings.from_json(Settings().to_json()).hurry == 0.0
    stored = {name: value for name, value in Settings().to_json().items() if name != "hurry"}
    assert Settings.from_json(stored).hurry == AT_ONCE


def test_the_same_command_on_a_run_begun_before_there_was_thrift_changes_nothing_unless_hurry_is_named() -> None:
    stored = {name: value for name, value in Settings().to_json().items() if name != "hurry"}
    about = {"settings": stored}
    first = Settings.of_run(about)
    limits = Limits(first.pages, first.slots, first.delay, first.max_wait, first.hurry)
    assert changed_limits(Settings(), (), limits, about) == []
    assert changed_limits(Settings(hurry=60.0), ("hurry",), limits, about) == [SetLimit("hurry", 60.0)]


def test_a_run_keeps_the_edition_of_the_judge_it_began_with() -> None:
    stored = {"judge": "context"}
    assert Settings.of_run({"settings": stored}).judge == "context-1"
    assert Settings.of_run({"settings": stored, "judges": 2}).judge == "context"
    assert Settings.of_run({"settings": {"judge": "coverage"}}).judge == "coverage"

"""Crawls started from the browser: what can be chosen, what a choice would do, and the process that does it.

A crawl is a process of its own, started as a person would start it at a terminal. The person at the browser is the
person who started the dashboard; still, nothing that runs a file or reads one can be chosen here, and no private
network is opened: what needs that is said at the terminal, by `--config`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wolfspider.app import preflight
from wolfspider.app.plugins import PARTS, is_own
from wolfspider.app.presets import PRESETS
from wolfspider.app.run_children import LONGEST_NAME, is_one_part, slug
from wolfspider.app.settings import LIVE, OF_WATCHES, Settings, choose, is_own_file, known, worded
from wolfspider.app.strange_runs import refuse_named
from wolfspider.core.errors import Busy, Problem
from wolfspider.core.model import host_of
from wolfspider.core.params import parameters
from wolfspider.dashboard.acting_shapes import Choices, CrawlPlan, ResumeBody, StartBody, Started
from wolfspider.dashboard.controls import control
from wolfspider.dashboard.desk import RunDesk
from wolfspider.dashboard.shapes import Said
from wolfspider.files.program_name import shell_command
from wolfspider.policy.judges import JUDGES
from wolfspider.store.folder import is_run
from wolfspider.strategies import all_strategies
from wolfspider.watch.watching import settings_for
from wolfspider.web.seeds import sources

TEST_PAGES = 50  # downloads of a test crawl
_TEST = "-test"  # how the name of one ends, but for a number
_OF_TEST = re.compile(rf".*{_TEST}(-\d+)?", re.DOTALL)
_MOST_RUNNING = 20  # crawls at the same time
_SAME_NAME = 1000
_SOON = 3.0  # seconds in which a process has usually made its run
SCOPES: Mapping[str, str] = {
    "anywhere": "Follow links wherever they lead.",
    "hosts": "Stay on the hosts of the starting points.",
}
_GIVEN_AS = {  # what the page calls a setting, where that is not its name
    "seeds": "urls",
    "liked": "like",
    "sitemaps": "sitemap",
    "feeds": "feed",
}
_TRUSTED = ("allow_network", "allow_private", "cluster", "leaps", "record", "via")  # of a run that is resumed from here
_PASSED_ON = ("topic", "description", "search", "strategy", "judge", "pages", "include", "exclude", "contact")


def is_test(name: str) -> bool:
    return bool(_OF_TEST.fullmatch(name))


def choices(desk: RunDesk) -> Choices:
    ready = desk.for_all.settings()
    return {
        "strategies": [
            {
                "name": name,
                "sentence": kind.use,
                "paper": kind.paper,
                "params": [control(param, param.default) for param in parameters(kind.Params).values()],
            }
            for name, kind in all_strategies().items()
        ],
        "judges": [{"name": name, "sentence": judge.sentence} for name, judge in JUDGES.items() if judge.listed],
        "presets": [
            {"name": name, "sentence": preset.says, "settings": dict(preset.settings)}
            for name, preset in PRESETS.items()
        ],
        "scopes": [{"name": name, "sentence": sentence} for name, sentence in SCOPES.items()],
        "limits": [control(known()[name], getattr(ready, name)) for name in LIVE],
        "defaults": {
            "strategy": ready.strategy,
            "judge": ready.judge,
            "pages": ready.pages,
            "contact": ready.contact,
            "search": ready.search,
        },
        "test_pages": TEST_PAGES,
    }


def check(desk: RunDesk, body: StartBody) -> CrawlPlan:
    """What would be started; what is wrong with it is a Problem."""
    flags = _flags(desk, body)
    settings = _settings(desk, body, flags)
    name = _name(desk, body, settings)
    return {
        "name": name,
        "pages": settings.pages,
        "strategy": settings.strategy,
        "judge": settings.judge,
        "topic": settings.topic,
        "starts": [*preflight.asked(settings)][:100],
        "include": list(settings.include),
        "remarks": list(preflight.told(settings, settings.delay)),
        "command": shell_command(*_words(desk, body, flags, name)),
    }


def start(desk: RunDesk, body: StartBody) -> Started:
    flags = _flags(desk, body)
    settings = _settings(desk, body, flags)
    _name(desk, body, settings)  # says what is wrong with it before anything is made
    with desk.children.alone():  # no two starts take one name, from this dashboard or another
        _refuse_too_many(desk)
        name = _name(desk, body, settings)
        desk.children.spawn(name, _words(desk, body, flags, name))
        desk.children.wait_until_owned(name, _SOON)
    return {"name": name}


def resume(desk: RunDesk, run: Path, body: ResumeBody) -> Started:
    """Go on with a run whose process has ended; all else is as it was."""
    refuse_named(run, (*PARTS, *_TRUSTED), desk.for_all.settings())
    pages = [f"--pages={body['pages']}"] if "pages" in body else []
    with desk.children.alone():
        if desk.children.is_running(run.name):
            raise Busy(f"{run.name} is running.")
        _refuse_too_many(desk)
        desk.forget(run)
        desk.children.spawn(run.name, ["resume", *pages, "--", str(run)])
    return {"name": run.name}


def said(desk: RunDesk, name: str) -> Said:
    """Also of one that never came to be a run."""
    if desk.children.inside(name) is None or not (name in desk.children.started or is_run(desk.folder / name)):
        desk.run(name)  # says that there is none
    return {"said": desk.children.said(name), "running": desk.children.is_running(name)}


def _refuse_too_many(desk: RunDesk) -> None:
    running = sum(desk.children.is_running(name) for name in desk.children.started)
    if running >= _MOST_RUNNING:
        raise Busy(f"{running} crawls that were started here are running, and no more may.")


def _flags(desk: RunDesk, body: StartBody) -> dict[str, Any]:
    """The choices of the page as settings."""
    given: dict[str, Any] = dict(body)
    flags = {name: given[name] for name in _PASSED_ON if given.get(name)}
    flags |= {setting: given[name] for name, setting in _GIVEN_AS.items() if given.get(name)}
    if given.get("set"):
        flags["set"] = {name: _typed(value) for name, value in given["set"].items()}
    for name, value in given.get("limits", {}).items():
        if name not in LIVE:
            raise Problem(f"{name[:80]!r} is no limit that can be given here.")
        flags[name] = _typed(value)
    if given.get("scope") == "hosts":
        hosts = dict.fromkeys(host_of(sources.address(url)) for url in given.get("seeds", ()))
        flags["include"] = [*flags.get("include", ()), *filter(None, hosts)]
    if given.get("learned_from"):
        source = desk.run(given["learned_from"])
        refuse_named(source, PARTS, desk.for_all.settings())
        flags["learned_from"] = str(source)
    if given.get("test"):
        flags["pages"] = TEST_PAGES
    _refuse_files(flags)
    return flags


def _typed(value: object) -> str:
    return (
        str(value).lower() if isinstance(value, bool) else f"{value:.12g}" if isinstance(value, float) else str(value)
    )


def _refuse_files(flags: Mapping[str, Any]) -> None:
    for part in ("strategy", "judge"):
        if is_own(str(flags.get(part, ""))):
            own = shell_command("crawl", "...", f"--{part}", "FILE.py")
            raise Problem(f"A {part} of your own is given at the terminal: {own}")
    for liked in flags.get("like", ()):
        if is_own_file(liked):
            raise Problem(f"Pages you like are addresses here. A file is given at the terminal: --like {liked[:80]}")


def _settings(desk: RunDesk, body: StartBody, flags: Mapping[str, Any]) -> Settings:
    for_all = desk.for_all
    chosen = choose({**for_all.flags(), **flags}, for_all.config, body.get("preset") or for_all.preset)
    settings = settings_for(chosen) if _watches(body) else chosen.settings
    for url in settings.urls:  # what is wrong with one is said in words of the page, which has no options
        sources.address(url)
    try:
        preflight.check(settings)
    except preflight.NothingWanted:
        raise Problem("What is wanted? Give topic words, or a page you like.") from None
    except preflight.NoStart:
        starts = "starting points, a page you like, a sitemap, a feed or a search service"
        raise Problem(f"Where shall the crawl start? Give {starts}.") from None
    preflight.check_texts(settings)
    return settings


def _watches(body: StartBody) -> bool:
    """A test of a watch is a crawl: it ends."""
    return bool(body.get("watch")) and not body.get("test")


def _name(desk: RunDesk, body: StartBody, settings: Settings) -> str:
    """One that no run has; a name that the person gave is taken as it is, or not at all."""
    test = _TEST if body.get("test") else ""
    if given := body.get("name", ""):
        if not is_one_part(given) or len(given) > LONGEST_NAME or not given.isprintable() or given.startswith("-"):
            raise Problem(f"A name has at most {LONGEST_NAME} characters, no / and no dot or dash at its beginning.")
        if _is_taken(desk, given + test):
            raise Problem(f"There is something called {given + test!r} already. Give another name, or resume it.")
        return given + test
    wanted = settings.topic or settings.description or " ".join(map(host_of, preflight.asked(settings)[:1]))
    base = (slug(wanted) or "crawl") + test
    numbered = (base if number == 1 else f"{base}-{number}" for number in range(1, _SAME_NAME))
    free = next((name for name in numbered if not _is_taken(desk, name)), None)
    if free is None:
        raise Problem(f"There are {_SAME_NAME:,} runs called {base!r}. Give it a name.")
    return free


def _is_taken(desk: RunDesk, name: str) -> bool:
    run = desk.children.inside(name)
    return run is None or run.exists() or name in desk.children.started


def _words(desk: RunDesk, body: StartBody, flags: Mapping[str, Any], name: str) -> Sequence[str]:
    """The command line that does it."""
    for_all, run = desk.for_all, desk.folder / name
    words = ["watch" if _watches(body) else "crawl"]
    words += [f"--config={for_all.config.absolute()}"] if for_all.config is not None else []
    preset = body.get("preset") or for_all.preset
    words += [f"--preset={preset}"] if preset else []
    for setting, value in {**for_all.flags(), **flags}.items():
        if setting == "urls" or (setting in OF_WATCHES and not _watches(body)):
            continue
        option = f"--{setting.replace('_', '-')}"
        if isinstance(value, dict):
            words += [f"{option}={key}={kept}" for key, kept in value.items()]
        elif isinstance(value, list):
            words += [f"{option}={each}" for each in value]
        else:
            words.append(f"{option}={worded(setting, value)}")
    return [*words, f"--out={run}", "--", *flags.get("urls", ())]

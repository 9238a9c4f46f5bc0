"""The folder of a run: created or opened, compared with what is asked for now, and its crawl recalled from its log."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from wolfspider import __version__
from wolfspider.app.assemble import first_params
from wolfspider.app.plugins import GIVEN, PARTS, check_at_hand, fault, file_digests, is_own
from wolfspider.app.settings import IDENTITY, Settings
from wolfspider.core.errors import Problem
from wolfspider.core.events import EndReason
from wolfspider.engine.crawl import Crawl
from wolfspider.engine.replay import replay
from wolfspider.files.failpoints import reach
from wolfspider.files.program_name import shell_command
from wolfspider.policy.judges.context_judge import InContext
from wolfspider.policy.room import Broken, Room
from wolfspider.policy.trap_rules import TrapRules
from wolfspider.store.base import Store
from wolfspider.store.damage import UNREADABLE, Damaged, begin_anew
from wolfspider.store.folder import about_run, is_run
from wolfspider.store.sqlite import create, open_run
from wolfspider.store.view import RunView
from wolfspider.web.http.ip_addresses import EVERYTHING
from wolfspider.web.page.page_cache import parser


def settings_of(folder: Path) -> Settings:
    """How a run was begun."""
    return Settings.of_run(about_run(folder))


def opened(
    settings: Settings,
    folder: Path,
    given: Collection[str],
    remark: Callable[[str], None],
    before_removal: Callable[[], None],
    at_hand: int,
) -> Store:
    """The store of the run in this folder, or of a new run. `given`: names of the settings that the person gave, which
    a new run notes. A first try that came to nothing is removed, after `before_removal` was called. `at_hand`: bytes of
    parsed pages that are kept in memory."""
    full = settings.durability == "full"
    with ExitStack() as unless_good:
        if is_run(folder):
            store = open_run(folder, full=full, remark=remark, at_hand=at_hand)
            unless_good.callback(store.close)
            if not _came_to_nothing(store, folder, settings, remark):
                check_same(settings, Settings.of_run(store.about), folder)
                _tell_of_changed_files(settings, store.about.get("files", {}), remark)
                unless_good.pop_all()
                return store
            before_removal()
    if is_run(folder):
        shutil.rmtree(folder)
    # What a new run says of itself: how it was asked for, and what it starts from.
    about: dict[str, Any] = {
        "settings": settings.to_json(),
        "params": first_params(settings),
        "parser": parser(),
        "judges": InContext.EDITION,
        "traps": TrapRules.EDITION,
    }
    if files := _own_files(settings):
        about["files"] = files
    if given:
        about["given"] = sorted(given)
    if settings.learned_from:
        from wolfspider.app import past_runs  # few runs begin with what others learned

        about["learned"] = past_runs.hand_on(Path(settings.learned_from), folder, settings, remark)
    # For the head of every archive file: the program and the person behind the crawl.
    info = {"software": f"wolfspider/{__version__}", "format": "WARC File Format 1.1", "robots": "obey"}
    if settings.contact:
        info["operator"] = settings.contact
    return create(folder, about, info=info, full=full, at_hand=at_hand)


def _own_files(settings: Settings) -> dict[str, str]:
    """Digests of the person's own files that strategy and judge come from."""
    return file_digests({part: getattr(settings, part) for part in PARTS})


def _tell_of_changed_files(settings: Settings, before: Mapping[str, str], remark: Callable[[str], None]) -> None:
    for part, digest in _own_files(settings).items():
        if before.get(part, digest) != digest:
            name = getattr(settings, part)
            remark(f"{name} has changed since this run was begun: from here on the {part} decides as it is now.")


def closing(store: Store) -> Callable[[type[BaseException] | None, BaseException | None, object], None]:
    """Closes the store when the session is over, and notes what it was ended by if that was an error."""

    def leave(kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        trouble = str(error) if isinstance(error, Problem) else f"{type(error).__name__}: {error}."
        if isinstance(error, BrokenPipeError):
            trouble = "The program that read its output stopped reading."
        store.close(trouble if isinstance(error, Exception) else "")

    return leave


def _came_to_nothing(store: Store, folder: Path, settings: Settings, remark: Callable[[str], None]) -> bool:
    """Did the first try never begin, and is corrected now, or did it end without a page? Then it starts anew."""
    count = store.page_count()
    if not store.begun and not (count.pages or count.hidden):  # a repaired run may have pages
        return bool(differing(settings, Settings.of_run(store.about)))
    view = RunView(folder)
    if count.pages or count.hidden or view.ended != EndReason.DONE or view.commanded:
        return False
    if settings.learned_from or "-" in settings.seeds:  # it holds what may not be had again
        return False
    remark(f"The last try in {folder} brought no page, so the crawl starts anew.")
    return True


def with_old_leave(settings: Settings, about: Mapping[str, Any], remark: Callable[[str], None]) -> Settings:
    """A run that was begun when --allow-private opened all private networks keeps them, or links that it has found
    could not be followed."""
    if not settings.allow_private or "allow_network" in about["settings"] or not about["settings"].get("allow_private"):
        return settings
    remark(
        "This run was begun when --allow-private opened all private networks, so it still may go to all of them. "
        "A new run goes to this machine, to hosts that you name, and to networks given by --allow-network."
    )
    return replace(settings, allow_network=EVERYTHING)


def differing(settings: Settings, first: Settings) -> list[str]:
    """Names of settings that make it another run."""
    return [name for name in sorted(IDENTITY) if getattr(settings, name) != getattr(first, name)]


def check_same(settings: Settings, first: Settings, folder: Path) -> None:
    """A run is resumed as it was begun, or not at all."""
    names = differing(settings, first)
    check_at_hand({part: getattr(first if part in names else settings, part) for part in PARTS}, folder)
    if names:
        raise begun_otherwise(folder, {name: getattr(first, name) for name in names})


def begun_otherwise(folder: Path, before: Mapping[str, object], kind: str = "run") -> Problem:
    told = ", ".join(f"{name} was {value!r}" for name, value in before.items())
    return Problem(
        f"{folder} is a {kind} that was begun otherwise ({told}). Resume it by `{shell_command('resume', folder)}`, "
        "or name another folder by --out."
    )


def recalled(store: Store, make_crawl: Callable[[], Crawl], folder: Path) -> tuple[Crawl, Room] | None:
    """The crawl as it was when the run ended or died; None if it had not begun."""
    try:
        crawl_and_room = _replayed(store, make_crawl)
    except (Broken, *UNREADABLE) as difference:
        if fault(difference):
            raise
        if store.about.get("parser") != parser():
            raise Problem(
                f"{folder} was begun by another version of wolfspider, or of a library it reads pages with, which read "
                f"pages or nofollow links differently, so it cannot be resumed: {difference}. {begin_anew(folder)}"
            ) from difference
        first = Settings.of_run(store.about)
        if first.traps == "avoid" and store.about.get("traps") != TrapRules.EDITION:
            raise Problem(
                f"{folder} was begun by another version of wolfspider, whose rules against traps were others, and was "
                f"ended before it could write down where it was, so it cannot be resumed: {difference}. "
                f"{begin_anew(folder)}"
            ) from difference
        _blame_own(first, difference, folder)
        raise Damaged(
            f"{folder} cannot be resumed: {type(difference).__name__}: {difference}. So a value in run.db was changed; "
            f"if nobody can have done that, this is a bug. {begin_anew(folder)}"
        ) from difference
    reach("run-recalled")
    return crawl_and_room


def _blame_own(settings: Settings, difference: Exception, folder: Path) -> None:
    """A strategy or a judge of the person's own may have changed since the run was made."""
    names = [name for part in PARTS if is_own(name := getattr(settings, part))]
    if names:
        which = " or ".join(dict.fromkeys(name.removeprefix(GIVEN) for name in names))
        raise Problem(
            f"{which} decides differently now than when this run was made, so the run cannot be resumed: {difference}. "
            f"Put it back as it was. Or: {begin_anew(folder)}"
        ) from difference


def _replayed(store: Store, make_crawl: Callable[[], Crawl]) -> tuple[Crawl, Room] | None:
    """The last snapshot, and the journal since then replayed, without the network."""
    state, entries = store.past()
    first = next(entries, None)
    if state is None and first is None:
        return None
    crawl, room = make_crawl(), Room()
    max_wait = crawl.limits.max_wait  # no part of what a replay must give
    if state is not None:
        crawl.restore(state["crawl"])
        room = crawl.flights.restored_room(state["room"])
    replay(crawl, chain([first] if first is not None else [], entries), room)
    crawl.limits.max_wait = max_wait
    return crawl, room

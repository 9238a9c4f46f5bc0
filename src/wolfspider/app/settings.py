"""What a person may choose about a crawl, and where the choice comes from: a preset, a file, the environment, a flag.

Every choice is one field of `Settings`, with its sentence and bounds; the command line, the file and the environment
have the same names, so that nothing is written twice. Later sources win: preset < TOML file < WOLFSPIDER_NAME < flag.
"""

from __future__ import annotations

import dataclasses
import os
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from wolfspider.app.presets import preset_named
from wolfspider.core.errors import BadInput, Problem, closest
from wolfspider.core.limits import AT_ONCE, HURRY, NO_HURRY, Limits
from wolfspider.core.params import DEFAULT_JUDGE, DEFAULT_STRATEGY, Param, param, parameters
from wolfspider.core.scope import Nofollow

PREFIX = "WOLFSPIDER_"
LARGEST = 1 << 20  # bytes of a settings file
SITEMAP_PREFIX, SEARCH_PREFIX = "sitemap:", "search:"  # of leaps that ask an address; all else is a file or a folder
CATEGORIES = "categories.sqlite"  # where categories are looked for, and where `categories build` puts them
_FILE = re.compile(r"/(?!/)|~|\.\.?/|(?!localhost/)(?:[^/.:]+/)*[^/:]+\.(?:html?|xhtml|txt|pdf)$", re.IGNORECASE)
_WHO = re.compile(  # name and password in an address
    r"^(\s*(?:(?:sitemap|search):\s*)?https?:[/\\]*)[^/\\?#]*@", re.IGNORECASE
)
NO_SETTINGS = (
    "CACHE",
    "CORPORA",
    "DEBUG",
    "FAILPOINT",
    "TEACHER_KEY",
    "WEBHOOK",
    "WEBHOOK_SECRET",
)  # names in the environment with the prefix that mean something else


def is_own_file(like: str) -> bool:
    """Is it a file of the person's own, or named like one? Everything else is an address."""
    return "://" not in like and (Path(like).is_file() or bool(_FILE.match(like)))


def _itself(given: str) -> str:
    return given


def _unless_file(like: str) -> str:
    return "" if is_own_file(like) else like


def _behind_prefix(leaps: str) -> str:
    return leaps.partition(":")[2] if leaps.startswith((SITEMAP_PREFIX, SEARCH_PREFIX)) else ""


def _identity(
    default: Any, says: str, *, start: bool = False, asked: Callable[[str], str] | None = None, **bounds: Any
) -> Any:
    """A setting that makes a run what it is: with another value it would be another run. Of the other settings, `live`
    ones may change while the crawl runs, and all may change when it is resumed.

    `start`: the crawl starts from what is given here. `asked`: the address in one given value that the crawl may ask
    before it begins; "" if there is none."""
    made = param(default, says, live=False, **bounds)
    return field(default=made.default, metadata={**made.metadata, "identity": True, "start": start, "asked": asked})


def _limit(name: str, default: Any, says: str, low: float | None = None) -> Any:
    """A limit of the crawl, which has the same bounds while it runs; the lowest at its beginning may be higher."""
    limit = parameters(Limits)[name]
    low = limit.low if low is None else low
    return param(default, says, low=low, high=limit.high, live=limit.live, words=limit.words)


def _same_limit(name: str) -> Any:
    """A limit that begins as a crawl has it by default."""
    limit = parameters(Limits)[name]
    return _limit(name, limit.default, limit.says)


@dataclass(frozen=True, slots=True)
class Settings:
    """One crawl, as it was asked for."""

    urls: tuple[str, ...] = _identity((), "Addresses to start from.", start=True, asked=_itself)
    seeds: tuple[str, ...] = _identity(
        (), "Files of addresses to start from, one a line; - is the standard input.", start=True
    )
    sitemap: tuple[str, ...] = _identity((), "Sitemaps whose pages to start from.", start=True, asked=_itself)
    feed: tuple[str, ...] = _identity((), "RSS or Atom feeds whose entries to start from.", start=True, asked=_itself)
    search: str = _identity("", "A SearXNG service to ask for pages to start from.", start=True, asked=_itself)
    results: int = _identity(50, "How many results of the search to start from.", low=1, high=1000)
    topic: str = _identity("", "What is wanted: keywords or phrases, separated by commas.")
    description: str = _identity("", "What is wanted, in a sentence.")
    like: tuple[str, ...] = _identity((), "Addresses or files of pages you like.", asked=_unless_file)
    leaps: str = _identity(
        "",
        "Where leaps go: a file of `categories build`, a run, sitemap:URL or search:URL (a SearXNG service).",
        asked=_behind_prefix,
    )
    category: str = _identity("", "The category that leaps stay in, by its name or path; all by default.")
    strategy: str = _identity(DEFAULT_STRATEGY, "How to hunt; or FILE.py[:NAME], a strategy of your own.")
    set: Mapping[str, str] = field(
        default_factory=dict,
        metadata=_identity(None, "A parameter of the strategy, as `strategies NAME` lists them.").metadata,
    )
    judge: str = _identity(DEFAULT_JUDGE, "Which judge scores the pages; or FILE.py[:NAME], a judge of your own.")
    judge_text: str = _identity(
        "whole",
        "whole: the judge reads all visible text of a page; main: its title and main text, without menus and the like; "
        "needs the extra wolfspider[text].",
        choices=("whole", "main"),
    )
    learned_from: str = _identity("", "A run whose learning to start from.")
    pages: int = _limit("pages", 1000, "Downloads to spend.", low=1)
    slots: int = _limit("slots", 16, "Visits on the wire at the same time.")
    tries: int = param(2, "How often to ask for a page that does not answer.", low=1, high=10, live=False)
    seed: int = _identity(0, "The seed of all random numbers.")
    include: tuple[str, ...] = _identity(
        (), "Only addresses that match: a host, the beginning of an address, a pattern with *."
    )
    exclude: tuple[str, ...] = _identity((), "Never addresses that match.")
    territory: str = _identity(
        "", "Only sites of this share, such as 2/4: sites are dealt out by their names among so many crawls."
    )
    nofollow: str = _identity(
        "obey",
        "obey: follow no link whose page or mark says nofollow; pages: mind what pages say, not marks of single links; "
        "ignore: follow all.",
        choices=tuple(Nofollow),
    )
    traps: str = _identity(
        "avoid",
        "avoid: ask patterns of addresses that bring nothing new less and less, and every page once, however its "
        "address is spelled; ignore: follow links as the strategy likes.",
        choices=("ignore", "avoid"),
    )
    pdf: bool = _identity(False, "Follow links to PDFs, and read them; needs the extra wolfspider[pdf].")
    delay: float = _limit("delay", 1.0, "Seconds between two requests to a host, at least; 0.25 if it is public.")
    hurry: float = _limit("hurry", NO_HURRY, HURRY)
    quiet_hours: str = param(
        "", "Hours of this machine's time in which nobody is asked, such as 23:00-06:30; several by commas.", live=False
    )
    max_mb: float = _same_limit("max_mb")
    max_time: float = _same_limit("max_time")
    until: float = _same_limit("until")
    host_pages: int = _same_limit("host_pages")
    host_mb: float = _same_limit("host_mb")
    host_time: float = _same_limit("host_time")
    domain_pages: int = _same_limit("domain_pages")
    domain_mb: float = _same_limit("domain_mb")
    domain_time: float = _same_limit("domain_time")
    per_hour: int = _same_limit("per_hour")
    every: float = _same_limit("every")
    chance: float = _same_limit("chance")
    adapt: float = param(
        2.0, "A host rests so many times as long as its last answer took; 0 is off.", low=0, high=100, live=False
    )
    backoff: float = param(
        60.0, "Seconds that a host in trouble is left alone, doubled each time.", low=0.1, high=86_400, live=False
    )
    per_address: int = param(8, "Requests at a time to one IP address.", low=1, high=1000, live=False)
    max_wait: float = _limit("max_wait", 3600.0, "A crawl that could only wait longer than this is over (seconds).")
    deadline: float = param(
        60.0, "Seconds that an answer may take, redirects on the way included.", low=0.1, high=3600, live=False
    )
    largest: int = param(10_000_000, "Bytes of a page; what is longer is cut.", low=1000, high=50_000_000, live=False)
    memory: int = param(
        0, "Megabytes that all its processes may take; what finds no room waits. 0: 512 for each.", low=0, live=False
    )
    contact: str = param("", "A mail or web address by which a site can reach you.", live=False)
    allow_private: bool = param(
        False, "Crawl this machine, and hosts of your own network that you name as addresses.", live=False
    )
    allow_network: tuple[str, ...] = param(
        (), "Crawl this network of your own too, such as 10.1.0.0/16, whatever its hosts are called.", live=False
    )
    via: str = param("", "HOST:PORT of one server that answers for every address, such as `web serve`.", live=False)
    hands: int = param(
        0, "Processes that download and read pages; 0 does it in the crawl's own.", low=0, high=64, live=False
    )
    cluster: str = param(
        "",
        "auto or HOST:PORT: download and read pages on a Ray cluster, --hands processes on each of its machines; auto "
        "joins the one on this machine, or starts one; needs the extra wolfspider[cluster].",
        live=False,
    )
    parsers: int = param(0, "An earlier name of --hands.", low=0, high=64, live=False)
    durability: str = param(
        "normal", "full: a page survives a power failure as soon as you see it.", choices=("normal", "full"), live=False
    )
    snapshots: float = param(60.0, "Seconds between two snapshots, from which a run is resumed.", low=1, live=False)
    record: str = param("", "A folder to record the crawl in, so that it can be crawled again.", live=False)
    disk_floor: int = param(500, "Megabytes that must stay free on the disk.", low=0, live=False)
    requisites: int = param(
        0,
        "Images, styles and scripts that relevant pages need, to fetch beside the pages at most; 0: none.",
        low=0,
        high=10_000_000,
        live=False,
    )
    keep_days: float = param(
        0.0,
        "Days for which pages are kept; older ones are forgotten when a session ends.",
        low=0,
        live=False,
    )
    keep_mb: float = param(0.0, "Megabytes of archived pages that are kept, the newest.", low=0, live=False)
    teacher: str = param(
        "",
        "A chat service (OpenAI's protocol) to ask about doubtful pages, such as http://localhost:11434/v1.",
        live=False,
    )
    teacher_model: str = param("", "The model that the teacher is asked for.", live=False)
    teacher_prompt: str = param("", "A file with what the teacher is told to do, instead of our own.", live=False)
    teacher_labels: int = param(30, "Questions to the teacher, at most.", low=0, high=100_000, live=False)
    teacher_tokens: int = param(100_000, "Tokens that the teacher may take in all, at most.", low=0, live=False)
    teacher_price: float = param(0.0, "What a million tokens of the teacher cost.", low=0, live=False)
    teacher_money: float = param(0.0, "What the teacher may cost in all, at most; 0 is no bound.", low=0, live=False)
    watch: bool = _identity(False, "Watch for what is new, until somebody stops it.")
    window: float = param(
        24.0, "Hours after its publication for which a page is news.", low=0.1, high=10_000, live=False
    )
    fold: float = param(24.0, "Hours after which a watch puts its log in order; 0: never.", low=0, live=False)

    def __post_init__(self) -> None:
        """Names and passwords in addresses are never sent, so they are not kept either: settings are written down."""
        object.__setattr__(self, "hands", self.hands or self.parsers)
        object.__setattr__(self, "parsers", 0)
        for name in ASKED:
            object.__setattr__(self, name, _without_who(getattr(self, name)))
        _check_teacher(self.teacher)
        leaps = self.leaps or (CATEGORIES if self.category else "")
        paths = ("record", self.record), ("leaps", leaps), ("teacher_prompt", self.teacher_prompt)
        for name, path in paths:  # a run may be resumed from another folder
            if path and not path.startswith((SITEMAP_PREFIX, SEARCH_PREFIX)) and "://" not in path:
                object.__setattr__(self, name, os.path.abspath(path))

    def names_starts(self) -> bool:
        """Did the person say where to start? If not, the pages they like are where."""
        return any(getattr(self, name) for name in STARTS)

    def addresses(self) -> list[str]:
        """All addresses, as the person typed them, that the crawl may ask before it begins."""
        given = ((address, value) for name, address in ASKED.items() for value in _several(getattr(self, name)))
        return [found for address, value in given if (found := address(value))]

    def to_json(self) -> dict[str, Any]:
        return {known.name: _plain(getattr(self, known.name)) for known in dataclasses.fields(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Settings:
        """Settings of a run. One begun before there was `nofollow` obeyed no mark, unless other processes parsed; one
        begun before there was `hurry` waited for no better link, and one begun before there was `traps` avoided none.
        One that names no strategy or judge had the default of then. A teacher is forgotten: whom to send texts and a
        key to, only the person says, each time."""
        nofollow = Nofollow.OBEY if data.get("parsers") else Nofollow.IGNORE
        earlier = {
            "nofollow": nofollow,
            "hurry": AT_ONCE,
            "traps": "ignore",
            "strategy": "shark",
            "judge": "classifier",
        }
        return cls(**read({**earlier, **data, "teacher": ""}, "the run"))

    @classmethod
    def of_run(cls, about: Mapping[str, Any]) -> Settings:
        """How a run was begun, by what its run.json says."""
        if not isinstance(stored := about.get("settings"), dict):
            raise BadInput("The run's run.json is damaged: it does not say how the run was begun.")
        first = stored.get("judge") == "context" and "judges" not in about  # before the judge had editions
        return cls.from_json({**stored, "judge": "context-1"} if first else stored)


def _check_teacher(url: str) -> None:
    """Nothing of it may be secret, since settings are written down, so what could be is refused and not repeated."""
    if not url.strip():
        return
    if any(mark in url for mark in "@?#"):
        raise Problem(
            "The address of a teacher (--teacher) must be without a name, a password, a query and a fragment, since it "
            "is written down with the settings of the run. Give a key by the variable WOLFSPIDER_TEACHER_KEY instead."
        )
    if "://" not in url:
        raise Problem(
            f"The address of a teacher (--teacher) begins with http:// or https://, and {url[:200]!r} does not. "
            "One on your own machine is mostly asked by http, such as http://localhost:11434/v1."
        )


def _without_who(given: Any) -> Any:
    return _WHO.sub(r"\1", given) if isinstance(given, str) else tuple(_WHO.sub(r"\1", url) for url in given)


def _several(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


@cache
def known() -> Mapping[str, Param]:
    """All settings by name."""
    kinds = typing.get_type_hints(Settings)
    return {
        each.name: Param(
            each.name,
            getattr(kinds[each.name], "__name__", "list"),
            each.default,
            **{name: value for name, value in each.metadata.items() if name in Param.__slots__},
        )
        for each in dataclasses.fields(Settings)
    }


def worded(name: str, value: Any) -> str:
    """The value of a setting as a person writes it."""
    return known()[name].told(value) if name in known() else str(value)


OF_WATCHES = frozenset(("watch", "window", "fold"))  # what a crawl does without
STARTS = tuple(each.name for each in dataclasses.fields(Settings) if each.metadata.get("start"))
ASKED: Mapping[str, Callable[[str], str]] = {
    each.name: each.metadata["asked"] for each in dataclasses.fields(Settings) if each.metadata.get("asked")
}
IDENTITY = frozenset(each.name for each in dataclasses.fields(Settings) if each.metadata.get("identity"))
CHANGEABLE = tuple(name for name in known() if name not in IDENTITY)  # may change when a run is resumed
LIVE = tuple(name for name, setting in known().items() if setting.live)  # and while it runs


def read(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """These settings checked and converted; `where` they come from is told with what is wrong."""
    settings = known()
    checked = {}
    for name, value in given.items():
        name = name.replace("-", "_")
        if name not in settings:
            raise Problem(f"{where}: there is no setting {name!r}.{closest(name, settings)}")
        try:
            checked[name] = _read(settings[name], value)
        except Problem as problem:
            raise Problem(f"{where}: {problem}") from None
    hands = checked.pop("parsers", 0)  # an earlier name; a run keeps 0 by it
    if hands and checked.setdefault("hands", hands) != hands:
        raise Problem(f"{where}: parsers is an earlier name of hands, and both are given: give hands alone.")
    return checked


def _read(setting: Param, value: Any) -> Any:
    if setting.kind == "tuple":
        values = value.split() if isinstance(value, str) else value
        if not isinstance(values, list | tuple) or not all(isinstance(each, str) for each in values):
            raise Problem(f"{setting.name} is a list of texts, not {value!r}.")
        return tuple(values)
    if setting.kind == "Mapping":
        return _read_pairs(value)
    if isinstance(value, dict | list):
        raise Problem(f"{setting.name} is a single value, not {value!r}.")
    return setting.read(value)


def _read_pairs(value: Any) -> dict[str, str]:
    """NAME=VALUE, several in a list or parted by blanks; or a table."""
    if isinstance(value, Mapping):
        return {str(name): str(kept) for name, kept in value.items()}
    pairs = value.split() if isinstance(value, str) else value
    if not isinstance(pairs, list | tuple):
        raise Problem(f"Parameters of the strategy are set by NAME=VALUE, not {value!r}.")
    found = {}
    for pair in pairs:
        name, equals, kept = str(pair).partition("=")
        if not equals or not name:
            raise Problem(f"A parameter of the strategy is set by NAME=VALUE, not {pair!r}.")
        found[name.strip().replace("-", "_")] = kept.strip()
    return found


def from_file(path: Path) -> dict[str, Any]:
    """The settings in a TOML file."""
    import tomllib  # few have one, and `wolfspider --help` is to come at once

    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise BadInput(f"{path} is larger than {LARGEST >> 20} MiB; that is no settings file.")
        return read(tomllib.loads(content.decode()), str(path))
    except OSError as error:
        raise BadInput(f"Cannot read the settings in {path}: {error.strerror}.") from None
    except ValueError as error:
        raise BadInput(f"{path} is not valid TOML: {error}.") from None


def from_environment(environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in environment.items():
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in NO_SETTINGS:
            found |= read({name.removeprefix(PREFIX).lower(): value}, f"the environment's {name}")
    return found


@dataclass(frozen=True, slots=True)
class Chosen:
    """Settings, and for each the source that decided."""

    settings: Settings
    origin: Mapping[str, str]


def choose(flags: Mapping[str, Any], file: Path | None = None, named: str = "", environment: bool = True) -> Chosen:
    """All sources together; `flags` are those that were really given."""
    sources = (
        (f"preset {named}", read(preset_named(named), "the preset") if named else {}),
        (str(file), from_file(file) if file is not None else {}),
        ("environment", from_environment() if environment else {}),
        ("command line", read(flags, "the command line")),
    )
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for source, given in sources:
        for name, value in given.items():
            values[name] = {**values.get(name, {}), **value} if name == "set" else value
            origin[name] = source
    return Chosen(Settings(**values), origin)

"""The parts of a crawl, each made from the settings: topic, strategy, judge, scope, sources, web and driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wolfspider import __version__
from wolfspider.app import cluster, preflight
from wolfspider.app.leaping import Leaping
from wolfspider.app.plugins import judge_maker, strategy_kind
from wolfspider.app.quiet_hours import QuietHours
from wolfspider.app.settings import LIVE, Settings
from wolfspider.core.errors import BadInput
from wolfspider.core.events import AddSeeds, EndReason, Event, Obeyed
from wolfspider.core.model import FEED, LEAP, SEARCH, SITEMAP, Failure, Fetch, Page, Route, host_of
from wolfspider.core.params import begun_with, chosen, parameters, wants_letter
from wolfspider.core.randomness import generator
from wolfspider.core.scope import Nofollow, Scope
from wolfspider.core.territory import SiteShare
from wolfspider.core.topic import Topic
from wolfspider.drivers.driver import Clock
from wolfspider.drivers.hands.contract import Hands
from wolfspider.drivers.hands.here import HandsHere
from wolfspider.drivers.live import LiveDriver
from wolfspider.drivers.reading import ReadHere
from wolfspider.engine.contracts import Source
from wolfspider.engine.crawl import Crawl, Limits
from wolfspider.engine.probes import CHANCE
from wolfspider.files.disk import megabytes_free
from wolfspider.policy.judges.judge import Judge
from wolfspider.policy.judges.main_text_judge import MainTextJudge
from wolfspider.policy.link_shelf import Shelf
from wolfspider.policy.room import Room
from wolfspider.policy.strategy import Strategy
from wolfspider.policy.trap_rules import TrapRules
from wolfspider.store import snapshots
from wolfspider.store.base import Store
from wolfspider.store.folder import Places
from wolfspider.web.http.client import Answer, Caps
from wolfspider.web.http.gates import HostCap
from wolfspider.web.http.live_web import Live
from wolfspider.web.http.polite import DAY, Manners
from wolfspider.web.http.web_plan import WebPlan
from wolfspider.web.memory_budget import MEGABYTE, MemoryBudget
from wolfspider.web.page.main_text import read_page
from wolfspider.web.page.urls import looks_like_file
from wolfspider.web.seeds import sources as seeds
from wolfspider.web.seeds.search import Searches
from wolfspider.web.seeds.watched_lists import WatchedLists
from wolfspider.web.worlds.world import Askable, Web, WebWithout

if TYPE_CHECKING:
    from wolfspider.web.worlds.recording.recorder import Recorder

HOUR = 3600.0
SECOND_LOOKS = 4  # times that a strategy of a watch looks at a document again: up to 40 hours after it was found
LARGEST_RAW = 60_000_000  # bytes of an answer before it is unpacked: what the archive reads back

Learned = Mapping[str, Any]  # of `strategy` and of `judge`, those that there are


def topic_of(settings: Settings, likes: Iterable[Fetch]) -> Topic:
    """Keywords are separated by commas. Where there is no description the words of the keywords serve as one: a page
    that has `kernel` and `linux` apart is nearer to "linux kernel" than one that has neither. Liked pages lose the
    links that are not followed, as all pages do: links of both are compared."""
    scope = scope_of(settings)
    main = settings.judge_text == "main"
    liked = tuple(scope.cut(page) for like in likes if isinstance(page := read_page(like, main=main), Page))
    keywords = tuple(part.strip() for part in settings.topic.split(",") if part.strip())
    return Topic(keywords, settings.description or settings.topic.replace(",", " "), liked)


def first_params(settings: Settings) -> dict[str, str]:
    """The parameters that a new run begins with, defaults included, as its run.json keeps them."""
    kind = strategy_kind(settings.strategy).Params
    given = dict(settings.set)
    if settings.watch and "window" in parameters(kind):  # what a strategy looks for is what is reported
        given.setdefault("window", str(settings.window * 3600))
    if settings.watch and settings.per_hour and "per_hour" in parameters(kind):  # it is how often a person wants looks
        given.setdefault("per_hour", str(settings.per_hour))
    if settings.watch and "second_looks" in parameters(kind):  # people are told of what changed, too
        given.setdefault("second_looks", str(SECOND_LOOKS))
    params: Any = chosen(kind, given)
    return {name: str(value) for name, value in vars(params).items()}


def params_of(settings: Settings, about: Mapping[str, Any]) -> Any:
    """The parameters that a run was begun with, by its run.json, whatever the defaults are now. A run from before they
    were kept had the defaults of that time; and what was no parameter then works as it worked before."""
    kept = about.get("params", settings.set)
    if not isinstance(kept, Mapping):
        raise BadInput("The run's run.json is damaged: it does not say which parameters the run began with.")
    return begun_with(strategy_kind(settings.strategy).Params, kept)


def strategy_of(
    settings: Settings, about: Mapping[str, Any], topic: Topic, shelf: Shelf, learned: Learned | None = None
) -> Strategy:
    """The strategy of a run, whose run.json says `about`."""
    kind = strategy_kind(settings.strategy)
    strategy = kind(topic, params_of(settings, about), generator(settings.seed, kind.name), shelf)
    if learned and "strategy" in learned:
        strategy.inherit(learned["strategy"])
    return strategy


def judge_of(settings: Settings, learned: Learned | None = None) -> Callable[[Topic], Judge]:
    """Makes the judge for a topic, and again when the topic changes, each time with what was inherited."""
    maker = judge_maker(settings.judge)

    def made(topic: Topic) -> Judge:
        judge = MainTextJudge(maker, topic) if settings.judge_text == "main" else maker(topic)
        if learned and "judge" in learned:
            judge.inherit(learned["judge"])
        return judge

    return made


def scope_of(settings: Settings) -> Scope:
    """Addresses that end like files are left alone, unless the person named one, or wants those of its kind. So are
    sites of another crawl's territory."""
    named, owned = frozenset(map(seeds.address, settings.urls)), owned_by(settings)

    def wanted(url: str) -> bool:
        if not looks_like_file(url) or url in named:
            return True
        return settings.pdf and url.partition("?")[0].lower().endswith(".pdf")

    def within(url: str) -> bool:
        return wanted(url) and owned(host_of(url))

    inside = within if settings.territory else wanted
    return Scope(settings.include, settings.exclude, inside, Nofollow(settings.nofollow))


def owned_by(settings: Settings) -> Callable[[str], bool]:
    """Is a host in the territory of the crawl? All are where it has none."""
    territory = SiteShare.read(settings.territory)
    if territory is None:
        return lambda host: True
    domain = HostCap().domain
    return lru_cache(10_000)(lambda host: territory.owns(domain(host)))


def sources_of(
    settings: Settings, scope: Scope, web: Callable[[], Askable], leaping: Leaping | None
) -> dict[str, Source]:
    """What a strategy may ask besides the web: a search, where the person named a service, and what leaps lead to."""

    def services() -> Web:
        return WebWithout(web().without_robots(), scope.forgot)

    def known() -> Web:
        return WebWithout(web(), scope.forgot)

    sources: dict[str, Source] = {}
    if settings.search:
        sources[SEARCH] = Searches(services, seeds.address(settings.search), settings.results, scope.allows)
    if settings.watch:
        sources[FEED] = sources[SITEMAP] = WatchedLists(known, scope.allows)
    if leaping is not None:
        sources[LEAP] = leaping.source(scope.allows, known, services)
    return sources


def traps_of(settings: Settings, about: Mapping[str, Any]) -> TrapRules | None:
    """What keeps a crawl out of traps, by the edition that the run was begun with; nothing where somebody wants the
    letter of a paper."""
    if settings.traps == "ignore" or wants_letter(settings.set):
        return None
    return TrapRules(1 if about.get("traps", 1) == 1 else TrapRules.EDITION)


def learned_of(folder: Path, about: Mapping[str, Any]) -> Learned:
    """What a run was given at its start by an earlier one (`past_runs.hand_on`)."""
    copy = about.get("learned")
    if copy is None:
        return {}
    path = Places.of(folder).snapshots / snapshots.LEARNED
    try:
        learned: Learned = snapshots.built(*snapshots.load(path, str(copy["digest"])))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise BadInput(f"{path} is damaged: {error}.") from error
    return learned


def crawl_of(
    settings: Settings, store: Store, folder: Path, web: Callable[[], Askable], leaping: Leaping | None
) -> Crawl:
    """The crawl of the run in this folder, before it begins. Its limits are those that the run was begun with: later
    ones are in its log. The web is asked for when a source first needs it: a crawl is resumed before there is one."""
    first, scope, learned = Settings.of_run(store.about), scope_of(settings), learned_of(folder, store.about)
    scope.forget(store.forgotten())
    crawl = Crawl(
        strategy_of(settings, store.about, topic_of(settings, store.liked()), store.shelf, learned),
        judge_of(settings, learned),
        store,
        Limits(max_wait=settings.max_wait, **{name: getattr(first, name) for name in LIVE}),
        scope=scope,
        sources=sources_of(settings, scope, web, leaping),
        journal=store.write,
        traps=traps_of(first, store.about),
        domain_of=HostCap().domain,
        quiet=QuietHours.read(settings.quiet_hours),
        chance=generator(settings.seed, CHANCE),
    )
    crawl.listen(store.hear)
    return crawl


def web_of(settings: Settings, store: Store, clock: Clock, stack: AsyncExitStack, given: Iterable[str] = ()) -> Live:
    """The live web, with what the store knows of its hosts. The hosts of the addresses that the settings name, and of
    those `given` besides, are those that the person named."""
    named = map(host_of, (*preflight.asked(settings), *given)) if settings.allow_private else ()
    web = plan_of(settings, clock.speed).made(clock, named)
    if settings.territory:
        owned = owned_by(settings)
        web.elsewhere = lambda url: None if owned(host_of(url)) else _not_ours()
    stack.push_async_callback(web.client.close)
    web.restore(store.hosts(), clock())
    return web


async def _not_ours() -> Answer | Failure:
    """Of a robots.txt that is said to lie at a site of another territory: its own crawl alone may ask there."""
    return Failure("waiting", "it is said to lie at a site of another crawl's territory")


def plan_of(settings: Settings, speed: float = 1.0) -> WebPlan:
    largest = preflight.memory_budget(settings).largest
    return WebPlan(
        agent(settings),
        Caps(min(2 * largest, LARGEST_RAW), largest, settings.deadline),
        Manners(
            delay=settings.delay,
            factor=settings.adapt,
            backoff=settings.backoff,
            per_address=0 if settings.via else settings.per_address,
            patience=patience_of(settings),
            longest_backoff=HOUR if settings.watch else DAY,  # a watch is to notice soon that a site is back
            speed=speed,
        ),
        strangers=not preflight.public_needs_contact(settings),
        allow_private=settings.allow_private,
        networks=settings.allow_network,
        via=preflight.via(settings),
    )


async def hands_of(
    settings: Settings,
    web: Live,
    store: Store,
    clock: Clock,
    budget: MemoryBudget,
    stack: AsyncExitStack,
    folder: Path,
    remark: Callable[[str], None],
) -> Hands:
    """What sends the requests and reads the answers: this process, others, or others on a cluster."""
    count, main = preflight.hand_count(settings), settings.judge_text == "main"
    if not count:
        return HandsHere(web, ReadHere(main=main), budget)
    from wolfspider.drivers.hands.hired import Orders

    plan = plan_of(settings, clock.speed)
    memory = preflight.megabytes(settings) * MEGABYTE
    orders = Orders(plan, count, memory, settings.largest, clock.offset, web.guard.named(), main)

    def sent_again() -> None:
        store.count("refetched")

    if settings.cluster:
        return await cluster.hands_on(settings.cluster, web, orders, clock, sent_again, stack, folder, remark)
    from wolfspider.drivers.hands.many import ManyHands

    hands = ManyHands(web, replace(orders, plan=plan.shared(count)), sent_again, remark)
    stack.push_async_callback(hands.close)
    return hands


def patience_of(settings: Settings) -> float:
    """Seconds that a visit waits for a host: less than a crawl may wait, where agents wait for the outcome."""
    usual = max(120.0, 2 * settings.delay)
    return usual if strategy_kind(settings.strategy).awaits else max(usual, settings.max_wait)


def agent(settings: Settings) -> str:
    """How the crawler introduces itself."""
    return f"wolfspider/{__version__}" + (f" (+{settings.contact})" if settings.contact else "")


def recorder_of(settings: Settings, crawl: Crawl, stack: AsyncExitStack) -> Recorder | None:
    """Records what happens from now on, if that is wanted; a recording that is there is continued."""
    if not settings.record:
        return None
    from wolfspider.web.worlds.recording.recorder import Recorder, states_for

    recorder = Recorder(Path(settings.record), states_for(crawl.strategy), web="live", seeds=settings.urls)
    stack.callback(recorder.close)
    return recorder


def driver_of(
    settings: Settings,
    crawl: Crawl,
    room: Room,
    web: Live,
    hands: Hands,
    store: Store,
    clock: Clock,
    folder: Path,
    *,
    tell: Callable[[Event], None],
    pace: Callable[[], bool],
    replayed: float = 0.0,
) -> LiveDriver:
    crawl.listen(lambda event: _name_hosts(web, hands, event))
    _make_hosts_rest(crawl, room, web, clock, cluster.may_be_out(settings, store.about))

    crawl.budgets.start_session(clock(), store.counts().get("seconds", 0))

    def watch(now: float) -> EndReason | None:
        return EndReason.DISK if megabytes_free(folder) < settings.disk_floor else crawl.budgets.exhausted(now)

    return LiveDriver(
        crawl,
        hands,
        store,
        clock=clock,
        tries=settings.tries,
        room=room,
        tell=tell,
        turned=_before_each_commit(crawl, web, hands, store, clock),
        pace=pace,
        chores=watch,
        snapshots=settings.snapshots,
        replayed=replayed,
        patient=True,
        in_trouble=web.polite.in_trouble,
    )


def _make_hosts_rest(crawl: Crawl, room: Room, web: Live, clock: Clock, later: float) -> None:
    """Visits that were in flight when a run died count as sent just now, or as out until `later` seconds from now, and
    hosts that rest are not asked."""
    room.pause = web.retry_after
    if crawl.strategy.awaits:
        room.longest = web.polite.manners.patience
    for flight in crawl.flights.values():
        if flight.how == Route.OUT and not flight.postponed:
            web.polite.asked(flight.visit.link.host, later)
    for host in web.polite.resting():
        room.rest(host, min(web.polite.ready_at(host), clock() + room.longest))


def _name_hosts(web: Live, hands: Hands, event: Event) -> None:
    """Hosts of starting points that a person adds are named as those that the crawl began with."""
    if isinstance(event, Obeyed) and isinstance(event.command, AddSeeds) and not (event.problem or event.command.found):
        hosts = [host_of(url) for url in event.command.urls]
        web.guard.name(hosts)
        hands.name(hosts)


def _before_each_commit(crawl: Crawl, web: Live, hands: Hands, store: Store, clock: Clock) -> Callable[[], None]:
    """The web obeys the limits of the crawl, and the store keeps what the web has learned of hosts, and the time."""
    counted, seconds = web.counters.overhead, int(crawl.budgets.earlier)

    def turned() -> None:
        nonlocal counted, seconds
        if (passed := int(crawl.budgets.seconds(clock())) - seconds) > 0:
            store.count("seconds", passed)
            seconds += passed
        web.polite.set_delay(crawl.limits.delay)
        web.limit(crawl.limits.slots)
        hands.follow()
        store.keep_hosts(web.changed())
        if web.counters.overhead > counted:
            store.count("overhead", web.counters.overhead - counted)
            counted = web.counters.overhead

    return turned

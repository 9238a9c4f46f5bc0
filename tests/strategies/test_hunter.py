"""The hunter: what it learns, what it says of it, and that its memory is bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wolfspider.core import codec
from wolfspider.core.errors import BadInput
from wolfspider.core.model import Link, Outcome, Page, Route, Verdict
from wolfspider.core.params import begun_with
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Topic
from wolfspider.policy.room import Room
from wolfspider.strategies.hunter import Hunter
from wolfspider.strategies.hunter.hunter import RATING, REWORD, SENT
from wolfspider.strategies.hunter.traits import COUNT, PARTS, PRIOR, TRAITS
from wolfspider.testing.sketch import Sketch, Trial

HOME = "http://a.test/"
Links = Callable[[str], Sequence[tuple[str, str]]]  # addresses and anchors of the links of a page


def hunter(**settings: float | str) -> Hunter:
    made = Hunter.new(Topic(("volcano",)), generator(1, "hunter"), settings)
    made.begin([Link(HOME)], 0.0)
    return made


def step(strategy: Hunter, *anchors: tuple[str, str], score: float = 0.1, words: str = "plain words") -> str:
    """One visit, whose page has these links; returns its address."""
    return _visit(strategy, lambda url: anchors, score, words)


def _on(strategy: Hunter, web: Mapping[str, Sequence[str]], score: float) -> str:
    """One visit on a web, by the links of each address."""
    return _visit(strategy, lambda url: [(target, "") for target in web.get(url, ())], score)


def _visit(strategy: Hunter, links: Links, score: float, words: str = "plain words") -> str:
    room = Room()
    room.open(0.0, 1, lambda url, fresh: Route.OUT)
    (visit,) = strategy.propose(room, 0.0)
    url = visit.link.url
    shown = tuple(Link(target, anchor, 0, path="html/body/a") for target, anchor in links(url))
    page = Page(url, url, words=tuple(words.split()), links=shown)
    strategy.observe(Outcome(visit, page, Verdict(score, score >= 0.5), 1, 0.1, 0.0))
    return url


def test_it_begins_with_the_words_of_the_topic() -> None:
    strategy = hunter(patience=0)
    assert step(strategy, (HOME + "1", "tax"), (HOME + "2", "volcano"), (HOME + "3", "money")) == HOME
    assert step(strategy) == HOME + "2"


def test_until_something_pays_every_other_visit_goes_level_by_level() -> None:
    strategy = hunter()
    step(strategy, (HOME + "1", "tax"), (HOME + "2", "volcano"))
    seen = [step(strategy, (f"{HOME}deep{at}", "volcano volcano")) for at in range(4)]
    assert HOME + "1" in seen and any("deep" in url for url in seen)


def test_while_little_pays_scouts_go_through_gates_to_strangers() -> None:
    """Pages of a portal that name new hosts, and these hosts, come before the many pages of a host that pays nothing,
    however well those look."""
    lists = {f"{HOME}list/{at}.html": [f"http://h{at}-{place}.test/" for place in range(3)] for at in range(9)}
    web = {HOME: [*lists, *(f"http://poor.test/volcano/{at}" for at in range(99))], **lists}

    def visited(scouting: float) -> list[str]:
        strategy = hunter(patience=0, scouting=scouting)
        return [_on(strategy, web, 0.0) for _ in range(60)]

    strangers = [sum(url.startswith("http://h") for url in visited(scouting)) for scouting in (0.0, 0.5)]
    assert strangers[0] <= 1 and strangers[1] >= 10, strangers


def test_hosts_that_only_name_each_other_come_last() -> None:
    """A farm of twenty hosts, entered by one link of a good page: all its pages look good to the judge."""
    farm = [f"http://farm{at}.test/volcano/{page}" for at in range(20) for page in range(9)]
    honest = [f"http://good{at}.test/{page}" for at in range(4) for page in range(30)]
    web = {HOME: [*honest[::30], farm[0]], **dict.fromkeys(honest, honest), **dict.fromkeys(farm, farm)}

    def farmed(doubt: float) -> int:
        strategy = hunter(patience=0, doubt=doubt)
        return sum("farm" in _on(strategy, web, 0.8) for _ in range(80))

    assert farmed(1.0) > 60 and farmed(0.001) <= 10


def test_a_host_of_which_a_person_likes_a_page_is_trusted() -> None:
    farm = [f"http://farm{at}.test/volcano/{page}" for at in range(20) for page in range(9)]
    strategy = hunter(patience=0)
    for _ in range(30):
        _on(strategy, {HOME: [farm[0], *(f"{HOME}{at}" for at in range(60))], **dict.fromkeys(farm, farm)}, 0.8)
    last = "no host that is trusted vouches for its host, so it comes last"
    told = strategy.explain(farm[-1])
    assert last in told["down"]
    strategy.judged(Page(farm[-2], farm[-2], words=("volcano",)), Verdict(1.0, True))
    assert last not in strategy.explain(farm[-1])["down"]


def test_a_run_from_before_there_were_scouts_and_doubt_goes_on_without() -> None:
    begun = begun_with(Hunter.Params, {"showing": "0.5"})
    assert (begun.scouting, begun.doubt) == (0, 1)
    assert Hunter.Params().scouting > 0 and Hunter.Params().doubt < 1


def test_it_learns_which_hosts_pay() -> None:
    strategy = hunter(patience=0)
    step(strategy, *((f"http://{host}.test/{at}", "page") for at in range(40) for host in ("poor", "good")))
    seen = [_by_host(strategy) for _ in range(40)]
    assert sum("good" in url for url in seen[20:]) >= 18


def _by_host(strategy: Hunter) -> str:
    room = Room()
    room.open(0.0, 1, lambda url, fresh: Route.OUT)
    (visit,) = strategy.propose(room, 0.0)
    url, good = visit.link.url, "good" in visit.link.url
    page = Page(url, url, words=("volcano",) if good else ("tax",))
    strategy.observe(Outcome(visit, page, Verdict(0.9 if good else 0.01, good), 1, 0.1, 0.0))
    return url


def test_pages_that_a_person_likes_or_labels_teach_it_words() -> None:
    """Links by words of such a page come first or last as soon as it looks at its words again."""
    page = Page(HOME + "rock", HOME + "rock", words=("basalt", "is"))
    for liked, disliked, label, order in (
        ((page,), (), None, ["basalt", "tax"]),
        ((), (page,), None, ["tax", "basalt"]),
        ((), (), True, ["basalt", "tax"]),
        ((), (), False, ["tax", "basalt"]),
    ):
        topic = Topic(("volcano",), liked=liked, disliked=disliked)
        strategy = Hunter.new(topic, generator(1, "hunter"), {"patience": 0, "scouting": 0})
        strategy.begin([Link(HOME)], 0.0)
        step(strategy, *((f"{HOME}old/{at}", "volcano") for at in range(REWORD - 1)), score=0.4)
        if label is not None:
            strategy.judged(page, Verdict(float(label), label))
        for _ in range(REWORD - 2):
            step(strategy, score=0.4)
        assert "old" in step(strategy, *((f"{HOME}{at}", at) for at in ("tax", "basalt")), score=0.4)
        word = strategy.traits.words.ids(["basalt"])
        assert (strategy.traits.words.pages[word] > 0) == (order[0] == "basalt")
        assert [step(strategy), step(strategy)] == [HOME + at for at in order]


def test_parts_of_it_can_be_switched_off() -> None:
    """Traits of a part that is off are nothing to it, also after a stop; links may keep the score they were given."""
    for off, names in PARTS.items():
        strategy = hunter(patience=0, off=off)
        step(strategy, *((f"http://{host}.test/{at}", "page") for at in range(40) for host in ("poor", "good")))
        for _ in range(30):
            _by_host(strategy)
        again = codec.load(*codec.store(strategy.traits))
        traits = again.of(again.waiting())
        hidden = {trait.name for trait, figures in zip(TRAITS, traits.T, strict=True) if not figures.any()}
        assert set(names) <= hidden and not {"parent", *PARTS["words"], *PARTS["tallies"]} - set(names) <= hidden
    scores = {off: set[float]() for off in ("nothing", RATING)}
    for off, seen in scores.items():
        strategy = hunter(patience=0, scouting=0, doubt=1, off=off)
        step(strategy, *((f"http://good.test/{at}", "page") for at in range(40)))
        for _ in range(30):
            seen.add(strategy.explain("http://good.test/39")["parts"]["value"])
            _by_host(strategy)
    assert len(scores[RATING]) == 1 < len(scores["nothing"])


def test_it_says_in_words_why_a_link_has_its_rank() -> None:
    strategy = hunter(patience=0)
    step(strategy, (HOME + "1", "volcano"), ("http://b.test/2", "tax"), score=0.9)
    told = strategy.explain(HOME + "1")
    assert any("its anchor has words of the topic (+" in said for said in told["up"]) and told["parts"]["value"] > 0
    assert not any("its anchor" in said for said in strategy.explain("http://b.test/2")["up"])
    assert any("it is far from the starting points (-" in said for said in told["down"])
    assert strategy.explain("http://nowhere.test/") == {}


def test_every_trait_is_worked_out_and_has_a_sentence() -> None:
    strategy = hunter()
    step(strategy, (HOME + "1", "volcano"))
    assert strategy.traits.of(np.array([0, 1])).shape == (2, COUNT)
    assert len({trait.words for trait in TRAITS}) == len({trait.name for trait in TRAITS}) == COUNT


def test_links_that_the_frontier_throws_away_are_forgotten() -> None:
    cap = 300
    trial = Trial(Hunter, Sketch(100_000, links=120), pages=40, cap=cap)
    strategy = trial.run().strategy
    assert isinstance(strategy, Hunter)
    assert len(strategy.frontier) <= cap and len(strategy.traits.links) <= 3 * cap
    again = codec.load(*codec.store(strategy.traits))
    rows = again.waiting()
    assert np.array_equal(again.of(rows), strategy.traits.of(rows))


def test_spread_sends_it_to_more_hosts() -> None:
    hosts = []
    for spread in (0.0, 5.0):
        strategy = hunter(patience=0, scouting=0, spread=spread)
        anchors = {"h0": "volcano", "h1": "", "h2": ""}
        step(strategy, *((f"http://{host}.test/{at}", anchors[host]) for at in range(40) for host in anchors))
        seen = [step(strategy, score=0.9) for _ in range(25)]
        hosts.append(len({url.split("/")[2] for url in seen}))
    assert hosts[0] < hosts[1]


def test_another_run_begins_with_what_one_has_learned() -> None:
    """Weights of traits from any run, words only from one for the same topic and from the same hosts. A run of an
    earlier version does not tell its hosts, and hands its words on."""
    first = hunter(patience=0)
    step(first, *((f"http://{host}.test/{at}", "page") for at in range(40) for host in ("poor", "good")))
    for _ in range(60):
        _by_host(first)
    handed = codec.load(*codec.store(first.learned()))
    earlier = {name: value for name, value in handed.items() if name != "hosts"}
    for keywords, learned, home, same in (
        ("volcano", handed, HOME, True),
        ("tax", handed, HOME, False),
        ("volcano", handed, "http://elsewhere.test/", False),
        ("volcano", earlier, "http://elsewhere.test/", True),
    ):
        second = Hunter.new(Topic((keywords,)), generator(1, "hunter"))
        second.inherit(learned)
        second.begin([Link(home)], 0.0)
        assert np.allclose(second.value, (PRIOR + first.value) / 2) and not np.allclose(second.value, PRIOR)
        assert bool(second.traits.words.totals.sum()) == same


def test_starting_points_come_before_all_else_however_much_pays() -> None:
    """Many are given by a list or a feed, and nothing is known of them but their addresses."""
    strategy = hunter()
    strategy.seeds([Link(f"http://start{at}.test/") for at in range(30)])
    seen = [
        step(strategy, *((f"{HOME}volcano/{at}-{place}", "volcano") for place in range(20)), score=0.9)
        for at in range(31)
    ]
    assert {url for url in seen if "start" in url or url == HOME} == set(seen)
    assert "volcano" in step(strategy)


def test_what_moved_a_link_is_told_of_its_visit_too() -> None:
    strategy = hunter(patience=0)
    step(strategy, (HOME + "1", "volcano"), score=0.9)
    room = Room()
    room.open(0.0, 1, lambda url, fresh: Route.OUT)
    (visit,) = strategy.propose(room, 0.0)
    told = Hunter.read_note(visit.note)
    assert set(told["worth"]) == {"value", "yield"}
    assert any("its anchor has words of the topic (+" in said for said in told["up"])
    assert Hunter.read_note({"example": -1, "number": 0}) == {"worth": {"seed": True}, "up": [], "down": []}
    assert Hunter.read_note({"value": 0.1, "yield": 0.2, "moved": {"gone": [1.0, 1.0]}, "sent": "moon"})["up"] == []


def test_what_is_taken_out_of_turn_says_why() -> None:
    """A visit and the link that waits for it have the same sentence."""
    strategy = hunter()
    web = {HOME: [*(f"{HOME}{at}.html" for at in range(20)), *(f"http://h{at}.test/" for at in range(9))]}
    sent: set[str] = set()
    for _ in range(12):
        waiting = {url: strategy.explain(url) for url in web[HOME]}
        named = {url: told["up"][0] for url, told in waiting.items() if told and told["up"][0] in SENT.values()}
        sent |= {*named.values()}
        url = _on(strategy, web, 0.0)
        assert not named or url in named
    assert sent == {SENT["level"], SENT["stranger"]}


def test_what_was_taken_out_of_turn_is_forgotten_when_it_is_taken() -> None:
    strategy = hunter()
    web = {HOME: [*(f"{HOME}{at}.html" for at in range(200)), *(f"http://h{at}.test/" for at in range(100))]}
    for _ in range(150):
        _on(strategy, web, 0.0)
        assert len(strategy.sent) <= 2


@pytest.mark.parametrize(
    "damaged",
    [
        {"value": np.full(COUNT, np.nan)},
        {"yields": np.full(COUNT, np.inf)},
        {"value": np.ones(3)},
        {"value": "abc"},
        {"value": np.full(COUNT, "1.0")},
        {"words": SimpleNamespace(totals=[1.0, 2.0])},
        {"words": SimpleNamespace(totals=np.full(4, np.nan))},
        {"words": SimpleNamespace(pages=np.zeros(3))},
        {"hosts": 5},
    ],
    ids=str,
)
def test_what_was_learned_and_damaged_is_refused(damaged: dict[str, Any]) -> None:
    first = hunter(patience=0)
    step(first, (HOME + "1", "volcano"), score=0.9)
    learned = dict(first.learned())
    for name, given in damaged.items():
        if isinstance(given, SimpleNamespace):
            vars(learned[name]).update(vars(given))
        else:
            learned[name] = given
    with pytest.raises(BadInput, match="damaged"):
        Hunter.new(Topic(("volcano",)), generator(1, "hunter")).inherit(learned)

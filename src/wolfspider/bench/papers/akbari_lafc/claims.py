"""The claims of Akbari Torkestani on LAFC, with the tests that rule on them and the variants that must fail.

The tests were written before any row was seen; what was changed after that is told below. A case is a ground: a topic
with one of its two starts. Chance counts as excluded below p = 0.05. Trends are tested by Page's test, one-sided, and
the last mean must lie on the same side of the first. Relevant is what the paper takes for it, a similarity of 0.75 or
more.

1   Precision and running time rise with the control threshold. Both must. Ruled on LAFC-R, 20 crawls that share the
    downloads and keep the automata; LAFC-1, a single crawl, is told beside it.
2   Precision and running time fall as the learning rate rises. Both must. Ruled on LAFC-R likewise: in a first crawl
    every link is taken at most once and those left stay equally likely, so that no rate can matter.
3   For each of LAFC, BPM, HW and LJM precision falls over the tenths of the budget; Holm's correction over the four.
4   The mean precisions are in the order LAFC, BPM, HW, LJM, and LAFC is above each other one by Welch's test, two-sided
    as the paper has it; the paired test by ground is told beside each.
5   Mean recall is in the same order, and that of LAFC above 0.75 on every topic, as the mean of its two starts. The
    whole is what the four found together on the same ground. Welch's test is told, and does not rule.
6   LAFC has the shortest and BPM the longest running time, ground by ground: LAFC below each other one, BPM above each
    other one, by Wilcoxon's test with Holm's correction over these five pairs. Time is the processor's, of the crawler
    alone. It was that of the network, too, until the random delays of hosts were found to decide it.
7   Theorem 1, on a web that does not change, where thresholds do not sink. With the smallest rate that can get there
    in so many crawls, (1 - rate)^crawls < 0.05, the share of automata that prefer one link with a chance above 0.95
    rises with the crawls; after the last crawl the most likely link is the more often the best known one, the smaller
    the rate is; and with some rate of 0.1 or less half of the automata or more prefer one link after the last crawl.
    All three must be, on two grounds or more. Automata are those that were rewarded in the first crawl and have two
    links or more, and a link that was never enabled at a reward is left out of their chances.
8   BPM has a higher precision than LJM; so has LJM+, which is LJM with its ties broken link by link; and this alone
    gains at least half of what BPM gains. Where BPM is not above LJM there is nothing to explain: it does not hold.

3 to 6 are ruled on LAFC-1, all crawlers paying for their training out of the same budget. What the same tests find with
LAFC-R, with free training and by the web's own truth is told beside it.

A broken variant is false whatever the rows say: it deals the figures of each ground out again in the wrong order. That
of 7 is run: crawls that inherit nothing take the place of those that do.

What was changed after the first rows, those of the quick form: the webs were made larger, and the keywords fewer (in
the sweeps and for the theorem 3 instead of 5, on recorded webs 2 instead of all), because LAFC ran out of links; and
the theorem was tried on more topics. After a review, claim 7: it was ruled on the smallest rate of all, which cannot
get there in so many crawls, on all automata, of which most are new, and on plain chances, which links that are never
enabled keep from rising. With the same review the page of search results ceased to be relevant, and all crawlers of a
ground got the same draws. What the other claims are ruled by is as it was; more is told beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from wolfspider.bench.experiment import BrokenVariant, Claim, Estimate, Row, Rows, Ruling
from wolfspider.bench.groups import Figure, aligned, average, values, where
from wolfspider.bench.papers.akbari_lafc.grounds import (
    GROUND,
    SWEPT,
    Crawls,
    Ground,
    at_tenths,
    by_topic,
    compared,
    dealt_to,
    forgetful,
    listed,
    means_of,
    other_ways,
    precision,
    recalled,
    risen,
    sorted_sweeps,
    static,
    sweeps,
)
from wolfspider.bench.papers.akbari_lafc.scales import COMPARE, CONTROL, FOUR, LAFC, RATE, ruling_rate
from wolfspider.bench.rulings import (
    ABOVE,
    FEWEST,
    SURE,
    all_of,
    answer,
    brief,
    few,
    greater,
    one_sided,
    ordered,
    p_text,
    page,
)
from wolfspider.bench.stats import DIGITS, Floats, holm, interval, welch
from wolfspider.bench.variants import changed

FEWEST_FOR_FIVE = 7  # pairs: with fewer, even if all agree, Holm's p of five tests is above 0.05
FEWEST_VALUES = 3  # of a trend
FEWEST_NETWORKS = 2  # grounds of the theorem: few, but each has all orders of its crawls and rates to fail by
HIGH_RECALL = 0.75
SMALL_RATE = 0.1
HALF = 0.5


# 1 and 2: sweeps


def sweep(varied: str, falling: bool) -> Callable[[Rows], Ruling]:
    """Do precision and minutes both rise, or fall, with the value that is varied? Ruled on LAFC-R."""

    def test(rows: Rows) -> Ruling:
        again, once = (sweeps(rows, varied, several) for several in (True, False))
        if short := few(again, "sweeps of LAFC-R"):
            return short
        if len(again[0]["values"]) < FEWEST_VALUES:
            return Ruling(None, sentence=f"{len(again[0]['values'])} values are too few for a trend.")
        name = f"Page's test for a {'fall' if falling else 'rise'}, one-sided, {varied} {numbers(again[0]['values'])}."
        said = [name, *_unspent("LAFC-R", again), *_unspent("LAFC-1", once)]
        first = few(once, "sweeps of LAFC-1") or all_of(_trends(once, falling))
        return replace(all_of(_trends(again, falling)), sentence=" ".join(said), others=(("LAFC-1", first),))

    return test


def _unspent(name: str, sweeps: Rows) -> list[str]:
    """Crawls that run out of links are over sooner, whatever they do with their time."""
    if all(downloads >= row["budget"] for row in sweeps for downloads in row["downloads"]):
        return []
    means = np.mean([row["downloads"] for row in sweeps], axis=0)
    return [f"Crawls of {name} ended before the budget was spent; mean downloads {numbers(means)}."]


def numbers(values: Sequence[float] | Floats) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _trends(sweeps: Rows, falling: bool) -> dict[str, Ruling]:
    return {figure: page([row[figure] for row in sweeps], falling).ruling() for figure in SWEPT}


# 3 to 6: four crawlers


Rule = Callable[[Crawls], Ruling]


def ruled(
    rule: Rule,
    more: Callable[[Crawls], Sequence[str]] | None = None,
    fewest: int = FEWEST,
    leave_out: str = "",
) -> Callable[[Rows], Ruling]:
    """Rules on LAFC-1, training charged, by the paper's rule; the sentence says what the same test finds otherwise. If
    there is `more` to say before that, crawls that ended early are told as well."""

    def test(rows: Rows) -> Ruling:
        found = compared(rows)
        if short := too_few(found, fewest):
            return short
        ways = {f"with {name}": other for name, other in other_ways(rows).items() if name != leave_out}
        others = {name: too_few(other, fewest) or rule(other) for name, other in ways.items()}
        said = [*more(found), *ended_early(found)] if more else []
        return replace(rule(found), sentence=" ".join(said), others=tuple(others.items()))

    return test


def too_few(found: Crawls, fewest: int = FEWEST) -> Ruling | None:
    return few(min(found.values(), key=len), f"grounds with crawls of all of {', '.join(found)}", fewest)


def ended_early(found: Crawls) -> list[str]:
    short = {crawler: sum(row["downloads"] < row["budget"] for row in own) for crawler, own in found.items()}
    told = ", ".join(f"{count} of {crawler}" for crawler, count in short.items() if count)
    return [f"Crawls that ended before the budget was spent: {told}."] if told else []


def all_fall(found: Crawls) -> Ruling:
    trends = {crawler: page([at_tenths(row) for row in own], falling=True) for crawler, own in found.items()}
    adjusted = dict(zip(trends, holm([own.p for own in trends.values()]), strict=True))
    return all_of(
        {
            name: own.ruling(adjusted[name]).after(f"Page's test, Holm's correction {p_text(adjusted[name])}; ")
            for name, own in trends.items()
        }
    )


def against_lafc(found: Crawls, figure: Figure) -> dict[str, Ruling]:
    """Is LAFC surely above each other crawler by Welch's test? The paired test stands beside it and does not decide:
    crawls on the same ground are no independent samples, but the paper takes them for such."""
    return {f"LAFC above {other}": _above(found, other, figure) for other in FOUR[1:]}


def _above(found: Crawls, other: str, figure: Figure) -> Ruling:
    ours, theirs = values(found[LAFC], figure), values(found[other], figure)
    test = welch(ours, theirs)
    statistic = (
        f"Welch's t-test, two-sided, n = {len(ours)} each: {test.difference:+.4f}, 95% interval {test.low:+.4f} to "
        f"{test.high:+.4f}, {p_text(test.p)}; {_paired(ours, theirs)}"
    )
    measured = Estimate(test.difference, test.low, test.high, ABOVE)
    return answer(test.difference > 0 and test.p < SURE, measured, statistic)


def _paired(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The same by ground, told beside the paper's test."""
    ruling = greater(np.subtract(ours, theirs).tolist(), digits=4)
    return f"paired by ground it {brief(ruling).replace(' signed-rank test, one-sided', '')}"


def order_of(found: Crawls, figure: Figure) -> Ruling:
    return ordered({crawler: values(own, figure) for crawler, own in found.items()})


def precision_order(found: Crawls) -> Ruling:
    """Are the means in this order, and is the first above each other one by Welch's test?"""
    return all_of({"order of the means": order_of(found, precision), **against_lafc(found, precision)})


def to_the_budget(found: Crawls) -> list[str]:
    """A crawl that ends early has the precision of what it downloaded; this says what comes out otherwise."""
    whole = {crawler: [{**row, "downloads": row["budget"]} for row in own] for crawler, own in found.items()}
    means = listed(means_of(whole, precision))
    return [f"As relevant documents to the budget, spent or not, it {_is(precision_order(whole))} ({means})."]


def _is(ruling: Ruling) -> str:
    return f"{'is ' if ruling.holds is None else ''}{ruling.word}"


def recall_order(found: Crawls) -> Ruling:
    pooled = recalled(found)
    own = by_topic(pooled[LAFC], "recall").values()
    topics = ", ".join(f"{mean:.3f}" for mean in own)
    enough = all(mean is not None and mean > HIGH_RECALL for mean in own)
    told = "; ".join(
        f"{name}: {ruling.word}, {ruling.statistic}" for name, ruling in against_lafc(pooled, "recall").items()
    )
    return all_of(
        {
            "order of the means": order_of(pooled, "recall").after(f"n = {len(pooled[LAFC])} each, "),
            f"LAFC above {HIGH_RECALL} on every topic": Ruling(enough, topics),
        }
    ).after("", f"Recall, not ruled on: {told}.")


def time_order(found: Crawls) -> Ruling:
    """By the processor's time of the crawler. That of the network is drawn, host by host, and would decide it."""
    minutes = {crawler: np.array([row["cpu_minutes"] for row in own]).round(DIGITS) for crawler, own in found.items()}
    means = {crawler: float(own.mean()) for crawler, own in minutes.items()}
    pairs = [(LAFC, "BPM"), (LAFC, "HW"), (LAFC, "LJM"), ("HW", "BPM"), ("LJM", "BPM")]
    excesses = [minutes[longer] - minutes[shorter] for shorter, longer in pairs]
    adjusted = holm([one_sided(excess) for excess in excesses])
    ruling = all_of(
        {
            f"{longer} takes longer than {shorter}": _longer(excess, p)
            for (shorter, longer), excess, p in zip(pairs, excesses, adjusted, strict=True)
        }
    )
    return ruling.after("", f"Mean minutes of the processor: {listed(means)}.")


def _longer(excess: Floats, p: float) -> Ruling:
    low, high = interval(excess)
    told = f"{excess.mean():+.3g} min, 95% interval {low:+.3g} to {high:+.3g}"
    statistic = f"Wilcoxon's signed-rank test, one-sided, Holm's correction, n = {excess.size}: {p_text(p)}; {told}"
    return answer(p < SURE and excess.mean() > 0, Estimate(float(excess.mean()), low, high, ABOVE), statistic)


def parts_of_time(found: Crawls) -> list[str]:
    """What else could be taken for running time: with the time of the network, and for each thousand downloads."""
    times: dict[str, Callable[[Row], float]] = {
        "With the network's time": lambda row: float(row["minutes"]),
        "In minutes per 1,000 downloads": lambda row: float(1000 * row["cpu_minutes"] / max(1, row["downloads"])),
    }
    others = {
        name: {crawler: [{**row, "cpu_minutes": time(row)} for row in own] for crawler, own in found.items()}
        for name, time in times.items()
    }
    network, processor = (listed(means_of(found, part)) for part in ("network_minutes", "cpu_minutes"))
    return [
        f"Mean minutes of the processor: {processor}; of the network, whose delays are drawn: {network}.",
        *(f"{name} it {_is(time_order(other))}." for name, other in others.items()),
    ]


# 7: the theorem


def at_end(rows: Rows, figure: str) -> dict[float, dict[Ground, float]]:
    """By learning rate, and then by ground: the figure after the last crawl, where there is one."""
    ends: dict[float, dict[Ground, float]] = {}
    for row in sorted(static(rows), key=lambda row: float(row["rate"])):
        if row[figure] and row[figure][-1] is not None:
            ends.setdefault(row["rate"], {})[GROUND(row)] = row[figure][-1]
    return ends


def goes_to_one(rows: Rows) -> Ruling:
    ends, best = at_end(rows, "share"), at_end(rows, "best")
    if not ends:
        return Ruling(None, sentence="No crawls on a web that does not change are there.")
    ruling = ruling_rate(ends, min(row["crawls"] for row in static(rows)))
    shares = [row["share"] for row in where(static(rows), rate=ruling) if None not in row["share"]]
    common = [list(case) for case in zip(*aligned(best).values(), strict=True)] if best else []
    if len(shares) < FEWEST_NETWORKS or len(common) < FEWEST_NETWORKS or len(best) < FEWEST_VALUES:
        told = f"Grounds with a rate that can get to 0.95: {len(shares)}, with all {len(best)} rates: {len(common)}"
        return Ruling(None, sentence=f"{told}. A trend needs {FEWEST_NETWORKS} of each, and {FEWEST_VALUES} rates.")
    return all_of(
        {
            f"share above 0.95 with rate {ruling:g}, Page's test for a rise by crawls": page(shares).ruling(),
            f"most likely link is the best known one, Page's test for a fall by rate {numbers([*best])}": page(
                common, falling=True
            ).ruling(),
            "share above 0.95 after the last crawl": _half(ends),
        }
    )


def _half(ends: Mapping[float, Mapping[Ground, float]]) -> Ruling:
    means = {rate: average(own.values()) or 0.0 for rate, own in ends.items()}
    told = ", ".join(f"{mean:.3f} with rate {rate:g} (n = {len(ends[rate])})" for rate, mean in means.items())
    small = [mean for rate, mean in means.items() if rate <= SMALL_RATE]
    return Ruling(max(small, default=0.0) >= HALF, f"{told}; one with a rate up to {SMALL_RATE} must reach {HALF}")


# 8: pages of one cluster

TIED = ("BPM", "LJM+", "LJM")


def tells_apart(rows: Rows) -> Ruling:
    found = compared(rows, TIED)
    if short := too_few(found):
        return short
    bpm, tied, ljm = (np.array([precision(row) for row in own]) for own in found.values())
    whole, part = bpm - ljm, tied - ljm
    share, beyond = part.mean() / whole.mean() if whole.mean() > 0 else 0.0, part - HALF * whole
    gain = f"{share:.0%} of the gain, of which half is wanted" if whole.mean() > 0 else "there is none"
    return all_of(
        {
            "BPM above LJM": greater(whole.tolist()),
            "LJM with ties broken link by link above LJM": greater(part.tolist()),
            "its part in the gain of BPM": answer(
                bool(share >= HALF), Estimate(float(beyond.mean()), *interval(beyond), ABOVE), gain
            ),
        }
    )


EXPERIMENT_I, COMPARISON = "section 5.1", "section 5.2"

CLAIMS = (
    Claim(
        1,
        "Precision and running time rise with the control threshold.",
        f"{EXPERIMENT_I}, Table 2",
        sweep(CONTROL, falling=False),
        BrokenVariant(
            "The figures of each sweep are put from the largest to the smallest.", sorted_sweeps(CONTROL, True)
        ),
    ),
    Claim(
        2,
        "Precision and running time fall as the learning rate rises.",
        f"{EXPERIMENT_I}, Table 3",
        sweep(RATE, falling=True),
        BrokenVariant(
            "The figures of each sweep are put from the smallest to the largest.", sorted_sweeps(RATE, False)
        ),
    ),
    Claim(
        3,
        "The precision of every crawler falls with the downloads.",
        f"{COMPARISON}, Figs. 2-7",
        ruled(all_fall),
        BrokenVariant(
            "The precisions of each crawl are put from the smallest to the largest.", changed(risen, study=COMPARE)
        ),
    ),
    Claim(
        4,
        "Mean precision is in the order LAFC, BPM, HW, LJM, with LAFC significantly above the others.",
        f"{COMPARISON}, Table 4",
        ruled(precision_order, to_the_budget),
        BrokenVariant(
            "On each ground LJM gets the most precise crawl, then HW, then BPM, and LAFC the worst.",
            dealt_to(FOUR[::-1], precision, "curve", "downloads"),
        ),
    ),
    Claim(
        5,
        "Recall is in the same order, and LAFC finds more than 75% on every topic.",
        "section 5.3, Table 5",
        ruled(recall_order, lambda found: []),
        BrokenVariant(
            "On each ground LJM gets the crawl that found most, then HW, then BPM, and LAFC the one that found least.",
            dealt_to(FOUR[::-1], lambda row: len(row["found"]), "found"),
        ),
    ),
    Claim(
        6,
        "LAFC has the shortest running time, and BPM the longest.",
        "section 5.4, Table 6, Fig. 8",
        ruled(time_order, parts_of_time, FEWEST_FOR_FIVE, leave_out="the web's truth"),
        BrokenVariant(
            "On each ground LAFC gets the longest running time and BPM the shortest.",
            dealt_to((LAFC, "LJM", "HW", "BPM"), "cpu_minutes", "minutes", "network_minutes", "cpu_minutes"),
        ),
    ),
    Claim(
        7,
        "With a small learning rate the probability of the best link goes to one.",
        "section 4, Theorem 1",
        goes_to_one,
        BrokenVariant("The crawls inherit nothing: each begins with new automata. These were run.", forgetful),
    ),
    Claim(
        8,
        "BPM beats LJM because it tells pages of one cluster apart.",
        COMPARISON,
        tells_apart,
        BrokenVariant(
            "On each ground LJM gets the most precise of the three crawls, and BPM the worst.",
            dealt_to(TIED[::-1], precision, "curve", "downloads"),
        ),
    ),
)

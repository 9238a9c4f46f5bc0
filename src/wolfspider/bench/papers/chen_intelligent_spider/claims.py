"""The claims of the paper on the Intelligent Spider, with the tests that rule on them and the variants that must fail.

The tests were written before any case had been searched; how long a search takes and how many pages it downloads was
known. One thing was changed when the first quick form was known: "slightly" and "close" (1 and 6) were within half of
the pooled standard deviation. Where computed and recorded webs are together that is mostly what lies between webs, and
a hybrid passed for close that was a third less fit. They are within a tenth now, as "about the same" is in other papers
here. That turned 6 from holds to does not hold, and nothing else.

A case is a web, a topic and one to three liked pages; all spiders of a case share them, so tests are of pairs. Ruled on
are all cases of the form together, on computed and on recorded webs; the same test on each kind alone is told beside
it. Fitness is the mean score of the outputs that a spider delivers, 0 where there are none, on the common yardstick
(see cells.py); the same test by the spiders' own scores is told beside it. Chance counts as
excluded below p = 0.05.

1   "Slightly above, not significantly" has three parts. The mean of the genetic spider is above that of best-first. The
    one-way analysis of variance, as printed, gives P of 0.05 or more. And the difference is small and not merely
    unseen: the 90% interval of the mean paired difference lies within a tenth of the mean of best-first, which is the
    same as two one-sided t-tests at 5%. What Student's and Wilcoxon's tests of the pairs find is told, and does not
    decide: a small difference may well be significant by them.
2   "About half" is 0.4 to 0.6: the 95% interval of the mean share of outputs that came by a leap must lie within.
    Broken variant, run: the genetic spider with a mutation rate of 0.
3   Cases whose liked pages have fewer than five links each. By the exact test of McNemar, one-sided, best-first must
    fall short of ten outputs in more cases than the genetic spider; the genetic spider must deliver ten in 19 of 20
    cases or more; and it must be fitter, by Wilcoxon's test, one-sided.
4   User time and system time of the genetic spider must each be larger than those of best-first, by Wilcoxon's test of
    the pairs, one-sided.
5   Fitness of annealing must be below that of best-first and below that of the genetic spider, by Wilcoxon's test of
    the pairs, one-sided, each.
6   As the paper words it: in fitness the hybrid must be nearer to the genetic spider than annealing is, by Wilcoxon's
    test of the distances, one-sided. It was ruled on being close (within a tenth, as in 1) and not above before; the
    first of these is told beside it.
7   Cannot be tested: people judged. How many outputs carry the topic is told in its place.

The paper has no temperatures. At 0.05, which is ours, a set that is less fit by 0.01 is accepted with a chance of 0.82,
where scores are about 0.05 to 0.1; in the first quick form annealing lost fitness from generation to generation. So a
temperature is now a share of the fitness of the first set (0.05 to 0.001 of it). It is not one of the fitness of the
start pages: these are the liked pages, and each is wholly like itself, so that their fitness is 1 where one page is
liked and about a half or a third where two or three are, whatever the web is like. In the full form both also begin at
that, and at 0.002 whatever the fitness, and what 5 and 6 are then is told beside them.

Broken variants but that of 2 are made from the rows so that they are false whatever these say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from wolfspider.bench.experiment import BrokenVariant, Claim, Estimate, Row, Rows, Ruling
from wolfspider.bench.groups import where
from wolfspider.bench.papers.chen_intelligent_spider.cases import CASES, COMPUTED, FEW, OWN_SITE, RECORDED, SHARES
from wolfspider.bench.papers.chen_intelligent_spider.cells import (
    ANNEALING,
    BEST_FIRST,
    COOL,
    COOL_ANNEALING,
    COOL_HYBRID,
    GENETIC,
    HOT_ANNEALING,
    HOT_HYBRID,
    HYBRID,
    OUTPUTS,
    UNLEAPING,
)
from wolfspider.bench.rulings import (
    ABOVE,
    FEWEST,
    SURE,
    all_of,
    answer,
    beside,
    brief,
    equivalent,
    few,
    greater,
    ordered,
    p_text,
    within,
)
from wolfspider.bench.stats import DIGITS, anova, interval, paired, wilcoxon
from wolfspider.bench.variants import Variant, changed

SLIGHT = 0.1  # of the mean
HALF = (0.4, 0.6)
DELIVERS = 0.95
HEATED = {
    "cool": {ANNEALING: COOL_ANNEALING, HYBRID: COOL_HYBRID},
    "hot": {ANNEALING: HOT_ANNEALING, HYBRID: HOT_HYBRID},
}

BOTH = (GENETIC, BEST_FIRST)

Cases = Sequence[tuple[Row, ...]]  # what the spiders of a claim did, case by case
Scores = Sequence[float]


class ScoreChosen(NamedTuple):
    """Which score counts, and on which webs."""

    score: str = "fitness"  # on the common yardstick; "own": as each spider computes it
    kind: str = ""
    heat: str = ""  # where annealing begins, if not at a share of its first fitness
    study: str = ""  # other cases than those that are ruled on
    web: str = ""


OWN = {"by the spiders' own scores": ScoreChosen(score="own")}
ALONE = {f"on {kind} webs alone": ScoreChosen(kind=kind) for kind in (COMPUTED, RECORDED)}
COOLER = {
    f"where it begins at a temperature of {COOL}": ScoreChosen(heat="cool"),
    "where it begins at 0.05 of the fitness of the start pages": ScoreChosen(heat="hot"),
}
AT_HOME = {"where pages have only links to the own site": ScoreChosen(study=OWN_SITE)}


def ruled(
    rule: Callable[[Cases, str], Ruling], names: Sequence[str], others: Mapping[str, ScoreChosen], study: str = CASES
) -> Callable[[Rows], Ruling]:
    """Rules by a score on all cases that these spiders share, and tells beside it what the same test finds in other
    ways, where there are cases enough."""

    def rule_in(rows: Rows, way: ScoreChosen) -> Ruling:
        own = [HEATED.get(way.heat, {}).get(name, name) for name in names]
        cases = together(where(rows, web_name=way.web) if way.web else rows, own, way.kind, way.study or study)
        return few(cases, "cases") or rule(cases, way.score)

    return beside(rule_in, ScoreChosen(), others, untestable=False)


# What is read from rows


def together(rows: Rows, names: Sequence[str], kind: str, study: str) -> Cases:
    """What these spiders did, case by case, on webs of a kind or on all."""
    cases = [row["spiders"] for row in where(rows, study=study) if kind in ("", row["kind"])]
    return [tuple(spiders[name] for name in names) for spiders in cases if all(name in spiders for name in names)]


def scores(cases: Cases, score: str) -> list[Scores]:
    """A list for each spider, in the order of cases."""
    return [[row[score] for row in side] for side in zip(*cases, strict=True)]


def by_leap(row: Row) -> float | None:
    """The share of outputs that came by a leap; None where there are no outputs."""
    outputs = row["outputs"]
    return sum(output["origin"] == "leap" for output in outputs) / len(outputs) if outputs else None


def above(larger: Scores, smaller: Scores) -> Ruling:
    return greater(np.subtract(larger, smaller).tolist(), digits=4)


def means(**sides: Scores) -> str:
    return ", ".join(f"{name.replace('_', '-')} {np.mean(own):.4f}" for name, own in sides.items())


def within_a_tenth(first: Scores, second: Scores) -> Ruling:
    """Is the paired difference small beside the mean of the second? Two one-sided t-tests, as an interval."""
    return equivalent(np.subtract(first, second).tolist(), SLIGHT * float(np.mean(second)), share=1 - 2 * SURE)


# The claims


def slightly_above(cases: Cases, score: str) -> Ruling:
    genetic, best_first = scores(cases, score)
    table, differences = anova(genetic, best_first), np.subtract(genetic, best_first).round(DIGITS)
    f = "none" if table.f is None else f"{table.f:.2f}"
    ruling = all_of(
        {
            "above": ordered({"genetic": genetic, "best-first": best_first}).after(f"n = {len(cases)}, "),
            "not significantly, by one-way analysis of variance": Ruling(
                table.p >= SURE, f"F(1, {table.within}) = {f}, P = {table.p:.3f}"
            ),
            "slightly": within_a_tenth(genetic, best_first),
        }
    )
    student, signed = p_text(paired(differences.tolist()).p), p_text(wilcoxon(differences))
    return ruling.after("", f"Paired, which the paper's test is not: t-test {student}, Wilcoxon {signed}, two-sided.")


def half_by_leaps(cases: Cases, score: str) -> Ruling:
    shares = [share for (row,) in cases if (share := by_leap(row)) is not None]
    return few(shares, "cases") or within(shares, HALF, "mean share")


def half_everywhere(rows: Rows) -> Ruling:
    """Ruled on all cases; each web with cases enough, and other shares of pages in the index, stand beside it."""
    webs = dict.fromkeys(row["web_name"] for row in where(rows, study=CASES))
    ruling = ruled(half_by_leaps, [GENETIC], {**ALONE, **{f"on {web}": ScoreChosen(web=web) for web in webs}})(rows)
    shares = dict.fromkeys(row["every"] for row in where(rows, study=SHARES))
    found = {f"with one page in {every} in the index": _with_share(rows, every) for every in shares}
    return replace(ruling, others=ruling.others + tuple(found.items())) if ruling.testable else ruling


def _with_share(rows: Rows, every: int) -> Ruling:
    cases = together(where(rows, every=every), [GENETIC], "", SHARES)
    return few(cases, "cases") or half_by_leaps(cases, "fitness")


def people_agree(rows: Rows) -> Ruling:
    """Nobody was asked here. What the outputs are about is counted instead, and does not decide."""
    cases = together(rows, BOTH, "", CASES)
    why = "People judged the outputs in the paper, which prints no numbers of it; nobody was asked here."
    if len(cases) < FEWEST:
        return Ruling(None, sentence=why)
    counts = [[sum(bool(each["topic"]) for each in row["outputs"]) for row in case] for case in cases]
    genetic, best_first = zip(*counts, strict=True)
    counted = greater(np.subtract(genetic, best_first).tolist())
    told = (
        f"Outputs that carry the topic of the liked pages stand in for it: of {OUTPUTS} in the mean "
        f"{np.mean(genetic):.2f} of the genetic spider and {np.mean(best_first):.2f} of best-first; that the genetic "
        f"spider has more {brief(counted)}."
    )
    return Ruling(None, sentence=f"{why} {told}")


def better_with_few_links(cases: Cases, score: str) -> Ruling:
    lacking = [tuple(len(row["outputs"]) < OUTPUTS for row in case) for case in cases]
    genetic_lacks, best_first_lacks = map(sum, zip(*lacking, strict=True))
    one, other = lacking.count((False, True)), lacking.count((True, False))
    p, full = at_least(one, one + other), 1 - genetic_lacks / len(cases)
    counts = f"best-first in {best_first_lacks} of {len(cases)} cases, genetic in {genetic_lacks}"
    more = np.array([float(best) - float(genetic) for genetic, best in lacking])
    genetic, best_first = scores(cases, score)
    return all_of(
        {
            "best-first falls short of ten more often": answer(
                p < SURE,
                Estimate(float(np.mean(more)), *interval(more), ABOVE),
                f"{counts}; McNemar's exact test, one-sided: {one} to {other}, {p_text(p)}",
            ),
            f"the genetic spider delivers ten in {DELIVERS:.0%} of cases": Ruling(full >= DELIVERS, f"{full:.1%}"),
            "and is fitter": above(genetic, best_first).after(f"{means(genetic=genetic, best_first=best_first)}; "),
        }
    )


def at_least(successes: int, of: int) -> float:
    """The chance of so many heads or more in tosses of a coin."""
    return float(sum(math.comb(of, heads) for heads in range(successes, of + 1)) / 2**of)


def takes_longer(cases: Cases, score: str) -> Ruling:
    ruling = all_of({f"{name} time": longer(*scores(cases, name)) for name in ("user", "system")})
    genetic, best_first = map(np.mean, scores(cases, "downloads"))
    return ruling.after("", f"Downloads in the mean: genetic {genetic:.0f}, best-first {best_first:.0f}.")


def longer(genetic: Scores, best_first: Scores) -> Ruling:
    ratio = f", {np.sum(genetic) / np.sum(best_first):.2f} times as long" if np.sum(best_first) else ""
    seconds = f"seconds of a search: {means(genetic=genetic, best_first=best_first)}{ratio}"
    return above(genetic, best_first).after(f"{seconds}; ")


def annealing_below(cases: Cases, score: str) -> Ruling:
    annealing, *others = scores(cases, score)
    named = dict(zip(("genetic spider", "best-first"), others, strict=True))
    return all_of(
        {
            f"below {name}": above(own, annealing).after(f"{means(**{'annealing': annealing, name: own})}; ")
            for name, own in named.items()
        }
    )


def hybrid_close(cases: Cases, score: str) -> Ruling:
    hybrid, genetic, annealing = scores(cases, score)
    told = means(hybrid=hybrid, genetic=genetic, annealing=annealing)
    far, near = (np.abs(np.subtract(own, genetic)).tolist() for own in (annealing, hybrid))
    nearer = above(far, near).after(f"{told}; distance of annealing less that of the hybrid: ")
    return nearer.after("", f"Within a tenth of the genetic spider: it {brief(within_a_tenth(hybrid, genetic))}.")


# Broken variants


def with_spiders(study: str, change: Callable[[Mapping[str, Row]], Mapping[str, Any]]) -> Variant:
    """`change` says what becomes of some spiders of each case that there is."""
    return changed(
        lambda row: {"spiders": {**row["spiders"], **(change(row["spiders"]) if row["spiders"] else {})}}, study=study
    )


def given(name: str, sources: Sequence[str], factor: float = 1, fields: Sequence[str] = ("fitness", "own")) -> Variant:
    """In every case a spider gets these fields of another, of the larger if there are several, times a factor."""

    def change(spiders: Mapping[str, Row]) -> Mapping[str, Row]:
        taken = {field: factor * max(spiders[source][field] for source in sources) for field in fields}
        return {name: {**spiders[name], **taken}}

    return with_spiders(CASES, change)


CLAIMS = (
    Claim(
        1,
        "The outputs of the genetic spider are slightly fitter than those of best-first, not significantly.",
        "section V.B, Fig. 2",
        ruled(slightly_above, BOTH, {**OWN, **ALONE}),
        BrokenVariant(
            "The genetic spider is twice as fit as best-first in every case.", given(GENETIC, [BEST_FIRST], factor=2)
        ),
    ),
    Claim(
        2,
        "About half of the genetic spider's outputs come from mutation, at rates of 50% and 50%.",
        "section V.B",
        half_everywhere,
        BrokenVariant(
            "A mutation rate of 0. These were run.",
            with_spiders(CASES, lambda spiders: {GENETIC: spiders[UNLEAPING]}),
        ),
    ),
    Claim(
        3,
        "Where liked pages have few links best-first cannot deliver the outputs asked for; the genetic spider can, and "
        "is clearly better.",
        "section V.B",
        ruled(better_with_few_links, BOTH, {**OWN, **ALONE, **AT_HOME}, FEW),
        BrokenVariant(
            "Best-first brings there what the genetic spider brings.",
            with_spiders(FEW, lambda spiders: {BEST_FIRST: spiders[GENETIC]}),
        ),
    ),
    Claim(
        4,
        "The genetic spider takes more CPU time and more system time.",
        "sections V.B and VII",
        ruled(takes_longer, BOTH, ALONE),
        BrokenVariant(
            "Best-first takes as long as the genetic spider.",
            given(BEST_FIRST, [GENETIC], fields=("user", "system")),
        ),
    ),
    Claim(
        5,
        "Annealing is worse than best-first and the genetic spider.",
        "section IV.B",
        ruled(annealing_below, (ANNEALING, *BOTH), {**OWN, **ALONE, **COOLER}),
        BrokenVariant("In every case annealing is as good as the better of the two.", given(ANNEALING, BOTH)),
    ),
    Claim(
        6,
        "Annealing with mutation, the hybrid, is nearer to the genetic spider than annealing is.",
        "section IV.B",
        ruled(hybrid_close, (HYBRID, GENETIC, ANNEALING), {**OWN, **ALONE, **COOLER}),
        BrokenVariant(
            "The hybrid is twice as fit as the fitter of the two in every case.",
            given(HYBRID, [GENETIC, ANNEALING], factor=2),
        ),
        known="As 'close and not above' it did not hold, with a starting temperature of 0.05 whatever the fitness.",
    ),
    Claim(
        7,
        "People agree that the genetic spider brings significantly more relevant pages.",
        "section VII",
        people_agree,
        None,
    ),
)

"""What Palotai, Mandusitz and Lorincz say of a fleet of news foragers that they watched: claims 1 to 7, and tests.

Each test reads the rows of the two-week runs ("main"). Where the paper says "about", "rarely" or "linearly", the
constants here say what is taken for it. They were set before the full form was run, but not before anything was: one
run of 14 days had been seen (boundary 0.96, 24 foragers at the end, scores from 78.7 to 199.7 when they were noted
after a division), and quick forms. How far a slice may go beyond 200 was set before a quick form had 232. That a daily
wave below a twentieth of the mean is none was set after a quick form had waves of 22% and 24%. A broken variant makes
its claim false whatever the true rows say: it writes over what the test reads.

Scores are noted when a slice ends, before the forager divides or dies. Nobody keeps 200 or more, by construction: a
forager that has as much divides, and both begin with 100. So a score above 200 is what one slice brought beyond, and
each division has one. What can fail is that no score falls below 60, and that no slice takes one a tenth beyond 200.

Discovery is linear if c t^p has an exponent near 1. Time and addresses are counted from the end of the first day, on
which all that was there before is discovered, and in whole days, so that the daily wave does not count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.bench.experiment import BrokenVariant, Claim, Estimate, Row, Rows, Ruling
from wolfspider.bench.foraging_claims import calibration
from wolfspider.bench.groups import where
from wolfspider.bench.measure.folds import DAY, HOUR, ratio
from wolfspider.bench.measure.foraging import shares
from wolfspider.bench.measure.rhythm import mean_hour, rhythm
from wolfspider.bench.rulings import FEWEST, SURE, all_of, answer, few, greater, p_text, within
from wolfspider.bench.stats import Floats, interval, interval_of, mean_text
from wolfspider.bench.variants import Variant, chained, changed, put
from wolfspider.graphs.degrees import raw_exponent

SLOPE, SLOPE_ERROR = 2.0, 0.3
FIRST_DAYS, LATER_DAYS = (0, 1), (2, 3, 4)  # a Monday is day 0
WEEKS = (range(1, 7), range(8, 14))  # Tuesday to Sunday of both: the first day has the news of the day before, too
TWO_WEEKS = 14
MIDNIGHT, PHASE_ERROR = 0.0, 3.0  # hours GMT: where the peaks of rewarded/downloaded are
FLAT = 0.05  # of the mean: a daily wave of a smaller amplitude is none
ABOUT_TWENTY = (15, 25)
FEEDS_TWENTY = 1800  # documents: 18 times the hundred that a birth takes
SCORES = (60, 200)
HIGHEST = 220  # 200, and a tenth that the last slice may bring
BOUNDARY = (0.6, 0.7)
FEW, MANY = range(2, 5), range(15, 1000)  # foragers alive
RARELY = 0.1
EXPONENT = (0.85, 1.15)  # where that of the growth of discovery must lie, with all of its interval
KEEP_COMING = 0.5  # new starting points of the second week to those of the first, at least


main_runs = partial(where, kind="main")


def over_two_weeks(what: str, rule: Callable[[Rows], Ruling], fewest: int = FEWEST) -> Callable[[Rows], Ruling]:
    """A test of runs of two weeks. Claims that speak of weeks say so where there are no weeks."""

    def test(rows: Rows) -> Ruling:
        runs = two_weeks(rows)
        if not runs:
            return Ruling(None, sentence=f"{what} takes two weeks, and this form runs for fewer days.")
        return few(runs, "runs", fewest) or rule(runs)

    return test


def two_weeks(rows: Rows) -> list[Row]:
    return [row for row in main_runs(rows) if row["days"] >= TWO_WEEKS]


def in_main(part: str, change: Callable[[Any], Mapping[str, Any]]) -> Variant:
    """The main runs with changes to one part of each."""
    return changed(lambda row: {part: {**row[part], **change(row[part])}}, kind="main")


# 1. Links

SIDES = {"into": "incoming", "out_of": "outgoing"}


def slope(degrees: Mapping[str, Any]) -> float:
    """The slope of the straight line through the log-log plot, as the papers draw it."""
    return -raw_exponent(np.array(degrees["values"]), np.array(degrees["counts"]))


def slopes_are_two(rows: Rows) -> Ruling:
    slopes = {name: [slope(row["linked"][side]) for row in main_runs(rows)] for side, name in SIDES.items()}
    wanted = (-SLOPE - SLOPE_ERROR, -SLOPE + SLOPE_ERROR)
    if not main_runs(rows):
        return Ruling(None, sentence="There are no runs.")
    return all_of({name: mean_within(values, wanted, "mean slope") for name, values in slopes.items()})


def mean_within(values: Sequence[float], wanted: tuple[float, float], name: str) -> Ruling:
    """Does the mean lie in the wanted range? That is enough; whether it surely does not is told by its interval."""
    if short := few(values, "runs"):
        return short.after(f"mean {np.mean(values):.3f}, ") if values else short
    mean, (low, high) = float(np.mean(values)), interval(np.array(values))
    statistic = f"n = {len(values)}, {name} {mean_text(values)}, {wanted[0]:g} to {wanted[1]:g} is wanted"
    return answer(wanted[0] <= mean <= wanted[1], Estimate(mean, low, high, wanted), statistic)


# 2. Lag


def lag(row: Row, days: Container[int] | None = None) -> float:
    """The mean hours from publication to reward of what was published on these days, or since the fleet began."""
    published = [day for day in row["lags"]["published"] if days is None or day["day"] in days]
    return ratio(sum(day["mean"] * day["documents"] for day in published), sum(day["documents"] for day in published))


def lag_falls(rows: Rows) -> Ruling:
    runs = [row for row in main_runs(rows) if row["days"] > max(LATER_DAYS) + 1]  # what is found a day late counts too
    if not runs:
        return Ruling(None, sentence="This form runs for too few days to compare the first two with the next three.")
    first, later = ([lag(row, days) for row in runs] for days in (FIRST_DAYS, LATER_DAYS))
    ruling = greater([a - b for a, b in zip(first, later, strict=True)])
    week = [lag(row, [day + 7 for day in FIRST_DAYS]) for row in two_weeks(runs)]
    after = f"; a week later {np.mean(week):.2f} h" if week else ""
    means = f"published on days 1-2: {np.mean(first):.2f} h, on days 3-5: {np.mean(later):.2f} h{after}. "
    return ruling.after(means)


def slower_every_day(lags: Mapping[str, Any]) -> dict[str, Any]:
    days = lags["published"]
    return {"published": [{**day, "mean": days[0]["mean"] + day["day"] / 5} for day in days]}


# 3. The daily rhythm, and the second week


def peak(row: Row, of: str) -> tuple[float, float]:
    """The hour of the daily wave's maximum in rewarded to sent or to downloads, and its amplitude over the mean,
    without the first day."""
    tally = row["tally"]
    first = round(24 / tally["window_hours"])
    curve = shares(tally["series"]["relevant"], tally["series"][of])[first:]
    wave = rhythm(curve, tally["start"] + DAY, tally["window_hours"] * HOUR)
    return wave.hour, wave.amplitude


def rayleigh(hours: Sequence[float]) -> tuple[float, float]:
    """How much the hours agree (0 to 1), and how likely hours at random would agree as well: Rayleigh's test."""
    angles = np.array(hours) * 2 * np.pi / 24
    n, length = len(hours), float(math.hypot(np.cos(angles).mean(), np.sin(angles).mean()))
    z = (n * length) ** 2
    return length, math.exp(math.sqrt(1 + 4 * n + 4 * (n * n - z)) - (1 + 2 * n))


def week_ratio(row: Row, of: str, days: Container[int]) -> float:
    """Rewarded to sent or to downloads over these days."""
    series, width = row["tally"]["series"], row["tally"]["window_hours"]
    windows = [window for window in range(len(series[of])) if int(window * width // 24) in days]
    return ratio(sum(series["relevant"][window] for window in windows), sum(series[of][window] for window in windows))


def has_wave(peaks: Sequence[tuple[float, float]]) -> Ruling:
    """It holds by Rayleigh's test. It does not where the wave that the runs have in common is surely too flat to be
    called one; its interval is from a bootstrap over runs."""
    hours, heights = (np.array(column) for column in zip(*peaks, strict=True))
    length, p = rayleigh(hours.tolist())
    waves = heights * np.exp(2j * np.pi * hours / 24)
    low, high = interval_of(waves, np.abs)
    statistic = (
        f"n = {len(peaks)}, peaks at {mean_hour(hours):.1f} h GMT (agreement {length:.2f}, Rayleigh {p_text(p)}), "
        f"amplitude {np.mean(heights):.0%} of the mean; of the common wave {np.abs(waves.mean()):.1%}, 95% interval "
        f"{low:.1%} to {high:.1%}, of which under {FLAT:.0%} is none"
    )
    return answer(p < SURE, Estimate(float(np.abs(waves.mean())), low, high, (FLAT, math.inf)), statistic)


def near_midnight(hours: Sequence[float]) -> Ruling:
    """Is the mean hour near? That is enough; whether it surely is not is told by its interval, from a bootstrap over
    runs, in hours from midnight whichever way."""
    clock = np.exp(2j * np.pi * (np.array(hours) - MIDNIGHT) / 24)

    def apart(means: NDArray[Any]) -> Floats:
        away: Floats = np.abs(np.angle(means)) * 24 / (2 * np.pi)
        return away

    away, (low, high) = float(apart(clock.mean())), interval_of(clock, apart)
    statistic = (
        f"n = {len(hours)}, {mean_hour(hours):.1f} h GMT, which is {away:.1f} h from midnight, 95% interval {low:.1f} "
        f"to {high:.1f}, {PHASE_ERROR:g} or less is wanted; publication peaks at 22 h"
    )
    return answer(away <= PHASE_ERROR, Estimate(away, low, high, (-math.inf, PHASE_ERROR)), statistic)


def oscillates_and_rises(runs: Rows) -> Ruling:
    found: dict[str, Ruling] = {}
    for of, name in (("sent", "rewarded/sent"), ("downloads", "rewarded/downloaded")):
        first, second = ([week_ratio(row, of, week) for row in runs] for week in WEEKS)
        found[f"{name} has a daily wave"] = has_wave([peak(row, of) for row in runs])
        rise = greater([b - a for a, b in zip(first, second, strict=True)], digits=5)
        found[f"{name} rises"] = rise.after(f"first week {np.mean(first):.4f}, second {np.mean(second):.4f}; ")
    found["rewarded/downloaded peaks around midnight"] = near_midnight([peak(row, "downloads")[0] for row in runs])
    return all_of(found)


def at_random(rows: Rows) -> list[Row]:
    rng = np.random.default_rng(0)

    def noise(tally: Mapping[str, Any]) -> dict[str, Any]:
        rates = {"downloads": 30_000, "sent": 4_000, "relevant": 400}
        series = {name: rng.poisson(rate, len(tally["series"]["sent"])).tolist() for name, rate in rates.items()}
        return {"series": {**tally["series"], **series}}

    return in_main("tally", noise)(rows)


# 4. Growth


def within_scores(rows: Rows) -> float:
    """The share of all scores, at the end of each window, between 60 and 200."""
    scores = [score for row in rows for line in row["population"]["heat"] for score in line if score is not None]
    return float(np.mean([SCORES[0] <= score <= SCORES[1] for score in scores])) if scores else math.nan


def grows_to_twenty(runs: Rows) -> Ruling:
    if max(row["articles"] * row["days"] for row in runs) < FEEDS_TWENTY:
        return Ruling(None, sentence="The sites of this form publish too little to feed twenty foragers.")
    people = [row["population"] for row in runs]
    sizes = [float(one["last"]) for one in people]
    lowest, highest = min(one["lowest_score"] for one in people), max(one["highest_score"] for one in people)
    begin = f"from {people[0]['first']}, {min(sizes):.0f} to {max(sizes):.0f} in the end; "
    scores = (
        f"from {lowest:.1f} to {highest:.1f} at the end of slices, before a division, asked for {SCORES[0]} to "
        f"{HIGHEST}; {within_scores(runs):.1%} of those at the end of windows between 60 and 200"
    )
    return all_of(
        {
            "growth": mean_within(sizes, ABOUT_TWENTY, "foragers").after(begin),
            "scores": Ruling(SCORES[0] <= lowest and highest <= HIGHEST, scores),
        }
    ).after("", "That nobody keeps more than 200 is by construction.")


def neither_grows_nor_keeps(people: Mapping[str, Any]) -> dict[str, Any]:
    heat = [[None if score is None else 300.0 for score in line] for line in people["heat"]]
    return {"last": people["first"], "lowest_score": 20.0, "highest_score": 300.0, "heat": heat}


# 5 and 6. The division of work


def windows(row: Row, sizes: Sequence[int], figure: str) -> list[float]:
    """A figure of the windows in which so many foragers live."""
    return [
        window[figure]
        for window in row["division"]["windows"]
        if window["foragers"] > 1 and window[figure] is not None and alive(row, window["hours"]) in sizes
    ]


def alive(row: Row, hours: float) -> int:
    """How many live at a time: more than those who have a turn in a window."""
    counts = [count for at, count in row["population"]["alive"] if at <= hours]
    return counts[-1] if counts else 0


def few_and_many(rows: Rows, figure: str) -> tuple[list[float], list[float]]:
    """Of each main run that has both, the mean while foragers are few and while they are many."""
    sides = [(windows(row, FEW, figure), windows(row, MANY, figure)) for row in main_runs(rows)]
    both = [(float(np.mean(small)), float(np.mean(many))) for small, many in sides if small and many]
    return [small for small, _ in both], [many for _, many in both]


NO_CROWD = "In no full window of this form are there fifteen foragers, so few and many cannot be compared."


def one_forager_only(rows: Rows) -> Ruling:
    small, many = few_and_many(rows, "boundary")
    if not small:
        return Ruling(None, sentence=NO_CROWD)
    every = [window for row in where(rows, kind="pace") for window in row["division"]["windows"]]
    paces = [window["boundary"] for window in every if window["foragers"] > 1]
    pace = f"At the paper's rates {np.mean(paces):.3f} over {len(paces)} windows." if paces else ""
    sides = {"2-4 foragers": small, "15 and more": many}
    return all_of({name: mean_within(own, BOUNDARY, "mean") for name, own in sides.items()}).after("", pace)


def all_together(row: Row) -> Row:
    return put(row, "division.windows", [{**window, "boundary": 0.05} for window in row["division"]["windows"]])


def paths_differ(rows: Rows) -> Ruling:
    small, many = few_and_many(rows, "different")
    if not small:
        return Ruling(None, sentence=NO_CROWD)
    together_few, together_many = ([1 - value for value in values] for values in (small, many))
    seldom = {"2-4 foragers": together_few, "15 and more": together_many}
    return all_of(
        {
            **{f"rarely, {name}": mean_within(own, (0.0, RARELY), "mean") for name, own in seldom.items()},
            "less so as the fleet grows": greater([a - b for a, b in zip(together_few, together_many, strict=True)]),
        }
    )


def ever_more_alike(division: Mapping[str, Any]) -> dict[str, Any]:
    """The share of different decisions falls with every hour."""
    windows = division["windows"]
    return {"windows": [{**window, "different": max(0.0, 0.5 - window["hours"] / 1000)} for window in windows]}


# 7. Discovery


def discovery(row: Row) -> float:
    """The exponent p of c t^p, fitted to the addresses discovered since the end of the first day, in whole days."""
    curve = [(hours / 24 - 1, seen) for hours, seen, _ in row["starts"]["curve"] if hours % 24 == 0]
    before = next(seen for days, seen in curve if days == 0)
    later = np.array([(days, max(seen - before, 1)) for days, seen in curve if days > 0])
    days, seen = np.log(later).T
    return float(np.polyfit(days, seen, 1)[0])


def starts_by_day(row: Row) -> list[int]:
    return [int(sum(column)) for column in zip(*row["starts"]["heat"], strict=True)][: int(row["days"])]


def second_to_first(row: Row) -> float:
    """New starting points, Tuesday to Sunday of the second week to those of the first."""
    days = starts_by_day(row)
    first, second = (sum(days[day] for day in week) for week in WEEKS)
    return second / first if first else 0.0


def keeps_discovering(runs: Rows) -> Ruling:
    exponents, ratios = [discovery(row) for row in runs], [second_to_first(row) for row in runs]
    low, high = interval(np.array(ratios))
    least = min(min(starts_by_day(row)) for row in runs)
    told = f"n = {len(runs)}, {mean_text(ratios)} of the first week, asked for {KEEP_COMING} or more"
    coming = Estimate(float(np.mean(ratios)), low, high, (KEEP_COMING, math.inf))
    return all_of(
        {
            "discovered = c t^p": within(exponents, EXPONENT, "mean p"),
            "new starting points every day": Ruling(least > 0, f"{least} on the poorest day"),
            "new starting points in the second week": answer(low >= KEEP_COMING, coming, told),
        }
    )


def soon_over(starts: Mapping[str, Any]) -> dict[str, Any]:
    """Everything is discovered within days, and after a week no new starting point comes up."""
    curve = [(hours, 5000 * (1 - math.exp(-hours / 48)), found) for hours, _, found in starts["curve"]]
    return {"curve": curve, "heat": [[9 if day < 7 else 0 for day, _ in enumerate(line)] for line in starts["heat"]]}


CLAIMS = (
    Claim(
        1,
        "The links that the foragers looked at are scale-free: slopes -2.0 ± 0.3, incoming and outgoing.",
        "Fig. 2",
        lambda rows: calibration(slopes_are_two(rows)),
        None,
        known="As a ruling it did not hold. It says how our site is, and nothing about foragers.",
    ),
    Claim(
        2,
        "The lag between the publication of news and its finding falls within a few days.",
        "section 4.2",
        lag_falls,
        BrokenVariant(
            "The lag of each day is 12 minutes longer than that of the day before.", in_main("lags", slower_every_day)
        ),
    ),
    Claim(
        3,
        "Rewarded/sent and rewarded/downloaded oscillate daily, the latter with peaks around midnight GMT, and both "
        "rise in the second week.",
        "section 4.2, Fig. 3a",
        over_two_weeks("A rise in the second week", oscillates_and_rises),
        BrokenVariant("Documents are downloaded, sent and rewarded at random times.", at_random),
    ),
    Claim(
        4,
        "The fleet grows from 2 to about 20 foragers in two weeks, and scores stay between 60 and 200.",
        "section 4.2, Fig. 3b",
        over_two_weeks("Growing to about twenty", grows_to_twenty, fewest=1),
        BrokenVariant(
            "Nobody multiplies, and scores lie between 20 and 300.", in_main("population", neither_grows_nor_keeps)
        ),
    ),
    Claim(
        5,
        "In windows of 75 minutes, or 1,300 steps, 60-70 % of the visited URLs are visited by one forager only, for "
        "few and for many foragers.",
        "section 4.3, Fig. 4a and b",
        one_forager_only,
        BrokenVariant(
            "In every window 95 % of the URLs are visited by several foragers.",
            chained(*(changed(all_together, kind=kind) for kind in ("main", "pace"))),
        ),
    ),
    Claim(
        6,
        "Two-step paths of different foragers from a shared start rarely coincide, and less so as the fleet grows.",
        "section 4.3, Fig. 4c",
        paths_differ,
        BrokenVariant(
            "From window to window more of the two-step paths coincide, from a half on.",
            in_main("division", ever_more_alike),
        ),
    ),
    Claim(
        7,
        "The number of discovered URLs grows linearly, and new starting points keep coming.",
        "section 4.3, Fig. 5",
        over_two_weeks("Going on discovering", keeps_discovering),
        BrokenVariant(
            "Discovery is over within days, new starting points within a week.", in_main("starts", soon_over)
        ),
    ),
)

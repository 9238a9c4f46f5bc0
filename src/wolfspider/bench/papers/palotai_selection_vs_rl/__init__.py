"""Selection against reinforcement learning in fleets of news foragers. (Palotai, Farkas and Lorincz 2005)

A fleet of 8 WLRL and 8 WL foragers is recorded on a news site, as in the paper. Fleets of WL foragers, which select
starting points, and of RL foragers, which tune their values of pages, then work on the replay of the recording: as it
is, and with its links rewired. Two fleets are a pair if recording and repeat are the same. In addition there are the
controls that the paper leaves out, and, where the corpora are at hand, fleets on two recorded news sites.
"""

from __future__ import annotations

from wolfspider.bench.experiment import Experiment, Form
from wolfspider.bench.foraging_claims import GENERAL, STATES, told_with_pace
from wolfspider.bench.papers.palotai_selection_vs_rl.cells import (
    DOWNLOAD,
    PAPER_DOWNLOADS,
    SLICE,
    STEP,
    Size,
    corpus,
    measured,
    settings,
    size_of,
)
from wolfspider.bench.papers.palotai_selection_vs_rl.claims import CLAIMS
from wolfspider.bench.papers.palotai_selection_vs_rl.fleet_pairs import pace_beside
from wolfspider.bench.papers.palotai_selection_vs_rl.report import figures, tables
from wolfspider.bench.run.fleets import LISTS, SLICE_DOWNLOADS

PAPER_NEWS = 1_200  # new addresses a day


def scaled(form: Form) -> list[str]:
    size = size_of(form)
    return [
        (
            f"The news site is computed. Recordings: {size.webs} of {size.days:g} days each instead of one of 18 days "
            f"of a real site; {size.webs * size.repeats} fleets of each kind instead of 3, {size.repeats} on each "
            "recording."
        ),
        (
            f"{size.downloads:,.0f} downloads a day, at {size.latency:g} s each, instead of about {PAPER_DOWNLOADS:,}, "
            f"and {size.articles} articles a day instead of about {PAPER_NEWS:,} new addresses: the same downloads for "
            "each."
        ),
        (
            "100 steps a path and 16 foragers at most are the paper's. In the paper a slice of "
            f"{SLICE:g} s has about {SLICE / STEP:.0f} steps or {SLICE / DOWNLOAD:.0f} downloads. Here a slice is as "
            f"long as {SLICE_DOWNLOADS:.0f} downloads take, which makes about as many steps. {LISTS}, so that a "
            "step takes few downloads, if more than in the paper. The table of steps and paths counts them."
        ),
        STATES,
        GENERAL,
        (
            "WL foragers start from the home page of the site, with nothing else in their weblog; RL foragers start "
            "all their paths from the first ten addresses that the recording fleet stepped on. Both begin at the "
            "moment when the last of the ten was there, and work until the recording ends."
        ),
        (
            "What was rewarded while recording is not used in a replay: new and fresh is judged anew for each fleet, "
            "by the same rule."
        ),
        _corpus_sentence(form, size),
    ]


def _corpus_sentence(form: Form, size: Size) -> str:
    if corpus(form) is None:
        return f"Nothing was run on recorded news sites: the corpus {size.corpus!r} is not at hand."
    return (
        f"On the corpus {size.corpus!r}, {size.corpus_repeats} fleets of each kind work for {size.corpus_days:g} days "
        f"with {size.corpus_latency:g} s for a download and as many downloads in a slice as in the paper; it has a few "
        "new pages a day."
    )


ABOUT = (
    "A fleet of foragers looks for what is new on a news site. WL foragers learn where to start, by selection; RL "
    "foragers learn which pages lead on to news, by temporal differences. The paper finds them about equally efficient "
    "on the web as it is, and selection the better fit to a scale-free small world; on a rewired web reinforcement "
    "wins. Here, too, fleets work on recordings of what another fleet saw. Pairs share recording and repeat. Those of "
    "the same recording are less independent than a test takes them to be."
)

EXPERIMENT = Experiment(
    name="palotai-selection-vs-rl",
    title="Selection against reinforcement learning in news foragers",
    paper="Zs. Palotai, Cs. Farkas and A. Lőrincz: Selection in scale-free small world (2005)",
    about=ABOUT,
    settings=settings,
    cell=measured,
    claims=tuple(told_with_pace(claim, pace_beside(claim)) for claim in CLAIMS),
    scaled=scaled,
    tables=tables,
    figures=figures,
)

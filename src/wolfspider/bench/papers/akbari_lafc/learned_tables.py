"""Tables of `akbari_lafc` on what is learned: by responses of automata, where links come and go, within clusters."""

from __future__ import annotations

from collections.abc import Callable

from wolfspider.bench.experiment import Rows, Table
from wolfspider.bench.groups import figures_at, grouped, mean, where
from wolfspider.bench.papers.akbari_lafc.grounds import crawls, static
from wolfspider.bench.papers.akbari_lafc.learning import TIED, later
from wolfspider.bench.papers.akbari_lafc.scales import CHANGING
from wolfspider.bench.tabulate import Column, group_table


def responses(rows: Rows) -> Table:
    told = [row for row in static(rows) if row.get("responses")]
    groups = {
        (rate, number): [figures_at(row, row["responses"].index(number)) for row in own if number in row["responses"]]
        for rate, own in grouped(told, lambda row: float(row["rate"])).items()
        for number in max((row["responses"] for row in own), key=len)
    }
    return group_table(
        "What automata learn, by their responses",
        ("learning rate", "responses"),
        groups,
        Column("grounds", len),
        Column("automata", lambda own: sum(row["responding"] for row in own)),
        Column("share above 0.95", "sure_by_responses"),
        Column("mean largest chance", "mean_by_responses"),
        note="The theorem counts responses of one automaton, in whichever crawl. Of those that were rewarded in the "
        "first crawl, the automata of a ground that had the most responses that five or more had.",
    )


def changing(rows: Rows) -> Table:
    own = where(rows, study=CHANGING)

    def at(place: int) -> Callable[[Rows], float | None]:
        return lambda group: mean(group, lambda row: row["precision"][place])

    return group_table(
        "Links that come and go",
        ("automata",),
        {
            "kept, and brought up to date (eqs. 7 and 8)": [row for row in own if not row.get("broken")],
            "new in each crawl": where(own, broken=True),
        },
        Column("grounds", len),
        Column("precision of the first crawl", at(0)),
        Column("of the last", at(-1)),
        Column("of all but the first", lambda group: mean(group, later)),
        note="A fifth of the links of each page is hidden, others in each crawl.",
    )


def clusters(rows: Rows) -> Table:
    return group_table(
        "Pages of one cluster",
        ("crawler",),
        {name: list(crawls(rows, name).values()) for name in TIED},
        Column("grounds", len),
        Column("share of pairs", "within"),
        note="Of all pairs of a relevant and another page in one cluster, the share in which the crawler had given the "
        "relevant one the higher priority; equal ones count half.",
    )

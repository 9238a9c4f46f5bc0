"""The parameters of the news foragers: every one of the papers, with its value there, and the settings around them."""

from __future__ import annotations

from dataclasses import dataclass

from wolfspider.core.params import param

KINDS = ("WLRL", "WL", "RL")


@dataclass
class Params:
    fleet: str = param(
        "WLRL",
        "What a forager learns: starting points (WL), values of pages (RL) or both; mixed is half WLRL, half WL.",
        choices=(*KINDS, "mixed"),
        live=False,
    )
    order: str = param(
        "fixed",
        "Who comes next: in the order of kind and birth, the kinds in turn, or drawn anew each round.",
        choices=("fixed", "alternating", "random"),
    )
    foragers: int = param(2, "Foragers at the start.", low=1, high=1000, live=False)
    least: int = param(2, "Nobody is deleted while there are no more than these.", low=1, high=1000)
    most: int = param(16, "Nobody multiplies while there are so many; 0 is no limit.", low=0, high=1000)
    slice: float = param(180.0, "Seconds that a forager works before the next one; it finishes its step.", low=0)
    steps: int = param(100, "Steps of a path.", low=1, high=100_000)
    weblog: int = param(100, "Addresses in a weblog.", low=1, high=10_000)
    starts: int = param(10, "So many of the best in the weblog are starting points.", low=1, high=10_000)
    beta: float = param(0.3, "How far a weblog value moves towards what a path earned.", low=0, high=1)
    alpha: float = param(0.1, "Learning rate of the weights.", low=0, high=1)
    gamma: float = param(0.9, "What a profit of the next step counts now.", low=0, high=1)
    weights: str = param(
        "paper",
        "First weights: own for each, copied by children that learn them (paper); one vector for all (common); own for "
        "each, children too (diverse).",
        choices=("paper", "common", "diverse"),
        live=False,
    )
    mutation: float = param(0.0, "Standard deviation of what is added to copied weights of a child.", low=0)
    reads: str = param(
        "new",
        "Which links of a page are downloaded: those not yet downloaded in this path, or all.",
        choices=("new", "all"),
    )
    score: float = param(100.0, "Score of a forager at birth, and of both after a division.", low=0)
    score_sent: float = param(0.05, "Taken from the score for every document sent.", low=0)
    score_paid: float = param(1.0, "Added to the score for every document that is paid for.", low=0)
    multiply_at: float = param(200.0, "Score at which a forager divides.")
    delete_below: float = param(0.0, "Score below which a forager is deleted.")
    reward: float = param(100.0, "Paid for a document that is new and fresh.", low=0)
    cost: float = param(1.0, "Taken for a document sent.", low=0)
    charge: str = param(
        "sent", "The cost is taken for every document sent, or only for those refused.", choices=("sent", "refused")
    )
    window: float = param(24 * 3600.0, "Seconds after its publication for which a document is fresh.", low=0)
    novelty: str = param("url", "What makes two documents the same.", choices=("url", "url+content"), live=False)
    pays: str = param(
        "run",
        "What a document must be to be paid for; run: what the run wants, so relevant too where there is a topic.",
        choices=("run", "new", "new+fresh", "new+relevant", "new+fresh+relevant"),
        live=False,
    )
    search_every: int = param(
        0, "Paths after which a forager asks the search service for starting points; 0: never.", low=0
    )
    model: str = param("default", "Where states of pages come from: default, a model's file, a recording.", live=False)
    mapping: str = param(
        "calibrated",
        "How class probabilities become states: around a border of each class, or around 0.5 as in the papers.",
        choices=("calibrated", "faithful"),
        live=False,
    )

"""The parameters of energy-regulated agents, with the paper's symbols in their sentences."""

from __future__ import annotations

from dataclasses import dataclass

from wolfspider.core.params import param

MOST_AGENTS = 100_000  # whatever the model; nobody is born beyond


@dataclass
class EnergyParams:
    model: str = param(
        "buffer",
        "What a page gives: rho r - C (original), a sigmoid around a threshold that moves (sigmoid), or that with "
        "energy left on pages and bounds on the population (buffer).",
        choices=("original", "sigmoid", "buffer"),
        live=False,
    )
    threshold: str = param(
        "estimate",
        "How the threshold R is found: at a rank of the relevances seen, as in the paper, or by exact balance.",
        choices=("estimate", "exact"),
    )
    relevance: str = param(
        "tfidf",
        "Relevance of a page: its tf-idf similarity to the topic, as in the paper, or the judge's score.",
        choices=("tfidf", "judge"),
        live=False,
    )
    cost: float = param(0.5, "C: what a page far below the threshold takes.", low=0.001, high=1000)
    gain: float = param(
        10.0,
        "G: what a page far above the threshold gives; in the original model rho, for a relevance of 1.",
        low=0.001,
        high=1000,
    )
    agents: int = param(
        200, "Agents at the start, each with an energy of 1; raised later, so many more start.", low=1, high=20_000
    )
    most: int = param(
        250, "UB: with more agents than these, pages keep their energy (buffer).", low=1, high=MOST_AGENTS
    )
    least: int = param(
        50, "LB: with no more agents than these nobody dies (buffer); never more than UB.", low=0, high=MOST_AGENTS
    )
    remnants: float = param(
        0.1, "How often an agent goes to a page with energy left, instead of following a link (buffer).", low=0, high=1
    )
    beta: float = param(5.0, "How much a link's context counts: chances are exp(beta similarity).", low=0, high=100)
    revisit: float = param(
        1.0,
        "What a page without energy left takes, in units of C; 0, as printed, lets agents live there for ever.",
        low=0,
        high=10,
    )

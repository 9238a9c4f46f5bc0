"""Energy-regulated agents (a model of energy for the population control of topical crawlers with endogenous fitness).

Agents walk from page to page. What a page is worth becomes energy: an agent that finds relevant pages has clones, and
an agent that finds none dies. No agent is ranked against another, and so the size of the population is not given in
advance. There are three models:

    original    a page gives rho * r - C for its relevance r. The population dies or explodes with rho.
    sigmoid     it gives between -C and G, by a sigmoid around a threshold R that is moved so that over all pages seen
                the sum is about 0 (learn/balance.py).
    buffer      with more than UB agents a page keeps its energy for later; with no more than LB no agent dies: one
                that would have died is put on a page that has energy left.

The three are one: the first two are the third without bounds. `herd.py` holds the agents, `knowledge.py` what they
share and how relevant a page is, `walk.py` what an agent does.
"""

from __future__ import annotations

from wolfspider.strategies.energy.walk import Energy as Energy

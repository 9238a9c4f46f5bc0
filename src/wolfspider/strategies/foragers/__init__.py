"""News foragers (Palotai, Mandusitz and Lorincz, Computer study of the evolution of "news foragers" on the Internet;
and Palotai et al. on selection against reinforcement learning in a scale-free small world).

A fleet that finds fresh news without its members talking to each other. A forager walks in paths of 100 steps. At each
step it reads one page, downloads what the page links to, and sends what is fresh to the reinforcing agent, which pays
the first forager that sends a document. A forager learns two things: a *weblog* of good starting points, by selection
(WL), and a linear value of page states, by temporal differences (RL). Foragers that earn multiply, and those that only
cost are deleted.

Foragers work one after the other, each for a slice of time, as on the one computer of the papers. The rules A1 to A11
are named where they stand; judging what is new and fresh is the Reinforcer's part of A6.
"""

from __future__ import annotations

from wolfspider.strategies.foragers.steps import Foragers as Foragers

"""The Intelligent Spider (Chen, Chung, Ramsey, Yang, Ma and Yen 1997, Intelligent spider for Internet searching).

generations.py   what its searches have in common: pages a person likes, and generations of pages like them
best_first.py    the best page so far is an output, and its links are looked at next
genetic.py       crossover along links, mutation by leaps, an elite, and a roulette wheel
annealing.py     a set of pages, exchanged for another while it is hot; and the same with leaps
"""

from wolfspider.strategies.spider import annealing, best_first, genetic

__all__ = ["annealing", "best_first", "genetic"]

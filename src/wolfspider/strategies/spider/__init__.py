"""The Intelligent Spider (Chen, Chung, Ramsey, Yang, Ma and Yen 1997, Intelligent spider for Internet searching).

candidates.py    its parameters, and the pages it chooses from
generations.py   what its searches have in common: pages a person likes, and generations of pages like them
searches.py      the searches: best first, genetic, annealing, and annealing with leaps
"""

from wolfspider.strategies.spider import searches

__all__ = ["searches"]

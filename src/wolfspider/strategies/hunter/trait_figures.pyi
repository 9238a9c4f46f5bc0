"""What mypy knows of trait_figures.pyx."""

import numpy as np
from numpy.typing import NDArray

from wolfspider.learn.columns import Columns, Rows
from wolfspider.learn.word_odds import WordOdds

def figures_of(
    rows: Rows, links: Columns, edges: Columns, counts: NDArray[np.float32], usual: float, words: WordOdds
) -> NDArray[np.float64]: ...

"""A computed web: endless, repeatable, with known answers. `Synthetic.parse("synthetic:pages=50000,seed=1")`."""

from __future__ import annotations

from wolfspider.web.synthetic.params import Params
from wolfspider.web.synthetic.web import Synthetic
from wolfspider.web.synthetic.write import write

__all__ = ["Params", "Synthetic", "write"]

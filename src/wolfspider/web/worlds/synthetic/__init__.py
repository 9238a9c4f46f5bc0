"""A synthetic web: endless, repeatable, with known answers. `Synthetic.parse("synthetic:pages=50000,seed=1")`."""

from __future__ import annotations

from wolfspider.web.worlds.synthetic.saving import write
from wolfspider.web.worlds.synthetic.web import Synthetic
from wolfspider.web.worlds.synthetic.web_params import WebParams

__all__ = ["Synthetic", "WebParams", "write"]

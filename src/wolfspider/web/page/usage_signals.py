"""What a page says about being used for text and data mining, or for training: recorded so that a corpus can be
filtered by it.

Read are, in headers and in meta tags, TDMRep (`tdm-reservation`, `tdm-policy`) and the draft of AIPREF
(`content-usage`). Directives for robots such as `noai` are in `Page.robots`.
"""

from __future__ import annotations

from collections.abc import Mapping

from wolfspider.web.page.markup_tree import tree_of
from wolfspider.web.page.taming import tamed

SIGNALS = ("tdm-reservation", "tdm-policy", "content-usage")
_HEAD = 200_000  # characters of a page in which its meta tags are looked for
_LONGEST = 1_000  # characters of a value


def usage_signals(headers: Mapping[str, str], html: str) -> dict[str, str]:
    """By name, in lower case; a meta tag counts where no header has that name."""
    found = {name: headers[name].strip()[:_LONGEST] for name in SIGNALS if name in headers}
    head = html[:_HEAD]
    lower = head.lower()
    if any(name in lower for name in SIGNALS):
        for node in tree_of(tamed(head, True)).css("meta[name]"):
            name = (node.attributes.get("name") or "").strip().lower()
            if name in SIGNALS and name not in found:
                found[name] = (node.attributes.get("content") or "").strip()[:_LONGEST]
    return found

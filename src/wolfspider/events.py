"""Everything that happens in a crawl, and every command a person may give. What is here stands in `core.events`."""

from wolfspider.core.events import *  # noqa: F403

"""The hunter: two models of what a link is worth, learned from every page of a crawl."""

from wolfspider.strategies.hunter.hunter import Hunter as Hunter

"""Every address of the interface: one line each, from which it is served, checked and described (OpenAPI)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wolfspider.dashboard import (
    acting_shapes,
    curves,
    host_table,
    map_view,
    news,
    overview,
    page_lists,
    queue_list,
    reading,
    reading_shapes,
    shapes,
    spider_view,
    starting,
    steering_desk,
    workers,
)
from wolfspider.dashboard.desk import RunDesk

GET, POST = "GET", "POST"
OF_RUN = "/api/runs/{name}"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`call` gets the desk, the name of the run where the path has one, and what was asked: the query or the body, of
    the shape `asks`. It answers in the shape `answers`, or by a Problem."""

    method: str
    path: str
    says: str
    call: Callable[[RunDesk, str, Any], Any]
    answers: Any
    asks: Any = shapes.NoQuestion
    status: int = 200
    waits: bool = False  # for another process, and so holds up none that only reads


ENDPOINTS = (
    Endpoint(
        *(GET, "/api/runs", "All runs of the folder, the newest first."),
        lambda desk, name, asked: overview.run_list(desk),
        shapes.RunList,
    ),
    Endpoint(
        *(POST, "/api/runs", "Start a crawl in a process of its own; `test`: a test crawl of 50 pages."),
        lambda desk, name, asked: starting.start(desk, asked),
        *(acting_shapes.Started, acting_shapes.StartBody, 201),
        waits=True,
    ),
    Endpoint(
        *(POST, "/api/runs/check", "What would be started, or what is wrong with it."),
        lambda desk, name, asked: starting.check(desk, asked),
        *(acting_shapes.CrawlPlan, acting_shapes.StartBody),
    ),
    Endpoint(
        *(GET, "/api/choices", "What can be chosen for a crawl: strategies, judges, presets, scopes, limits."),
        lambda desk, name, asked: starting.choices(desk),
        acting_shapes.Choices,
    ),
    Endpoint(
        *(GET, "/api/workers", "The islands of a fleet, where the runs of the folder are islands."),
        lambda desk, name, asked: workers.workers(desk),
        workers.IslandTable,
    ),
    Endpoint(
        *(GET, OF_RUN, "How a run stands, what to do next, and what can be moved."),
        lambda desk, name, asked: overview.run_state(desk, desk.run(name)),
        shapes.RunState,
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/series", "Curves over downloads; `after`: only what came after so many downloads."),
        lambda desk, name, asked: curves.series(desk, desk.run(name), asked),
        *(shapes.Series, shapes.AfterQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/pages", "Pages, and visits that failed, the newest first."),
        lambda desk, name, asked: page_lists.pages(desk.run(name), asked),
        *(shapes.Pages, shapes.PagesQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/hosts", "Hosts: what came from each, what was refused, what waits and until when."),
        lambda desk, name, asked: host_table.hosts(desk, desk.run(name), asked),
        *(shapes.Hosts, shapes.HostsQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/queue", "Links that wait, the best first, and visits that are under way."),
        lambda desk, name, asked: queue_list.queue(desk, desk.run(name), asked),
        *(shapes.QueueShown, shapes.QueueQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/failures", "Why visits failed, in plain words, and what to do."),
        lambda desk, name, asked: host_table.failures(desk, desk.run(name)),
        shapes.Failures,
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/commands", "What people said to the run, what came of it, and what takes it back."),
        lambda desk, name, asked: steering_desk.history(desk, desk.run(name)),
        acting_shapes.History,
    ),
    Endpoint(
        *(POST, f"{OF_RUN}/commands", "Give the run a command, in the words of `steer`."),
        lambda desk, name, asked: steering_desk.command(desk, desk.run(name), asked),
        *(acting_shapes.CommandAnswer, acting_shapes.CommandBody),
        waits=True,
    ),
    Endpoint(
        *(POST, f"{OF_RUN}/preview", "What a command would do, and take away."),
        lambda desk, name, asked: steering_desk.preview(desk.run(name), asked),
        *(acting_shapes.Preview, shapes.Saying),
    ),
    Endpoint(
        *(POST, f"{OF_RUN}/undo", "Take a command back, by its number, exactly; or say why that cannot be."),
        lambda desk, name, asked: steering_desk.undo(desk, desk.run(name), asked),
        *(acting_shapes.CommandAnswer, acting_shapes.UndoBody),
        waits=True,
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/questions", "The pages from which the judge would learn most, if a person labelled them."),
        lambda desk, name, asked: reading.questions(desk, desk.run(name), asked),
        *(reading_shapes.QuestionsAsked, reading_shapes.QuestionsQuery),
    ),
    Endpoint(
        *(
            POST,
            f"{OF_RUN}/search",
            "Pages with these words, the best first; its index is kept beside the run.",
        ),
        lambda desk, name, asked: reading.search(desk.run(name), asked),
        *(reading_shapes.PagesFound, reading_shapes.SearchBody),
        waits=True,
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/explain", "Why an address was visited, or was not."),
        lambda desk, name, asked: reading.explain(desk.run(name), asked),
        *(reading_shapes.Explained, reading_shapes.UrlQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/page", "The text of a page, 20,000 characters at a time."),
        lambda desk, name, asked: reading.page(desk.run(name), asked),
        *(reading_shapes.PageText, reading_shapes.PageTextQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/news", "The news of a watch."),
        lambda desk, name, asked: news.news(desk, desk.run(name), asked),
        *(reading_shapes.NewsTold, reading_shapes.NewsQuery),
    ),
    Endpoint(
        *(POST, f"{OF_RUN}/resume", "Go on with a run whose process has ended, perhaps with more pages."),
        lambda desk, name, asked: starting.resume(desk, desk.run(name), asked),
        *(acting_shapes.Started, acting_shapes.ResumeBody),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/said", "The last lines that the process of a run has said."),
        lambda desk, name, asked: starting.said(desk, name),
        shapes.Said,
    ),
    Endpoint(
        *(GET, "/api/compare", "Runs side by side: their curves, and the settings that differ."),
        lambda desk, name, asked: curves.compare(desk, asked),
        *(shapes.RunsCompared, shapes.RunsQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/spider", "A spider's search by generations; without `generation`, the newest."),
        lambda desk, name, asked: spider_view.spider(desk, desk.run(name), asked),
        *(spider_view.SpiderState, spider_view.SpiderQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/spider/links", "The links of a page that a spider brought back."),
        lambda desk, name, asked: spider_view.spider_links(desk.run(name), asked),
        *(spider_view.SpiderLinks, spider_view.SpiderLinksQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/map", "The map of all pages; `after`: what came since the answer whose `next` that is."),
        lambda desk, name, asked: map_view.map_since(desk, desk.run(name), asked),
        *(map_view.TerritoryMap, map_view.MapQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/map/page", "What a dot of the map stands for."),
        lambda desk, name, asked: map_view.map_page(desk, desk.run(name), asked),
        *(map_view.MapPage, map_view.MapPageQuery),
    ),
    Endpoint(
        *(GET, f"{OF_RUN}/territory", "Where one agent has been, by the dots of the map."),
        lambda desk, name, asked: map_view.territory(desk, desk.run(name), asked),
        *(map_view.AgentTerritory, map_view.TerritoryQuery),
    ),
)

"""From bytes to score in three languages and their encodings: parsed, read and judged like any other page."""

from __future__ import annotations

import pytest

from wolfspider.core.model import Fetch, Page
from wolfspider.core.topic import Topic
from wolfspider.policy.judges import EVERYTHING, JUDGES, make_judge
from wolfspider.web.page.html import parse

# language, encoding, keywords, a page about them, a page about something else
PAGES = [
    (
        "de",
        "windows-1252",
        ("Vulkan", "Lavaströme"),
        "Der Ätna ist ein Vulkan auf Sizilien. Aus dem Vulkan fließen Lavaströme; Lavaströme zerstören Häuser.",
        "Das Fußballspiel endete unentschieden. Die Zuschauer jubelten über schöne Tore im Stadion.",
    ),
    (
        "ru",
        "koi8-r",
        ("вулкан", "лава"),
        "Этна — вулкан на Сицилии. Из вулкана течёт лава, и лава разрушает дома. Этот вулкан извергается часто.",
        "Футбольный матч закончился вничью. Зрители радовались красивым голам, команда праздновала на стадионе.",
    ),
    (
        "ja",
        "shift_jis",
        ("火山", "溶岩"),
        "エトナ山はシチリア島の火山である。火山から溶岩が流れ、溶岩は家を壊す。この火山はしばしば噴火する。",
        "サッカーの試合は引き分けに終わった。観客は美しい得点を喜び、選手たちは競技場で祝った。",
    ),
]


def page(language: str, encoding: str, text: str, name: str) -> Page:
    html = f'<html lang="{language}"><title>{name}</title><body><p>{text}</p><a href="/x">{text[:9]}</a></body></html>'
    url = f"http://seite.example/{name}"
    headers = {"content-type": f"text/html; charset={encoding}"}
    result = parse(Fetch(url, url, 200, headers, html.encode(encoding, "xmlcharrefreplace"), at=1e9))
    assert isinstance(result, Page)
    return result


@pytest.mark.parametrize("judge", [name for name in JUDGES if name != EVERYTHING])
@pytest.mark.parametrize(("language", "encoding", "keywords", "about", "other"), PAGES)
def test_a_page_on_the_topic_scores_above_one_that_is_not(
    judge: str, language: str, encoding: str, keywords: tuple[str, ...], about: str, other: str
) -> None:
    asked = make_judge(judge, Topic(keywords))
    off, on = asked.score(page(language, encoding, other, "b")), asked.score(page(language, encoding, about, "a"))
    assert on.score > off.score and not off.relevant
    assert page(language, encoding, about, "a").language == language


@pytest.mark.parametrize(("language", "encoding", "keywords", "about", "other"), PAGES)
def test_the_encoding_makes_no_difference(
    language: str, encoding: str, keywords: tuple[str, ...], about: str, other: str
) -> None:
    one, unicode = page(language, encoding, about, "a"), page(language, "utf-8", about, "a")
    assert one.words == unicode.words and one.links == unicode.links and one.near == unicode.near
    assert one.digest != unicode.digest

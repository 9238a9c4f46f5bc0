"""Markup cut to what Lexbor reads in a few seconds and in little memory, whatever stands in it.

Lexbor needs time in the square of a page's depth and of a tag's attributes, so both are bounded, and memory for each
attribute of a page, so their number is bounded too.

Elements such as <b> and <a> that are not closed are opened again, with all their attributes, after every tag that
closes what they stand in, so that a few kilobytes may stand for gigabytes. No more than three that are alike, and no
more than one <a>, are open at a time. So the memory of all copies is at most what one copy of each takes, times the
tags of the page. A tag beyond that bound gets another name, <wbr>, which is nothing to read and is closed at once. What
is closed at once anyway, with nothing but text and simple elements in it, is never opened again and does not count.

Quotes, comments and scripts make any "<" real or not, so every "<" before a letter is read as a tag.
"""

from __future__ import annotations

import re

LARGE = 200_000  # bytes of a body that is read beside the event loop, where the system cannot bound its memory
MOST_TAGS = 20_000  # nested in each other they take a second
MOST_ATTRIBUTES = 300  # of a tag
MOST_ATTRIBUTES_IN_ALL = 400_000
MOST_COPIED = 50_000_000  # bytes of the copies of elements that are not closed, and as much for those of <a>
MOST_BODY_TAGS = 10  # the attributes of repeated ones pile up on the first

HARMLESS = 32_000  # characters: too few to be slow, whatever they are
_PASSES = 3
PATIENCE = 10  # how often each character may be looked at, on average, as a part of tags within tags
_ALIKE = 3  # elements with the same name and attributes that are open at a time
_ELEMENT, _ATTRIBUTE_OF_IT = 190, 180  # bytes of memory, beside the characters

_BLANK = r"[\t\n\f\r ]"
_ONE = (  # attribute, as the tokenizer of HTML reads it; a value that does not end takes all the rest
    rf"(?:[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+(?:{_BLANK}*+={_BLANK}*+"
    r"""(?:"[^"]*+"?+|'[^']*+'?+|[^\t\n\f\r >"'][^\t\n\f\r >]*+)?+)?+)"""
)
_ALL = rf"{_ONE}*+[\t\n\f\r /]*+"
_ATTRIBUTE = re.compile(_ONE)
_ATTRIBUTES = re.compile(_ALL)
_TAG = re.compile(rf"</?[A-Za-z][^\t\n\f\r />]*+{_ONE}{{0,{MOST_ATTRIBUTES}}}+")
_SHORTEST = 2 * MOST_ATTRIBUTES  # characters of a tag with too many
_LONG_TAG = re.compile(rf"<[^>]{{{_SHORTEST}}}")
_BRACKET_IN_VALUE = re.compile(rf"""={_BLANK}*+(?:"[^">]*+>|'[^'>]*+>)""")
_BODY_TAG = re.compile(r"<(?:[Bb][Oo][Dd][Yy]|[Hh][Tt][Mm][Ll])[\t\n\x0b\f\r /]")

_END = r"(?=[\t\n\f\r />])"  # of a name
_FORMATTING = rf"(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u){_END}"
_EMPTY = rf"<(?:br|img|wbr){_END}{_ALL}>"
_FEW = "{0,10}+"  # texts and elements: more would be read again by each tag before them
_SPAN = rf"<span{_END}{_ALL}>(?:[^<]++|{_EMPTY}){_FEW}</span>"
_SIMPLE = rf"(?:[^<]++|{_EMPTY}|{_SPAN})"
_INNER = rf"<(?P<inner>{_FORMATTING}){_ALL}>{_SIMPLE}{_FEW}</(?P=inner)>"
_NOT_CLOSED_AT_ONCE = re.compile(
    rf"<(?P<name>{_FORMATTING})(?!{_ALL}>(?:{_SIMPLE}|{_INNER}){_FEW}</(?P=name)>)(?=(?P<rest>{_ALL}))", re.IGNORECASE
)


def tamed(text: str, large: bool) -> str:
    """As much of a page as can be read within the bounds. `large`: is its body?"""
    if len(text) <= HARMLESS:
        return text
    if text.count("<") > MOST_TAGS:
        text = text[: _nth_tag(text, MOST_TAGS)]
    for number, tag in enumerate(_BODY_TAG.finditer(text)):
        if number == MOST_BODY_TAGS:
            text = text[: tag.start()]
            break
    text = _without_crowded_tags(text)
    return _until_too_many_attributes(_without_surplus_copies(text) if large else text)


def _without_crowded_tags(text: str) -> str:
    """Tags with too many attributes, taken out. A cut may change what an earlier, longer tag seems to hold, so the text
    is read again until there is nothing to cut; a page that goes on like that ends where it does. Such a tag is long
    or holds a bracket that does not end it. Few pages have either, and only those are read tag by tag."""
    if not _LONG_TAG.search(text) and not _BRACKET_IN_VALUE.search(text):
        return text
    for _ in range(_PASSES):
        calm = _calmed(text)
        if len(calm) == len(text):
            return text
        text = calm
    return _calmed(text, last_pass=True)


def _calmed(text: str, last_pass: bool = False) -> str:
    """Even within a script, a comment or a value `i<n` may be taken out, which is no loss: the cut ends at the next
    "<"."""
    kept: list[str] = []
    place, effort = 0, PATIENCE * len(text)
    tag = _TAG.search(text)
    while tag:
        effort -= tag.end() - tag.start()
        crowded = _ATTRIBUTE.match(text, tag.end()) is not None
        if effort < 0 or (crowded and last_pass):
            return "".join(kept) + text[place : tag.start()]
        following = _TAG.search(text, tag.end() if crowded else tag.start() + 1)
        if crowded:
            kept.append(text[place : tag.start()])
            rest = _ATTRIBUTES.match(text, tag.end(), following.start() if following else len(text))
            place = min(len(text), (rest or tag).end())
            place += text.startswith(">", place)
        tag = following
    return "".join(kept) + text[place:]


def _without_surplus_copies(text: str) -> str:
    """Nothing but names of tags is changed, so that all others stay what they are."""
    most = MOST_COPIED // (text.count("<") or 1)
    known: dict[str, int] = {}  # how often each tag counts
    kept: list[str] = []
    place = taken = 0
    for tag in _NOT_CLOSED_AT_ONCE.finditer(text):
        whole, is_link = tag[0] + tag["rest"], tag["name"] in ("a", "A")
        times = known.get(whole, 0)
        if times == _ALIKE:
            continue
        weight = _ELEMENT + len(whole) + _ATTRIBUTE_OF_IT * sum(1 for _ in _ATTRIBUTE.finditer(tag["rest"]))
        if weight <= most - (0 if is_link else taken):
            known[whole] = _ALIKE if is_link else times + 1
            taken += 0 if is_link else weight
        else:
            kept += (text[place : tag.start()], "<wbr")
            place = tag.end()
    return "".join(kept) + text[place:]


def _until_too_many_attributes(text: str) -> str:
    """Few pages are so long that they could have them. A tag counts as one, too."""
    if len(text) <= 2 * MOST_ATTRIBUTES_IN_ALL:
        return text
    if sum(map(text.count, "\t\n\f\r /\"'")) <= MOST_ATTRIBUTES_IN_ALL:
        return text
    left = MOST_ATTRIBUTES_IN_ALL
    tag = _TAG.search(text)
    while tag:
        left -= sum(1 for _ in _ATTRIBUTE.finditer(tag[0]))
        if left < 0:
            return text[: tag.start()]
        tag = _TAG.search(text, tag.start() + 1)
    return text


def _nth_tag(text: str, n: int) -> int:
    place = -1
    for _ in range(n):
        place = text.find("<", place + 1)
    return place

"""What is stored comes back the same, as plain data, and nothing else can be built from a file."""

from __future__ import annotations

import json
import math
import random
import tracemalloc
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.core.events import Label, SetParam
from wolfspider.core.model import Credit, Failure, Link, Page, Verdict, Visit
from wolfspider.policy.frontier import Frontier
from wolfspider.policy.turns import Group, Turns

LINK = Link("http://a.test/", "an anchor", 3, (1, 14), "html/body/a", 2, "nofollow")
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.just(LINK),
    st.just(Failure("dns")),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.lists(inner).map(deque),
        st.dictionaries(st.text(), inner),
        st.dictionaries(st.integers(), inner),
        st.sets(st.one_of(st.integers(), st.text())),
        st.frozensets(st.integers()),
    ),
    max_leaves=20,
)


@given(trees)
def test_whatever_is_stored_comes_back(value: Any) -> None:
    back = codec.load(*codec.store(value))
    assert back == value and type(back) is type(value)


def test_the_vocabulary_comes_back() -> None:
    page = Page("http://a.test/", "http://a.test/", "title", ("a", "b"), (LINK,), near=2**63, published=1.5)
    visit = Visit(7, LINK, "ann", "http://b.test/", {"score": 0.5, "parts": [1, 2]})
    values = [page, visit, Verdict(0.7, True, {"raw": 0.2}), Credit(7, "ann", 100.0, "new", 3.0), Label("x", True)]
    assert codec.load(*codec.store(values)) == values
    assert codec.load(*codec.store(SetParam("depth", 3))) == SetParam("depth", 3)


def test_arrays_keep_their_kind_and_generators_their_place() -> None:
    rng = random.Random(5)
    rng.random()
    value = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": array("Q", [1, 2**63]), "c": rng}
    back = codec.load(*codec.store(value))
    assert back["a"].dtype == np.float32 and (back["a"] == value["a"]).all()
    assert back["b"] == value["b"] and back["b"].typecode == "Q"
    assert back["c"].random() == rng.random()


def test_helpers_come_back() -> None:
    turns, group = Turns(), Group([LINK, LINK])
    turns.add("ann")
    turns.park("bob", LINK)
    group.out.add(4)
    back = codec.load(*codec.store([turns, group]))
    assert vars(back[0]) == vars(turns) and vars(back[1]) == vars(group)


def test_equal_sets_are_stored_equally() -> None:
    one, other = {f"word{n}" for n in range(50)}, {f"word{n}" for n in reversed(range(50))}
    assert codec.store(one) == codec.store(other)


def test_what_is_not_plain_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="object is not plain data"):
        codec.store({"x": object()})


@pytest.mark.parametrize(
    "value", [Counter("aab"), defaultdict(list), OrderedDict(a=1), MappingProxyType({"a": 1}), OrderedDict()]
)
def test_what_would_come_back_as_a_plain_dict_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=f"{type(value).__name__} is not plain data"):
        codec.store([value])


@pytest.mark.parametrize("longest", [None, 0, 2, 5])
def test_a_deque_keeps_how_long_it_may_get(longest: int | None) -> None:
    value = deque([1, (2,), LINK], longest)
    back = codec.load(*codec.store(value))
    assert back == value and back.maxlen == longest


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_number_that_json_does_not_have_comes_back(kind: type, value: float) -> None:
    text, blobs = codec.store({"x": [kind(value)]})
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert repr(codec.load(text, blobs)) == repr({"x": [value]})


@pytest.mark.parametrize("tree", [{"~value": ["Path", ["/"]]}, {"~helper": ["Popen", {}]}, {"~reduce": []}])
def test_a_tampered_file_builds_nothing(tree: Any) -> None:
    with pytest.raises((KeyError, codec.UnknownHelper)):
        codec.load(json.dumps(tree), {})


def test_an_array_of_objects_is_refused() -> None:
    header = json.dumps(["|O", [1]]).encode()
    with pytest.raises(ValueError, match="objects"):
        codec.load('{"~array": "a0"}', {"a0": len(header).to_bytes(4, "big") + header + b"12345678"})


def test_plain_is_for_people() -> None:
    assert codec.plain(Verdict(0.5, True, {"raw": np.float64(1.5)})) == {
        "score": 0.5,
        "relevant": True,
        "evidence": {"raw": 1.5},
    }
    assert codec.plain({1: (LINK,)})["1"][0]["url"] == "http://a.test/"


def test_a_helper_cannot_take_the_name_of_another() -> None:
    """What one strategy stored would be read back by the class of another."""
    with pytest.raises(TypeError, match=r"wolfspider\.policy\.frontier has a helper Frontier already"):
        codec.helper(type(Frontier.__name__, (), {}))


@given(st.lists(st.text(max_size=9) | st.sampled_from(["\ud800", "\udc00", ""]), min_size=1, max_size=9))
def test_many_texts_come_back_as_they_were(texts: list[str]) -> None:
    many = texts * codec.MANY
    assert codec.load(*codec.store({"names": many})) == {"names": many}


def test_many_texts_with_other_lengths_are_refused() -> None:
    tree, arrays = codec.pack(["spider"] * codec.MANY)
    arrays |= codec.pack(np.full(codec.MANY, len("spiders"), np.uint32))[1]
    with pytest.raises(ValueError, match="another length"):
        codec.unpack(tree, arrays)


def test_what_is_large_is_copied_once() -> None:
    """Besides what is stored or built, nothing of its size is needed; and what is built can be changed."""
    value = {"column": array("d", bytes(8_000_000)), "table": np.zeros(1_000_000)}
    tracemalloc.start()
    text, blobs = codec.store(value)
    _, to_store = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    tracemalloc.start()
    built = codec.load(text, blobs)
    _, to_load = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert to_store < 1.1 * 16_000_000 and to_load < 1.2 * 16_000_000
    built["table"][0] = built["column"][0] = 1.0
    assert codec.load(text, blobs)["table"][0] == codec.load(text, blobs)["column"][0] == 0.0

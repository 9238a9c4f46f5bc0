"""Tables that grow, and the table of links to an address, against plain lists and dicts."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wolfspider.core import codec
from wolfspider.learn.columns import Columns, NumberedColumns
from wolfspider.learn.link_edges import LinkEdges


def again(table: Any) -> Any:
    return codec.load(*codec.store(table))


@given(st.lists(st.integers(0, 700), max_size=6))
def test_rows_keep_what_was_written(counts: list[int]) -> None:
    table, wanted = Columns(depth="f4", host="i4"), list[int]()
    for count in counts:
        assert table.add(count, host=range(count)) == len(wanted)
        wanted += range(count)
        table["depth"][len(wanted) - count :] = 0.5
        table = again(table)
    assert table["host"].tolist() == wanted and table["depth"].tolist() == [0.5] * len(wanted)
    table.keep([row for row, number in enumerate(wanted) if number % 2])
    assert table["host"].tolist() == [number for number in wanted if number % 2] and len(table) == len(table["host"])
    assert table.add(1) == len(table) - 1 and table["host"][-1] == 0


def test_rows_are_found_by_their_numbers() -> None:
    table = NumberedColumns(score="f8")
    assert table.enter([3, -1, 7, 3]).tolist() == [0, -1, 1, 0]
    assert table.enter([7, 9]).tolist() == [1, 2]
    assert table.rows([9, 8, 3, -1, 100]).tolist() == [2, -1, 0, -1, -1]
    table["score"][:] = (0.3, 0.7, 0.9)
    assert table.keep_numbers([9, 3, 4]).tolist() == [0, 2]
    table = again(table)
    assert table.rows([3, 7, 9]).tolist() == [0, -1, 1] and table["score"].tolist() == [0.3, 0.9]


pages = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=12), max_size=20)


@given(pages, st.integers(1, 4), st.sets(st.integers(0, 30)))
def test_all_links_to_an_address_are_found(pages: list[list[int]], most: int, kept: set[int]) -> None:
    edges, wanted = LinkEdges(most, rank="i4"), dict[int, list[tuple[int, int]]]()
    numbers: dict[int, int] = {}  # as a frontier gives them: in order of discovery
    for source, targets in enumerate(pages):
        named = [numbers.setdefault(target, len(numbers)) for target in targets]
        edges.add([*named, -1], source, rank=range(len(named) + 1))
        for rank, number in enumerate(named):
            wanted.setdefault(number, []).append((source, rank))
        edges = again(edges)

    def check() -> None:
        for number in numbers.values():
            found = [(int(edges.table["source"][row]), int(edges.table["rank"][row])) for row in edges.of(number)]
            assert found == wanted.get(number, [])[:most][::-1]
            assert edges.found(number) == len(wanted.get(number, []))

    check()
    edges.keep_numbers(list(kept))
    wanted = {number: links for number, links in wanted.items() if number in kept}
    assert len(edges) == sum(min(most, len(links)) for links in wanted.values())
    check()

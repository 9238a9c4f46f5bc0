"""Topics as a person gives them, and the tasks of a bench as topics.json gives them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wolfspider.core.errors import BadInput, closest
from wolfspider.core.model import Page
from wolfspider.core.plain_text import refuse_controls
from wolfspider.core.text import words

LARGEST = 256 << 20  # bytes of a topics file


@dataclass(frozen=True, slots=True)
class Topic:
    """Keywords (each may be several words), a sentence, and pages a person likes or does not."""

    keywords: tuple[str, ...] = ()
    description: str = ""
    liked: tuple[Page, ...] = ()
    disliked: tuple[Page, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """A topic with where to start and, for the measuring alone, what is relevant."""

    topic: Topic
    seeds: tuple[str, ...]
    relevant: frozenset[str]


def load_tasks(path: Path) -> dict[str, Task]:
    """Read a topics.json; every mistake is a sentence that names the topic and the field."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise BadInput(
                f"{path} is larger than {LARGEST >> 20} MiB; a topics file holds keywords and addresses only."
            )
        data = json.loads(content.decode())
    except OSError as error:
        raise BadInput(f"Cannot read the topics file {path}: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not valid JSON: {error}.") from error
    if not isinstance(data, dict) or not data:
        raise BadInput(
            f"{path} must be an object {{topic: {{keywords, description, seeds, relevant}}}} with a topic or more."
        )
    return {name: _task(path, name, entry) for name, entry in data.items()}


def _task(path: Path, name: str, entry: Any) -> Task:
    where = f"{path}, topic {name!r}"
    if not isinstance(entry, dict):
        raise BadInput(f"{where}: must be an object with keywords, description, seeds and relevant.")
    for field in ("keywords", "seeds", "relevant"):
        if field not in entry:
            raise BadInput(f"{where}: {field!r} is missing.{closest(field, entry)}")
        if not isinstance(entry[field], list) or not all(isinstance(x, str) for x in entry[field]):
            raise BadInput(f"{where}: {field!r} must be a list of strings.")
    description = entry.get("description", "")
    if not isinstance(description, str):
        raise BadInput(f"{where}: 'description' must be a string.")
    for said in (name, description, *entry["keywords"]):
        refuse_controls(said, f"{where}: what is wanted", BadInput)
    if not any(map(words, (*entry["keywords"], description))):
        raise BadInput(f"{where}: neither 'keywords' nor 'description' has a word; say what is wanted.")
    if not entry["seeds"]:
        raise BadInput(f"{where}: 'seeds' is empty; a crawl needs an address to start from.")
    return Task(
        Topic(tuple(entry["keywords"]), description, name=name), tuple(entry["seeds"]), frozenset(entry["relevant"])
    )

"""The main text of pages by one library, run in an environment that has it.

    python main_text_once.py LIBRARY FOLDER

FOLDER holds pages as 0000.html, 0001.html ...; prints one line of JSON for each: its text, and the CPU seconds it took.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path


def trafilatura(**options: bool) -> Callable[[str], str]:
    from trafilatura import extract

    return lambda html: extract(html, include_comments=False, deduplicate=False, **options) or ""


def resiliparse() -> Callable[[str], str]:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html: extract_plain_text(html, main_content=True, links=False, list_bullets=False)


def readability() -> Callable[[str], str]:
    from lxml.html import fromstring
    from readability import Document

    return lambda html: fromstring(Document(html).summary(html_partial=True)).text_content()


def justext() -> Callable[[str], str]:
    import justext as library

    words = library.get_stoplist("English")
    return lambda html: "\n\n".join(
        part.text for part in library.justext(html.encode(), words, encoding="utf-8") if not part.is_boilerplate
    )


LIBRARIES = {
    "trafilatura": trafilatura,
    "trafilatura-fast": lambda: trafilatura(fast=True),
    "trafilatura-recall": lambda: trafilatura(favor_recall=True, fast=True),
    "resiliparse": resiliparse,
    "readability-lxml": readability,
    "justext": justext,
}


def main() -> None:
    extract = LIBRARIES[sys.argv[1]]()
    extract("<html><body><p>Loaded before anything is measured.</p></body></html>")
    for path in sorted(Path(sys.argv[2]).glob("*.html")):
        html = path.read_text("utf-8")
        began = time.process_time()
        try:
            text, problem = extract(html), ""
        except Exception as error:
            text, problem = "", f"{type(error).__name__}: {error}"[:200]
        print(json.dumps({"text": text, "seconds": time.process_time() - began, "problem": problem}))


if __name__ == "__main__":
    main()

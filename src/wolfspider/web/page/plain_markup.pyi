"""What mypy knows of the compiled reader (plain_markup.pyx)."""

from wolfspider.web.page.page_reading import PageReading

def read_plain(whole: str, octets: bytes | None = None) -> PageReading | None: ...

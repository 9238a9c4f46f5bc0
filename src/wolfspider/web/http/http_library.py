"""aiohttp, loaded so that the certificates of the system are read when the first connection needs them.

It makes two contexts for TLS when it is loaded, and reads all certificates of the system for each, which takes longer
than the rest of it. A crawl never uses one of the two, and uses the other only if it asks for something over https. All
that wolfspider wants of aiohttp is imported from here, so that nobody loads it in another way before.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class LateContext(ssl.SSLContext):
    """A context that has not read the certificates of the system yet. With its first use it becomes a usual one."""

    def _ready(self) -> ssl.SSLContext:
        self.set_default_verify_paths()
        self.__class__ = ssl.SSLContext  # type: ignore[assignment]
        return self

    def wrap_bio(self, *given: Any, **named: Any) -> ssl.SSLObject:
        return self._ready().wrap_bio(*given, **named)

    def wrap_socket(self, *given: Any, **named: Any) -> ssl.SSLSocket:
        return self._ready().wrap_socket(*given, **named)

    def get_ca_certs(self, *given: Any, **named: Any) -> Any:
        return self._ready().get_ca_certs(*given, **named)

    def cert_store_stats(self) -> dict[str, int]:
        return self._ready().cert_store_stats()


@contextmanager
def certificates_later() -> Iterator[None]:
    """Contexts that are made meanwhile read the certificates of the system late; but not where somebody has put a kind
    of context of their own in the place of the usual one (as truststore does), which reads them in its own way."""
    kind = ssl.SSLContext
    if "set_default_verify_paths" in vars(kind):
        yield
        return
    made: list[ssl.SSLContext] = []
    kind.set_default_verify_paths = lambda self: made.append(self)  # type: ignore[method-assign]
    try:
        yield
    finally:
        del kind.set_default_verify_paths  # what it inherits is in force again
        for context in made:
            if type(context) is kind:
                context.__class__ = LateContext
            else:
                context.set_default_verify_paths()


with certificates_later():
    import aiohttp as aiohttp
    from aiohttp.abc import AbstractResolver as AbstractResolver
    from aiohttp.abc import ResolveResult as ResolveResult
    from aiohttp.client_proto import ResponseHandler as ResponseHandler
    from aiohttp.http import RawResponseMessage as RawResponseMessage
    from aiohttp.http_exceptions import HttpProcessingError as HttpProcessingError
    from aiohttp.http_exceptions import LineTooLong as LineTooLong

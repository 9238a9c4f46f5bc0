"""The tools as a server of the Model Context Protocol, spoken over the standard input and output.

The library of the protocol is an extra, and is loaded when a server is made.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wolfspider import __version__
from wolfspider.assistant.hunts import Hunts
from wolfspider.assistant.tools import NOTICE, Answer, Tools
from wolfspider.core.errors import Problem
from wolfspider.core.plain_text import plainly
from wolfspider.export.optional_library import needed
from wolfspider.files.program_name import shell_command

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

_ABOUT = (
    "Focused crawls of the web: `hunt` starts one for a topic, from addresses, with a budget of downloads (at most {} "
    "here, and {} hunts at a time). It runs in the background at a polite pace, about a download a second for each "
    "host. Then call `status` with a wait, `search` its pages, `read` one, ask `explain` why an address was visited or "
    f"not, and `steer` it while it runs. {NOTICE}"
)


def serve(hunts: Hunts) -> None:
    """Until the client closes the connection. Hunts go on."""
    server_of(Tools(hunts)).run("stdio")


def server_of(tools: Tools) -> MCPServer[Any]:
    with needed("mcp", f"`{shell_command('mcp')}`", extra="mcp"):
        from mcp.server.mcpserver import MCPServer
        from mcp.types import ToolAnnotations
    about = _ABOUT.format(f"{tools.hunts.allowance.pages:,}", tools.hunts.allowance.hunts)
    server: MCPServer[Any] = MCPServer("wolfspider", instructions=about, version=__version__, log_level="WARNING")
    looks = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    acts = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
    offered: list[tuple[Callable[..., Answer], ToolAnnotations]] = [(tools.hunt, acts), (tools.status, looks)]
    offered += [(tools.search, looks), (tools.read, looks), (tools.explain, looks), (tools.steer, acts)]
    for tool, how in offered:
        server.add_tool(_in_sentences(tool), description=" ".join((tool.__doc__ or "").split()), annotations=how)
    return server


def _in_sentences(tool: Callable[..., Answer]) -> Callable[..., Answer]:
    """What a tool cannot do is told to the agent as it is told to people."""
    from mcp.server.mcpserver.exceptions import ToolError

    @functools.wraps(tool)
    def called(**given: Any) -> Answer:
        try:
            return tool(**given)
        except Problem as problem:
            raise ToolError(plainly(str(problem), 1000)) from problem

    return called

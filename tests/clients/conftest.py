from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from support import Host

from clients.driver import Agent

MAKEFILE = """\
all:
\t@echo made >> made.log
\t@printf 'built %s\\n' "$${what:+$$what }by make"
"""


@pytest.fixture
def agents(host: Host) -> Iterator[Callable[..., Agent]]:
    """Makes agents, all of which end with the test, in a project with something to make."""
    (host.project / "Makefile").write_text(MAKEFILE)
    with ExitStack() as stack:
        yield lambda name, **more: stack.enter_context(Agent(host, name, **more))

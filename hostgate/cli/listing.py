"""``hostgate ls --json``, which tools ask again and again: without Typer, 5 times as fast."""

from __future__ import annotations

import sys

from hostgate.cli import TROUBLE
from hostgate.cli.claiming import open_store
from hostgate.host import StateError, default_endings, dumps
from hostgate.ui import documents
from hostgate.ui.voice import line


def listing() -> int:
    """Print the claims as one JSON document. Returns the exit code; -13 for a reader that left."""
    default_endings()
    try:
        document = documents.listing(open_store(every_project=True))
        if sys.stdout is not None:  # it is closed
            print(dumps(document), flush=True)
        return 0
    except StateError as error:
        line(str(error))
    except BrokenPipeError:
        return -13
    except OSError as error:
        line(f"cannot write: {error.strerror}")
    except Exception as error:  # a defect: one line all the same
        line(f"internal error: {type(error).__name__}: {error}")
    return TROUBLE

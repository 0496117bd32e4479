"""hostgate asks, before a command runs, whether a similar one is already running on this host.

The stable names: :func:`classify`, :func:`similarity`, :func:`conflicts`, :func:`may_claim` and
:class:`Summary`. They are pure: they look at nothing but their arguments.
"""

TYPE_CHECKING = False  # of typing, which costs 12 ms to import
if TYPE_CHECKING:
    from hostgate.core.admit import conflicts, may_claim
    from hostgate.core.similarity import similarity
    from hostgate.core.summary import Summary, classify

__version__ = "0.1.0"
__all__ = ["Summary", "classify", "conflicts", "may_claim", "similarity"]

_HOMES = {
    "Summary": "summary",
    "classify": "summary",
    "similarity": "similarity",
    "conflicts": "admit",
    "may_claim": "admit",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is asked for: ``hostgate run`` needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.core.{_HOMES[name]}"), name)

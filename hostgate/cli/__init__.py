"""The command line: the quick path of ``run``, the Typer app for the rest, the error boundary."""

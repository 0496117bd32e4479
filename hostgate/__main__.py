"""``python -m hostgate``."""

from hostgate.cli.main import main

main()

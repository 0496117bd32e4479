"""hostgate in the real coding agents, each driven by a scripted model."""

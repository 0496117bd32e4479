"""The operating system: one module for each part of it that hostgate talks to."""

"""What hostgate decides: pure functions and values, told everything they need.

Nothing here reads a clock, a file, the environment or another process.
"""

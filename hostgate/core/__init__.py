"""What hostgate decides: pure functions and values, told everything they need.

Nothing here reads a clock, a file, the environment or another process.
"""

# What to do where something contends.
POLICIES = ("ask", "wait", "run", "cancel")
# One repository is one project; each of its linked worktrees is; the whole host is.
REPO, WORKTREE, HOST = SCOPES = ("repo", "worktree", "host")
# Without one of these in its text a command works where it starts, and nothing is parsed.
HINTS = ("cd ", "cd\t", "C ", "pushd", "-C", "--", "-p", "-f", "-d", "-D", "-chdir", "-workspace")

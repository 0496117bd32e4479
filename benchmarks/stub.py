"""The command that is measured: it stamps the clock, waits if told to, and stamps again.

It is told by its environment, so that its command line is the same in every run: that is what
makes two runs ``identical`` for hostgate.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

LOG, LABEL, FIFO = "PEERS_LOG", "PEERS_LABEL", "PEERS_FIFO"

# In C, so that its own start-up is no noise. It waits until the FIFO's writer closes it.
SOURCE = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static void stamp(int fd, const char *what, const char *who) {
    struct timespec t;
    char line[128];
    clock_gettime(CLOCK_MONOTONIC, &t);
    int n = snprintf(line, sizeof line, "%s %.40s %lld\n", what, who,
                     t.tv_sec * 1000000000LL + t.tv_nsec);
    if (write(fd, line, n) != n) _exit(9);
}
int main(void) {
    const char *log = getenv("PEERS_LOG"), *who = getenv("PEERS_LABEL");
    const char *fifo = getenv("PEERS_FIFO");
    char byte;
    int fd = log && who ? open(log, O_WRONLY | O_APPEND) : -1;
    if (fd < 0) return 8;
    stamp(fd, "start", who);
    if (fifo && *fifo && read(open(fifo, O_RDONLY), &byte, 1) < 0) return 7;
    stamp(fd, "end", who);
    _exit(0);
}
"""
SCRIPT = """#!/bin/sh
echo "start $PEERS_LABEL $(date +%s%N)" >>"$PEERS_LOG"
[ -z "$PEERS_FIFO" ] || read -r _ <"$PEERS_FIFO"
echo "end $PEERS_LABEL $(date +%s%N)" >>"$PEERS_LOG"
exit 0
"""


def build(root: Path) -> tuple[str, str]:
    """Make the stub. Returns its path and what it is."""
    stub, source = root / "stub", root / "stub.c"
    source.write_text(SOURCE)
    for compiler in filter(shutil.which, ("cc", "gcc", "clang")):
        for static in (["-static"], []):
            command = [compiler, "-O2", *static, "-o", str(stub), str(source)]
            if subprocess.run(command, capture_output=True).returncode == 0:
                return str(stub), " ".join(["C stub", *static])
    stub.write_text(SCRIPT)
    stub.chmod(0o755)
    return str(stub), "sh stub (no C compiler): its own start-up is in the figures"


def stamps(log: str) -> dict[str, dict[str, int]]:
    """What the runs have written: label -> start, end -> ns."""
    found: dict[str, dict[str, int]] = {}
    for line in log.splitlines():
        what, label, ns = line.split()
        found.setdefault(label, {})[what] = int(ns)
    return found

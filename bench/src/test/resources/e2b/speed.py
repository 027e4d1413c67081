# SPDX-License-Identifier: Apache-2.0
"""Milliseconds of a create and a first command, for each line that comes, by the Python SDK. Measured by `redoma bench e2b`."""
import sys
import time

from e2b import Sandbox

for _ in sys.stdin:
    start = time.perf_counter()
    box = Sandbox.create("sdk")
    done = box.commands.run("echo x")
    took = (time.perf_counter() - start) * 1000
    if done.stdout != "x\n":
        raise SystemExit(f"it printed {done.stdout!r}")
    box.kill()
    print(f"took {took}", flush=True)

#!/usr/bin/env python3
"""Samples this machine's disks by `iostat -x 1` and by `plimsoll watch --every 1s`, in turns, and prints what a sample costs.

CPU time is that of the whole program, as the kernel counts it when the program has ended: reading, arithmetic, and printing or
storing. Every cost is the difference of a long and a short run, so that what starting up takes cancels out.
"""

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile


def cpu_seconds(words):
    """User and system seconds of a program until its end."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"`{' '.join(words)}` ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime


def a_sample(words, short, long):
    """Microseconds of CPU a sample; `words` gives the command line for so many seconds."""
    return (cpu_seconds(words(long)) - cpu_seconds(words(short))) / (long - short) * 1e6


def main():
    parser = argparse.ArgumentParser(prog="./dev bench sampling", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=int, default=60, help="samples of the long run (60)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds that both take turns in (3)")
    parser.add_argument("--plimsoll", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not shutil.which("iostat"):
        sys.exit("nothing to compare with: iostat is not installed (the package is sysstat)")
    with tempfile.TemporaryDirectory() as folder:
        both = {
            "iostat -x 1": lambda seconds: ["iostat", "-x", "1", str(seconds)],
            "plimsoll watch --every 1s": lambda seconds: [
                options.plimsoll, "watch", "--for", f"{seconds}s", "--every", "1s", "--out", folder],
        }
        seen = {name: [] for name in both}
        for _ in range(options.rounds):
            for name, words in both.items():
                seen[name].append(a_sample(words, max(2, options.seconds // 10), options.seconds))
    with open("/proc/diskstats") as table:
        devices = len(table.readlines())
    print(f"machine   {os.cpu_count()} CPUs, Linux {platform.release()}, {devices} lines in /proc/diskstats")
    print(f"\nCPU time of a sample in microseconds (median of {options.rounds}, lowest and highest behind it)\n")
    for name, costs in seen.items():
        print(f"{name:28}{statistics.median(costs):9.0f}   {min(costs):.0f}–{max(costs):.0f}")


if __name__ == "__main__":
    main()

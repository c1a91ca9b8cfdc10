#!/usr/bin/env python3
"""Makes recordings of disks, a reading a second, and prints what `plimsoll size` costs on them.

The disks of `diurnal` follow the hours of a day, with noise and short bursts; those of `busy` have I/O in flight nearly all the time:
one in four is held at an even rate, the others wander, change their level or rest. CPU time and memory are those of the whole
program, as the kernel counts them when it has ended.
"""

import argparse
import glob
import math
import os
import platform
import random
import sqlite3
import subprocess
import sys
import tempfile

COLUMNS = 17


def diurnal(number, second, drawn):
    """Reads, writes, bytes of each, queue, and busy share of a second of a disk that sleeps at night."""
    day = 0.5 - 0.5 * math.cos(2 * math.pi * (second + 3600 * number) / 86400)
    rate = (5 + 600 * day * day) * drawn.uniform(0.7, 1.3) * (1 + 8 * (drawn.random() < 0.002))
    ops = rate * (1 + number % 4)
    return ops, 0.0006 * ops, min(0.85, 0.0004 * ops)


def busy(number, second, drawn):
    """The same of a disk that always has work."""
    kind = number % 4
    level = 1000 + 400 * number
    if kind == 0:
        return level + drawn.choice([-1, 0, 0, 1]), 16.0, 0.999
    if kind == 1:
        wander = 1 + 0.4 * math.sin(second / 700) + 0.2 * math.sin(second / 37)
        return level * wander * drawn.uniform(0.9, 1.1), 6.0 * wander, 0.97
    if kind == 2:
        up = second // (40 + number) % 3
        return level * (0.3 + up) * drawn.uniform(0.97, 1.03), 2.0 + 4 * up, 0.96
    rests = second % 300 < 60
    return (20, 0.02, 0.02) if rests else (level * drawn.gauss(1, 0.05), 8.0, 0.95)


def fill(path, load, options):
    """Replaces the samples of a run file."""
    file = sqlite3.connect(path)
    file.execute("PRAGMA synchronous = OFF")
    for table in ("sample_cpu", "sample_memory", "disk_counters", "sampled_disk", "machine_device"):
        file.execute(f"DELETE FROM {table}")
    names = [(disk + 1, f"vd{chr(97 + disk)}") for disk in range(options.disks)]
    file.executemany("INSERT INTO sampled_disk VALUES (?, ?)", names)
    drawn = random.Random(7)
    sums = [[0.0] * COLUMNS for _ in names]

    def rows():
        for second in range(options.hours * 3600 + 1):
            for disk, all_of in enumerate(sums):
                ops, queue, share = load(disk, second, drawn)
                reads, writes = int(0.7 * ops), int(ops) - int(0.7 * ops)
                per = 16 + 16 * (disk % 3)
                add = {0: reads, 2: reads * per, 3: 700 * queue, 4: writes, 6: writes * per, 7: 300 * queue, 9: 1000 * share,
                       10: 1000 * queue}
                for place, more in add.items():
                    all_of[place] += more
                all_of[8] = int(queue)
                row = second * options.disks + disk + 1
                yield (row, second + 1, disk + 1, options.disks if second else None, *map(int, all_of))

    file.executemany(f"INSERT INTO disk_counters VALUES ({', '.join('?' * (COLUMNS + 4))})", rows())
    seconds = range(options.hours * 3600 + 1)
    cpu = ((at + 1, at * 10**9, *[at * 10] * 10, 1700000000000 + at * 1000, 0, None, None) for at in seconds)
    file.executemany(f"INSERT INTO sample_cpu VALUES ({', '.join('?' * 16)})", cpu)
    memory = ((at + 1, at * 10**9, 1 << 34, 1 << 33, 1 << 32, 0, 0) for at in seconds)
    file.executemany("INSERT INTO sample_memory VALUES (?, ?, ?, ?, ?, ?, ?)", memory)
    file.commit()
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()


def cost(words):
    """CPU seconds, and MiB of memory at most."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 4):
        sys.exit(f"`{' '.join(words)}` ended with {child.returncode}: {said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(prog="./dev bench size", description=__doc__.split("\n\n")[0])
    parser.add_argument("--disks", type=int, default=20, help="disks of a recording (20)")
    parser.add_argument("--hours", type=int, action="append", help="hours of a recording; may be given several times (6, 12, 24)")
    parser.add_argument("--keep", help="folder in which the recordings stay, and are found the next time")
    parser.add_argument("--plimsoll", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    hours = options.hours or [6, 12, 24]
    print(f"machine   {os.cpu_count()} CPUs, Linux {platform.release()}\n")
    print(f"`plimsoll size` on {options.disks} disks, a reading a second, the whole catalogue\n")
    print(f"{'load':10}{'hours':>6}{'CPU s':>9}{'MiB':>7}")
    with tempfile.TemporaryDirectory() as scratch:
        for load in (diurnal, busy):
            for options.hours in hours:
                kept = os.path.join(options.keep or scratch, f"{load.__name__}-{options.disks}-{options.hours}.plimsoll")
                if not os.path.exists(kept):
                    made = tempfile.mkdtemp(dir=scratch)
                    cost([options.plimsoll, "watch", "--for", "1s", "--every", "500ms", "--out", made])
                    [file] = glob.glob(f"{made}/*.plimsoll")
                    fill(file, load, options)
                    os.rename(file, kept)
                seconds, most = cost([options.plimsoll, "size", kept, "--format", "json"])
                print(f"{load.__name__:10}{options.hours:6}{seconds:9.1f}{most:7.0f}", flush=True)


if __name__ == "__main__":
    main()

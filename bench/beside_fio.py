#!/usr/bin/env python3
"""Runs the same words through fio and through plimsoll's fio dialect, alternating, and prints what each costs.

Three parts: `null` (no device at all: the generator's own cost), `zram` (a RAM disk made and removed here: the cost
through io_uring), `instructions` (user instructions per I/O, counted by callgrind: the figure that does not wobble).
Every cost is the difference of a long and a short run, so that what starting up takes cancels out.
The table goes to standard output, progress to standard error.
"""

import argparse
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass

PARTS = ["null", "zram", "instructions"]
# What a person who knows fio would add on a fast device, with its accounting left on.
TUNED = ["--fixedbufs=1", "--registerfiles=1", "--norandommap=1", "--randrepeat=0",
         "--iodepth_batch_submit=16", "--iodepth_batch_complete_min=1", "--iodepth_batch_complete_max=64"]
BATCHES = [word for word in TUNED if word.startswith("--iodepth_batch")]
ZRAM_BYTES = 1 << 30
# What the project asks of itself. A row's name, the figure, and the most that it may be.
MOST_INSTRUCTIONS = {"null, depth 64": 250, "null, depth 1": 450}
MOST_USER_NS = {"null, depth 64": 25}
MOST_OF_FIO = 0.25
NOT_MEASURED = float("nan")


@dataclass
class Contender:
    """One program with the words that only it gets."""

    name: str
    program: list
    extra: list


@dataclass
class Outcome:
    """What one run did and what it took."""

    ios: int
    seconds: float
    user_s: float
    system_s: float


def progress(words):
    print(words, file=sys.stderr, flush=True)


class Unable(Exception):
    """A part that cannot run here, with the reason."""


# --- one run ---------------------------------------------------------------------------------------------------------


def run(program, words):
    """Runs one program to its end; user and system time include its children."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as complaints:
        child = subprocess.Popen(program + words, stdout=out, stderr=complaints, cwd=tempfile.gettempdir())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        complaints.seek(0)
        if child.returncode != 0:
            last = (complaints.read() or out.read()).strip().splitlines()[-3:]
            raise Unable(f"`{' '.join(program + words)}` ended with {child.returncode}: {' '.join(last)}")
        ios, seconds = done(out.read(), program)
        return Outcome(ios, seconds, usage.ru_utime, usage.ru_stime)


def done(output, program):
    """I/Os and seconds from fio's JSON; words in front of the document are passed over."""
    start = output.find("{")
    if start < 0:
        raise Unable(f"{program[0]} printed no JSON")
    jobs = json.loads(output[start:])["jobs"]
    sides = [job[side] for job in jobs for side in ("read", "write")]
    ios = sum(side["total_ios"] for side in sides)
    if ios == 0:
        raise Unable(f"{program[0]} reports no I/O")
    return ios, max(side["runtime"] for side in sides) / 1000.0


def difference(contender, words, short_s, long_s):
    """One pair of runs: per I/O user and system nanoseconds, and the rate of the long run."""
    timed = contender.program + words + contender.extra
    short = run(timed, [f"--runtime={short_s}", "--time_based"])
    long = run(timed, [f"--runtime={long_s}", "--time_based"])
    ios = long.ios - short.ios
    if ios <= 0:
        raise Unable(f"{contender.name}: {long.ios} I/Os in {long_s} s, {short.ios} in {short_s} s")
    per_io = 1e9 / ios
    return {
        "user": (long.user_s - short.user_s) * per_io,
        "system": (long.system_s - short.system_s) * per_io,
        "iops": long.ios / long.seconds,
    }


def alternate(contenders, words, rounds, long_s):
    """Every contender in every round, in turning order; the median of each figure."""
    seen = {contender.name: [] for contender in contenders}
    for number in range(rounds):
        turn = number % len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            seen[contender.name].append(difference(contender, words, 1, long_s))
            user = seen[contender.name][-1]["user"]
            progress(f"  round {number + 1} of {rounds}  {contender.name:24} {user:7.1f} ns user per I/O")
    return {name: middle(figures) for name, figures in seen.items()}


def middle(figures):
    keys = figures[0].keys()
    spread = [figure["user"] for figure in figures]
    return {key: statistics.median(figure[key] for figure in figures) for key in keys} | {
        "low": min(spread), "high": max(spread)}


# --- the parts -------------------------------------------------------------------------------------------------------


def job(engine, depth, *more):
    return [f"--name={engine}-{depth}", f"--ioengine={engine}", "--rw=randread", "--bs=4k", f"--iodepth={depth}",
            "--output-format=json", *more]


def part_null(contenders, options):
    rows = []
    for depth in (64, 1):
        progress(f"null, depth {depth}")
        words = job("null", depth, "--size=8g")
        found = alternate(contenders, words, options.rounds, long_run(options))
        rows += rows_of(f"null, depth {depth}", contenders, found)
    return rows


def part_zram(contenders, options):
    with zram(ZRAM_BYTES) as device:
        progress(f"zram ({device}), io_uring, depth 64")
        words = job("io_uring", 64, f"--filename={device}", "--direct=1")
        tuned = Contender("fio, tuned by hand", contenders[0].program, TUNED)
        batched = Contender("plimsoll, batches", contenders[1].program, BATCHES)
        four = [contenders[0], tuned, contenders[1], batched]
        found = alternate(four, words, options.rounds, long_run(options))
        return rows_of("zram, io_uring, depth 64", four, found)


def long_run(options):
    """Seconds of a long run, so that all of a contender's together last as long as is asked for."""
    return max(2, -(-options.seconds // options.rounds))


def rows_of(what, contenders, found):
    reference = found[contenders[0].name]["user"]
    return [(what, contender.name, found[contender.name], found[contender.name]["user"] / reference)
            for contender in contenders]


def part_instructions(contenders, options):
    del options
    if not shutil.which("valgrind"):
        raise Unable("valgrind is not installed (the package has the same name)")
    rows = [row for depth in (64, 1)
            for row in counted(f"null, depth {depth}", contenders, job("null", depth, "--size=8g"))]
    try:
        with zram(ZRAM_BYTES) as device:
            words = job("io_uring", 64, f"--filename={device}", "--direct=1")
            return rows + counted("zram, io_uring, depth 64", contenders, words)
    except Unable as why:
        progress(f"instructions on zram: skipped: {why}")
        return rows


def counted(what, contenders, words):
    progress(f"instructions, {what}")
    return [(what, contender.name, per_io_instructions(contender, words)) for contender in contenders]


def per_io_instructions(contender, words):
    small = instructions(contender, words + ["--runtime=2", "--time_based"])
    large = instructions(contender, words + ["--runtime=8", "--time_based"])
    if large[1] <= small[1] or large[0] <= small[0]:
        raise Unable(f"{contender.name}: callgrind counted nothing between {small} and {large} (instructions, I/Os)")
    value = (large[0] - small[0]) / (large[1] - small[1])
    progress(f"  {contender.name:24} {value:7.0f} user instructions per I/O")
    return value


def instructions(contender, words):
    """User instructions of one run in all its processes and threads, and its I/Os."""
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "--quiet", "--tool=callgrind", "--trace-children=yes", f"--callgrind-out-file={folder}/%p"]
        outcome = run(tool + contender.program, words + contender.extra)
        total = 0
        for name in os.listdir(folder):
            with open(os.path.join(folder, name)) as profile:
                totals = [line for line in profile if line.startswith(("summary:", "totals:"))]
            total += int(totals[-1].split()[1]) if totals else 0
        return total, outcome.ios


# --- a RAM disk of our own -------------------------------------------------------------------------------------------


@contextmanager
def zram(size):
    """A RAM disk filled with random data; it is made here and gone afterwards, whatever happens."""
    number, added = claim_zram()
    try:
        write_line(f"/sys/block/zram{number}/disksize", str(size))
        fill(f"/dev/zram{number}", size)
        yield f"/dev/zram{number}"
    finally:
        release_zram(number, added)


def claim_zram():
    if os.geteuid() != 0:
        raise Unable("making a RAM disk needs root")
    try:
        with open("/sys/class/zram-control/hot_add") as control:
            return int(control.read()), True
    except OSError as why:
        try:
            with open("/sys/block/zram0/disksize") as shown:
                unused = shown.read().strip() == "0"
        except OSError:
            raise Unable(f"this kernel has no zram ({why}); try: modprobe zram") from why
        if not unused:
            raise Unable("zram0 is in use and no other can be added") from why
        return 0, False


def fill(device, size):
    wait_until = time.monotonic() + 5
    while not os.path.exists(device) and time.monotonic() < wait_until:
        time.sleep(0.05)
    with open(device, "wb", buffering=0) as disk:
        for _ in range(size >> 20):
            disk.write(os.urandom(1 << 20))
        os.fsync(disk.fileno())


def release_zram(number, added):
    for _ in range(50):
        try:
            write_line(f"/sys/block/zram{number}/reset", "1")
            if added:
                write_line("/sys/class/zram-control/hot_remove", str(number))
            return
        except OSError:
            time.sleep(0.1)  # the last opener may still be closing
    progress(f"zram{number} is still held by someone; free it with: echo 1 > /sys/block/zram{number}/reset")


def write_line(path, text):
    with open(path, "w") as control:
        control.write(text)


# --- what is printed -------------------------------------------------------------------------------------------------


def print_machine(options):
    version = subprocess.run([options.fio, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False,
                            cwd=os.path.dirname(os.path.abspath(__file__))).stdout.strip()
    print(f"date      {time.strftime('%Y-%m-%d %H:%M %z')}")
    print(f"commit    {commit or 'unknown'}")
    print(f"machine   {processor()}, {os.cpu_count()} CPUs, Linux {platform.release()}")
    print(f"peer      {version}")
    print(f"command   ./dev bench {' '.join(options.words)}".rstrip())


def processor():
    try:
        with open("/proc/cpuinfo") as info:
            names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
        return names[0] if names else platform.machine()
    except OSError:
        return platform.machine()


def print_costs(rows):
    print("\nuser CPU per I/O (median of the rounds, lowest and highest behind it)\n")
    print(f"{'what':26}{'who':22}{'user ns':>9}{'low–high':>16}{'system ns':>11}{'IOPS':>13}{'of fio':>8}")
    for what, who, figure, ratio in rows:
        spread = f"{figure['low']:.0f}–{figure['high']:.0f}"
        print(f"{what:26}{who:22}{figure['user']:9.1f}{spread:>16}{figure['system']:11.1f}"
              f"{figure['iops']:13,.0f}{ratio:8.2f}")


def print_instructions(rows):
    print("\nuser instructions per I/O (callgrind)\n")
    print(f"{'what':26}{'who':22}{'instructions':>14}")
    for what, who, value in rows:
        print(f"{what:26}{who:22}{value:14.0f}")


def print_asked(costs, counts):
    """What the project asks of its engine, beside what was found."""
    found = {(what, who): figure for what, who, figure, _ in costs}
    lines = [(f"{what}: user instructions per I/O", value, "<=", MOST_INSTRUCTIONS[what])
             for what, who, value in counts if who == "plimsoll" and what in MOST_INSTRUCTIONS]
    lines += [(f"{what}: user ns per I/O", found[what, "plimsoll"]["user"], "<=", most)
              for what, most in MOST_USER_NS.items() if (what, "plimsoll") in found]
    zram_name = "zram, io_uring, depth 64"
    if (zram_name, "plimsoll") in found:
        fio, tuned, ours, batched = (found[zram_name, who] for who in (
            "fio", "fio, tuned by hand", "plimsoll", "plimsoll, batches"))
        lines += [("zram: user CPU of fio's", ours["user"] / fio["user"], "<=", MOST_OF_FIO),
                  ("zram: IOPS of hand-tuned fio's", ours["iops"] / tuned["iops"], ">=", 1.0),
                  ("zram: IOPS with fio's batch options of those without", batched["iops"] / ours["iops"], ">=", 1.0)]
    if lines:
        print("\nasked of the engine\n")
    for name, value, sense, bound in lines:
        kept = value <= bound if sense == "<=" else value >= bound
        print(f"{name:56}{value:8.2f}  {sense} {bound:<6g}{'yes' if kept else 'no'}")


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.split("\n\n")[1])
    parser.add_argument("parts", nargs="*", help=f"which parts to run, of: {' '.join(PARTS)} (default: all)")
    parser.add_argument("--seconds", type=int, default=60, help="seconds of load for each contender of a part, in all rounds together (60)")
    parser.add_argument("--rounds", type=int, default=6, help="rounds that the contenders take turns in (6)")
    parser.add_argument("--fio", default="fio", help="the fio to compare with (fio)")
    parser.add_argument("--plimsoll", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown or options.rounds < 1 or options.seconds < 1:
        parser.error(f"unknown part {unknown[0]!r}" if unknown else "rounds and seconds start at 1")
    options.words = sys.argv[3:]
    return options


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not shutil.which(options.fio):
        sys.exit("nothing to compare with: fio is not installed (the package has the same name)")
    contenders = [Contender("fio", [options.fio], []), Contender("plimsoll", [options.plimsoll, "fio"], [])]
    print_machine(options)
    costs, counts = [], []
    for part in options.parts or PARTS:
        try:
            if part == "instructions":
                counts = part_instructions(contenders, options)
            else:
                costs += {"null": part_null, "zram": part_zram}[part](contenders, options)
        except Unable as why:
            print(f"skipped   {part}: {why}")
    if costs:
        print_costs(costs)
    if counts:
        print_instructions(counts)
    print_asked(costs, counts)


if __name__ == "__main__":
    main()

//! The option table: every option of DiskSpd 2.2, and the options that 2.3 adds, as rows. Data.

use super::affinity::cpus;
use super::effects as set;
use super::error::Fault;
use super::profile::{Profile, Target, TimeSpan};
use super::row::{BESIDE_PROFILE, PLAIN, Row, WITH_DIGIT, row};
use super::spread::distribution;

fn any_target(profile: &Profile, holds: fn(&Target) -> bool) -> bool {
    profile.time_spans.iter().flat_map(|span| &span.targets).any(holds)
}

fn any_span(profile: &Profile, holds: fn(&TimeSpan) -> bool) -> bool {
    profile.time_spans.iter().any(holds)
}

const WINDOWS_EVENTS: &str = "named events belong to Windows; start and stop plimsoll from the script that waits, and \
                              Ctrl-C or SIGTERM ends a run with its results";
const CORES: &str = "threads are pinned round robin over all CPUs in the order of their numbers; kinds of cores are not \
                     looked at; -a0,2,4 gives an order of your own";

/// A switch without a value.
macro_rules! switch {
    ($($field:ident).+) => {
        |draft, value| {
            draft.$($field).+ = true;
            set::bare(value)
        }
    };
}

/// A count of at least `$least` for the option `$option`.
macro_rules! count {
    ($($field:ident).+, $option:literal, $least:literal) => {
        |draft, value| {
            draft.$($field).+ = set::lenient(draft, ($option, value), $least)?.into();
            Ok(())
        }
    };
}

/// A size of at least `$least` bytes.
macro_rules! size {
    ($($field:ident).+, $least:literal) => {
        |draft, value| {
            draft.$($field).+ = set::at_least(draft, value, $least)?.into();
            Ok(())
        }
    };
}

/// An option that selects a kind of core.
const fn cores(name: &'static str, help: &'static str) -> Row {
    row(name, "", help).differs(CORES, |_, value| set::bare(value))
}

/// Every option; a name precedes the shorter names with which it begins.
pub const ROWS: &[Row] = &[
    row("?", "", "Shows this help.").honoured("the same", set::usage),
    row(":", "<flags>", "Turns experiments on by number.")
        .accepts("plimsoll waits for due times with precision of its own", count!(profile.experiments, ":", 0))
        .with(BESIDE_PROFILE.seen(|profile| profile.experiments != 0)),
    cores("ac", "Asks for one CPU of each core first; CPUs are taken by number (2.3)."),
    cores("as", "Asks for pinning across groups; CPUs are taken by number (2.3)."),
    cores("ap", "Asks for performance cores first; CPUs are taken by number (2.3)."),
    cores("aP", "Asks for performance cores only; CPUs are taken by number (2.3)."),
    cores("ae", "Asks for efficiency cores first; CPUs are taken by number (2.3)."),
    cores("aE", "Asks for efficiency cores only; CPUs are taken by number (2.3)."),
    cores("aup", "Asks for cores of any kind; CPUs are taken by number (2.3)."),
    row("ag", "<g>,<cpu>[,..][,g<g>,..]", "Pins threads, round robin, to these CPUs of groups; bare: to all.")
        .by_default("all CPUs")
        .honoured("CPU c of group g is CPU 64 * g + c; only CPUs that this process may use", |draft, value| {
            let placed = |fault: Fault| Fault { at: fault.at.saturating_sub(1), ..fault };
            draft.span.affinity.extend(cpus(&format!("g{value}")).map_err(placed)?);
            Ok(())
        }),
    row("a", "<cpu>[,..]", "Pins threads, round robin, to these CPUs; bare: to all.")
        .by_default("all CPUs")
        .honoured("as -ag", |draft, value| {
            draft.span.affinity.extend(cpus(value)?);
            Ok(())
        }),
    row("A", "<pid>", "Belongs to a fork inside CrystalDiskMark, not to DiskSpd.")
        .refuses("it belongs to the fork inside CrystalDiskMark, not to DiskSpd, and reports to its caller's shared memory; leave \
                  it out"),
    row("bs", "<n|p>", "Keeps buffers apart (2.3).")
        .accepts("each I/O in flight has pages of its own", set::buffer_separation),
    row("b", "<size>[KMGT]", "Size of an I/O, below 4 GiB.").by_default("64K").honoured("the same", set::block),
    row("B", "<base>[:<length>]", "First byte of the target that is used, and how many are.")
        .by_default("0")
        .honoured("the same", set::base),
    row("c", "<size>", "Makes the files anew in this size.")
        .honoured("always made anew, and filled with real data past the page cache, then flushed; \
               without effect on devices", size!(target.create, 0)),
    row("C", "<s>", "Seconds of load after measuring.")
        .by_default("0").honoured("the same", count!(cool_down, "C", 0))
        .with(BESIDE_PROFILE),
    row("d", "<s>", "Seconds that are measured.")
        .by_default("10").honoured("the same", count!(duration, "d", 0))
        .with(BESIDE_PROFILE),
    row("D", "[<ms>]", "Reports the deviation of IOPS over intervals, and in XML each of them.")
        .by_default("1000")
        .honoured("the same", set::iops),
    row("e", "<q|c|s|p|NAME>", "Traces events of Windows.")
        .accepts("those events belong to Windows; plimsoll watches the machine's own counters in its other commands", set::etw)
        .with(PLAIN.seen(|profile| profile.etw.is_some())),
    row("f", "<size>", "First byte of the target that is not used.")
        .honoured("the same", set::max)
        .with(WITH_DIGIT),
    row("f", "<rst>", "Opens files with hints: r random, s sequential, t temporary.")
        .differs(
            "r and s are told to the page cache (posix_fadvise), which direct I/O does not ask; t has no counterpart",
            set::hints,
        )
        .with(PLAIN.seen(|profile| any_target(profile, |t| t.random_hint || t.sequential_hint || t.temporary_hint))),
    row("F", "<n>", "Threads in all; every one works on every target.").honoured("the same", count!(span.threads, "F", 1)),
    row("g", "<n>[i]", "Limits each thread on each target to bytes a millisecond, or with i to IOPS.")
        .honoured("computed exactly: DiskSpd cuts IOPS off to whole bytes a millisecond; latency starts when an I/O was \
               due", set::throughput),
    row("h", "", "The same as -Sh.").honoured("the same", set::uncached),
    row("i", "<n>", "I/Os of a burst, before the pause of -j.")
        .honoured("divided by the target's threads, as DiskSpd does", count!(target.burst, "i", 1)),
    row("I", "<1|2|3>", "I/O priority: very low, low, normal.")
        .by_default("3")
        .differs(
            "1 is the idle class, 2 the lowest level of best effort; it holds for all targets of a timespan, and only \
             some I/O schedulers look at it",
            set::priority,
        )
        .with(PLAIN.seen(|profile| any_target(profile, |t| t.priority != 3))),
    row("j", "<ms>", "Milliseconds of pause between the bursts of -i.").honoured("the same", count!(target.think_ms, "j", 1)),
    row("l", "", "Buffers in ordinary pages, as without it.")
        .differs("buffers lie in ordinary pages, registered with the kernel once", switch!(target.large_pages))
        .with(PLAIN.seen(|profile| any_target(profile, |t| t.large_pages))),
    row("L", "", "Reports latencies, with percentiles.").honoured("the same", set::latencies),
    row("n", "", "Pins no thread.").honoured("the same", switch!(span.no_affinity)),
    row("N", "<v|n|i>", "How mapped writes are made to last (-Sm).")
        .differs("see -Sm", set::mapped_flush)
        .with(PLAIN.seen(|profile| any_target(profile, |t| t.mapped_flush.is_some()))),
    row("oc", "<n>", "Completions taken at once (2.3).")
        .differs("plimsoll takes an eighth of the depth at once, at most 16", |draft, value| set::lenient(draft, ("oc", value), 1).map(drop)),
    row("o", "<n>", "I/Os outstanding for each thread and target.").by_default("2").honoured("the same", count!(target.requests, "o", 1)),
    row("O", "<n>", "I/Os outstanding for each thread over all targets; with -F.")
        .honoured("the same", count!(span.requests, "O", 1)),
    row("p", "", "All outstanding I/Os of a thread walk the same places.").honoured("the same", switch!(target.parallel)),
    row("P", "[<n>]", "Shows a dot for every N I/Os of a thread.")
        .by_default("65536")
        .differs("dots come once a second; with -Rxml they go to stderr, so that the result stays XML", set::progress)
        .with(PLAIN.seen(|profile| profile.progress > 0)),
    row("rs", "<percent>", "Percent of I/Os at random places, the others go on from there.")
        .honoured("the same", set::random_share),
    row("rd", "<pct|abs><io>/<target>[:..]", "Spreads random places unevenly.").honoured("the same", |draft, value| {
        draft.target.distribution = Some(distribution(value, draft.target.block)?);
        Ok(())
    }),
    row("r", "[<align>]", "Random places, aligned.").by_default("the block").honoured("the same", set::random),
    row("Rp", "[text|xml]", "Shows the profile and does not run.")
        .honoured("the same", set::show_profile)
        .with(BESIDE_PROFILE),
    row("Rs", "[text|xml]", "Shows the machine and does not run (2.3).")
        .honoured("the same", set::show_system)
        .with(BESIDE_PROFILE),
    row("R", "<text|xml>", "Form of the result.").by_default("text").honoured("the same", set::result)
        .with(BESIDE_PROFILE),
    row("s", "[i][<stride>]", "Sequence with a stride; with i one for all threads.")
        .by_default("the block")
        .honoured("the same", set::sequential),
    row("Sy", "", "BypassIO where it can be had (2.3).")
        .accepts("BypassIO belongs to Windows; -Su goes past the page cache", |_, _| Ok(())),
    row("SY", "", "BypassIO or none (2.3).")
        .refuses("BypassIO belongs to Windows; -Su goes past the page cache"),
    row("S", "[bhmruw]", "Caches: b used, u gone past (O_DIRECT), w write-through (O_DSYNC), h both of these, \
                               m mapped, r only those of a file server.")
        .by_default("b; bare -S is -Su")
        .honoured("-Sr is refused on local file systems and goes past the page cache on NFS and CIFS; -Sm is refused: \
               plimsoll measures calls, not page faults", set::caching),
    row("t", "<n>", "Threads of each target.").by_default("1").honoured("the same", count!(target.threads, "t", 1)),
    row("T", "<size>", "Distance between the starts of two threads of a target.")
        .honoured("the same", size!(target.thread_stride, 1)),
    row("u", "[n]<batch>[p]", "I/O by rings (2.3).")
        .honoured("io_uring and nothing else, with batches of plimsoll's own size", set::ring),
    row("vs", "", "Accepted; statistics of waiting are not printed here.")
        .accepts("plimsoll's wait statistics are in its own reports", switch!(profile.verbose_stats))
        .with(BESIDE_PROFILE.seen(|profile| profile.verbose_stats)),
    row("v", "", "Tells what is being done.")
        .honoured("on stdout, as DiskSpd; with -Rxml on stderr, so that the result stays XML", switch!(profile.verbose))
        .with(BESIDE_PROFILE),
    row("w", "<percent>", "Percent of writes.").by_default("0").honoured("the same", set::writes),
    row("W", "<s>", "Seconds of load before measuring.")
        .by_default("5").honoured("the same", count!(warm_up, "W", 0))
        .with(BESIDE_PROFILE),
    row("x", "", "Completion routines instead of completion ports.")
        .accepts("there is one way to wait for completions here; the text result names them as asked", switch!(span.completion_routines))
        .with(PLAIN.seen(|profile| any_span(profile, |span| span.completion_routines))),
    row("X", "<file>", "Takes the load from an XML profile; targets fill its templates *1, *2, …")
        .honoured("the same", set::profile_file)
        .with(BESIDE_PROFILE),
    row("ys", "<event>", "Accepted; nothing is signalled.")
        .accepts("DiskSpd never signals it either", |_, _| Ok(())),
    row("yf", "<event>", "Accepted; nothing is signalled.").accepts("DiskSpd never signals it either", |_, _| Ok(())),
    row("y", "<r|p|e><event>", "Waits for, is stopped by, or sets an event.").refuses(WINDOWS_EVENTS),
    row("z", "[<seed>]", "Seed of all random choices; bare: another one each time.")
        .by_default("0").honoured("the same stream of places for the same seed", set::seed)
        .with(BESIDE_PROFILE),
    row("Zr", "", "New random data for every write.").honoured("the same", switch!(span.random_write_data)),
    row("Z", "[<size>[,<file>]]", "Takes what is written from a buffer of random data or of a file's; bare: zeros.")
        .honoured("the same", set::write_source),
];

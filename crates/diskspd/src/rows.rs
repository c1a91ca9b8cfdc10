//! The option table: every option of DiskSpd 2.2, and those that 2.3 adds, as a row. Data.

use super::effects as set;
use super::profile::{Profile, Target, TimeSpan};
use super::row::Row;

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

/// Every option; a longer name goes before a shorter one that it begins with.
pub const ROWS: &[Row] = &[
    Row::new("?", "", "Shows this help.").does("the same", set::usage),
    Row::new(":", "<flags>", "Turns experiments on by number.")
        .takes("plimsoll waits for due times with precision of its own", set::experiments)
        .beside_profile()
        .seen(|profile| profile.experiments != 0),
    Row::new("ac", "", "Asks for one CPU of each core first; CPUs are taken by number (2.3).").nearly(CORES, set::all_cpus),
    Row::new("as", "", "Asks for pinning across groups; CPUs are taken by number (2.3).").nearly(CORES, set::all_cpus),
    Row::new("ap", "", "Asks for performance cores first; CPUs are taken by number (2.3).").nearly(CORES, set::all_cpus),
    Row::new("aP", "", "Asks for performance cores only; CPUs are taken by number (2.3).").nearly(CORES, set::all_cpus),
    Row::new("ae", "", "Asks for efficiency cores first; CPUs are taken by number (2.3).").nearly(CORES, set::all_cpus),
    Row::new("aE", "", "Asks for efficiency cores only; CPUs are taken by number (2.3).").nearly(CORES, set::all_cpus),
    Row::new("aup", "", "Asks for cores of any kind; CPUs are taken by number (2.3).").nearly(CORES, set::all_cpus),
    Row::new("ag", "<g>,<cpu>[,..][,g<g>,..]", "Pins threads, round robin, to these CPUs of groups; bare: to all.")
        .by_default("all CPUs")
        .does("CPU c of group g is CPU 64 * g + c; only CPUs that this process may use", |draft, value| {
            set::affinity(draft, &format!("g{value}")).map_err(|fault| super::error::Fault {
                at: fault.at.saturating_sub(1),
                ..fault
            })
        }),
    Row::new("a", "<cpu>[,..]", "Pins threads, round robin, to these CPUs; bare: to all.")
        .by_default("all CPUs")
        .does("as -ag", set::affinity),
    Row::new("A", "<pid>", "Belongs to a fork inside CrystalDiskMark, not to DiskSpd.")
        .refuses("it belongs to the fork inside CrystalDiskMark, not to DiskSpd, and reports to its caller's shared memory; leave \
                  it out"),
    Row::new("bs", "<n|p>", "Keeps buffers apart (2.3).")
        .takes("each I/O in flight has pages of its own", set::buffer_separation),
    Row::new("b", "<size>[KMGT]", "Size of an I/O, below 4 GiB.").by_default("64K").does("the same", set::block),
    Row::new("B", "<base>[:<length>]", "First byte of the target that is used, and how many are.")
        .by_default("0")
        .does("the same", set::base),
    Row::new("c", "<size>", "Makes the files anew in this size.")
        .does("always made anew, and filled with real data past the page cache, then flushed; \
               without effect on devices", set::create),
    Row::new("C", "<s>", "Seconds of load after measuring.")
        .by_default("0").beside_profile().does("the same", set::cool_down),
    Row::new("d", "<s>", "Seconds that are measured.")
        .by_default("10").beside_profile().does("the same", set::duration),
    Row::new("D", "[<ms>]", "Reports the deviation of IOPS over intervals, and in XML each of them.")
        .by_default("1000")
        .does("the same", set::iops),
    Row::new("e", "<q|c|s|p|NAME>", "Traces events of Windows.")
        .takes("those events belong to Windows; plimsoll watches the machine's own counters in its other commands", set::etw)
        .seen(|profile| profile.etw.is_some()),
    Row::new("f", "<size>", "First byte of the target that is not used.")
        .with_digit()
        .does("the same", set::max),
    Row::new("f", "<rst>", "Opens files with hints: r random, s sequential, t temporary.")
        .nearly(
            "r and s are told to the page cache (posix_fadvise), which direct I/O does not ask; t has no counterpart",
            set::hints,
        )
        .seen(|profile| any_target(profile, |t| t.random_hint || t.sequential_hint || t.temporary_hint)),
    Row::new("F", "<n>", "Threads in all; every one works on every target.").does("the same", set::pool),
    Row::new("g", "<n>[i]", "Limits each thread on each target to bytes a millisecond, or with i to IOPS.")
        .does("computed exactly: DiskSpd cuts IOPS off to whole bytes a millisecond; latency starts when an I/O was \
               due", set::throughput),
    Row::new("h", "", "The same as -Sh.").does("the same", set::uncached),
    Row::new("i", "<n>", "I/Os of a burst, before the pause of -j.")
        .does("divided by the target's threads, as DiskSpd does", set::burst),
    Row::new("I", "<1|2|3>", "I/O priority: very low, low, normal.")
        .by_default("3")
        .nearly(
            "1 is the idle class, 2 the lowest level of best effort; it holds for all targets of a timespan, and only \
             some I/O schedulers look at it",
            set::priority,
        )
        .seen(|profile| any_target(profile, |t| t.priority != 3)),
    Row::new("j", "<ms>", "Milliseconds of pause between the bursts of -i.").does("the same", set::think),
    Row::new("l", "", "Buffers in ordinary pages, as without it.")
        .nearly("buffers lie in ordinary pages, registered with the kernel once", set::large_pages)
        .seen(|profile| any_target(profile, |t| t.large_pages)),
    Row::new("L", "", "Reports latency.").does("the same", set::latency),
    Row::new("n", "", "Pins no thread.").does("the same", set::no_affinity),
    Row::new("N", "<v|n|i>", "How mapped writes are made to last (-Sm).")
        .nearly("see -Sm", set::mapped_flush)
        .seen(|profile| any_target(profile, |t| t.mapped_flush.is_some())),
    Row::new("oc", "<n>", "Completions taken at once (2.3).")
        .nearly("plimsoll takes an eighth of the depth at once, at most 16", set::batch),
    Row::new("o", "<n>", "I/Os outstanding for each thread and target.").by_default("2").does("the same", set::requests),
    Row::new("O", "<n>", "I/Os outstanding for each thread over all targets; with -F.")
        .does("the same", set::pool_requests),
    Row::new("p", "", "All outstanding I/Os of a thread walk the same places.").does("the same", set::parallel),
    Row::new("P", "[<n>]", "Shows a dot for every so many I/Os of a thread.")
        .by_default("65536")
        .nearly("dots come once a second; with -Rxml they go to stderr, so that the result stays XML", set::progress)
        .seen(|profile| profile.progress > 0),
    Row::new("rs", "<percent>", "Percent of I/Os at random places, the others go on from there.")
        .does("the same", set::random_share),
    Row::new("rd", "<pct|abs><io>/<target>[:..]", "Spreads random places unevenly.").does("the same", set::spread),
    Row::new("r", "[<align>]", "Random places, aligned.").by_default("the block").does("the same", set::random),
    Row::new("Rp", "[text|xml]", "Shows the profile and does not run.")
        .beside_profile().does("the same", set::show_profile),
    Row::new("Rs", "[text|xml]", "Shows the machine and does not run (2.3).")
        .beside_profile().does("the same", set::show_system),
    Row::new("R", "<text|xml>", "Form of the result.").by_default("text").beside_profile().does("the same", set::result),
    Row::new("s", "[i][<stride>]", "Sequence with a stride; with i one for all threads.")
        .by_default("the block")
        .does("the same", set::sequential),
    Row::new("Sy", "", "BypassIO where it can be had (2.3).")
        .takes("BypassIO belongs to Windows; -Su goes past the page cache", set::nothing),
    Row::new("SY", "", "BypassIO or none (2.3).")
        .refuses("BypassIO belongs to Windows; -Su goes past the page cache"),
    Row::new("S", "[bhmruw]", "Caches: b used, u gone past (O_DIRECT), w write-through (O_DSYNC), h both of these, \
                               m mapped, r only those of a file server.")
        .by_default("b; bare -S is -Su")
        .does("-Sr is refused on local file systems and goes past the page cache on NFS and CIFS; -Sm is refused: \
               plimsoll measures calls, not page faults", set::caching),
    Row::new("t", "<n>", "Threads of each target.").by_default("1").does("the same", set::threads),
    Row::new("T", "<size>", "Distance between the starts of two threads of a target.")
        .does("the same", set::thread_stride),
    Row::new("u", "[n]<batch>[p]", "I/O by rings (2.3).")
        .does("io_uring and nothing else, with batches of plimsoll's own size", set::ring),
    Row::new("vs", "", "Accepted; statistics of waiting are not printed here.")
        .takes("plimsoll's wait statistics are in its own reports", set::wait_statistics)
        .beside_profile()
        .seen(|profile| profile.verbose_stats),
    Row::new("v", "", "Tells what is being done.")
        .beside_profile()
        .does("on stdout, as DiskSpd; with -Rxml on stderr, so that the result stays XML", set::verbose),
    Row::new("w", "<percent>", "Percent of writes.").by_default("0").does("the same", set::writes),
    Row::new("W", "<s>", "Seconds of load before measuring.")
        .by_default("5").beside_profile().does("the same", set::warm_up),
    Row::new("x", "", "Completion routines instead of completion ports.")
        .takes("there is one way to wait for completions here; the text result names them as asked", set::completion_routines)
        .seen(|profile| any_span(profile, |span| span.completion_routines)),
    Row::new("X", "<file>", "Takes the load from an XML profile; targets fill its templates *1, *2, …")
        .beside_profile()
        .does("the same", set::profile_file),
    Row::new("ys", "<event>", "Accepted; nothing is signalled.")
        .takes("DiskSpd never signals it either", set::nothing),
    Row::new("yf", "<event>", "Accepted; nothing is signalled.").takes("DiskSpd never signals it either", set::nothing),
    Row::new("y", "<r|p|e><event>", "Waits for, is stopped by, or sets an event.").refuses(WINDOWS_EVENTS),
    Row::new("z", "[<seed>]", "Seed of all random choices; bare: another one each time.")
        .by_default("0").beside_profile().does("the same stream of places for the same seed", set::seed),
    Row::new("Zr", "", "New random data for every write.").does("the same", set::new_data),
    Row::new("Z", "[<size>[,<file>]]", "Takes what is written from a buffer of random data or of a file's; bare: zeros.")
        .does("the same", set::write_source),
];

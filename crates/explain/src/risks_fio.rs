//! What is risky or misleading about a fio command. Data: a risk is a row.

use super::about_fio::{done, stage, waits};
use super::figures::{bytes, count, seconds, typed_seconds};
use super::files_fio::{further_copies, increment, is_device, own_files};
use super::load::{Load, amount, time_in_line};
use super::risk::Level::{Danger, Misleading, Note, Wrong};
use super::risk::{Risk, risk};
use fio::{FioJob, JobOptions, Stage};
use workload::{Act, SyncMode};

/// Time in seconds for which a volume on credits may sustain its burst.
const BURST_S: f64 = 1800.0;
const HOWTO: &str = "fio HOWTO";

/// Names of the risks that also apply to engines that move no data.
pub const WITHOUT_DATA: &[&str] =
    &["overwrites-file", "removes-files", "not-storage", "no-size", "one-at-a-time"];

/// Every row.
pub static ROWS: &[Risk] = &[
    risk("destroys-device", Danger, "fio HOWTO: filename")
        .holds_for("fio --name=a --rw=randwrite --filename=/dev/sdz")
        .but_not_for("fio --name=a --rw=randread --filename=/dev/sdz")
        .fio(|_, options| {
            let name = options.filename.as_ref().filter(|name| is_device(name))?;
            let pattern = options.pattern;
            let how = if pattern.writes { "writes over the device itself" } else { "trims the device itself" };
            (pattern.destroys() && options.engine.act() == Act::Move).then(|| {
                format!("Everything on {} is lost: the job {how}.", name.replace(':', " and "))
            })
        }),
    risk("overwrites-file", Danger, "fio HOWTO: filename")
        .holds_for("fio --name=a --rw=randwrite --filename=x --size=1g")
        .but_not_for("fio --name=a --rw=randread --filename=x --size=1g")
        .fio(|_, options| {
            let name = options.filename.as_ref().filter(|name| !is_device(name))?;
            let pattern = options.pattern;
            let how = match options.engine.act() {
                Act::Move if pattern.writes => "is overwritten",
                Act::Move | Act::Reserve if pattern.trims => "is lost, as its blocks are given back,",
                Act::Cut if pattern.writes => "is cut off",
                _ => return None,
            };
            pattern.destroys().then(|| format!("If {name} exists, what is in it {how} without a question."))
        }),
    risk("overwrites-store", Danger, "fio HOWTO: ioengine")
        .holds_for("fio --name=a --ioengine=rbd --pool=p --rbdname=i --rw=randwrite")
        .but_not_for("fio --name=a --ioengine=rbd --pool=p --rbdname=i --rw=randread")
        .fio(|_, options| {
            (options.pattern.destroys() && stage(options) == Stage::Elsewhere).then(|| {
                format!("What {} finds under that name is overwritten without a question.", options.engine.name)
            })
        }),
    risk("not-storage", Wrong, "fio HOWTO: ioengine")
        .holds_for("fio --name=a --ioengine=cpuio --cpuload=50 --runtime=5")
        .but_not_for("fio --name=a --ioengine=psync --rw=read --size=1m")
        .fio(|_, options| {
            (stage(options) == Stage::Nowhere).then(|| {
                format!(
                    "The IOPS and bandwidth that fio prints for {} are none of a disk's blocks.",
                    options.engine.name
                )
            })
        }),
    risk("flush-figures", Misleading, "fio HOWTO: fsync; etcd documentation: hardware, disks")
        .holds_for("fio --name=a --rw=write --fdatasync=1 --ioengine=sync --size=22m --bs=2300")
        .but_not_for("fio --name=a --rw=write --fdatasync=1 --ioengine=libaio --direct=1 --size=22m")
        .fio(|_, options| {
            let call = match (options.fsync, options.fdatasync) {
                (1.., _) => "fsync",
                (0, 1..) => "fdatasync",
                (0, 0) => return None,
            };
            if options.direct || !options.pattern.writes || options.engine.name == "null" {
                return None;
            }
            let log = options.fdatasync == 1 && !options.pattern.reads && !options.pattern.random;
            let bound = if log { ", as that of a log such as etcd's should: below 10 ms" } else { "" };
            Some(format!(
                "The latency of the writes themselves is the page cache's. Look at the lines of {call} behind \
                 \"fsync/fdatasync/sync_file_range\": their 99th percentile tells what the disk does{bound}. IOPS and \
                 bandwidth count writes with their flushes."
            ))
        }),
    risk("trace-writes", Danger, "fio HOWTO: read_iolog")
        .holds_for("fio --name=a --read_iolog=t.log")
        .but_not_for("fio --name=a --read_iolog=t.log --replay_skip=write,trim")
        .replay(|_, options| {
            let skipped = |word: &str| options.trace.skip.as_ref().is_some_and(|list| list.split(',').any(|one| one == word));
            let on = match &options.trace.redirect {
                Some(one) => one.clone(),
                None => "the files and devices that it names".to_owned(),
            };
            (!(skipped("write") && skipped("trim")))
                .then(|| format!("What the trace writes or trims is lost on {on}; --replay_redirect sends it elsewhere."))
        }),
    risk("removes-files", Danger, "fio HOWTO: ioengine filedelete")
        .holds_for("fio --name=a --ioengine=filedelete --filename=x --filesize=4k")
        .but_not_for("fio --name=a --ioengine=filestat --filename=x --filesize=4k")
        .fio(|job, options| {
            let names = match (&options.filename, &options.opendir) {
                (_, Some(place)) => format!("every file below {place}"),
                (Some(names), _) => names.replace(':', " and "),
                (None, None) => format!("{}.0.0 and what else has the job's names", job.name),
            };
            matches!(options.engine.act(), Act::RemoveFile | Act::RemoveFolder)
                .then(|| format!("What is there already is removed without a question: {names}."))
        }),
    risk("no-size", Wrong, "fio HOWTO: size")
        .holds_for("fio --name=a --rw=randread --filename=x")
        .but_not_for("fio --name=a --rw=randread --filename=x --size=1g")
        .fio(|_, options| {
            let device = options.filename.as_deref().is_some_and(is_device);
            if options.size.is_some() || options.filesize > 0 || device || options.engine.name == "null" {
                return None;
            }
            Some(match &options.filename {
                Some(name) => format!(
                    "There is no size. If {name} exists, all of it is used; if it does not, fio ends with \"you need to \
                     specify size=\"."
                ),
                None => "There is no size, and the file is fio's own: unless an earlier run left it there, fio ends \
                         with \"you need to specify size=\"."
                    .to_owned(),
            })
        }),
    risk("one-at-a-time", Wrong, "fio HOWTO: iodepth")
        .holds_for("fio --name=a --rw=randread --size=1g --iodepth=32")
        .but_not_for("fio --name=a --rw=randread --size=1g --iodepth=32 --ioengine=libaio")
        .fio(|_, options| {
            (waits(options) && options.iodepth > 1).then(|| {
                format!(
                    "iodepth={} has no effect: {} waits for each I/O, so that one is in flight. Take libaio or io_uring.",
                    options.iodepth, options.engine.name
                )
            })
        }),
    risk("buffered-libaio", Wrong, "fio HOWTO: ioengine libaio; io_submit(2)")
        .holds_for("fio --name=a --rw=randread --size=1g --iodepth=32 --ioengine=libaio")
        .but_not_for("fio --name=a --rw=randread --size=1g --iodepth=32 --ioengine=libaio --direct=1")
        .fio(|_, options| {
            (options.engine.name == "libaio" && !options.direct && options.iodepth > 1).then(|| {
                format!(
                    "libaio without direct=1 waits for each I/O while it is handed over: iodepth={} is not reached.",
                    options.iodepth
                )
            })
        }),
    risk("no-direct", Misleading, "fio HOWTO: direct")
        .holds_for("fio --name=a --rw=randwrite --size=1g")
        .but_not_for("fio --name=a --rw=randwrite --size=1g --sync=1")
        .fio(|_, options| {
            if options.direct || options.engine.name == "null" {
                return None;
            }
            let pattern = options.pattern;
            let synced = options.fsync > 0 || options.fdatasync > 0 || options.end_fsync || options.time.sync != SyncMode::None;
            Some(match (pattern.reads, pattern.writes && !synced) {
                (true, true) => "There is no direct=1: reads may come from the page cache and writes end in it, so that \
                                 the figures can be those of memory.",
                (true, false) => "There is no direct=1: reads may come from the page cache, so that the figures can be \
                                  those of memory.",
                (false, true) => "There is no direct=1 and no fsync: writes end in the page cache, so that the figures can \
                                  be those of memory.",
                (false, false) => return None,
            }
            .to_owned())
        }),
    risk("runtime-is-a-cap", Misleading, "fio HOWTO: runtime, time_based")
        .holds_for("fio --name=a --rw=randread --size=1g --runtime=60")
        .but_not_for("fio --name=a --rw=randread --size=1g --runtime=60 --time_based")
        .fio(|_, options| {
            let runtime = options.runtime.as_secs_f64();
            if options.time_based || runtime <= 0.0 {
                return None;
            }
            let Some(amount) = amount(options) else {
                return Some(format!(
                    "There is no time_based: {} is only the longest that it may take, and it ends before, when {}.",
                    typed_seconds(runtime),
                    done(options)
                ));
            };
            let all = amount.saturating_mul(u64::from(options.numjobs)) as f64;
            Some(format!(
                "There is no time_based: {} is only the longest that it may take, and it ends before where {} done \
                 earlier, which takes more than {} MB/s.",
                typed_seconds(runtime),
                match options.numjobs {
                    1 => format!("{} are", bytes(amount)),
                    copies => format!("{copies} times {} are", bytes(amount)),
                },
                count((all / runtime / 1e6).round() as u64)
            ))
        }),
    risk("no-set-time", Misleading, "fio HOWTO: runtime")
        .holds_for("fio --name=a --rw=randread --size=4g")
        .but_not_for("fio --name=a --rw=randread --size=4g --runtime=60 --time_based")
        .fio(|job, options| {
            let (load, bytes) = (Load::of(options), amount(options)?);
            let ios = load.ios(bytes);
            if options.runtime.0 > 0 || ios == 0 {
                return None;
            }
            let held = at_rates(options, ios).filter(|&time| time >= ios as f64 / 1e5);
            let takes = match held {
                Some(time) => format!(
                    "No time is set: at the rates that it is held to, {} take {} on a volume that bears them, and \
                     longer on one that does not.",
                    load.counted(bytes),
                    seconds(time.round().max(1.0))
                ),
                None => format!(
                    "How long it takes depends on the volume: {}. Two volumes are measured for different times, and a \
                     fast run may lie wholly inside a burst.",
                    at_two_rates(&load, bytes)
                ),
            };
            let typed = job.echo.iter().any(|(name, value)| name == "time_based" && value != "0");
            Some(match typed {
                true => format!(
                    "{takes} time_based has no effect without runtime, fio drops it: give runtime too."
                ),
                false => format!("{takes} Give runtime and time_based."),
            })
        }),
    risk("shorter-than-a-burst", Misleading, "EBS user guide: I/O credits and burst performance of gp2")
        .holds_for("fio --name=a --rw=randread --size=4g --runtime=60")
        .but_not_for("fio --name=a --rw=randread --size=4g --runtime=3600")
        .fio(|_, options| {
            let runtime = options.runtime.as_secs_f64();
            (runtime > 0.0 && runtime < BURST_S).then(|| {
                format!(
                    "{} fit into the burst of a volume that runs on credits: what is measured may not last. An EBS gp2 \
                     volume holds 3,000 IOPS for 30 minutes and more.",
                    typed_seconds(runtime)
                )
            })
        }),
    risk("no-latency", Misleading, "fio HOWTO: gtod_reduce")
        .holds_for("fio --name=a --rw=randread --size=4g --gtod_reduce=1")
        .but_not_for("fio --name=a --rw=randread --size=4g")
        .fio(|job, _| {
            without_latency(job).then(|| "gtod_reduce=1 leaves out every latency: a volume that stalls or queues looks as good as one that does not.".to_owned())
        }),
    risk("latency-of-the-queue", Misleading, "Little's law")
        .holds_for("fio --name=a --rw=randread --size=4g --direct=1 --ioengine=libaio --iodepth=64")
        .but_not_for("fio --name=a --rw=randread --size=4g --direct=1 --ioengine=libaio --iodepth=4")
        .fio(|job, options| {
            let depth = in_flight(options);
            if depth < 16 || !meets_the_volume(options) || paced(options) || without_latency(job) || options.engine.name == "null" {
                return None;
            }
            let alone = match (options.iodepth > 1 && !waits(options), options.numjobs > 1) {
                (true, true) => "iodepth=1 and numjobs=1",
                (false, true) => "numjobs=1",
                _ => "iodepth=1",
            };
            let line = time_in_line(depth, Load::of(options).mean_block() as u64);
            Some(format!(
                "With {} in flight the latency is that of waiting in line: {line}. The volume's own latency shows with {alone}.",
                count(depth)
            ))
        }),
    risk("iops-of-depth-one", Misleading, "Little's law")
        .holds_for("fio --name=a --rw=randread --size=4g --direct=1")
        .but_not_for("fio --name=a --rw=randread --size=4g --direct=1 --ioengine=libaio --iodepth=4")
        .fio(|_, options| {
            (in_flight(options) == 1 && meets_the_volume(options) && !paced(options)).then(|| {
                "One I/O at a time measures latency. Its IOPS are 1 / latency, and say nothing about what the volume \
                 does in parallel."
                    .to_owned()
            })
        }),
    risk("copies-in-step", Misleading, "fio HOWTO: numjobs, offset_increment")
        .holds_for("fio --name=a --rw=read --filename=/dev/sdz --numjobs=4")
        .but_not_for("fio --name=a --rw=read --filename=/dev/sdz --numjobs=4 --offset_increment=10g")
        .fio(|_, options| {
            let shared = options.filename.is_some() && further_copies(options).is_none();
            if options.pattern.random || options.numjobs < 2 || !shared || options.engine.name == "null" {
                return None;
            }
            let then = match options.pattern.destroys() {
                true => format!("each is written {} times", options.numjobs),
                false => "what one has read a cache may hold for the others".to_owned(),
            };
            Some(format!(
                "The {} copies go through the same blocks in the same order: {then}. offset_increment sets them apart.",
                options.numjobs
            ))
        }),
    risk("offset-of-one-copy", Wrong, "fio HOWTO: offset_increment")
        .holds_for("fio --name=a --rw=read --filename=/dev/sdz --offset_increment=100g")
        .but_not_for("fio --name=a --rw=read --filename=/dev/sdz --offset_increment=100g --numjobs=2")
        .fio(|_, options| {
            let step = increment(options).filter(|_| options.numjobs == 1)?;
            Some(format!(
                "offset_increment ({step}) has no effect: it sets copies of one job (numjobs) apart, and there is one. Several \
                 jobs are set apart by offset."
            ))
        }),
    risk("chance-in-order", Wrong, "fio HOWTO: rw, random_distribution, percentage_random")
        .holds_for("fio --name=a --rw=read --size=1g --random_distribution=zipf:1.2")
        .but_not_for("fio --name=a --rw=randread --size=1g --random_distribution=zipf:1.2")
        .fio(|job, options| {
            let by_chance = ["random_distribution", "percentage_random", "norandommap"];
            let typed = by_chance.iter().find(|name| job.echo.iter().any(|(typed, _)| typed == *name))?;
            let in_order = !options.pattern.random && stage(options) != Stage::Elsewhere;
            in_order.then(|| {
                format!("{typed} has no effect: this rw goes in order. At random places go randread, randwrite and randrw.")
            })
        }),
    risk("rate-each-copy", Misleading, "fio HOWTO: rate_iops, numjobs")
        .holds_for("fio --name=a --rw=randwrite --size=1g --numjobs=4 --rate_iops=3200")
        .but_not_for("fio --name=a --rw=randwrite --size=1g --rate_iops=3200")
        .fio(|_, options| {
            let copies = u64::from(options.numjobs);
            let rate = options.rate_iops.iter().copied().find(|&rate| rate > 0)?;
            (copies > 1).then(|| {
                format!(
                    "rate_iops holds for each copy: {copies} times {} are {} I/Os a second.",
                    count(rate),
                    count(rate * copies)
                )
            })
        }),
    risk("rate-is-a-ceiling", Misleading, "fio HOWTO: rate, rate_iops")
        .holds_for("fio --name=a --rw=randwrite --size=1g --rate_iops=3200")
        .but_not_for("fio --name=a --rw=randwrite --size=1g")
        .fio(|_, options| {
            paced(options).then(|| {
                "A rate shows whether the volume bears it, not how much it would bear; and after a stall fio catches \
                 up above the rate."
                    .to_owned()
            })
        }),
    risk("unwritten-reads", Misleading, "fio HOWTO: create_serialize, fallocate")
        .holds_for("fio --name=a --rw=randread --size=1g")
        .but_not_for("fio --name=a --rw=randwrite --size=1g")
        .fio(|_, options| {
            let device = options.filename.as_deref().is_some_and(is_device);
            if !options.pattern.reads || device || options.size.is_none() {
                return None;
            }
            Some(
                "A file that is missing or too short is written whole before the test, and by fio also where it holds \
                 somebody's data. One that is long enough is read as it is: where it was never written (a hole, reserved \
                 space) no disk is asked."
                    .to_owned(),
            )
        }),
    risk("unwritten-writes", Misleading, "fio HOWTO: fallocate, overwrite")
        .holds_for("fio --name=a --rw=randwrite --size=1g")
        .but_not_for("fio --name=a --rw=randwrite --size=1g --overwrite=1")
        .fio(|_, options| {
            let device = options.filename.as_deref().is_some_and(is_device);
            (options.pattern.writes && !options.pattern.reads && !device && !options.overwrite).then(|| {
                "A new file only has its space reserved (fallocate): the first write to a block changes the file \
                 system's records too. A second run over the same file is another test. overwrite=1 writes it before."
                    .to_owned()
            })
        }),
    risk("other-caches", Note, "Azure documentation: disk caching, and warming the cache before a benchmark")
        .holds_for("fio --name=a --rw=randread --size=1g --direct=1")
        .but_not_for("fio --name=a --rw=randwrite --size=1g --direct=1")
        .fio(|_, options| {
            (options.pattern.reads && options.direct).then(|| {
                "direct=1 passes the page cache of this machine and no other: a cache of the host, the array or the \
                 disk may answer, and it may be cold now and warm later. Repeat until the figure stays."
                    .to_owned()
            })
        }),
    risk("same-places", Note, "fio HOWTO: randrepeat")
        .holds_for("fio --name=a --rw=randread --size=1g")
        .but_not_for("fio --name=a --rw=randread --size=1g --randrepeat=0")
        .fio(|job, options| {
            if !options.pattern.random || !options.randrepeat {
                return None;
            }
            let typed = job.echo.iter().any(|(name, _)| name == "randrepeat");
            let how = if typed { "randrepeat=1" } else { "randrepeat=1, the default," };
            Some(format!(
                "{how} visits the same places in the same order in every run: a second run may find them in a cache. \
                 randrepeat=0 changes that."
            ))
        }),
    risk("each-by-itself", Note, "fio HOWTO: group_reporting")
        .holds_for("fio --name=a --rw=randread --size=1g --numjobs=4")
        .but_not_for("fio --name=a --rw=randread --size=1g --numjobs=4 --group_reporting")
        .fio(|_, options| {
            (options.numjobs > 1 && !options.group_reporting).then(|| {
                format!(
                    "Without group_reporting each of the {} copies is reported by itself; the sum stands in the last \
                     lines only.",
                    options.numjobs
                )
            })
        }),
    risk("space-of-copies", Note, "fio HOWTO: size, numjobs")
        .holds_for("fio --name=a --rw=randread --size=1g --numjobs=4")
        .but_not_for("fio --name=a --rw=randread --size=1g --numjobs=4 --filename=x")
        .fio(|_, options| {
            let copies = u64::from(options.numjobs);
            let size = match options.size {
                Some(fio::Amount::Bytes(size)) if copies > 1 && own_files(options) => size,
                _ => return None,
            };
            Some(format!(
                "size holds for each copy: {} of space are needed.",
                bytes(size.saturating_mul(copies))
            ))
        }),
    risk("long-blocks", Note, "EBS user guide: I/O characteristics")
        .holds_for("fio --name=a --rw=randread --size=1g --bs=1m")
        .but_not_for("fio --name=a --rw=randread --size=1g --bs=64k")
        .fio(|_, options| {
            let block = options.issued_blocks().max().unwrap_or(0);
            (block > 256 << 10).then(|| {
                format!(
                    "Blocks of {} measure bandwidth: the kernel may cut them, and providers count them in units of their \
                     own (256 KiB for EBS SSD), so that fio's IOPS are not the provider's.",
                    bytes(block)
                )
            })
        }),
    risk("trailing-comma", Note, "fio HOWTO: parameter types")
        .holds_for("fio --name=a --rw=randrw --size=1g --rate_iops=700,300,")
        .but_not_for("fio --name=a --rw=randrw --size=1g --rate_iops=700,300")
        .fio(|job, _| {
            let (name, value) = job.echo.iter().find(|(_, value)| value.ends_with(','))?;
            Some(format!(
                "The comma at the end of {name}={value} leaves what follows (trims) at its default; the values before \
                 it are for reads and writes."
            ))
        }),
    risk("name-inside-a-section", Note, HOWTO)
        .holds_for("[a]\nname=b\nrw=read\nsize=1g\n")
        .but_not_for("[a]\nrw=read\nsize=1g\n")
        .job_file(|text| {
            let mut section = "";
            for line in text.lines().map(str::trim) {
                if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                    section = name;
                } else if let Some(name) = line.strip_prefix("name=").filter(|name| *name != section) {
                    return Some(format!(
                        "name={name} inside [{section}] renames the job: it is reported as {name}."
                    ));
                }
            }
            None
        }),
];

/// Seconds that `ios` I/Os take at least at the rate limits of each copy; `None` if reads or writes that it issues have no
/// limit.
fn at_rates(options: &JobOptions, ios: u64) -> Option<f64> {
    let load = Load::of(options);
    let time = |way: usize| match (options.rate_iops[way], options.rate[way]) {
        _ if load.share(way) <= 0.0 => Some(0.0),
        (0, 0) => None,
        (0, rate) => Some(ios as f64 * load.share(way) * load.mean_of(way) / rate as f64),
        (iops, _) => Some(ios as f64 * load.share(way) / iops as f64),
    };
    let longest = time(0)?.max(time(1)?);
    (longest > 0.0).then_some(longest)
}

/// Most I/Os in flight, over all copies.
fn in_flight(options: &JobOptions) -> u64 {
    let waits = waits(options) || (options.engine.name == "libaio" && !options.direct);
    let each = if waits { 1 } else { u64::from(options.iodepth) };
    each * u64::from(options.numjobs)
}

/// Whether each I/O waits for the volume: past the page cache, stable when done, or reads at random places, which the
/// kernel does not read ahead. What ends in memory, or was read ahead, waits for the volume in another way.
fn meets_the_volume(options: &JobOptions) -> bool {
    let stable = options.time.sync != SyncMode::None || options.fsync == 1 || options.fdatasync == 1;
    let past = options.direct && !options.engine.maps_files();
    past || (options.pattern.writes && stable) || (options.pattern.reads && options.pattern.random)
}

/// Whether no latency is reported.
fn without_latency(job: &FioJob) -> bool {
    job.echo.iter().any(|(name, value)| name == "gtod_reduce" && value != "0")
}

fn paced(options: &JobOptions) -> bool {
    options.rate_iops.iter().chain(&options.rate).any(|&rate| rate > 0)
}

/// How long `amount` bytes take on a slow and on a fast volume, in words: by bandwidth from 128 KiB on, by IOPS below.
fn at_two_rates(load: &Load, amount: u64) -> String {
    const LARGE: f64 = 131_072.0;
    let block = load.mean_block();
    let (slow, fast, rates) = match block >= LARGE {
        true => (100.0 * MIB / block, 1024.0 * MIB / block, ["100 MiB/s", "1 GiB/s"]),
        false => (3e3, 1e5, ["3,000 IOPS", "100,000"]),
    };
    let time = |rate: f64| match amount as f64 / block / rate {
        time if time < 1.0 => "less than a second".to_owned(),
        time => seconds(time.round()),
    };
    let what = load.described(amount);
    if amount as f64 / block < slow {
        return format!("{what} are {} at {}", time(slow), rates[0]);
    }
    format!("{what} are {} at {} and {} at {}", time(slow), rates[0], time(fast), rates[1])
}

/// Risks that apply only to files and devices of this machine.
const OF_FILES: &[&str] = &[
    "destroys-device",
    "overwrites-file",
    "no-size",
    "buffered-libaio",
    "no-direct",
    "unwritten-reads",
    "unwritten-writes",
    "other-caches",
    "space-of-copies",
    "flush-figures",
    "copies-in-step",
];

/// Risks that also apply if no block of storage is read or written.
const OF_ANYTHING: &[&str] = &["each-by-itself", "trailing-comma", "not-storage", "no-latency"];

/// Whether the risk `id` can apply to a job whose I/O goes to `stage`.
pub fn concerns(id: &str, stage: Stage) -> bool {
    match stage {
        Stage::Here => true,
        Stage::Elsewhere => !OF_FILES.contains(&id),
        Stage::Nowhere => OF_ANYTHING.contains(&id),
    }
}

const MIB: f64 = 1_048_576.0;

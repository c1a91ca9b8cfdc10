//! Risky and misleading aspects of commands of DiskSpd, ioping, iostat and dd. Data: a risk is a row.

use super::about_diskspd::{in_flight, threads};
use super::dd::DdFlush;
use super::figures::{bytes, count, seconds, typed_seconds};
use super::files_fio::is_device;
use super::load::time_in_line;
use super::risk::Level::{Danger, Misleading, Note, Wrong};
use super::risk::{Risk, risk, says};
use diskspd::{Cache, Target, TimeSpan};
use ioping::{Kind, Mix, Region};
use workload::Bytes;

const BURST_S: f64 = 1800.0;
const DISKSPD: &str = "DiskSpd: command line and parameters";

fn writes(span: &TimeSpan) -> bool {
    span.targets.iter().any(|target| target.write_percent > 0)
}

/// Every row.
pub static ROWS: &[Risk] = &[
    risk("makes-anew", Danger, DISKSPD)
        .diskspd(|span| {
            // A device keeps its size.
            let made = |target: &&Target| target.create.is_some() && !is_device(&target.path);
            let made: Vec<&Target> = span.targets.iter().filter(made).collect();
            let size: u64 = made.iter().filter_map(|target| target.create).sum();
            let paths: Vec<&str> = made.iter().map(|target| target.path.as_str()).collect();
            if paths.is_empty() {
                return None;
            }
            let takes = match (size as f64 / 200e6).round() {
                time if time > 1.0 => seconds(time),
                _ => "less than a second".to_owned(),
            };
            Some(format!(
                "-c makes {} anew each time: what is there is lost. {} of space are needed; writing them takes {takes} at \
                 200 MB/s. For an administrator of Windows they are only reserved: what a read of them costs depends \
                 on the device.",
                paths.join(" and "),
                bytes(size),
            ))
        }),
    risk("writes-over", Danger, DISKSPD)
        .diskspd(|span| {
            let written = span.targets.iter().filter(|target| target.write_percent > 0 && target.create.is_none());
            let paths: Vec<&str> = written.map(|target| target.path.as_str()).collect();
            (!paths.is_empty()).then(|| format!("What is in {} is overwritten.", paths.join(" and ")))
        }),
    risk("cached", Misleading, DISKSPD)
        .diskspd(|span| says(span.targets.iter().any(|target| target.cache == Cache::Used && !target.write_through), "There is no -Sh: reads may come from the cache and writes end in it, so that the figures can be those \
                 of memory.")),
    risk("every-write-waits", Note, DISKSPD)
        .diskspd(|span| {
            let both = |target: &diskspd::Target| target.cache == Cache::Off && target.write_through;
            says(writes(span) && span.targets.iter().any(both), "-Sh is -Suw: no software cache, and write-through, so that each write waits for stable storage. On \
                 Linux that is O_DIRECT with O_DSYNC; fio's direct=1 alone does not wait, so the two are not alike.")
        }),
    risk("latency-of-the-queue", Misleading, "Little's law")
        .diskspd(|span| {
            let depth = in_flight(span);
            let block = span.targets.iter().map(|target| u64::from(target.block)).max()?;
            // I/O that the cache serves does not wait in the volume's queue.
            let meets = span.targets.iter().any(|target| target.cache != Cache::Used || target.write_through);
            (depth >= 16 && meets).then(|| {
                format!(
                    "With {} in flight ({} threads) an I/O mostly waits in line: {}. The volume's own latency shows with \
                     -t1 -o1.",
                    count(depth),
                    count(threads(span)),
                    time_in_line(depth, block)
                )
            })
        }),
    risk("no-latency", Misleading, DISKSPD)
        .diskspd(|span| says(!span.latency, "Without -L there are no latencies: a volume that stalls looks as good as one that does not.")),
    risk("shorter-than-a-burst", Misleading, "EBS user guide: I/O credits; Azure documentation: disk bursting")
        .diskspd(|span| {
            let time = f64::from(span.duration);
            (time < BURST_S && f64::from(span.warm_up) < BURST_S).then(|| {
                format!(
                    "{} of warm-up and {} of measuring fit into the burst of a volume that runs on credits: the rate may \
                     be one that does not last.",
                    typed_seconds(f64::from(span.warm_up)),
                    typed_seconds(time)
                )
            })
        }),
    risk("long-warm-up", Note, "Azure documentation: warming the cache before a benchmark")
        .diskspd(|span| {
            (span.warm_up >= 600).then(|| {
                format!(
                    "-W{} runs the load for {} before anything is measured. That fills a host cache; nothing says \
                     whether it is full, and without a cache it only takes time{}.",
                    span.warm_up,
                    typed_seconds(f64::from(span.warm_up)),
                    if writes(span) { " and wears the disk" } else { "" }
                )
            })
        }),
    risk("host-cache", Note, "Azure documentation: disk caching")
        .diskspd(|span| {
            let reads =
                span.targets.iter().any(|target| target.write_percent < 100 && target.cache == Cache::Off);
            says(reads, "-Sh passes the cache of this machine and no other: reads may come from the cache of the host or the \
                 array, and what is then measured is that cache.")
        }),
    risk("same-data", Note, DISKSPD)
        .diskspd(|span| {
            let plain = |target: &diskspd::Target| {
                target.write_percent > 0 && target.write_source_bytes == 0 && !target.zero
            };
            says(!span.random_write_data && span.targets.iter().any(plain), "Without -Z every write has the same pattern of bytes, which a volume that compresses or drops repeats \
                 stores for nothing. -Zr writes new random data.")
        }),
    risk("same-places", Note, DISKSPD)
        .diskspd(|span| {
            let random = span.targets.iter().any(|target| target.random > 0);
            says(random && span.seed == 0, "Without -z the seed is 0: each run visits the same places in the same order, and a second one may find \
                 them in a cache.")
        }),
    risk("destroys", Danger, "ioping(1)")
        .ioping(|asked| {
            (asked.mix() != Mix::Read && asked.writes >= 3)
                .then(|| format!("If {} is a file or a device, what is on it is overwritten.", asked.target))
        }),
    risk("no-tail", Misleading, "order statistics")
        .ioping(|asked| {
            let counted = asked.count.saturating_sub(asked.warmup);
            (asked.count > 0 && counted < 1000).then(|| match counted {
                0 => "ioping 1.0 and later count none of these requests: their summary has no latency.".to_owned(),
                _ => format!(
                    "{} show the usual latency and no tail: {} of them can be expected beyond the p99, \
                     and how slow the slowest is, is luck.",
                    requests(asked.count, counted),
                    match (counted as f64 / 100.0).round() as u64 {
                        0 => "none".to_owned(),
                        requests => count(requests),
                    }
                ),
            })
        }),
    risk("one-place", Wrong, "ioping(1): working set")
        .ioping(|asked| {
            let kind = if is_device(&asked.target) { Kind::BlockDevice } else { Kind::Directory };
            let region = Region::of(asked, kind, Bytes(1 << 62)).ok()?;
            (region.places() == 1).then(|| {
                format!(
                    "A request of {} fills the working set: each one goes to the same place, which any cache holds. -S 1g \
                     spreads them.",
                    bytes(region.request)
                )
            })
        }),
    risk("an-idle-volume", Misleading, "ioping(1)")
        .ioping(|asked| says(asked.pause().as_secs_f64() >= 0.1 && asked.count != 1, "One request at a time with pauses between: the latency of a volume that is idle. Under load it is \
                 another, and no limit of the volume shows. The iops line is 1 / latency.")),
    risk("small-working-set", Misleading, "ioping(1): working set")
        .ioping(|asked| says(asked.work_size.is_none() && !asked.rapid && !is_device(&asked.target), "In a directory it stays within a file of 1 MiB that was written just before: any cache of a disk, a host \
                 or an array holds that. -S 1g spreads it.")),
    risk("cached", Misleading, "ioping(1)")
        .ioping(|asked| says(asked.cached && !asked.direct, "-C times the page cache, where it holds the data.")),
    risk("advice-only", Note, "posix_fadvise(2)")
        .ioping(|asked| says(!asked.cached && !asked.direct && asked.mix() != Mix::Write, "That the page cache forgets is advice: it has no effect on memory file systems and ZFS, and a hole in a \
                 file is read from nothing. -D goes past it.")),
    risk("since-boot", Misleading, "iostat(1)")
        .iostat(|asked| {
            (!asked.skip_first).then(|| match asked.interval_s {
                0 => "Without an interval it shows averages since the machine started.".to_owned(),
                _ => {
                    "The first report counts since the machine started and is no interval: leave it out (-y)."
                        .to_owned()
                }
            })
        }),
    risk("long-interval", Misleading, "iostat(1)")
        .iostat(|asked| {
            let interval = Some(asked.interval_s).filter(|&interval| interval > 1)?;
            Some(format!(
                "Each figure is a mean over {interval} s: bursts, stalls and limits that work by the second do not show."
            ))
        }),
    risk("utilisation", Misleading, "iostat(1), the note on %util")
        .iostat(|asked| says(asked.extended, "%util is the share of time with anything in flight: a volume that works in parallel is at 100 % long \
                 before its limit, and one that is held back by a limit may be below. await mixes waiting in the queue \
                 with the device, as a mean without a tail.")),
    risk("layers", Note, "kernel documentation: iostats")
        .iostat(|asked| says(asked.devices && !asked.is_chosen(), "Disks, partitions' mappings and arrays stand side by side: the same bytes count at each layer.")),
    risk("destroys-device", Danger, "dd(1)")
        .dd(|dd| {
            let lost = match dd.part() {
                None => format!("Everything on {} is lost.", dd.to),
                Some(part) => format!("Data on {} is lost: {part}.", dd.to),
            };
            (is_device(&dd.to) && dd.writes()).then_some(lost)
        }),
    risk("overwrites-file", Danger, "dd(1)")
        .dd(|dd| {
            (dd.writes() && !is_device(&dd.to))
                .then(|| {
                    let part = dd.part().map_or(String::new(), |part| format!(" ({part})"));
                    format!("If {} exists, what is in it{part} is lost.", dd.to)
                })
        }),
    risk("not-flushed", Wrong, "dd(1): conv=fdatasync")
        .dd(|dd| says(dd.writes() && dd.flushed == DdFlush::Never && !dd.direct_write, "There is no conv=fdatasync: the time ends when the data is in memory, so that the figure is the page \
                 cache's and not the disk's.")),
    risk("cached-read", Wrong, "dd(1): iflag=direct")
        .dd(|dd| {
            (dd.reads() && !dd.direct_read).then(|| {
                format!(
                    "There is no iflag=direct: what the page cache holds of {} is not read from the disk.",
                    dd.from
                )
            })
        }),
    risk("zeros", Misleading, "dd(1)")
        .dd(|dd| says(dd.from == "/dev/zero" && dd.writes(), "Zeros compress to nothing: a volume that compresses or thins out stores none of them.")),
    risk("slow-source", Misleading, "random(4)")
        .dd(|dd| {
            (matches!(dd.from.as_str(), "/dev/urandom" | "/dev/random") && dd.writes()).then(|| {
                format!("{} makes a few hundred MB/s on one CPU: a fast volume waits for it.", dd.from)
            })
        }),
    risk("one-stream", Misleading, "dd(1)")
        .dd(|dd| {
            // Where each block waits for the disk, the time of a block is a latency.
            let waits = dd.writes() && (dd.flushed == DdFlush::Each || dd.direct_write);
            let missing = if waits { "random places or parallel requests" } else { "random places, parallel requests or latency" };
            Some(format!(
                "One sequential stream, one block at a time: nothing about {missing}, which is what databases and servers \
                 ask for."
            ))
        }),
    risk("short-blocks", Misleading, "dd(1): bs is 512 where it is not given")
        .dd(|dd| {
            let waits = dd.writes() && (dd.flushed == DdFlush::Each || dd.direct_write) || dd.reads() && dd.direct_read;
            (dd.block < 64 << 10 && !waits)
                .then(|| format!("Blocks of {} measure the calls more than the disk.", bytes(dd.block)))
        }),
    risk("no-end", Danger, "dd(1)")
        .dd(|dd| says(dd.count.is_none()
                && dd.from.starts_with("/dev/")
                && !dd.reads()
                && dd.writes()
                && !is_device(&dd.to), "There is no count: it goes on until the file system is full.")),
];

/// Prints `10 requests, of which ioping 1.0 and later count 9,`: earlier versions have no warmup.
fn requests(asked: u64, counted: u64) -> String {
    match asked == counted {
        true => format!("{} requests", count(asked)),
        false => {
            format!("{} requests, of which ioping 1.0 and later count {},", count(asked), count(counted))
        }
    }
}

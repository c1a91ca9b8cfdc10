//! Risky and misleading aspects of commands of DiskSpd, ioping, iostat and dd. Data: a risk is a row.

use super::about_diskspd::{in_flight, keeps_its_size, threads};
use super::about_ioping;
use super::about_iostat::{has_intervals, layers};
use super::dd::DdFlush;
use super::depth_fio::time_in_line;
use super::figures::{bytes, count, seconds, typed_seconds};
use super::files_fio::is_device;
use super::risk::Level::{Danger, Misleading, Note, Wrong};
use super::risk::{Risk, risk, says};
use diskspd::{Cache, Target, TimeSpan};
use ioping::{Kind, Mix, Order, Sync};

const BURST_S: f64 = 1800.0;
const DISKSPD: &str = "DiskSpd: command line and parameters";

fn writes(span: &TimeSpan) -> bool {
    span.targets.iter().any(|target| target.write_percent > 0)
}

/// Size in which the file is made; `None` if none is made.
fn made(target: &Target) -> Option<u64> {
    target.create.filter(|_| !keeps_its_size(&target.path))
}

/// Length of the part of a target that is used, if the command gives it.
fn reach(target: &Target) -> Option<u64> {
    let end = Some(target.max).filter(|&max| max > 0).into_iter().chain(made(target)).min()?;
    Some(end.saturating_sub(target.base)).filter(|&length| length >= u64::from(target.block))
}

/// The caches that hold a working set of this length, in words (chosen by us: disks have 8 MiB or more, hosts and
/// arrays gigabytes); `None` if it is long.
fn held(length: u64) -> Option<&'static str> {
    match length >> 20 {
        0..=8 => Some("any cache of a disk, a host or an array holds that"),
        9..1024 => Some("a cache of a disk, a host or an array may hold that"),
        _ => None,
    }
}

/// Every row.
pub static ROWS: &[Risk] = &[
    risk("makes-anew", Danger, DISKSPD)
        .diskspd(|span| {
            let made: Vec<&Target> = span.targets.iter().filter(|target| made(target).is_some()).collect();
            let size: u64 = made.iter().filter_map(|target| target.create).sum();
            let paths: Vec<&str> = made.iter().map(|target| target.path.as_str()).collect();
            if paths.is_empty() {
                return None;
            }
            let takes = match size as f64 / 200e6 {
                time if time >= 1.0 => format!("; writing them takes {} at 200 MB/s", seconds(time)),
                _ => String::new(),
            };
            let reserved = match made.iter().any(|target| target.write_percent < 100) {
                true => " For an administrator of Windows they are only reserved: what a read of them costs depends on the device.",
                false => "",
            };
            Some(format!(
                "-c makes {} anew each time: what is there is lost. {} of space are needed{takes}.{reserved}",
                paths.join(" and "),
                bytes(size),
            ))
        }),
    risk("writes-over", Danger, DISKSPD)
        .diskspd(|span| {
            let written = span.targets.iter().filter(|target| target.write_percent > 0 && made(target).is_none());
            let of = |target: &Target| match (target.base, target.max) {
                (0, 0) => target.path.clone(),
                (base, 0) => format!("{} (from {} on)", target.path, bytes(base)),
                (base, max) => format!("{} (from {} to {})", target.path, bytes(base), bytes(max)),
            };
            let paths: Vec<String> = written.map(of).collect();
            (!paths.is_empty()).then(|| format!("What is in {} is overwritten.", paths.join(" and ")))
        }),
    risk("small-working-set", Misleading, "DiskSpd: command line and parameters")
        .diskspd(|span| {
            let small = |target: &&Target| reach(target).and_then(held).is_some();
            let target = span.targets.iter().filter(small).max_by_key(|target| reach(target))?;
            let (length, several) = (reach(target)?, span.targets.len() > 1);
            let step = if target.random > 0 { target.step() } else { u64::from(target.block) };
            Some(format!(
                "All I/O stays within {}{}, {} blocks: {}, and the figures may be that cache's. A longer file (-c) or \
                 region (-f) spreads it.",
                bytes(length),
                if several { " of each target" } else { "" },
                count(length / step),
                held(length)?
            ))
        }),
    risk("cached", Misleading, DISKSPD)
        .diskspd(|span| {
            let through = |target: &&Target| target.cache == Cache::Used && !target.write_through;
            let through: Vec<&Target> = span.targets.iter().filter(through).collect();
            let is = |holds: fn(&&Target) -> bool| through.iter().copied().any(|target| holds(&target));
            let what = match (is(|target| target.write_percent < 100), is(|target| target.write_percent > 0)) {
                (false, false) => return None,
                (true, false) => "reads may come from the cache",
                (false, true) => "writes end in the cache",
                (true, true) => "reads may come from the cache and writes end in it",
            };
            Some(format!("There is no -Sh: {what}, so that the figures can be those of memory."))
        }),
    risk("every-write-waits", Note, DISKSPD)
        .diskspd(|span| {
            let both = |target: &Target| target.cache == Cache::Off && target.write_through;
            says(writes(span) && span.targets.iter().any(both), "-Sh is -Suw, on Linux O_DIRECT with O_DSYNC; fio's direct=1 alone does not wait for stable storage, so the \
                 two are not alike.")
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
                let warm_up = match span.warm_up {
                    0 => String::new(),
                    warm_up => format!(" and {} of warm-up", typed_seconds(f64::from(warm_up))),
                };
                format!(
                    "{} of measuring{warm_up} fit into the burst of a volume that runs on credits: the rate may be one \
                     that does not last.",
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
            let reads = |target: &Target| target.write_percent < 100 && target.cache == Cache::Off;
            let is_small = |target: &Target| reach(target).and_then(held).is_some();
            says(span.targets.iter().any(|target| reads(target) && !is_small(target)), "The cache of this machine is passed and no other: reads may come from the cache of the host or the \
                 array, and what is then measured is that cache.")
        }),
    risk("same-data", Note, DISKSPD)
        .diskspd(|span| {
            let plain = |target: &Target| target.write_percent > 0 && target.write_source_bytes == 0;
            let mut plain = span.targets.iter().filter(|target| plain(target)).peekable();
            plain.peek()?;
            match (plain.any(|target| target.zero), span.random_write_data) {
                (true, _) => Some("-Z writes zeros, of which a volume that compresses or thins out stores nothing. -Zr writes \
                                   new random data.".to_owned()),
                (false, true) => None,
                (false, false) => Some("Without -Z every write has the same pattern of bytes, which a volume that compresses or drops \
                                        repeats stores for nothing. -Zr writes new random data.".to_owned()),
            }
        }),
    risk("same-places", Note, DISKSPD)
        .diskspd(|span| {
            let random = span.targets.iter().any(|target| target.random > 0);
            says(random && span.seed == 0, "Without -z the seed is 0: each run visits the same places in the same order, and a second one may find \
                 them in a cache.")
        }),
    risk("destroys", Danger, "ioping(1)")
        .ioping(|asked| {
            let kind = about_ioping::kind(&asked.target);
            if asked.mix() == Mix::Read || asked.writes < 3 || kind == Some(Kind::Directory) {
                return None;
            }
            let target = &asked.target;
            let lost = match kind {
                Some(_) => format!("What is on {target}"),
                None => format!("If {target} is a file or a device, what is on it"),
            };
            let blocks = match (about_ioping::most(asked), asked.mix()) {
                (None, _) => "blocks".to_owned(),
                (Some(most), Mix::Alternate) => format!("up to {} blocks", count(most.div_ceil(2))),
                (Some(most), _) => format!("up to {} blocks", count(most)),
            };
            let order = match asked.order {
                Order::Random => "at random places in",
                Order::Linear => "in order, of",
            };
            let (block, used) = (bytes(asked.request_bytes().0), about_ioping::used(asked));
            Some(format!("{lost} is overwritten: {blocks} of {block}, {order} {used}."))
        }),
    risk("no-tail", Misleading, "order statistics")
        .ioping(|asked| {
            let made = about_ioping::most(asked).filter(|&made| made.saturating_sub(asked.warmup) < 1000)?;
            let counted = made.saturating_sub(asked.warmup);
            Some(match counted {
                0 => "ioping 1.0 and later count none of these requests: their summary has no latency.".to_owned(),
                _ => {
                    let most = if asked.most_time().is_some() { "At most " } else { "" };
                    let (tail, beyond) = match (counted as f64 / 100.0).round() as u64 {
                        0 => ("no", "none".to_owned()),
                        requests => ("little", count(requests)),
                    };
                    format!(
                        "{most}{} show the usual latency and {tail} tail: {beyond} of them can be expected beyond the p99, \
                         and how slow the slowest is, is luck.",
                        requests(made, counted)
                    )
                }
            })
        }),
    risk("one-place", Wrong, "ioping(1): working set")
        .ioping(|asked| {
            let region = about_ioping::region(asked).filter(|region| region.places() == 1)?;
            let place = if about_ioping::kind(&asked.target).is_none() { "In a directory a" } else { "A" };
            Some(format!(
                "{place} request of {} fills the working set: each one goes to the same place, which any cache holds. \
                 -S 1g spreads them.",
                bytes(region.request)
            ))
        }),
    risk("an-idle-volume", Misleading, "ioping(1)")
        .ioping(|asked| says(asked.pause().as_secs_f64() >= 0.1 && asked.count != 1, "One request at a time with pauses between: the latency of a volume that is idle. Under load it is \
                 another, and no limit of the volume shows. The iops line is 1 / latency.")),
    risk("small-working-set", Misleading, "ioping(1): working set")
        .ioping(|asked| {
            let region = about_ioping::region(asked).filter(|region| region.places() > 1)?;
            let holds = held(region.bytes)?;
            let (place, made) = match about_ioping::kind(&asked.target) {
                Some(Kind::BlockDevice) => ("It", ""),
                Some(_) => ("It", " that was written just before"),
                None => ("In a directory it", " that was written just before"),
            };
            (asked.direct || !asked.cached).then(|| {
                format!("{place} stays within {}{made}: {holds}. -S 1g spreads it.", bytes(region.bytes))
            })
        }),
    risk("cached", Misleading, "ioping(1)")
        .ioping(|asked| says(asked.cached && !asked.direct && asked.sync == Sync::None, "-C times the page cache, where it holds the data; what ioping writes to a file of its own it holds.")),
    risk("advice-only", Note, "posix_fadvise(2)")
        .ioping(|asked| {
            let kind = about_ioping::kind(&asked.target);
            let is_asked = !asked.cached && !asked.direct && asked.mix() != Mix::Write;
            (is_asked && kind != Some(Kind::BlockDevice)).then(|| {
                let hole = if kind.is_none() { ", and a hole in a file is read from nothing" } else { "" };
                format!(
                    "That the page cache forgets is advice: it has no effect on memory file systems and ZFS{hole}. -D goes past it."
                )
            })
        }),
    risk("since-boot", Misleading, "iostat(1)")
        .iostat(|asked| match (asked.skips_first(), asked.interval_s, has_intervals(asked)) {
            (true, ..) => None,
            (_, 0, _) => Some("Without an interval it shows averages since the machine started.".to_owned()),
            (.., false) => Some(format!(
                "The only report counts since the machine started, not over {} s: -y skips it.",
                asked.interval_s
            )),
            _ => Some(
                "The first report counts since the machine started and is no interval: leave it out (-y).".to_owned(),
            ),
        }),
    risk("long-interval", Misleading, "iostat(1)")
        .iostat(|asked| {
            let interval = Some(asked.interval_s).filter(|&interval| interval > 1 && has_intervals(asked))?;
            Some(format!(
                "Each figure is a mean over {interval} s: bursts, stalls and limits that work by the second do not show."
            ))
        }),
    risk("utilisation", Misleading, "iostat(1), the note on %util")
        .iostat(|asked| says(asked.extended && asked.devices, "%util is the share of time with anything in flight: an SSD or an array, which works in parallel, is at 100 % \
                 long before its limit, and a volume held back by a limit may be below. await includes waiting in the \
                 queue, and is a mean without a tail; svctm (until version 12.1.1) is %util / IOPS, no service time.")),
    risk("layers", Note, "kernel documentation: iostats")
        .iostat(|asked| Some(format!("The same bytes count more than once: {}.", layers(asked)?))),
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
            (dd.writes() && !is_device(&dd.to) && !(dd.keeps && dd.appends))
                .then(|| {
                    let part = dd.part().map_or(String::new(), |part| format!(" ({part})"));
                    format!("If {} exists, what is in it{part} is lost.", dd.to)
                })
        }),
    risk("small-unit", Wrong, "dd(1): multiplicative suffixes")
        .dd(|dd| {
            let unit = dd.small_unit.as_ref()?;
            Some(format!("GNU dd takes no small letter as in {unit} (invalid number); only macOS and the BSDs do."))
        }),
    risk("no-zeros", Wrong, "dd(1): conv=sparse")
        .dd(|dd| says(dd.is_sparse && dd.from == "/dev/zero" && dd.writes(), "conv=sparse passes over blocks of zeros: nothing is written.")),
    risk("not-flushed", Wrong, "dd(1): conv=fdatasync")
        .dd(|dd| says(dd.writes() && dd.flushed == DdFlush::Never && !dd.direct_write && !is_device(&dd.to), "There is no conv=fdatasync: the time ends when the data is in memory, so that the figure is the page \
                 cache's and not the disk's, as far as memory has room.")),
    risk("not-flushed", Note, "dd(1): conv=fdatasync")
        .dd(|dd| says(dd.writes() && dd.flushed == DdFlush::Never && !dd.direct_write && is_device(&dd.to), "There is no conv=fdatasync: the time includes what the kernel still writes as dd closes the device (not if it is \
                 open elsewhere), and no flush of the disk's own cache.")),
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
        .dd(|dd| says(dd.from == "/dev/zero" && dd.writes() && !dd.is_sparse, "Zeros compress to nothing: a volume that compresses or thins out stores none of them.")),
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

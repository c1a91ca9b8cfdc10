//! What is risky or misleading about commands of DiskSpd, ioping, iostat and dd. Data: a risk is a row.

use super::about_diskspd::{in_flight, threads};
use super::about_fio::is_device;
use super::dd::Flushed;
use super::figures::{bytes, count, seconds};
use super::risk::Level::{Danger, Misleading, Note, Wrong};
use super::risk::{Risk, When};
use diskspd::{Cache, TimeSpan};
use ioping::Mix;

const BURST_S: f64 = 1800.0;
const DISKSPD: &str = "DiskSpd: command line and parameters";

fn writes(span: &TimeSpan) -> bool {
    span.targets.iter().any(|target| target.write_percent > 0)
}

/// Every row.
pub static ROWS: &[Risk] = &[
    Risk {
        id: "makes-anew",
        level: Danger,
        when: When::DiskSpd(|span| {
            let target = span.targets.iter().find(|target| target.create.is_some())?;
            let size = target.create?;
            Some(format!(
                "-c makes {} anew each time: what is in it is lost. {} of space are needed, and writing them takes {} \
                 at 200 MB/s.",
                target.path,
                bytes(size),
                seconds((size as f64 / 200e6 / 60.0).ceil() * 60.0)
            ))
        }),
        source: DISKSPD,
        example: "diskspd -c10G -Sh -L t.dat",
        without: "diskspd -Sh -L t.dat",
    },
    Risk {
        id: "writes-over",
        level: Danger,
        when: When::DiskSpd(|span| {
            let target =
                span.targets.iter().find(|target| target.write_percent > 0 && target.create.is_none())?;
            Some(format!("What is in {} is overwritten.", target.path))
        }),
        source: DISKSPD,
        example: "diskspd -w30 -Sh -L t.dat",
        without: "diskspd -Sh -L t.dat",
    },
    Risk {
        id: "cached",
        level: Misleading,
        when: When::DiskSpd(|span| {
            span.targets.iter().any(|target| target.cache == Cache::Used && !target.write_through).then(|| {
                "There is no -Sh: reads may come from the cache and writes end in it, so that the figures can be those \
                 of memory."
                    .to_owned()
            })
        }),
        source: DISKSPD,
        example: "diskspd -L t.dat",
        without: "diskspd -Sh -L t.dat",
    },
    Risk {
        id: "every-write-waits",
        level: Note,
        when: When::DiskSpd(|span| {
            let both = |target: &diskspd::Target| target.cache == Cache::Off && target.write_through;
            (writes(span) && span.targets.iter().any(both)).then(|| {
                "-Sh is -Suw: no software cache, and write-through, so that each write waits for stable storage. On \
                 Linux that is O_DIRECT with O_DSYNC; fio's direct=1 alone does not wait, so the two are not alike."
                    .to_owned()
            })
        }),
        source: DISKSPD,
        example: "diskspd -w100 -Sh -L t.dat",
        without: "diskspd -w100 -Su -L t.dat",
    },
    Risk {
        id: "threads-in-all",
        level: Misleading,
        when: When::DiskSpd(|span| {
            (span.threads > 0).then(|| {
                format!(
                    "-F{} is the number of threads in all, whatever the number of targets; -t would be a target's. -o is \
                     for each thread and target, so that {} are in flight.",
                    span.threads,
                    count(in_flight(span))
                )
            })
        }),
        source: DISKSPD,
        example: "diskspd -F4 -o8 -Sh -L t.dat",
        without: "diskspd -t4 -o8 -Sh -L t.dat",
    },
    Risk {
        id: "latency-of-the-queue",
        level: Misleading,
        when: When::DiskSpd(|span| {
            let depth = in_flight(span);
            (depth >= 16).then(|| {
                format!(
                    "With {} in flight ({} threads) an I/O mostly waits in line: depth / IOPS, {} at 5,000 IOPS. The \
                     volume's own latency shows with -t1 -o1.",
                    count(depth),
                    count(threads(span)),
                    seconds(depth as f64 / 5e3)
                )
            })
        }),
        source: "Little's law",
        example: "diskspd -t4 -o8 -Sh -L t.dat",
        without: "diskspd -t1 -o1 -Sh -L t.dat",
    },
    Risk {
        id: "no-latency",
        level: Misleading,
        when: When::DiskSpd(|span| {
            (!span.latency).then(|| "Without -L there are no latencies: a volume that stalls looks as good as one that does not.".to_owned())
        }),
        source: DISKSPD,
        example: "diskspd -Sh t.dat",
        without: "diskspd -Sh -L t.dat",
    },
    Risk {
        id: "shorter-than-a-burst",
        level: Misleading,
        when: When::DiskSpd(|span| {
            let time = f64::from(span.duration);
            (time < BURST_S && f64::from(span.warm_up) < BURST_S).then(|| {
                format!(
                    "{} of warm-up and {} of measuring fit into the burst of a volume that runs on credits: the rate may \
                     be one that does not last.",
                    seconds(f64::from(span.warm_up)),
                    seconds(time)
                )
            })
        }),
        source: "EBS user guide: I/O credits; Azure documentation: disk bursting",
        example: "diskspd -d30 -Sh -L t.dat",
        without: "diskspd -d3600 -Sh -L t.dat",
    },
    Risk {
        id: "long-warm-up",
        level: Note,
        when: When::DiskSpd(|span| {
            (span.warm_up >= 600).then(|| {
                format!(
                    "-W{} runs the load for {} before anything is measured. That fills a host cache; nothing says \
                     whether it is full, and without a cache it only takes time{}.",
                    span.warm_up,
                    seconds(f64::from(span.warm_up)),
                    if writes(span) { " and wears the disk" } else { "" }
                )
            })
        }),
        source: "Azure documentation: warming the cache before a benchmark",
        example: "diskspd -W7200 -Sh -L t.dat",
        without: "diskspd -W5 -Sh -L t.dat",
    },
    Risk {
        id: "host-cache",
        level: Note,
        when: When::DiskSpd(|span| {
            let reads =
                span.targets.iter().any(|target| target.write_percent < 100 && target.cache == Cache::Off);
            reads.then(|| {
                "-Sh passes the cache of this machine and no other: reads may come from the cache of the host or the \
                 array, and what is then measured is that cache."
                    .to_owned()
            })
        }),
        source: "Azure documentation: disk caching",
        example: "diskspd -Sh -L t.dat",
        without: "diskspd -w100 -Sh -L t.dat",
    },
    Risk {
        id: "same-data",
        level: Note,
        when: When::DiskSpd(|span| {
            let plain = |target: &diskspd::Target| {
                target.write_percent > 0 && target.write_source_bytes == 0 && !target.zero
            };
            (!span.random_write_data && span.targets.iter().any(plain)).then(|| {
                "Without -Z every write has the same pattern of bytes, which a volume that compresses or drops repeats \
                 stores for nothing. -Zr writes new random data."
                    .to_owned()
            })
        }),
        source: DISKSPD,
        example: "diskspd -w100 -Sh -L t.dat",
        without: "diskspd -w100 -Zr -Sh -L t.dat",
    },
    Risk {
        id: "same-places",
        level: Note,
        when: When::DiskSpd(|span| {
            let random = span.targets.iter().any(|target| target.random > 0);
            (random && span.seed == 0).then(|| {
                "Without -z the seed is 0: each run visits the same places in the same order, and a second one may find \
                 them in a cache."
                    .to_owned()
            })
        }),
        source: DISKSPD,
        example: "diskspd -r -Sh -L t.dat",
        without: "diskspd -r -z7 -Sh -L t.dat",
    },
    Risk {
        id: "destroys",
        level: Danger,
        when: When::Ioping(|asked| {
            (asked.mix() != Mix::Read && asked.writes >= 3)
                .then(|| format!("If {} is a file or a device, what is on it is overwritten.", asked.target))
        }),
        source: "ioping(1)",
        example: "ioping -WWW /dev/sdz",
        without: "ioping -W .",
    },
    Risk {
        id: "no-tail",
        level: Misleading,
        when: When::Ioping(|asked| {
            let counted = asked.count.saturating_sub(asked.warmup);
            (asked.count > 0 && counted < 1000).then(|| {
                format!(
                    "{} show the usual latency and no tail: {} of them can be expected beyond the p99, \
                     and how slow the slowest is, is luck.",
                    requests(asked.count, counted),
                    match counted / 100 {
                        0 => "none".to_owned(),
                        requests => count(requests),
                    }
                )
            })
        }),
        source: "order statistics",
        example: "ioping -c 10 .",
        without: "ioping -c 5000 .",
    },
    Risk {
        id: "an-idle-volume",
        level: Misleading,
        when: When::Ioping(|asked| {
            (asked.pause().as_secs_f64() >= 0.1).then(|| {
                "One request at a time with pauses between: the latency of a volume that is idle. Under load it is \
                 another, and no limit of the volume shows. The iops line is 1 / latency."
                    .to_owned()
            })
        }),
        source: "ioping(1)",
        example: "ioping -c 10 .",
        without: "ioping -i 0 -c 5000 .",
    },
    Risk {
        id: "small-working-set",
        level: Misleading,
        when: When::Ioping(|asked| {
            (asked.work_size.is_none() && !asked.rapid).then(|| {
                "In a directory it stays within a file of 1 MiB that was written just before: any cache of a disk, a host \
                 or an array holds that. -S 1g spreads it."
                    .to_owned()
            })
        }),
        source: "ioping(1): working set",
        example: "ioping -c 10 .",
        without: "ioping -S 1g -c 10 .",
    },
    Risk {
        id: "cached",
        level: Misleading,
        when: When::Ioping(|asked| {
            (asked.cached && !asked.direct)
                .then(|| "-C times the page cache, where it holds the data.".to_owned())
        }),
        source: "ioping(1)",
        example: "ioping -C .",
        without: "ioping -D .",
    },
    Risk {
        id: "advice-only",
        level: Note,
        when: When::Ioping(|asked| {
            (!asked.cached && !asked.direct && asked.mix() != Mix::Write).then(|| {
                "That the page cache forgets is advice: it has no effect on memory file systems and ZFS, and a hole in a \
                 file is read from nothing. -D goes past it."
                    .to_owned()
            })
        }),
        source: "posix_fadvise(2)",
        example: "ioping -c 10 .",
        without: "ioping -D -c 10 .",
    },
    Risk {
        id: "since-boot",
        level: Misleading,
        when: When::Iostat(|iostat| {
            (!iostat.has('y')).then(|| match iostat.interval {
                None => "Without an interval it shows averages since the machine started.".to_owned(),
                Some(_) => {
                    "The first report counts since the machine started and is no interval: leave it out (-y)."
                        .to_owned()
                }
            })
        }),
        source: "iostat(1)",
        example: "iostat -x 10 30",
        without: "iostat -y -x 10 30",
    },
    Risk {
        id: "long-interval",
        level: Misleading,
        when: When::Iostat(|iostat| {
            let interval = iostat.interval.filter(|&interval| interval > 1)?;
            Some(format!(
                "Each figure is a mean over {interval} s: bursts, stalls and limits that work by the second do not show."
            ))
        }),
        source: "iostat(1)",
        example: "iostat -y -x 10 30",
        without: "iostat -y -x 1 30",
    },
    Risk {
        id: "utilisation",
        level: Misleading,
        when: When::Iostat(|iostat| {
            iostat.has('x').then(|| {
                "%util is the share of time with anything in flight: a volume that works in parallel is at 100 % long \
                 before its limit, and one that is held back by a limit may be below. await mixes waiting in the queue \
                 with the device, as a mean without a tail."
                    .to_owned()
            })
        }),
        source: "iostat(1), the note on %util",
        example: "iostat -y -x 1 30",
        without: "iostat -y 1 30",
    },
    Risk {
        id: "layers",
        level: Note,
        when: When::Iostat(|iostat| {
            iostat.devices.is_empty().then(|| {
                "Disks, partitions' mappings and arrays stand side by side: the same bytes count at each layer.".to_owned()
            })
        }),
        source: "kernel documentation: iostats",
        example: "iostat -y -x 1 30",
        without: "iostat -y -x sda 1 30",
    },
    Risk {
        id: "destroys-device",
        level: Danger,
        when: When::Dd(|dd| {
            is_device(&dd.to).then(|| format!("Everything on {} is lost.", dd.to)).filter(|_| dd.writes())
        }),
        source: "dd(1)",
        example: "dd if=/dev/zero of=/dev/sdz bs=1M count=1",
        without: "dd if=/dev/sdz of=/dev/null bs=1M count=1",
    },
    Risk {
        id: "overwrites-file",
        level: Danger,
        when: When::Dd(|dd| {
            (dd.writes() && !is_device(&dd.to))
                .then(|| format!("If {} exists, what is in it is lost.", dd.to))
        }),
        source: "dd(1)",
        example: "dd if=/dev/zero of=t bs=1M count=1",
        without: "dd if=t of=/dev/null bs=1M count=1",
    },
    Risk {
        id: "not-flushed",
        level: Wrong,
        when: When::Dd(|dd| {
            (dd.writes() && dd.flushed == Flushed::Never && !dd.direct_write).then(|| {
                "There is no conv=fdatasync: the time ends when the data is in memory, so that the figure is the page \
                 cache's and not the disk's."
                    .to_owned()
            })
        }),
        source: "dd(1): conv=fdatasync",
        example: "dd if=/dev/zero of=t bs=1M count=1024",
        without: "dd if=/dev/zero of=t bs=1M count=1024 conv=fdatasync",
    },
    Risk {
        id: "cached-read",
        level: Wrong,
        when: When::Dd(|dd| {
            (dd.reads() && !dd.direct_read).then(|| {
                format!(
                    "There is no iflag=direct: what the page cache holds of {} is not read from the disk.",
                    dd.from
                )
            })
        }),
        source: "dd(1): iflag=direct",
        example: "dd if=t of=/dev/null bs=1M",
        without: "dd if=t of=/dev/null bs=1M iflag=direct",
    },
    Risk {
        id: "zeros",
        level: Misleading,
        when: When::Dd(|dd| {
            (dd.from == "/dev/zero" && dd.writes()).then(|| {
                "Zeros compress to nothing: a volume that compresses or thins out stores none of them."
                    .to_owned()
            })
        }),
        source: "dd(1)",
        example: "dd if=/dev/zero of=t bs=1M count=1",
        without: "dd if=x of=t bs=1M count=1 iflag=direct",
    },
    Risk {
        id: "slow-source",
        level: Misleading,
        when: When::Dd(|dd| {
            (dd.from.starts_with("/dev/u") && dd.writes()).then(|| {
                format!("{} makes a few hundred MB/s on one CPU: a fast volume waits for it.", dd.from)
            })
        }),
        source: "random(4)",
        example: "dd if=/dev/urandom of=t bs=1M count=1",
        without: "dd if=/dev/zero of=t bs=1M count=1",
    },
    Risk {
        id: "one-stream",
        level: Misleading,
        when: When::Dd(|_| {
            Some(
                "One sequential stream, one block at a time: nothing about random places, parallel requests or latency, \
                 which is what databases and servers ask for."
                    .to_owned(),
            )
        }),
        source: "dd(1)",
        example: "dd if=t of=/dev/null bs=1M",
        without: "",
    },
    Risk {
        id: "short-blocks",
        level: Misleading,
        when: When::Dd(|dd| {
            (dd.block < 64 << 10)
                .then(|| format!("Blocks of {} measure the calls more than the disk.", bytes(dd.block)))
        }),
        source: "dd(1): bs is 512 where it is not given",
        example: "dd if=t of=/dev/null",
        without: "dd if=t of=/dev/null bs=1M",
    },
    Risk {
        id: "no-end",
        level: Danger,
        when: When::Dd(|dd| {
            (dd.count.is_none()
                && dd.from.starts_with("/dev/")
                && !dd.reads()
                && dd.writes()
                && !is_device(&dd.to))
            .then(|| "There is no count: it goes on until the file system is full.".to_owned())
        }),
        source: "dd(1)",
        example: "dd if=/dev/zero of=t bs=1M",
        without: "dd if=/dev/zero of=t bs=1M count=10",
    },
];

/// `10 requests, of which ioping 1.0 and later count 9,`: earlier ones know no warmup.
fn requests(asked: u64, counted: u64) -> String {
    match asked == counted {
        true => format!("{} requests", count(asked)),
        false => {
            format!("{} requests, of which ioping 1.0 and later count {},", count(asked), count(counted))
        }
    }
}

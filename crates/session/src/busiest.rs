//! Which device of a watch does most now.

use record::{DiskCounters, Metric, Sample};
use report::DeviceNow;

/// Returns what the busiest of `favoured` did between two samples, or of all devices if none of these was sampled.
/// The device with the longest queue is the busiest; ties are broken by requests a second, then by the device that
/// `last` was about.
pub(crate) fn busiest(
    (before, after): (&Sample, &Sample),
    favoured: &[String],
    last: Option<&DeviceNow>,
) -> Option<DeviceNow> {
    let seconds = after.at.since(before.at).as_secs_f64();
    let mut places = after.disks.iter().enumerate().filter_map(|(place, (name, now))| {
        let there = before.disks.get(place).filter(|(known, _)| known == name);
        let (_, then) = there.or_else(|| before.disks.iter().find(|(known, _)| known == name))?;
        Some(doing(name, (then, now), seconds))
    });
    if !favoured.is_empty() {
        return places.find(|doing| favoured.contains(&doing.device));
    }
    let told = |now: &DeviceNow| last.is_some_and(|last| last.device == now.device);
    let weight = |now: &DeviceNow| (now.queue, now.reads + now.writes, told(now));
    places.max_by(|a, b| weight(a).partial_cmp(&weight(b)).unwrap_or(std::cmp::Ordering::Equal))
}

fn doing(name: &str, (then, now): (&DiskCounters, &DiskCounters), seconds: f64) -> DeviceNow {
    // A value that is unknown is shown as zero; the record keeps the difference.
    let value =
        |metric| Some(now.since(then, seconds, metric)).filter(|value| value.is_finite()).unwrap_or(0.0);
    let (reads, writes) = (value(Metric::ReadOps), value(Metric::WriteOps));
    let waited = reads * value(Metric::ReadAwait) + writes * value(Metric::WriteAwait);
    DeviceNow {
        device: name.to_owned(),
        reads,
        writes,
        await_s: if reads + writes > 0.0 { waited / (reads + writes) } else { 0.0 },
        queue: value(Metric::QueueDepth),
        bytes: value(Metric::ReadBytes) + value(Metric::WriteBytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::Nanos;

    fn sample(seconds: u64, disks: &[(&str, u64)]) -> Sample {
        let disk = |&(name, count): &(&str, u64)| {
            let counters = DiskCounters {
                reads: count,
                read_ms: count * 2,
                sectors_read: count * 8,
                writes: count / 2,
                write_ms: count * 4,
                queue_ms: count * 6,
                ..DiskCounters::default()
            };
            (name.into(), counters)
        };
        Sample { at: Nanos::from_secs(seconds), disks: disks.iter().map(disk).collect(), ..Sample::default() }
    }

    #[test]
    fn the_line_tells_of_the_busiest_device() {
        let before = sample(0, &[("vda", 0), ("vdb", 0)]);
        let after = sample(2, &[("vda", 100), ("vdb", 1400)]);
        let found = busiest((&before, &after), &[], None);
        assert_eq!(
            report::watch_progress(("load 2", Some(33.2)), found.as_ref(), 79),
            "  load 2  34 s left  vdb 700 r/s 350 w/s, 4 ms, queue 4.2, 2.7 MiB/s"
        );
        let of_load = busiest((&before, &after), &["vda".to_owned()], None).unwrap();
        assert_eq!(of_load.device, "vda");
        assert_eq!(
            report::watch_progress(("watching", None), None, 79),
            "  watching  waiting for the first sample"
        );
    }

    #[test]
    fn a_device_that_does_nothing_is_idle_and_one_that_has_just_come_waits_its_turn() {
        let found = busiest((&sample(0, &[("vda", 5)]), &sample(1, &[("vdb", 9), ("vda", 5)])), &[], None);
        assert_eq!(
            report::watch_progress(("idle 1", Some(0.4)), found.as_ref(), 79),
            "  idle 1  1 s left  vda idle"
        );
        assert_eq!(busiest((&sample(0, &[]), &sample(1, &[])), &[], None), None);
    }

    #[test]
    fn of_devices_that_are_all_quiet_the_last_busy_one_stays() {
        let quiet = sample(2, &[("vda", 100), ("vdb", 0), ("sr0", 0)]);
        let busy = busiest((&sample(0, &[("vda", 0), ("vdb", 0), ("sr0", 0)]), &quiet), &[], None);
        let later = sample(4, &[("vda", 100), ("vdb", 0), ("sr0", 0)]);
        assert_eq!(busiest((&quiet, &later), &[], busy.as_ref()).unwrap().device, "vda");
    }

    #[test]
    fn the_line_never_wraps() {
        let most = DeviceNow {
            device: "mapper-with-a-very-long-name-indeed".to_owned(),
            reads: 1e7,
            writes: 1e7,
            await_s: 1e4,
            queue: 1e6,
            bytes: 1e13,
        };
        for room in [19, 79, 89, 300] {
            let line = report::watch_progress(("load 1000% 12", Some(1e6)), Some(&most), room);
            assert!(line.chars().count() <= room && line.ends_with('…') == (room < 100), "{line}");
        }
    }
}

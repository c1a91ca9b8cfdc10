//! The idle gate: whether anyone else is using the device before a run saturates it.

use record::{SECTOR, Sample};

/// Use of a device by others between two samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// Device name.
    pub device: String,
    /// Reads and writes a second.
    pub ops_per_second: f64,
    /// Bytes read and written a second.
    pub bytes_per_second: f64,
    /// Share of the time (0 to 1) with at least one request in flight.
    pub busy_share: f64,
}

/// Operations a second up to which a target counts as idle: a root disk's own housekeeping stays below.
const IDLE_OPS: f64 = 20.0;
/// Share of busy time (0 to 1) up to which a target also counts as idle: what a fast disk's housekeeping may
/// reach.
const IDLE_BUSY: f64 = 0.05;
/// Operations a second that [`IDLE_BUSY`] is limited to; more is somebody's work, however short the device is
/// busy.
const IDLE_BUSY_OPS: f64 = 100.0;

/// Returns the use of the first (topmost) device between two samples. `None` if either sample lacks it, its
/// counters were reset, or no time passed.
pub fn between(before: &Sample, after: &Sample) -> Option<Use> {
    let seconds = after.at.since(before.at).as_secs_f64();
    let (device, then) = before.disks.first()?;
    let (_, now) = after.disks.iter().find(|(name, _)| name == device)?;
    let done = now.more_than(then)?;
    (seconds > 0.0).then(|| Use {
        device: device.to_string(),
        ops_per_second: (done.reads + done.writes) as f64 / seconds,
        bytes_per_second: ((done.sectors_read + done.sectors_written) * SECTOR) as f64 / seconds,
        busy_share: (done.busy_ms as f64 / 1e3 / seconds).min(1.0),
    })
}

impl Use {
    /// Whether the device counts as idle: few operations, or little busy time.
    pub fn is_idle(&self) -> bool {
        self.ops_per_second <= IDLE_OPS
            || (self.busy_share <= IDLE_BUSY && self.ops_per_second <= IDLE_BUSY_OPS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::DiskCounters;
    use workload::Nanos;

    fn sample(second: u64, reads: u64, busy_ms: u64) -> Sample {
        let counters = DiskCounters { reads, busy_ms, sectors_read: reads * 8, ..DiskCounters::default() };
        Sample { at: Nanos::from_secs(second), disks: vec![("vda".into(), counters)], ..Sample::default() }
    }

    #[test]
    fn a_device_that_serves_others_is_not_idle() {
        let seen = between(&sample(0, 0, 0), &sample(2, 2_000, 1_500)).unwrap();
        assert_eq!(
            (seen.ops_per_second, seen.bytes_per_second, seen.busy_share),
            (1_000.0, 4_096_000.0, 0.75)
        );
        assert!(!seen.is_idle());
    }

    #[test]
    fn housekeeping_counts_as_idle() {
        assert!(between(&sample(0, 0, 0), &sample(2, 30, 400)).unwrap().is_idle());
        assert!(between(&sample(0, 0, 0), &sample(2, 160, 20)).unwrap().is_idle());
        assert!(!between(&sample(0, 0, 0), &sample(2, 800, 20)).unwrap().is_idle(), "a fast disk at work");
    }
}

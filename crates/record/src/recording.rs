//! Recorded series of a run's machine, from plimsoll's own counters or from iostat's output.

use std::cell::RefCell;
use std::collections::HashSet;

use workload::Nanos;

use crate::{CpuMetric, DiskCounters, Metric, Run, Sample};

/// Multiple of the usual interval from which an interval counts as a gap, in which nothing was recorded.
const GAP: u64 = 3;

/// Series of a run's machine, one value per interval; NaN if there is no value.
#[derive(Clone, Debug)]
pub struct Recording<'r> {
    run: &'r Run,
    devices: Vec<&'r str>,
    intervals: Vec<(Nanos, Nanos)>,
    usual: Nanos,
    gaps: Vec<(Nanos, Nanos)>,
    /// Index of each device in each sample, by device; [`ABSENT`] if the sample lacks it.
    places: Vec<Vec<u16>>,
    /// Counters of the last requested device, because a caller that reads one of its metrics usually reads the
    /// others next.
    last: RefCell<Option<Column>>,
}

/// Counters of one device, contiguous in memory; samples without the device are left out.
#[derive(Clone, Debug)]
struct Column {
    device: usize,
    there: Vec<DiskCounters>,
    /// Index into `there` by sample; [`NOT_THERE`] if the sample lacks the device.
    places: Vec<u32>,
}

/// Marks a sample without the device: no run has that many samples.
const NOT_THERE: u32 = u32::MAX;

impl Column {
    fn of(device: usize, counters: impl Iterator<Item = Option<DiskCounters>>) -> Column {
        let mut there = Vec::new();
        let mut take = |counters| match counters {
            Some(counters) => {
                there.push(counters);
                (there.len() - 1) as u32
            }
            None => NOT_THERE,
        };
        let places = counters.map(&mut take).collect();
        Column { device, there, places }
    }

    /// Returns the values of a metric in these intervals; NaN if the device was missing or reset in between, or if
    /// no time passed.
    fn values(&self, metric: Metric, intervals: &[(Nanos, Nanos)]) -> Vec<f64> {
        let value = |(places, (from, to)): (&[u32], &(Nanos, Nanos))| {
            let there = |place: u32| self.there.get(place as usize);
            let (Some(before), Some(after)) = (there(places[0]), there(places[1])) else { return f64::NAN };
            let seconds = to.since(*from).as_secs_f64();
            match metric {
                // A momentary value, which needs no interval.
                Metric::InFlight => after.in_flight as f64,
                _ if seconds > 0.0 && !after.is_reset(before) => after.beyond(before, seconds, metric),
                _ => f64::NAN,
            }
        };
        self.places.windows(2).zip(intervals).map(value).collect()
    }
}

/// Marks a device that is missing from a sample.
const ABSENT: u16 = u16::MAX;

impl<'r> Recording<'r> {
    /// Opens the series of `run`.
    pub fn of(run: &'r Run) -> Recording<'r> {
        if let Some(observed) = &run.observed {
            let devices = observed.devices.iter().map(|device| device.name.as_str()).collect();
            return Recording::with(run, devices, observed.intervals.clone());
        }
        let devices = sampled(run);
        let intervals = run.samples.windows(2).map(|pair| (pair[0].at, pair[1].at)).collect();
        let in_samples = devices.iter().filter(|_| run.columns.is_empty());
        let places = in_samples.map(|name| places(name, &run.samples)).collect();
        Recording { places, ..Recording::with(run, devices, intervals) }
    }

    fn with(run: &'r Run, devices: Vec<&'r str>, intervals: Vec<(Nanos, Nanos)>) -> Recording<'r> {
        let mut lengths: Vec<u64> = intervals.iter().map(|(from, to)| to.since(*from).0).collect();
        lengths.sort_unstable();
        let usual = Nanos(lengths.get(lengths.len() / 2).copied().unwrap_or_default());
        let least = usual.0.saturating_mul(GAP);
        let is_gap = |(from, to): &(Nanos, Nanos)| least > 0 && to.since(*from).0 >= least;
        let gaps = intervals.iter().copied().filter(is_gap).collect();
        Recording { run, devices, intervals, usual, gaps, places: Vec::new(), last: RefCell::default() }
    }

    /// Returns the kernel names of the devices: first in the order of [`Run::devices`], then those added later.
    pub fn devices(&self) -> &[&'r str] {
        &self.devices
    }

    /// Returns start and end of each interval on the run's clock.
    pub fn intervals(&self) -> &[(Nanos, Nanos)] {
        &self.intervals
    }

    /// Returns the usual length of an interval: the median.
    pub fn usual(&self) -> Nanos {
        self.usual
    }

    /// Returns the intervals at least three times as long as usual, in which nothing was recorded.
    pub fn gaps(&self) -> &[(Nanos, Nanos)] {
        &self.gaps
    }

    /// Whether [`Recording::device`] has this series; computes nothing.
    pub fn has(&self, name: &str, metric: Metric) -> bool {
        match &self.run.observed {
            Some(observed) => {
                let device = observed.devices.iter().find(|device| device.name == name);
                device.is_some_and(|device| device.metrics.iter().any(|(known, _)| *known == metric))
            }
            None => self.devices.contains(&name),
        }
    }

    /// Whether the kernel keeps times for the device; if not (its `queue/iostats` is 0), its counters of time are 0 and
    /// mean nothing.
    pub fn is_timed(&self, name: &str) -> bool {
        self.run.devices.iter().find(|node| node.facts.name == name).is_none_or(|node| node.timed)
    }

    /// Returns a device's series, one value per interval; `None` if the device or the metric was never recorded.
    /// Metrics computed from times are NaN if the kernel keeps none ([`Recording::is_timed`]).
    pub fn device(&self, name: &str, metric: Metric) -> Option<Vec<f64>> {
        let values = self.recorded(name, metric)?;
        let unknown = metric.is_of_times() && !self.is_timed(name);
        Some(if unknown { vec![f64::NAN; values.len()] } else { values })
    }

    fn recorded(&self, name: &str, metric: Metric) -> Option<Vec<f64>> {
        if let Some(observed) = &self.run.observed {
            let device = observed.devices.iter().find(|device| device.name == name)?;
            return device
                .metrics
                .iter()
                .find(|(known, _)| *known == metric)
                .map(|(_, values)| values.clone());
        }
        let at = self.devices.iter().position(|known| *known == name)?;
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|column| column.device != at) {
            *last = Some(Column::of(at, self.counters(at)?));
        }
        Some(last.as_ref().map_or_else(Vec::new, |column| column.values(metric, &self.intervals)))
    }

    /// Returns the differences of a device's own counters, one item per interval, which is `None` if the device was
    /// missing or reset. `None` as a whole if the device was never recorded or another tool printed the series.
    /// Meant for callers that read all metrics together; the times mean nothing if [`Recording::is_timed`] is
    /// false.
    pub fn counted(&self, name: &str) -> Option<impl Iterator<Item = Option<DiskCounters>> + '_> {
        let mut each = self.counters(self.devices.iter().position(|known| *known == name)?)?;
        let mut before = each.next().flatten();
        Some(each.map(move |after| {
            let (from, to) = (std::mem::replace(&mut before, after)?, after?);
            to.more_than(&from)
        }))
    }

    /// Returns the counters of a device in each sample; `None` as a whole if another tool printed the series.
    fn counters(&self, device: usize) -> Option<Box<dyn Iterator<Item = Option<DiskCounters>> + '_>> {
        let samples = &self.run.samples;
        if !self.run.columns.is_empty() {
            let packed = self.run.columns.of(self.devices.get(device)?, samples.len())?;
            return Some(Box::new(packed));
        }
        let places = self.places.get(device)?;
        Some(Box::new(samples.iter().zip(places).map(|(sample, place)| counters(sample, *place).copied())))
    }

    /// Returns a series of the CPUs, one value (0 to 1) per interval; `None` if it was never recorded.
    pub fn cpu(&self, metric: CpuMetric) -> Option<Vec<f64>> {
        if let Some(observed) = &self.run.observed {
            return observed.cpu.iter().find(|(known, _)| *known == metric).map(|(_, values)| values.clone());
        }
        let value = |pair: &[Sample]| pair[1].cpu.since(&pair[0].cpu, metric);
        (self.run.samples.len() > 1).then(|| self.run.samples.windows(2).map(value).collect())
    }
}

fn counters(sample: &Sample, place: u16) -> Option<&DiskCounters> {
    sample.disks.get(usize::from(place)).map(|(_, counters)| counters)
}

/// Returns the sampled devices: first in the run's own order, then those added while it ran.
fn sampled(run: &Run) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let known = run.devices.iter().map(|node| node.facts.name.as_str());
    let mut last: &[(std::sync::Arc<str>, crate::DiskCounters)] = &[];
    let mut seen: Vec<&str> = Vec::new();
    let mut met: HashSet<&str> = HashSet::new();
    for sample in &run.samples {
        let same = last.len() == sample.disks.len()
            && last.iter().zip(&sample.disks).all(|(a, b)| std::sync::Arc::ptr_eq(&a.0, &b.0) || a.0 == b.0);
        if !same {
            seen.extend(sample.disks.iter().map(|(name, _)| &**name).filter(|name| met.insert(name)));
        }
        last = &sample.disks;
    }
    for name in run.columns.names() {
        if met.insert(name) {
            seen.push(name);
        }
    }
    let mut taken: HashSet<&str> = HashSet::new();
    names.extend(known.filter(|name| met.contains(name) && taken.insert(name)));
    names.extend(seen.into_iter().filter(|name| !taken.contains(name)));
    names
}

/// Returns the index of `name` in each sample, usually the same as in the previous one.
fn places(name: &str, samples: &[Sample]) -> Vec<u16> {
    let mut last = 0;
    let place = |sample: &Sample| {
        let named = |at: usize| sample.disks.get(at).is_some_and(|(known, _)| &**known == name);
        if !named(last) {
            match sample.disks.iter().position(|(known, _)| &**known == name) {
                Some(at) => last = at,
                None => return ABSENT,
            }
        }
        u16::try_from(last).unwrap_or(ABSENT)
    };
    samples.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(seconds: u64, disks: &[(&str, u64)]) -> Sample {
        let disk = |(name, reads): &(&str, u64)| {
            ((*name).into(), DiskCounters { reads: *reads, ..DiskCounters::default() })
        };
        Sample { at: Nanos::from_secs(seconds), disks: disks.iter().map(disk).collect(), ..Sample::default() }
    }

    #[test]
    fn a_device_without_times_has_counts_and_no_times() {
        let mut run = Run::started(Vec::new(), 0);
        let node = |name: &str, timed| {
            let facts = crate::DeviceFacts { name: name.into(), ..crate::DeviceFacts::default() };
            crate::DeviceNode { facts, timed, ..crate::DeviceNode::default() }
        };
        run.devices = vec![node("vda", true), node("zram0", false)];
        let disks = [("vda", 4), ("zram0", 4)];
        run.samples = vec![sample(0, &[("vda", 0), ("zram0", 0)]), sample(1, &disks), sample(2, &disks)];
        let recording = Recording::of(&run);
        assert!(recording.is_timed("vda") && recording.is_timed("new") && !recording.is_timed("zram0"));
        assert_eq!(recording.device("zram0", Metric::ReadOps).unwrap(), [4.0, 0.0]);
        assert_eq!(recording.device("zram0", Metric::InFlight).unwrap(), [0.0, 0.0]);
        for metric in Metric::all().filter(|metric| metric.is_of_times()) {
            let values = recording.device("zram0", metric).unwrap();
            assert!(values.len() == 2 && values.iter().all(|value| value.is_nan()), "{metric:?} {values:?}");
        }
        for metric in [Metric::QueueDepth, Metric::Busy] {
            assert_eq!(recording.device("vda", metric).unwrap(), [0.0, 0.0]);
        }
    }

    #[test]
    fn a_device_that_goes_and_comes_leaves_nothing_where_it_was_not() {
        let mut run = Run::started(Vec::new(), 0);
        run.samples = vec![
            sample(0, &[("vda", 0), ("vdb", 10)]),
            sample(1, &[("vda", 5), ("vdb", 20)]),
            sample(2, &[("vda", 10)]),
            sample(3, &[("vdb", 0), ("vda", 15)]),
            sample(4, &[("vdb", 7), ("vda", 20)]),
            sample(14, &[("vdb", 7), ("vda", 20)]),
        ];
        let recording = Recording::of(&run);
        assert_eq!(recording.devices(), ["vda", "vdb"]);
        assert_eq!(recording.device("vda", Metric::ReadOps).unwrap(), [5.0, 5.0, 5.0, 5.0, 0.0]);
        let vdb = recording.device("vdb", Metric::ReadOps).unwrap();
        assert!(vdb[0] == 10.0 && vdb[1].is_nan() && vdb[2].is_nan() && vdb[3] == 7.0, "{vdb:?}");
        assert_eq!(recording.usual(), Nanos::SECOND);
        assert_eq!(recording.gaps(), [(Nanos::from_secs(4), Nanos::from_secs(14))]);
        assert!(recording.device("vdc", Metric::ReadOps).is_none());
        let counted = recording.counted("vdb").unwrap();
        let reads: Vec<Option<u64>> = counted.map(|more| more.map(|more| more.reads)).collect();
        assert_eq!(reads, [Some(10), None, None, Some(7), Some(0)]);
    }
}

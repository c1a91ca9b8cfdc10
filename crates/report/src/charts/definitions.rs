//! The six charts of a watched device as rows of data, from which page, pictures and zoom draw.

use record::{CpuMetric, Metric, Recording, Unit};

use super::ink::Ink;

/// A chart of a device, or of the CPUs beside it, against time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartDefinition {
    /// Identifier within a page and in file names.
    pub id: &'static str,
    /// Title: what the chart shows.
    pub title: &'static str,
    /// Unit of the values. Lines in another unit get a separate panel below.
    pub unit: Unit,
    /// Lines in the order of the legend.
    pub lines: &'static [LineDefinition],
}

/// A line of a [`ChartDefinition`]: its metric, its name in the legend, its ink.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LineDefinition {
    /// A metric of the device.
    Device(Metric, &'static str, Ink),
    /// A metric of the CPUs.
    Cpu(CpuMetric, &'static str, Ink),
}

use LineDefinition::{Cpu, Device};

/// The charts in order; their figure numbers follow the same order. Line names are iostat's keys.
///
/// Lines for all directions together are drawn only if the recording does not split by direction, as in iostat's
/// short and basic reports. `aqu-sz` is a number of requests, so it has a separate panel beside the sizes, which
/// are bytes.
pub const CHARTS: [ChartDefinition; 6] = [
    ChartDefinition {
        id: "cpu",
        title: "CPU utilisation",
        unit: Unit::Share,
        lines: &[
            Cpu(CpuMetric::Idle, "idle", Ink::Idle),
            Cpu(CpuMetric::System, "system", Ink::System),
            Cpu(CpuMetric::User, "user", Ink::User),
            Cpu(CpuMetric::Nice, "nice", Ink::Nice),
            Cpu(CpuMetric::Iowait, "iowait", Ink::Iowait),
            Cpu(CpuMetric::Steal, "steal", Ink::Steal),
        ],
    },
    ChartDefinition {
        id: "utilisation",
        title: "Disk utilisation and merges",
        unit: Unit::Share,
        lines: &[
            Device(Metric::ReadMergedShare, "rrqm", Ink::ReadMerged),
            Device(Metric::WriteMergedShare, "wrqm", Ink::WriteMerged),
            Device(Metric::Busy, "util", Ink::Busy),
            Device(Metric::DiscardMergedShare, "drqm", Ink::DiscardMerged),
        ],
    },
    ChartDefinition {
        id: "iops",
        title: "Disk IOPS",
        unit: Unit::PerSecond,
        lines: &[
            Device(Metric::ReadOps, "r/s", Ink::Read),
            Device(Metric::WriteOps, "w/s", Ink::Write),
            Device(Metric::ReadMerges, "rrqm/s", Ink::ReadMerged),
            Device(Metric::WriteMerges, "wrqm/s", Ink::WriteMerged),
            Device(Metric::DiscardOps, "d/s", Ink::Discard),
            Device(Metric::DiscardMerges, "drqm/s", Ink::DiscardMerged),
            Device(Metric::Ops, "tps", Ink::Busy),
            Device(Metric::Merges, "rqm/s", Ink::Queue),
        ],
    },
    ChartDefinition {
        id: "latency",
        title: "Disk latency",
        unit: Unit::Seconds,
        lines: &[
            Device(Metric::ReadAwait, "r_await", Ink::Read),
            Device(Metric::WriteAwait, "w_await", Ink::Write),
            Device(Metric::DiscardAwait, "d_await", Ink::Discard),
            Device(Metric::Await, "await", Ink::Busy),
        ],
    },
    ChartDefinition {
        id: "sizes",
        title: "Request sizes and queue depth",
        unit: Unit::Bytes,
        lines: &[
            Device(Metric::ReadSize, "rareq-sz", Ink::Read),
            Device(Metric::WriteSize, "wareq-sz", Ink::Write),
            Device(Metric::QueueDepth, "aqu-sz", Ink::Queue),
            Device(Metric::DiscardSize, "dareq-sz", Ink::Discard),
            Device(Metric::Size, "areq-sz", Ink::Busy),
        ],
    },
    ChartDefinition {
        id: "traffic",
        title: "Disk traffic",
        unit: Unit::BytesPerSecond,
        lines: &[
            Device(Metric::ReadBytes, "rkB/s", Ink::Read),
            Device(Metric::WriteBytes, "wkB/s", Ink::Write),
            Device(Metric::DiscardBytes, "dkB/s", Ink::Discard),
            Device(Metric::Bytes, "kB/s", Ink::Busy),
        ],
    },
];

impl ChartDefinition {
    /// Returns the panels of the chart: first the lines in the chart's unit, then a panel for each other unit.
    pub fn panels(&self) -> Vec<(Unit, Vec<LineDefinition>)> {
        let mut panels = vec![(self.unit, Vec::new())];
        for line in self.lines {
            match panels.iter_mut().find(|(unit, _)| *unit == line.unit()) {
                Some((_, lines)) => lines.push(*line),
                None => panels.push((line.unit(), vec![*line])),
            }
        }
        panels
    }

    /// Whether the chart shows the machine's CPUs rather than one device.
    pub fn is_of_cpu(&self) -> bool {
        self.lines.iter().all(|line| matches!(line, Cpu(..)))
    }
}

/// Metrics by direction that add up to `metric`; empty if there are none.
fn directions(metric: Metric) -> &'static [Metric] {
    match metric {
        Metric::Ops => &[Metric::ReadOps, Metric::WriteOps],
        Metric::Merges => &[Metric::ReadMerges, Metric::WriteMerges],
        Metric::Await => &[Metric::ReadAwait, Metric::WriteAwait],
        Metric::Size => &[Metric::ReadSize, Metric::WriteSize],
        Metric::Bytes => &[Metric::ReadBytes, Metric::WriteBytes],
        _ => &[],
    }
}

impl LineDefinition {
    /// Name of the line: iostat's key.
    pub fn name(&self) -> &'static str {
        match self {
            Device(_, name, _) | Cpu(_, name, _) => name,
        }
    }

    /// Colour and dashes of the line.
    pub fn ink(&self) -> Ink {
        match self {
            Device(_, _, ink) | Cpu(_, _, ink) => *ink,
        }
    }

    /// Whether the line shows merged requests. Their area overlaps that of the requests they were merged into, so
    /// shading would hide the latter.
    pub fn is_of_merges(&self) -> bool {
        matches!(self.ink(), Ink::ReadMerged | Ink::WriteMerged | Ink::DiscardMerged)
    }

    /// Unit of the values.
    pub fn unit(&self) -> Unit {
        match self {
            Device(metric, ..) => metric.unit(),
            Cpu(..) => Unit::Share,
        }
    }

    /// Returns the values of the line, one for each interval of `recording`. NaN if there is no value, and in
    /// unobserved intervals, whose mean would draw a line across the gap. `None` if the metric was never recorded,
    /// or is a metric of all directions that the recording splits by direction.
    pub fn values(&self, recording: &Recording<'_>, device: &str) -> Option<Vec<f64>> {
        if let Device(metric, ..) = self
            && directions(*metric).iter().any(|part| recording.has(device, *part))
        {
            return None;
        }
        let mut values = match self {
            Device(metric, ..) => recording.device(device, *metric),
            Cpu(metric, ..) => recording.cpu(*metric),
        }?;
        let gaps = recording.gaps();
        let missed = |interval: &(workload::Nanos, workload::Nanos)| gaps.binary_search(interval).is_ok();
        for (value, interval) in values.iter_mut().zip(recording.intervals()) {
            if missed(interval) {
                *value = f64::NAN;
            }
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_iostat_and_colours_are_told_apart() {
        for chart in CHARTS {
            let mut inks: Vec<String> = chart.lines.iter().map(|line| line.ink().hex()).collect();
            inks.sort();
            inks.dedup();
            assert_eq!(inks.len(), chart.lines.len(), "{}: two lines of one colour", chart.id);
            for line in chart.lines {
                let key = match line {
                    Device(metric, ..) => metric.column(),
                    Cpu(metric, ..) => metric.column(),
                };
                assert_eq!(line.name(), key);
            }
        }
    }

    #[test]
    fn all_directions_together_are_drawn_where_none_is_told_apart() {
        let device = |metrics: &[Metric]| record::ObservedDevice {
            name: "vda".into(),
            metrics: metrics.iter().map(|metric| (*metric, vec![1.0])).collect(),
        };
        let drawn = |metrics: &[Metric]| {
            let mut run = record::Run::started(Vec::new(), 0);
            let intervals = vec![(workload::Nanos::ZERO, workload::Nanos::SECOND)];
            run.observed = Some(record::ObservedMachine {
                intervals,
                devices: vec![device(metrics)],
                ..Default::default()
            });
            let recording = Recording::of(&run);
            let lines = CHARTS.iter().flat_map(|chart| chart.lines);
            let drawn = lines.filter(|line| line.values(&recording, "vda").is_some());
            drawn.map(LineDefinition::name).collect::<Vec<_>>()
        };
        assert_eq!(drawn(&[Metric::Ops, Metric::Await]), ["tps", "await"]);
        assert_eq!(
            drawn(&[Metric::Ops, Metric::ReadOps, Metric::Await, Metric::WriteAwait]),
            ["r/s", "w_await"]
        );
    }

    #[test]
    fn a_queue_is_no_size() {
        let panels = CHARTS[4].panels();
        let names = |at: usize| panels[at].1.iter().map(LineDefinition::name).collect::<Vec<_>>();
        assert_eq!(
            (panels[0].0, names(0)),
            (Unit::Bytes, vec!["rareq-sz", "wareq-sz", "dareq-sz", "areq-sz"])
        );
        assert_eq!((panels[1].0, names(1)), (Unit::Count, vec!["aqu-sz"]));
        assert!(CHARTS.iter().enumerate().all(|(at, chart)| at == 4 || chart.panels().len() == 1));
        assert!(CHARTS[0].is_of_cpu() && !CHARTS[1].is_of_cpu());
    }
}

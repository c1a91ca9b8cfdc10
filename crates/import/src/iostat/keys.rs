//! Meaning of each key of iostat's JSON, in every generation, as rows.

use record::Metric;

/// Contents of a key, and the factor to the base unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Column {
    /// A figure of a device.
    Figure(Metric, f64),
    /// Throughput, in the unit that the key names.
    Throughput(Metric, f64),
    /// An amount over the whole interval, in the unit that the key names; divided by its rate, it gives the
    /// interval's length.
    Amount(Metric, f64),
    /// Merges a second before 11.5.7, a percentage since.
    Merged {
        /// Metric before 11.5.7.
        rate: Metric,
        /// Metric since 11.5.7.
        share: Metric,
    },
    /// A figure that is not kept.
    Dropped,
}

pub(super) const MS: f64 = 1e-3;
pub(super) const KIB: f64 = 1024.0;
pub(super) const PERCENT: f64 = 1e-2;
/// Bytes of a sector.
pub(super) const SECTOR: f64 = record::SECTOR as f64;

/// Keys without a variable unit.
const PLAIN: [(&str, Column); 47] = [
    ("r/s", Column::Figure(Metric::ReadOps, 1.0)),
    ("w/s", Column::Figure(Metric::WriteOps, 1.0)),
    ("d/s", Column::Figure(Metric::DiscardOps, 1.0)),
    ("f/s", Column::Figure(Metric::FlushOps, 1.0)),
    ("tps", Column::Figure(Metric::Ops, 1.0)),
    ("rrqm/s", Column::Figure(Metric::ReadMerges, 1.0)),
    ("wrqm/s", Column::Figure(Metric::WriteMerges, 1.0)),
    ("drqm/s", Column::Figure(Metric::DiscardMerges, 1.0)),
    ("rqm/s", Column::Figure(Metric::Merges, 1.0)),
    ("rrqm", Column::Merged { rate: Metric::ReadMerges, share: Metric::ReadMergedShare }),
    ("wrqm", Column::Merged { rate: Metric::WriteMerges, share: Metric::WriteMergedShare }),
    ("drqm", Column::Merged { rate: Metric::DiscardMerges, share: Metric::DiscardMergedShare }),
    ("%rrqm", Column::Figure(Metric::ReadMergedShare, PERCENT)),
    ("%wrqm", Column::Figure(Metric::WriteMergedShare, PERCENT)),
    ("%drqm", Column::Figure(Metric::DiscardMergedShare, PERCENT)),
    ("r_await", Column::Figure(Metric::ReadAwait, MS)),
    ("w_await", Column::Figure(Metric::WriteAwait, MS)),
    ("d_await", Column::Figure(Metric::DiscardAwait, MS)),
    ("f_await", Column::Figure(Metric::FlushAwait, MS)),
    ("await", Column::Figure(Metric::Await, MS)),
    ("rareq-sz", Column::Figure(Metric::ReadSize, KIB)),
    ("wareq-sz", Column::Figure(Metric::WriteSize, KIB)),
    ("dareq-sz", Column::Figure(Metric::DiscardSize, KIB)),
    ("areq-sz", Column::Figure(Metric::Size, KIB)),
    ("avgrq-sz", Column::Figure(Metric::Size, SECTOR)),
    ("aqu-sz", Column::Figure(Metric::QueueDepth, 1.0)),
    ("avgqu-sz", Column::Figure(Metric::QueueDepth, 1.0)),
    ("in_flight", Column::Figure(Metric::InFlight, 1.0)),
    ("util", Column::Figure(Metric::Busy, PERCENT)),
    ("%util", Column::Figure(Metric::Busy, PERCENT)),
    ("svctm", Column::Dropped),
    // 11.5.1 to 11.5.6.
    ("r", Column::Figure(Metric::ReadOps, 1.0)),
    ("w", Column::Figure(Metric::WriteOps, 1.0)),
    ("rsec", Column::Throughput(Metric::ReadBytes, SECTOR)),
    ("wsec", Column::Throughput(Metric::WriteBytes, SECTOR)),
    ("rkB", Column::Throughput(Metric::ReadBytes, KIB)),
    ("wkB", Column::Throughput(Metric::WriteBytes, KIB)),
    ("rMB", Column::Throughput(Metric::ReadBytes, KIB * KIB)),
    ("wMB", Column::Throughput(Metric::WriteBytes, KIB * KIB)),
    // sar and sadf.
    ("rd_sec/s", Column::Throughput(Metric::ReadBytes, SECTOR)),
    ("wr_sec/s", Column::Throughput(Metric::WriteBytes, SECTOR)),
    ("dc_sec/s", Column::Throughput(Metric::DiscardBytes, SECTOR)),
    ("rd_sec", Column::Throughput(Metric::ReadBytes, SECTOR)),
    ("wr_sec", Column::Throughput(Metric::WriteBytes, SECTOR)),
    ("dc_sec", Column::Throughput(Metric::DiscardBytes, SECTOR)),
    ("dkB", Column::Throughput(Metric::DiscardBytes, KIB)),
    ("util-percent", Column::Figure(Metric::Busy, PERCENT)),
];

/// Units within keys, and their bytes.
const UNITS: [(&str, f64); 5] =
    [("kB", KIB), ("MB", KIB * KIB), ("GB", KIB * KIB * KIB), ("sec", SECTOR), ("Blk", SECTOR)];

/// Keys with a unit in place of the star.
const WITH_UNIT: [(&str, Metric); 10] = [
    ("r*/s", Metric::ReadBytes),
    ("w*/s", Metric::WriteBytes),
    ("d*/s", Metric::DiscardBytes),
    ("*/s", Metric::Bytes),
    ("*_read/s", Metric::ReadBytes),
    ("*_wrtn/s", Metric::WriteBytes),
    ("*_dscd/s", Metric::DiscardBytes),
    ("*_read_per_sec", Metric::ReadBytes),
    ("*_wrtn_per_sec", Metric::WriteBytes),
    ("*_dscd_per_sec", Metric::DiscardBytes),
];

/// Amounts over the whole interval.
const AMOUNTS: [(&str, Metric); 3] =
    [("*_read", Metric::ReadBytes), ("*_wrtn", Metric::WriteBytes), ("*_dscd", Metric::DiscardBytes)];

/// Returns the contents of `key`; `None` if no generation has such a key.
pub(super) fn column(key: &str) -> Option<Column> {
    if let Some((_, column)) = PLAIN.iter().find(|(known, _)| *known == key) {
        return Some(*column);
    }
    let rate = with_unit(key, &WITH_UNIT).map(|(metric, factor)| Column::Throughput(metric, factor));
    rate.or_else(|| with_unit(key, &AMOUNTS).map(|(metric, factor)| Column::Amount(metric, factor)))
}

fn with_unit(key: &str, rows: &[(&str, Metric)]) -> Option<(Metric, f64)> {
    rows.iter().find_map(|(pattern, metric)| {
        let (before, after) = pattern.split_once('*')?;
        let unit = key.strip_prefix(before)?.strip_suffix(after)?;
        UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| (*metric, *factor))
    })
}

/// Metrics of one direction: requests, throughput, size, wait and merges.
pub(super) struct Way {
    /// Requests a second.
    pub ops: Metric,
    /// Bytes a second.
    pub bytes: Option<Metric>,
    /// Mean request size.
    pub size: Option<Metric>,
    /// Mean wait.
    pub wait: Metric,
    /// Merges a second.
    pub merges: Option<Metric>,
    /// Merged share.
    pub share: Option<Metric>,
}

/// The directions, and all of them together.
#[rustfmt::skip]
pub(super) const WAYS: [Way; 5] = {
    use Metric::*;
    [
        Way { ops: ReadOps, bytes: Some(ReadBytes), size: Some(ReadSize), wait: ReadAwait,
              merges: Some(ReadMerges), share: Some(ReadMergedShare) },
        Way { ops: WriteOps, bytes: Some(WriteBytes), size: Some(WriteSize), wait: WriteAwait,
              merges: Some(WriteMerges), share: Some(WriteMergedShare) },
        Way { ops: DiscardOps, bytes: Some(DiscardBytes), size: Some(DiscardSize), wait: DiscardAwait,
              merges: Some(DiscardMerges), share: Some(DiscardMergedShare) },
        Way { ops: FlushOps, bytes: None, size: None, wait: FlushAwait, merges: None, share: None },
        Way { ops: Ops, bytes: Some(Bytes), size: Some(Size), wait: Await, merges: Some(Merges), share: None },
    ]
};

impl Way {
    /// Returns every metric of the direction.
    pub fn metrics(&self) -> impl Iterator<Item = Metric> {
        [Some(self.ops), self.bytes, self.size, Some(self.wait), self.merges, self.share]
            .into_iter()
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_stands_in_the_key() {
        let cases = [
            ("rkB/s", Some(Column::Throughput(Metric::ReadBytes, 1024.0))),
            ("wsec/s", Some(Column::Throughput(Metric::WriteBytes, 512.0))),
            ("dMB/s", Some(Column::Throughput(Metric::DiscardBytes, 1_048_576.0))),
            ("GB/s", Some(Column::Throughput(Metric::Bytes, 1_073_741_824.0))),
            ("Blk_wrtn/s", Some(Column::Throughput(Metric::WriteBytes, 512.0))),
            ("kB_read_per_sec", Some(Column::Throughput(Metric::ReadBytes, 1024.0))),
            ("MB_dscd", Some(Column::Amount(Metric::DiscardBytes, 1_048_576.0))),
            ("rTB/s", None),
            ("kB", None),
        ];
        for (key, expected) in cases {
            assert_eq!(column(key), expected, "{key}");
        }
    }
}

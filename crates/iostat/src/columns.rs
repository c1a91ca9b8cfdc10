//! The columns of the device reports as data: header, key, width, what they show.

use super::asked::Units;
use super::figures::{Differences, ratio};

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A plain number with decimals.
    Number,
    /// An amount in the unit of the report, with decimals.
    Amount,
    /// A whole amount in the unit of the report.
    Whole,
    /// An amount that is always in kilobytes.
    Kilobytes,
    /// Per cent.
    Percent,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// Header of the text; `@` stands for the unit.
    pub(super) header: &'static str,
    /// Key of the JSON; `@` stands for the unit.
    pub(super) key: &'static str,
    /// Width without the blank before it.
    pub(super) width: usize,
    /// How it is written.
    pub(super) form: Form,
    /// The value; of amounts in sectors, of rates per second given the interval in seconds.
    pub(super) value: fn(&Differences, f64) -> Option<f64>,
}

const fn column(
    names: (&'static str, &'static str),
    width: usize,
    form: Form,
    value: fn(&Differences, f64) -> Option<f64>,
) -> Column {
    Column { header: names.0, key: names.1, width, form, value }
}

/// A rate.
macro_rules! rate {
    ($($field:ident)+) => { |d, seconds| per(sum(&[$(d.$field),+]), seconds) };
}

/// Merged requests in per cent of all.
macro_rules! merged {
    ($merged:ident of $ios:ident) => {
        |d, _| Some(100.0 * ratio(d.$merged, sum(&[d.$merged, d.$ios]))?)
    };
}

fn per(value: Option<f64>, seconds: f64) -> Option<f64> {
    value.map(|value| value / seconds)
}

fn sum(values: &[Option<f64>]) -> Option<f64> {
    values.iter().copied().sum()
}

const TPS: Column = column(("tps", "tps"), 8, Form::Number, |d, s| per(d.ios(), s));
const QUEUE: Column = column(("aqu-sz", "aqu-sz"), 7, Form::Number, |d, s| Some(d.queue_ms / s / 1000.0));
const UTIL: Column = column(("%util", "util"), 6, Form::Percent, |d, s| {
    Some(if d.members > 0.0 { d.busy_ms / s / 10.0 / d.members } else { 0.0 })
});

/// The plain report.
#[rustfmt::skip]
pub(super) const PLAIN: &[Column] = &[
    TPS,
    column(("@_read/s", "@_read/s"), 12, Form::Amount, rate!(sectors_read)),
    column(("@_wrtn/s", "@_wrtn/s"), 12, Form::Amount, rate!(sectors_written)),
    column(("@_dscd/s", "@_dscd/s"), 12, Form::Amount, rate!(sectors_discarded)),
    column(("@_read", "@_read"), 10, Form::Whole, |d, _| d.sectors_read),
    column(("@_wrtn", "@_wrtn"), 10, Form::Whole, |d, _| d.sectors_written),
    column(("@_dscd", "@_dscd"), 10, Form::Whole, |d, _| d.sectors_discarded),
];

/// The plain report, short: writes and discards in one column.
#[rustfmt::skip]
pub(super) const PLAIN_SHORT: &[Column] = &[
    TPS,
    column(("@_read/s", "@_read/s"), 12, Form::Amount, rate!(sectors_read)),
    column(("@_w+d/s", "@_w+d/s"), 12, Form::Amount, rate!(sectors_written sectors_discarded)),
    column(("@_read", "@_read"), 10, Form::Whole, |d, _| d.sectors_read),
    column(("@_w+d", "@_w+d"), 10, Form::Whole, |d, _| sum(&[d.sectors_written, d.sectors_discarded])),
];

/// The short extended report.
#[rustfmt::skip]
pub(super) const SHORT: &[Column] = &[
    TPS,
    column(("@/s", "@/s"), 9, Form::Amount, |d, s| per(d.sectors(), s)),
    column(("rqm/s", "rqm/s"), 8, Form::Number, rate!(reads_merged writes_merged discards_merged)),
    column(("await", "await"), 7, Form::Number, |d, _| ratio(Some(d.wait_ms()), d.ios())),
    column(("areq-sz", "areq-sz"), 8, Form::Kilobytes, |d, _| ratio(d.sectors(), d.ios())),
    QUEUE,
    UTIL,
];

/// The extended report in its four parts.
#[rustfmt::skip]
pub(super) const EXTENDED: [&[Column]; 4] = [
    &[
        column(("r/s", "r/s"), 7, Form::Number, rate!(reads)),
        column(("r@/s", "r@/s"), 9, Form::Amount, rate!(sectors_read)),
        column(("rrqm/s", "rrqm/s"), 8, Form::Number, rate!(reads_merged)),
        column(("%rrqm", "rrqm"), 6, Form::Percent, merged!(reads_merged of reads)),
        column(("r_await", "r_await"), 7, Form::Number, |d, _| ratio(Some(d.read_ms), d.reads)),
        column(("rareq-sz", "rareq-sz"), 8, Form::Kilobytes, |d, _| ratio(d.sectors_read, d.reads)),
    ],
    &[
        column(("w/s", "w/s"), 7, Form::Number, rate!(writes)),
        column(("w@/s", "w@/s"), 9, Form::Amount, rate!(sectors_written)),
        column(("wrqm/s", "wrqm/s"), 8, Form::Number, rate!(writes_merged)),
        column(("%wrqm", "wrqm"), 6, Form::Percent, merged!(writes_merged of writes)),
        column(("w_await", "w_await"), 7, Form::Number, |d, _| ratio(Some(d.write_ms), d.writes)),
        column(("wareq-sz", "wareq-sz"), 8, Form::Kilobytes, |d, _| ratio(d.sectors_written, d.writes)),
    ],
    &[
        column(("d/s", "d/s"), 7, Form::Number, rate!(discards)),
        column(("d@/s", "d@/s"), 9, Form::Amount, rate!(sectors_discarded)),
        column(("drqm/s", "drqm/s"), 8, Form::Number, rate!(discards_merged)),
        column(("%drqm", "drqm"), 6, Form::Percent, merged!(discards_merged of discards)),
        column(("d_await", "d_await"), 7, Form::Number, |d, _| ratio(Some(d.discard_ms), d.discards)),
        column(("dareq-sz", "dareq-sz"), 8, Form::Kilobytes, |d, _| ratio(d.sectors_discarded, d.discards)),
    ],
    &[
        column(("f/s", "f/s"), 7, Form::Number, rate!(flushes)),
        column(("f_await", "f_await"), 7, Form::Number, |d, _| ratio(Some(d.flush_ms), d.flushes)),
        QUEUE,
        UTIL,
    ],
];

/// The order of the extended columns in JSON.
pub(super) const EXTENDED_KEYS: [&str; 22] = [
    "r/s", "w/s", "d/s", "f/s", "r@/s", "w@/s", "d@/s", "rrqm/s", "wrqm/s", "drqm/s", "rrqm", "wrqm", "drqm",
    "r_await", "w_await", "d_await", "f_await", "rareq-sz", "wareq-sz", "dareq-sz", "aqu-sz", "util",
];

impl Units {
    /// Sectors in one.
    pub(super) fn sectors(self) -> f64 {
        match self {
            Units::Kilobytes => 2.0,
            Units::Megabytes => 2048.0,
            Units::Sectors => 1.0,
        }
    }

    /// As a header or key has it: with a stem (`kB_read`) or behind a letter (`rkB/s`).
    pub(super) fn name(self, stem: bool) -> &'static str {
        match self {
            Units::Kilobytes => "kB",
            Units::Megabytes => "MB",
            Units::Sectors if stem => "Blk",
            Units::Sectors => "sec",
        }
    }
}

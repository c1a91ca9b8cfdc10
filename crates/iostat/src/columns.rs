//! The columns of the device reports as data: header, key, width, and value.

use super::asked::Units;
use super::figures::{Differences, ratio};

/// Format of a value.
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
    /// A percentage.
    Percent,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// Header in the text; `@` is replaced by the unit.
    pub(super) header: &'static str,
    /// Width, without the blank before it.
    pub(super) width: usize,
    /// Format of the value.
    pub(super) form: Form,
    /// The value, given the interval in seconds; amounts are in sectors, rates per second.
    pub(super) value: fn(&Differences, f64) -> Option<f64>,
}

impl Column {
    /// Key in JSON; `@` is replaced by the unit.
    pub(super) fn key(&self) -> &'static str {
        self.header.trim_start_matches('%')
    }
}

const fn column(
    header: &'static str,
    width: usize,
    form: Form,
    value: fn(&Differences, f64) -> Option<f64>,
) -> Column {
    Column { header, width, form, value }
}

/// A rate per second.
macro_rules! rate {
    ($($way:ident $field:ident),+) => { |d, seconds| per(sum(&[$(d.$way.$field),+]), seconds) };
}

/// Merged requests as a percentage of all requests.
macro_rules! merged {
    ($way:ident) => {
        |d, _| Some(100.0 * ratio(d.$way.merged, sum(&[d.$way.merged, d.$way.ios]))?)
    };
}

fn per(value: Option<f64>, seconds: f64) -> Option<f64> {
    value.map(|value| value / seconds)
}

fn sum(values: &[Option<f64>]) -> Option<f64> {
    values.iter().copied().sum()
}

const TPS: Column = column("tps", 8, Form::Number, |d, s| per(d.ios(), s));
const QUEUE: Column = column("aqu-sz", 7, Form::Number, |d, s| Some(d.queue_ms / s / 1000.0));
const UTIL: Column = column("%util", 6, Form::Percent, |d, s| {
    Some(if d.members > 0.0 { d.busy_ms / s / 10.0 / d.members } else { 0.0 })
});

/// The plain report.
#[rustfmt::skip]
pub(super) const PLAIN: &[Column] = &[
    TPS,
    column("@_read/s", 12, Form::Amount, rate!(read sectors)),
    column("@_wrtn/s", 12, Form::Amount, rate!(write sectors)),
    column("@_dscd/s", 12, Form::Amount, rate!(discard sectors)),
    column("@_read", 10, Form::Whole, |d, _| d.read.sectors),
    column("@_wrtn", 10, Form::Whole, |d, _| d.write.sectors),
    column("@_dscd", 10, Form::Whole, |d, _| d.discard.sectors),
];

/// The plain report in short form: writes and discards share columns.
#[rustfmt::skip]
pub(super) const PLAIN_SHORT: &[Column] = &[
    TPS,
    column("@_read/s", 12, Form::Amount, rate!(read sectors)),
    column("@_w+d/s", 12, Form::Amount, rate!(write sectors, discard sectors)),
    column("@_read", 10, Form::Whole, |d, _| d.read.sectors),
    column("@_w+d", 10, Form::Whole, |d, _| sum(&[d.write.sectors, d.discard.sectors])),
];

/// The extended report in short form.
#[rustfmt::skip]
pub(super) const SHORT: &[Column] = &[
    TPS,
    column("@/s", 9, Form::Amount, |d, s| per(d.sectors(), s)),
    column("rqm/s", 8, Form::Number, rate!(read merged, write merged, discard merged)),
    column("await", 7, Form::Number, |d, _| ratio(Some(d.wait_ms()), d.ios())),
    column("areq-sz", 8, Form::Kilobytes, |d, _| ratio(d.sectors(), d.ios())),
    QUEUE,
    UTIL,
];

/// The part of the extended report for one direction.
macro_rules! direction {
    ($letter:literal $way:ident) => {
        &[
            column(concat!($letter, "/s"), 7, Form::Number, rate!($way ios)),
            column(concat!($letter, "@/s"), 9, Form::Amount, rate!($way sectors)),
            column(concat!($letter, "rqm/s"), 8, Form::Number, rate!($way merged)),
            column(concat!("%", $letter, "rqm"), 6, Form::Percent, merged!($way)),
            column(concat!($letter, "_await"), 7, Form::Number, |d, _| {
                ratio(Some(d.$way.ms), d.$way.ios)
            }),
            column(concat!($letter, "areq-sz"), 8, Form::Kilobytes, |d, _| {
                ratio(d.$way.sectors, d.$way.ios)
            }),
        ]
    };
}

/// The extended report, in its four parts.
#[rustfmt::skip]
pub(super) const EXTENDED: [&[Column]; 4] = [
    direction!("r" read),
    direction!("w" write),
    direction!("d" discard),
    &[
        column("f/s", 7, Form::Number, rate!(flush ios)),
        column("f_await", 7, Form::Number, |d, _| ratio(Some(d.flush.ms), d.flush.ios)),
        QUEUE,
        UTIL,
    ],
];

/// Keys of the extended report in JSON, in order.
pub(super) const EXTENDED_KEYS: [&str; 22] = [
    "r/s", "w/s", "d/s", "f/s", "r@/s", "w@/s", "d@/s", "rrqm/s", "wrqm/s", "drqm/s", "rrqm", "wrqm", "drqm",
    "r_await", "w_await", "d_await", "f_await", "rareq-sz", "wareq-sz", "dareq-sz", "aqu-sz", "util",
];

impl Units {
    /// Number of sectors in one unit.
    pub(super) fn sectors(self) -> f64 {
        match self {
            Units::Kilobytes => 2.0,
            Units::Megabytes => 2048.0,
            Units::Sectors => 1.0,
        }
    }

    /// Name of the unit in a header or key: with a stem (`kB_read`) or after a letter (`rkB/s`).
    pub(super) fn name(self, stem: bool) -> &'static str {
        match self {
            Units::Kilobytes => "kB",
            Units::Megabytes => "MB",
            Units::Sectors if stem => "Blk",
            Units::Sectors => "sec",
        }
    }
}

//! Values of a simulation's parameters: kinds with their ranges, read and stored in the settings.

use std::fmt::{self, Display};

use policy::BucketStart;
use workload::{Bytes, Nanos};

use super::settings::Settings;
use super::spans::Regularity;

/// Accessor of a setting's value; `None` until it is typed.
type Place<T> = fn(&mut Settings) -> &mut Option<T>;

/// The values that a parameter takes: its inclusive range, and where the value is stored.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    Time(Nanos, Nanos, Place<Nanos>),
    /// Two times with a slash between.
    Times(Nanos, Nanos, Place<(Nanos, Nanos)>),
    Size(Bytes, Bytes, Place<Bytes>),
    /// Typed in per cent, stored as a share.
    Share(f64, f64, Place<f64>),
    Number(f64, f64, Place<f64>),
    Whole(u64, u64, Place<u64>),
    /// Bytes a second.
    Rate(Bytes, Bytes, Place<f64>),
    Regularity(Place<Regularity>),
    Credits(Place<BucketStart>),
}

/// A value that its parameter does not take.
pub(super) struct Wrong;

fn within<T: PartialOrd>(value: Option<T>, from: T, to: T) -> Result<Option<T>, Wrong> {
    let fits = value.filter(|value| *value >= from && *value <= to);
    fits.map(Some).ok_or(Wrong)
}

fn number(typed: &str) -> Option<f64> {
    typed.parse().ok().filter(|number: &f64| number.is_finite())
}

fn share(typed: &str) -> Option<f64> {
    number(typed.strip_suffix('%')?).map(|percent| percent / 100.0)
}

fn time(typed: &str) -> Option<Nanos> {
    workload::duration(typed).ok()
}

fn times(typed: &str, from: Nanos, to: Nanos) -> Result<Option<(Nanos, Nanos)>, Wrong> {
    let (one, other) = typed.split_once('/').ok_or(Wrong)?;
    let (one, other) = (within(time(one), from, to)?, within(time(other), from, to)?);
    Ok(one.zip(other))
}

impl Takes {
    /// Parses a typed value and stores it in the settings.
    pub(super) fn put(self, settings: &mut Settings, typed: &str) -> Result<(), Wrong> {
        match self {
            Takes::Time(from, to, place) => *place(settings) = within(time(typed), from, to)?,
            Takes::Times(from, to, place) => *place(settings) = times(typed, from, to)?,
            Takes::Size(from, to, place) => {
                *place(settings) = within(workload::size(typed).ok(), from, to)?;
            }
            Takes::Share(from, to, place) => *place(settings) = within(share(typed), from, to)?,
            Takes::Number(from, to, place) => *place(settings) = within(number(typed), from, to)?,
            Takes::Whole(from, to, place) => *place(settings) = within(typed.parse().ok(), from, to)?,
            Takes::Rate(from, to, place) => {
                let rate = workload::rate(typed).ok().map(|rate| rate.0);
                *place(settings) = within(rate, from.0 as f64, to.0 as f64)?;
            }
            Takes::Regularity(place) => {
                let word = Regularity::WORDS.into_iter().find(|(word, _)| *word == typed);
                *place(settings) = Some(word.ok_or(Wrong)?.1);
            }
            Takes::Credits(place) => *place(settings) = Some(BucketStart::parse(typed).ok_or(Wrong)?),
        }
        Ok(())
    }
}

/// The allowed values, in words that follow "write".
impl Display for Takes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Takes::Time(from, to, _) => write!(f, "a time from {from} to {to}"),
            Takes::Times(from, to, _) => write!(f, "two times such as 10s/20s, each from {from} to {to}"),
            Takes::Size(from, to, _) => write!(f, "a size from {from} to {to}"),
            Takes::Share(from, to, _) => {
                write!(f, "a percentage from {}% to {}%", percent(*from), percent(*to))
            }
            Takes::Number(from, to, _) => write!(f, "a number from {from} to {to}"),
            Takes::Whole(from, to, _) => write!(f, "a whole number from {from} to {to}"),
            Takes::Rate(from, to, _) => write!(f, "a rate from {from}/s to {to}/s"),
            Takes::Regularity(_) => write!(f, "even or poisson"),
            Takes::Credits(_) => f.write_str(BucketStart::WORDS),
        }
    }
}

/// Returns a share in per cent, without the rounding noise of the multiplication.
fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}

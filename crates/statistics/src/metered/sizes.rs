//! One rate of loads with several sizes of item, beside waits: a meter of bytes lets the same bytes through in blocks of
//! any size, and a device takes time for each block besides its bytes.
//!
//! A load that waits for a processor moves items from one count to the next, so that few counts agree to an item. The mean of
//! the middle half of its counts is not moved.

use super::exact::{Cell, ExactRate, WINDOWS_LEAST, cells, spans};
use super::{Window, median};

/// Share of the rate within which loads agree: below the least difference that is of use to anybody, a third of the 3 % by
/// which a claim may be missed, in either direction (sizes of 16 KiB to 1 MiB agreed within 0.2 % beside a program that took 10 % of each processor).
const AGREE: f64 = 0.005;
/// Least share of the even loads that agree.
const AGREEING: f64 = 0.75;
/// Greatest range of the middle half of a load's counts, as a share: groups of twelve behind QEMU's throttle left 2 % of 480,
/// 32 servers with a coefficient of variation of 100 % leave 4 % of 1,280.
const EVEN: f64 = 0.025;
/// Number of counts below which there is no middle half.
const FEW: usize = 4;

/// A window by the middle of its counts.
struct Load {
    rate: f64,
    /// Share of the rate within which it is at one, by its counts.
    within: f64,
    /// Range of the middle half of its counts, as a share.
    range: f64,
    unit: f64,
}

impl Load {
    fn of(number: usize, window: &Window) -> Option<Load> {
        let cells = cells(number, window);
        let counts = || window.counts.iter().map(|count| count.number);
        let sum: f64 = counts().sum();
        let (mut rates, edge) = match cells.len() {
            // A few large items may come in pulses: only all counts together are even, but for one pulse.
            0..FEW => {
                let pulse =
                    counts().zip(counts().skip(1)).map(|(a, b)| (a - b).abs()).fold(window.unit, f64::max);
                (vec![sum / (window.seconds * window.counts.len() as f64)], pulse)
            }
            _ => (cells.iter().map(Cell::rate).collect(), window.unit),
        };
        rates.sort_by(f64::total_cmp);
        let middle = &rates[rates.len() / 4..rates.len() - rates.len() / 4];
        let rate = middle.iter().sum::<f64>() / middle.len() as f64;
        let range = (middle[middle.len() - 1] - middle[0]) / rate;
        (sum > 0.0).then_some(Load { rate, within: AGREE + edge / sum, range, unit: window.unit })
    }

    fn is_at(&self, rate: f64) -> bool {
        (self.rate / rate - 1.0).abs() <= self.within
    }

    /// Whether it shows a rate, and does not only allow for one: waits and servers of their own pace leave a wider middle.
    fn is_fine(&self) -> bool {
        self.within <= 2.0 * AGREE && self.range <= EVEN
    }
}

/// Returns the rate that loads of at least three sizes have from the first of `windows` to the last.
pub(super) fn of_sizes(windows: &[Window]) -> Option<ExactRate> {
    let load = |(number, window): (usize, &Window)| Some((number, Load::of(number, window)?));
    let loads: Vec<(usize, Load)> = windows.iter().enumerate().filter_map(load).collect();
    let fine: Vec<&(usize, Load)> = loads.iter().filter(|(_, load)| load.is_fine()).collect();
    let rate = median(&fine.iter().map(|(_, load)| load.rate).collect::<Vec<f64>>())?;
    let agreeing = fine.iter().filter(|(_, load)| load.is_at(rate));
    let mut sizes: Vec<f64> = agreeing.clone().map(|(_, load)| load.unit).collect();
    sizes.sort_by(f64::total_cmp);
    // A size is the mean of a load's items, so that loads of one size differ in the last digits.
    sizes.dedup_by(|larger, smaller| *larger <= *smaller * (1.0 + EVEN));
    let on = loads.iter().filter(|(_, load)| load.is_at(rate)).map(|(number, _)| *number);
    let (throughout, lasts) = spans(on, windows.len());
    let agree = agreeing.count() as f64 >= AGREEING * fine.len() as f64;
    (agree && lasts && sizes.len() >= WINDOWS_LEAST).then_some(ExactRate {
        rate,
        low: rate * (1.0 - AGREE),
        high: rate * (1.0 + AGREE),
        throughout,
    })
}

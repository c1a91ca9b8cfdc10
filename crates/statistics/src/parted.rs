//! Two levels that a series has one after the other and that hardly overlap, however noisy the upper one is.
//!
//! What waits for a processor loses operations and gains none: it makes the rate below a limit uneven and the rate at it
//! hardly so. A model of one noise for a whole series takes the unevenness of the upper level for that of both and
//! hides a fall to a third. This test has no model: the lower quarter of one side must be above the upper quarter of
//! the other by a multiple of the spread of the lower side, which a limiter makes even and a busy machine does not.

use crate::quantile::{median, quantile_of_sorted, sorted};

/// Quantile that a level may leave to stalls, to bursts after a pause and to the cell that contains the change.
const QUARTER: f64 = 0.25;
/// Least ratio of the gap between two levels to the spread of the lower one, both as logarithms. Series that wander by a
/// third in the middle of their length part in fewer than one of a hundred with this ratio (see the tests).
const EVEN: f64 = 3.0;
/// Least ratio of the upper level to the lower one.
const APART: f64 = 1.25;
/// Fewest cells of a level.
const FEWEST: usize = 5;

/// Most cuts that are tried in a series: the quartiles beside a cut hardly change from one cell to the next.
const CUTS_MOST: usize = 512;
/// Fewest cells by which a load agrees with a level.
const SHOWING: usize = 3;

/// A rate over a span of time, known between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// Start of the span in seconds.
    pub from: f64,
    /// End of the span in seconds.
    pub to: f64,
    /// The rate that was counted.
    pub low: f64,
    /// The rate that there may have been, without what was lost for want of a processor.
    pub high: f64,
    /// The number of requests that the load kept in flight: one with more may have a higher rate.
    pub depth: f64,
    /// The load: cells of one adjoin.
    pub load: usize,
}

/// A fall from one level to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parting {
    /// Index of the first cell of the lower level.
    pub at: usize,
    /// Least and greatest depth of the loads that showed the upper level.
    pub depths: [f64; 2],
    /// The geometric middle between the two levels.
    pub middle: f64,
    /// Quartiles of the upper level.
    pub upper: [f64; 3],
    /// Quartiles of the lower level.
    pub lower: [f64; 3],
}

impl Parting {
    /// Whether a load of this depth shows the upper level before the fall.
    #[must_use]
    pub fn shows(&self, depth: f64) -> bool {
        (self.depths[0]..=self.depths[1]).contains(&depth)
    }
}

/// Returns where `cells`, in the order of time, fall from one level to another, each of which lasts for `least` seconds, the
/// lower one in each later load; `None` if no two levels are that far apart. A rise is not looked for: what lowered a rate may have ended.
#[must_use]
pub fn parted(cells: &[Bounded], least: f64) -> Option<Parting> {
    let cuts = (1..cells.len()).step_by(cells.len().div_ceil(CUTS_MOST).max(1));
    let falls = cuts.filter_map(|at| fall(cells, at, least));
    let best = falls.max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    // The quartiles stay as they are while the cut passes a few cells: where the fewest lie on the wrong side, it is.
    let is_low = |cell: &&Bounded| best.shows(cell.depth) && cell.high < best.middle;
    let wrong = |at: &usize| {
        let before = cells[..*at].iter().filter(is_low).count();
        before + cells[*at..].iter().filter(|cell| cell.low > best.middle).count()
    };
    let cuts = (1..cells.len()).filter(|at| agree(&cells[*at..], best.middle));
    Some(Parting { at: cuts.min_by_key(wrong)?, ..best })
}

/// Whether each load has the lower level by its median.
fn agree(after: &[Bounded], middle: f64) -> bool {
    after.chunk_by(|a, b| a.load == b.load).all(|of_load| {
        let rates: Vec<f64> = of_load.iter().map(|cell| cell.low).collect();
        rates.len() < SHOWING || median(&rates).is_some_and(|rate| rate < middle)
    })
}

/// Returns the logarithm of the ratio between two levels.
fn gap(fall: &Parting) -> f64 {
    (fall.upper[0] / fall.lower[2].max(f64::MIN_POSITIVE)).ln()
}

/// Returns the fall before cell `at`, if the cells part there: from the rate of all loads of a least depth, as deep as
/// the lower level's at the most.
fn fall(cells: &[Bounded], at: usize, least: f64) -> Option<Parting> {
    let (before, after) = cells.split_at(at);
    let most = after.iter().map(|cell| cell.depth).fold(f64::INFINITY, f64::min);
    let lower = quartiles(after.iter(), least)?;
    let spread = (lower[2] / lower[0].max(f64::MIN_POSITIVE)).ln();
    let of_depths = |depths: [f64; 2]| {
        let held = before.iter().filter(|cell| (depths[0]..=depths[1]).contains(&cell.depth));
        let upper = quartiles(held, least)?;
        let middle = (upper[0] * lower[2]).sqrt();
        agree(after, middle).then_some(Parting { at, depths, middle, upper, lower })
    };
    let mut depths: Vec<f64> = before.iter().map(|cell| cell.depth).filter(|depth| *depth <= most).collect();
    depths.sort_by(f64::total_cmp);
    depths.dedup();
    let falls = depths.into_iter().filter_map(|depth| of_depths([depth, most]));
    falls.filter(|fall| gap(fall) >= APART.ln().max(EVEN * spread)).max_by(|a, b| gap(a).total_cmp(&gap(b)))
}

/// Returns the quartiles of a level that lasts: the lower two of what was counted, the upper one of what there may have
/// been.
fn quartiles<'c>(cells: impl Iterator<Item = &'c Bounded>, least: f64) -> Option<[f64; 3]> {
    let cells: Vec<&Bounded> = cells.collect();
    let lasts = cells.iter().map(|cell| cell.to - cell.from).sum::<f64>() >= least - 1e-6;
    if cells.len() < FEWEST || !lasts {
        return None;
    }
    let low = sorted(&cells.iter().map(|cell| cell.low).collect::<Vec<_>>())?;
    let high = sorted(&cells.iter().map(|cell| cell.high).collect::<Vec<_>>())?;
    let of = quantile_of_sorted;
    Some([of(&low, QUARTER)?, of(&low, 0.5)?, of(&high, 1.0 - QUARTER)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn cell(at: usize, low: f64, waited: f64) -> Bounded {
        let from = 0.5 * at as f64;
        Bounded { from, to: from + 0.5, low, high: low / (1.0 - waited), depth: 8.0, load: at / 20 }
    }

    /// The half seconds of a load at QEMU's 1,500 operations a second that falls to 500 beside stolen time, with the waits
    /// in milliseconds.
    #[test]
    fn a_fall_beside_waits_is_found_where_it_is() {
        let counted = [
            (1390.0, 164.0),
            (1404.0, 235.0),
            (1428.0, 81.0),
            (1498.0, 49.0),
            (1480.0, 0.0),
            (1410.0, 8.0),
            (1524.0, 0.0),
            (1536.0, 27.0),
            (1550.0, 0.0),
            (868.0, 15.0),
            (498.0, 22.0),
            (500.0, 13.0),
            (486.0, 51.0),
            (516.0, 10.0),
            (500.0, 18.0),
            (500.0, 7.0),
        ];
        let cells: Vec<Bounded> =
            counted.iter().enumerate().map(|(at, (low, wait))| cell(at, *low, wait / 500.0)).collect();
        let parting = parted(&cells, 3.0).unwrap();
        assert_eq!((parting.at, parting.lower[1]), (10, 500.0));
        assert!(parting.upper[1] > 1400.0, "{parting:?}");
    }

    /// A series of `n` half seconds at a level that wanders with a memory of `rho`, and of which a wait for a processor takes up
    /// to half of every third.
    fn wandering(stream: &mut Stream, n: usize, deviation: f64, rho: f64) -> Vec<Bounded> {
        let mut log = deviation * stream.normal();
        let mut next = |at: usize| {
            log = rho * log + (1.0 - rho * rho).sqrt() * deviation * stream.normal();
            let waited = if stream.unit_f64() < 0.3 { 0.5 * stream.unit_f64() } else { 0.0 };
            let rate = 1000.0 * log.exp();
            cell(at, rate * (1.0 - waited), waited)
        };
        (0..n).map(&mut next).collect()
    }

    #[test]
    fn few_cells_have_no_two_levels_and_many_are_cut_coarsely() {
        assert_eq!(parted(&[], 3.0), None);
        let cells: Vec<Bounded> =
            (0..4 * CUTS_MOST).map(|at| cell(at, if at < 1001 { 900.0 } else { 300.0 }, 0.0)).collect();
        assert_eq!(parted(&cells[..1], 3.0), None);
        assert_eq!(parted(&cells, 3.0).map(|fall| fall.at), Some(1001));
    }

    #[test]
    fn what_wanders_hardly_parts() {
        let mut stream = Stream::new(1, 0);
        let mut found_of = |n, deviation, rho| {
            let found = |_: &usize| parted(&wandering(&mut stream, n, deviation, rho), 3.0).is_some();
            (0..100).filter(found).count()
        };
        for n in [20, 60, 120] {
            for rho in [0.0, 0.5, 0.9, 0.97] {
                assert!(found_of(n, 0.15, rho) <= 2, "{n} {rho}");
            }
            assert!(found_of(n, 0.3, 0.9) <= 5, "{n}");
        }
    }

    #[test]
    fn a_limit_that_falls_is_found_below_an_uneven_rate() {
        let mut stream = Stream::new(2, 0);
        for (to, least) in [(0.33, 90), (0.5, 70)] {
            let mut found = 0;
            for _ in 0..100 {
                let mut cells = wandering(&mut stream, 60, 0.2, 0.5);
                for one in &mut cells[35..] {
                    (one.low, one.high) = (to * 1000.0, to * 1000.0 / (one.low / one.high));
                }
                let at = parted(&cells, 3.0).map(|parting| parting.at);
                found += usize::from(at.is_some_and(|at| at.abs_diff(35) <= 1));
            }
            assert!(found >= least, "{to}: {found}");
        }
    }
}

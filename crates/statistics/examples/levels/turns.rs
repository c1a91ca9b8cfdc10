//! Four levels of one volume measured in turn, as in a check; each interval uses what the other levels show of the noise.

use statistics::level::{Level, Series, Strays as LevelStrays, level};

use super::volume::{Strays, Volume, series};

/// Number of levels measured in turn.
pub const LEVELS: usize = 4;

/// Schedule of a check of two and a half minutes: level, second at which a moment begins, and its number of values.
const TURNS: [(usize, f64, usize); 23] = [
    (0, 19.0, 14),
    (0, 26.5, 14),
    (0, 34.0, 14),
    (1, 41.5, 14),
    (1, 49.0, 14),
    (0, 64.0, 4),
    (1, 74.0, 4),
    (2, 76.0, 14),
    (2, 83.0, 4),
    (2, 86.0, 14),
    (3, 93.0, 4),
    (2, 96.0, 12),
    (0, 102.0, 4),
    (3, 104.5, 10),
    (1, 110.0, 4),
    (3, 112.5, 9),
    (2, 117.5, 4),
    (3, 122.0, 4),
    (0, 126.5, 4),
    (2, 135.0, 4),
    (0, 154.5, 7),
    (1, 158.5, 7),
    (2, 162.0, 7),
];

/// The levels of one run, with their intervals.
pub fn levels(strays: Strays, run: u64) -> Vec<Level> {
    let mut volume = Volume::new(strays, run);
    let mut seen: [Vec<(f64, Vec<f64>)>; LEVELS] = Default::default();
    for (of, from, values) in TURNS {
        seen[of].push((from, volume.moment(from, values)));
    }
    let all: Vec<Series<'_>> = seen.iter().map(|moments| series(moments)).collect();
    let strays = LevelStrays::of(&all);
    all.iter().filter_map(|one| level(one, &strays)).collect()
}

//! A volume whose rate strays from its mean in a known way, and the moments in which it is measured.

use statistics::Stream;
use statistics::level::{Level, Moment, Series, Strays as LevelStrays, level};

pub const MEAN: f64 = 3000.0;

/// How a level is measured: moments of `values` values each, over a span of seconds.
#[derive(Clone, Copy)]
pub struct Looks {
    pub moments: usize,
    pub values: usize,
    pub span: f64,
}

/// Seconds per value.
pub const SECONDS: f64 = 0.5;

/// How a volume's rate strays, as shares of its mean; `memory` is in seconds.
#[derive(Clone, Copy)]
pub struct Strays {
    pub cv: f64,
    pub rho: f64,
    pub slow: f64,
    pub memory: f64,
}

/// A volume's rate over time.
pub struct Volume {
    strays: Strays,
    stream: Stream,
    fast: f64,
    slow: f64,
    at: f64,
    /// Fraction of an I/O that was done at the end of the last interval.
    begun: f64,
}

impl Volume {
    pub fn new(strays: Strays, run: u64) -> Volume {
        let seed = 1e6 * strays.cv + 100.0 * strays.rho + 1e4 * strays.slow + strays.memory;
        let mut stream = Stream::new(seed as u64, run);
        let (fast, slow, begun) = (stream.normal(), stream.normal(), stream.unit_f64());
        Volume { strays, stream, fast, slow, at: 0.0, begun }
    }

    /// The rate counted in the interval from `now` on, from whole I/Os.
    fn counted(&mut self, now: f64) -> f64 {
        let passed = now - std::mem::replace(&mut self.at, now);
        let keep = self.strays.rho.powf(passed / SECONDS);
        self.fast = keep * self.fast + (1.0 - keep * keep).sqrt() * self.stream.normal();
        let keep = (-passed / self.strays.memory).exp();
        self.slow = keep * self.slow + (1.0 - keep * keep).sqrt() * self.stream.normal();
        self.begun += MEAN * (1.0 + self.strays.cv * self.fast + self.strays.slow * self.slow) * SECONDS;
        let done = self.begun.floor();
        self.begun -= done;
        done / SECONDS
    }

    /// Moments spread evenly over the span: start and values of each.
    pub fn seen(&mut self, looks: Looks, from: f64) -> Vec<(f64, Vec<f64>)> {
        let gap = (looks.span - looks.values as f64 * SECONDS) / (looks.moments as f64 - 1.0).max(1.0);
        let begins = |at: usize| from + gap * at as f64;
        (0..looks.moments).map(|at| (begins(at), self.moment(begins(at), looks.values))).collect()
    }

    /// `values` values from `begins` on.
    pub fn moment(&mut self, begins: f64, values: usize) -> Vec<f64> {
        (0..values).map(|value| self.counted(begins + value as f64 * SECONDS)).collect()
    }
}

pub fn series(moments: &[(f64, Vec<f64>)]) -> Series<'_> {
    let seen = moments.iter().map(|(at, values)| Moment { at: *at, seconds: SECONDS, values });
    Series { moments: seen.collect(), unit: 1.0 }
}

/// A level over several moments. For a single moment, eight references over the preceding 100 s show how levels stray.
pub fn one(looks: Looks, strays: Strays, run: u64) -> Option<Level> {
    let mut volume = Volume::new(strays, run);
    let mut others = LevelStrays::default();
    if looks.moments == 1 {
        let references = volume.seen(Looks { moments: 8, values: 4, span: 100.0 }, 0.0);
        others = LevelStrays::of(&[series(&references)]);
    }
    level(&series(&volume.seen(looks, 105.0)), &others)
}

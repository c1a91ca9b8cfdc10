//! A figure measured on many occasions, such as every night: its levels, and when they changed.
//!
//! Each value has a known error of its own; around their level the values also scatter from one occasion to the next, by
//! a deviation that is estimated from the occasions before a change (`baseline`). A change is tested on every occasion, as
//! if it were the last: so the result for the last one is what a reader of all results would have been told, and the rate
//! of false alarms holds for the whole life of a series. Lower is worse.
//!
//! # Measured
//!
//! `cargo test --release -p statistics --test all -- occasions --nocapture` prints how often a fall is found and how often
//! there is an alarm without one (method 14).

mod baseline;

use baseline::{Baseline, mean_of};

use crate::distribution::t_quantile;

/// Fewest occasions before a change: a week of nights, so that what differs by weekday is part of the scatter (method 14).
pub const BEFORE_MIN: usize = 7;
/// Fewest occasions after a change: a single one may be an odd one, however far it lies (method 14).
const AFTER_MIN: usize = 2;
/// Most occasions after a change that are tested: what is not seen in a month is a drift (method 14).
const AFTER_MOST: usize = 30;
/// False alarms for each series, occasion and number of occasions after a change: all of these together make 1 % of series of
/// thirty occasions (method 14).
const ALARMS: f64 = 0.004 / OCCASIONS;
/// Occasions of a series for which the false alarms are counted.
const OCCASIONS: f64 = 30.0;
/// Standard deviations, as a share of the threshold, for which one occasion among several counts at most: one alone does not
/// reach it, and two do (method 14).
const CLIP: f64 = 0.9;
/// Fewest occasions of a drift (method 14).
const DRIFT_MIN: usize = 14;
/// Probability with which a fall of the detectable size is found.
const POWER: f64 = 0.95;
/// Number of occasions within which it is found.
const WITHIN: usize = 3;
/// Quantile at the upper end of a 95 % interval.
const UPPER: f64 = 0.975;
/// Factor by which one time must be likelier than another to exclude it, as twice a log likelihood, as in
/// [`crate::segments`].
const TIME: f64 = 8.0;

/// The value of one occasion: a logarithm, or anything else of which differences count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occasion {
    /// The value.
    pub value: f64,
    /// Its own standard error; 0 if unknown.
    pub error: f64,
}

/// What is asked of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question<'a> {
    /// Least fall that matters, in units of the values.
    pub least: f64,
    /// Number of series that are judged together: any alarm counts as one of all.
    pub series: usize,
    /// Indices of occasions from which on other series are at another level.
    pub known: &'a [usize],
}

/// Occasions at one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Index of its first occasion.
    pub from: usize,
    /// Index after its last occasion.
    pub to: usize,
    /// Indices of occasions in it that are not of its level.
    pub odd: Vec<usize>,
    /// Mean of the others.
    pub level: f64,
    /// Half-width of the mean's 95 % interval.
    pub half_width: f64,
    /// First and last occasion at which the change to this level may lie; both `from` without a change.
    pub began: (usize, usize),
}

/// A level that moves with every occasion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// Index of the first occasion.
    pub from: usize,
    /// Change from the first occasion to the last.
    pub total: f64,
    /// Half-width of the 95 % interval of the change.
    pub half_width: f64,
}

/// The conclusion about the last occasion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// Too few occasions.
    TooFew,
    /// At the level of those before.
    Steady,
    /// At another level than an earlier one.
    Moved {
        /// Difference from the earlier level; below 0 if worse.
        by: f64,
        /// Half-width of its 95 % interval.
        half_width: f64,
        /// Index of the earlier stretch: the best if this one is lower, or else the one before.
        from: usize,
        /// Index of the first stretch after that one.
        since: usize,
    },
    /// The level moves with every occasion.
    Drifts(Slope),
    /// The last occasion is lower or higher than scatter explains, which shows no other level yet; the next shows whether it
    /// lasts.
    Odd {
        /// Difference from the level.
        by: f64,
        /// Half-width of its 95 % interval.
        half_width: f64,
        /// Index of the first of the last occasions that lie nearer to the last one than to the level.
        from: usize,
    },
}

/// Levels of a series, with the conclusion about its last occasion.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// Stretches in order; at least one.
    pub stretches: Vec<Stretch>,
    /// The conclusion.
    pub standing: Standing,
    /// Standard deviation from occasion to occasion beyond each one's own error; 0 if the errors explain it.
    pub between: f64,
    /// Least fall that is found within three occasions with a probability of 95 %; `None` with too few occasions.
    pub detectable: Option<f64>,
}

impl Standing {
    /// Whether the last occasion is worse by at least `least`, or may be: the interval of the fall reaches it.
    #[must_use]
    pub fn is_worse(&self, least: f64) -> bool {
        match *self {
            Standing::Moved { by, half_width, .. } => by < 0.0 && half_width - by >= least,
            Standing::Drifts(slope) => slope.total <= -least,
            Standing::TooFew | Standing::Steady | Standing::Odd { .. } => false,
        }
    }
}

/// Returns the history after each of `occasions`, which are in order of time. The last is that of all.
#[must_use]
pub fn histories(occasions: &[Occasion], question: &Question<'_>) -> Vec<History> {
    let thresholds = (0..=occasions.len()).map(|count| threshold(baseline::df(count), question)).collect();
    let odd = vec![false; occasions.len()];
    let mut course = Course { occasions, question, thresholds, cuts: vec![Cut::default()], odd };
    let after = |seen: usize| {
        course.look(seen);
        course.history(seen)
    };
    (1..=occasions.len()).map(after).collect()
}

/// The first occasion of a stretch, with the range in which the change may lie.
#[derive(Clone, Copy, Debug, Default)]
struct Cut {
    at: usize,
    began: (usize, usize),
}

/// The series as far as it was looked at.
struct Course<'o> {
    occasions: &'o [Occasion],
    question: &'o Question<'o>,
    /// The threshold by the number of occasions before a change.
    thresholds: Vec<f64>,
    cuts: Vec<Cut>,
    /// Occasions of spells that ended: they are of no stretch's level.
    odd: Vec<bool>,
}

/// A change that may have happened, with its evidence as a multiple of the threshold.
#[derive(Clone, Copy)]
struct Candidate {
    at: usize,
    /// Standardized difference; below 0 if the level fell.
    score: f64,
    threshold: f64,
}

impl Candidate {
    fn evidence(&self) -> f64 {
        self.score.abs() / self.threshold
    }
}

impl Course<'_> {
    /// Looks at the first `seen` occasions.
    fn look(&mut self, seen: usize) {
        self.withdraw(seen);
        let start = self.cuts.last().map_or(0, |cut| cut.at);
        let all = self.candidates(start, seen);
        let shown = |one: &&Candidate| one.evidence() >= 1.0 && self.is_step(one.at, seen);
        if let Some(best) = all.iter().filter(shown).max_by(|a, b| a.evidence().total_cmp(&b.evidence())) {
            let near = |other: &&Candidate| best.score.powi(2) - other.score.powi(2) <= TIME;
            let near: Vec<usize> = all.iter().filter(near).map(|other| other.at).collect();
            let began = (near.first().copied().unwrap_or(best.at), near.last().copied().unwrap_or(best.at));
            self.cuts.push(Cut { at: best.at, began });
        }
    }

    /// Takes back a change to a level that has not lasted as long as is needed before another change: two occasions nearer
    /// to the former level end it, and its occasions were odd ones.
    fn withdraw(&mut self, seen: usize) {
        let [.., former, last] = self.cuts.as_slice() else { return };
        let (former, last) = (former.at, last.at);
        if seen - last >= BEFORE_MIN || seen - last <= AFTER_MIN {
            return;
        }
        let Some(base) = self.baseline(former, last) else { return };
        let new = mean_of(&self.occasions[last..seen - AFTER_MIN]);
        let returns = |of: &Occasion| (of.value - base.level).abs() < (of.value - new).abs();
        if self.occasions[seen - AFTER_MIN..seen].iter().all(returns) {
            self.odd[last..seen - AFTER_MIN].fill(true);
            self.cuts.pop();
        }
    }

    fn baseline(&self, from: usize, to: usize) -> Option<Baseline> {
        let own: Vec<Occasion> =
            (from..to).filter(|at| !self.odd[*at]).map(|at| self.occasions[at]).collect();
        Baseline::of(&own, self.question.least)
    }

    fn candidates(&self, start: usize, seen: usize) -> Vec<Candidate> {
        let first = (start + BEFORE_MIN).max(seen.saturating_sub(AFTER_MOST));
        let candidate = |at: usize| {
            let base = self.baseline(start, at).filter(|base| base.count >= BEFORE_MIN)?;
            // Where another series changed, the time is not sought, so that there is one test instead of thirty.
            let usual = self.thresholds[base.count];
            let threshold = match self.question.known.contains(&at) {
                true => chance_exceeds(base.df, ALARMS * OCCASIONS, self.question),
                false => usual,
            };
            let after: Vec<Occasion> =
                (at..seen).filter(|at| !self.odd[*at]).map(|at| self.occasions[at]).collect();
            Some(Candidate { at, score: base.score(&after, CLIP * usual)?, threshold })
        };
        (first..(seen + 1).saturating_sub(AFTER_MIN)).filter_map(candidate).collect()
    }

    /// Whether a step at `at` explains the occasions of the last stretch, up to `seen`, better than a line.
    fn is_step(&self, at: usize, seen: usize) -> bool {
        let start = self.cuts.last().map_or(0, |cut| cut.at);
        if seen - start < DRIFT_MIN {
            return true;
        }
        let own: Vec<(f64, f64)> = (start..seen)
            .filter(|at| !self.odd[*at])
            .map(|at| (at as f64, self.occasions[at].value))
            .collect();
        let (before, after): (Vec<_>, Vec<_>) =
            own.iter().copied().partition(|(place, _)| *place < at as f64);
        baseline::around_mean(&before) + baseline::around_mean(&after) <= baseline::around_line(&own)
    }

    fn history(&self, seen: usize) -> History {
        let ends = self.cuts.iter().skip(1).map(|cut| cut.at).chain([seen]);
        let stretches: Vec<Stretch> =
            self.cuts.iter().zip(ends).filter_map(|(cut, to)| self.stretch(*cut, to)).collect();
        let last = self.cuts.last().map_or(0, |cut| cut.at);
        let judged = self.judging(last, seen);
        let detectable = judged.as_ref().map(|base| {
            let needed = self.thresholds[base.count] + t_quantile(POWER, base.df);
            needed * base.error_of_difference(WITHIN)
        });
        let between = judged.as_ref().map_or(0.0, Baseline::between);
        History { standing: self.standing(&stretches), stretches, between, detectable }
    }

    /// Returns the baseline by which a fall of the next occasions would be judged: of the last stretch, or of the one before
    /// until that is long enough.
    fn judging(&self, last: usize, seen: usize) -> Option<Baseline> {
        let enough = |base: &Baseline| base.count >= BEFORE_MIN;
        let own = self.baseline(last, seen).filter(enough);
        own.or_else(|| {
            let [.., former, last] = self.cuts.as_slice() else { return None };
            self.baseline(former.at, last.at).filter(enough)
        })
    }

    fn stretch(&self, cut: Cut, to: usize) -> Option<Stretch> {
        let base = self.baseline(cut.at, to)?;
        let is_odd = |at: &usize| self.odd[*at] || base.is_odd(self.occasions[*at].value);
        Some(Stretch {
            from: cut.at,
            to,
            odd: (cut.at..to).filter(is_odd).collect(),
            level: base.level,
            half_width: t_quantile(UPPER, base.df) * base.error(),
            began: cut.began,
        })
    }

    fn standing(&self, stretches: &[Stretch]) -> Standing {
        let [earlier @ .., last] = stretches else { return Standing::TooFew };
        if let Some(slope) = self.slope(last) {
            return Standing::Drifts(slope);
        }
        if let Some(moved) = moved(earlier, last) {
            return moved;
        }
        let Some(base) = self.baseline(last.from, last.to - 1).filter(|base| base.count >= BEFORE_MIN) else {
            return if earlier.is_empty() { Standing::TooFew } else { Standing::Steady };
        };
        let tonight = self.occasions[last.to - 1];
        let score = base.score(&[tonight], f64::INFINITY).unwrap_or(0.0);
        if score.abs() < self.thresholds[base.count] {
            return Standing::Steady;
        }
        let like_tonight =
            |one: &&Occasion| (one.value - tonight.value).abs() < (one.value - base.level).abs();
        let nights = self.occasions[last.from..last.to].iter().rev().take_while(like_tonight).count();
        let by = tonight.value - base.level;
        let half_width = t_quantile(UPPER, base.df) * (by / score).abs();
        Standing::Odd { by, half_width, from: last.to - nights }
    }

    /// Returns the drift of a stretch, if there is one.
    fn slope(&self, last: &Stretch) -> Option<Slope> {
        let own: Vec<(f64, Occasion)> = (last.from..last.to)
            .filter(|at| !self.odd[*at])
            .map(|at| (at as f64, self.occasions[at]))
            .collect();
        if own.len() < DRIFT_MIN {
            return None;
        }
        let (total, error, df) = baseline::line(&own, self.question.least)?;
        (total.abs() >= threshold(df, self.question) * error).then(|| Slope {
            from: last.from,
            total,
            half_width: t_quantile(UPPER, df) * error,
        })
    }
}

/// Returns the standardized difference that chance exceeds as seldom as is allowed for each series and occasion.
fn threshold(df: f64, question: &Question<'_>) -> f64 {
    chance_exceeds(df, ALARMS, question)
}

/// Returns the standardized difference that chance exceeds in a share `alarms` of tests of all series.
fn chance_exceeds(df: f64, alarms: f64, question: &Question<'_>) -> f64 {
    t_quantile(1.0 - alarms / 2.0 / question.series.max(1) as f64, df)
}

/// Returns how the last stretch stands to the best earlier one, or, if it is no lower, to the one before.
fn moved(earlier: &[Stretch], last: &Stretch) -> Option<Standing> {
    let before = earlier.len().checked_sub(1)?;
    let lasted = |of: &&(usize, &Stretch)| of.1.to - of.1.from >= BEFORE_MIN;
    let all: Vec<(usize, &Stretch)> = earlier.iter().enumerate().collect();
    let best = all.iter().filter(lasted).max_by(|a, b| a.1.level.total_cmp(&b.1.level));
    let (from, of) = best.filter(|(_, of)| of.level > last.level).copied().unwrap_or(all[before]);
    let half_width = of.half_width.hypot(last.half_width);
    let by = last.level - of.level;
    (by.abs() > half_width).then_some(Standing::Moved { by, half_width, from, since: from + 1 })
}

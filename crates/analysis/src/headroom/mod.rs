//! The answer of `plimsoll headroom`: the greatest rate of arrivals at which a latency holds.

pub(crate) mod claimed;
mod clusters;
mod load;
mod paid;
mod promised;
mod search;

use record::Run;
use serde::{Deserialize, Serialize};
use workload::{Direction, HeadroomRequest, LatencyBound, LoadPart};

pub use claimed::{Headroom, HeadroomBound, claimed_latency, keeps_up};
pub use load::{BoundOutcome, Holds, OpenLoad};
pub use promised::PromisedRate;
pub use search::{Greatest, HeadroomDoubt, Search, elapsed};

use crate::ground::Ground;
use crate::verdict::{Answer, Doubt};

/// The answer of `plimsoll headroom`: the greatest rate of arrivals at which a latency holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadroomAnswer {
    /// The bounds, in the order requested; all must hold.
    pub bounds: Vec<LatencyBound>,
    /// Index of the bound that binds; `None` if no rate was found.
    pub binds: Option<usize>,
    /// The rates at which the latency was to be measured, if no greatest rate was searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<f64>,
    /// The kinds of I/O that arrive.
    pub load: Vec<ArrivalShape>,
    /// The greatest rate, I/Os per second of the whole load; `None` if not known.
    pub greatest: Option<Greatest>,
    /// The greatest rate at which all bounds surely held, below every rate at which one surely did not.
    pub surely_holds: Option<f64>,
    /// The least rate at which a bound surely did not hold.
    pub surely_fails: Option<f64>,
    /// I/Os per second of the same load with its queue kept full.
    pub full_queue: Option<f64>,
    /// The loads since the last change, by rising rate; those of nearly equal rate are joined if a greatest rate was searched.
    pub loads: Vec<OpenLoad>,
    /// Number of times that the volume changed during the search: contradicting loads lie on either side of a change.
    pub changes: usize,
    /// Rates promised for this load, and whether the bounds hold at them.
    pub promised: Vec<PromisedRate>,
    /// The burst that may pay for the answer; `None` if none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Doubt>,
    /// Doubts about the answer.
    pub doubts: Vec<HeadroomDoubt>,
    /// Length of the search on the run's clock, seconds.
    pub seconds: f64,
}

/// Width of a range, as a share of its middle, up to which it is an answer.
const ANSWERS: f64 = 0.1;

impl HeadroomAnswer {
    /// Returns the joint answer to all promises; `None` if there are none.
    pub fn kept(&self) -> Option<Answer> {
        let answers: Vec<Answer> = self.promised.iter().filter_map(|promised| promised.answer).collect();
        let worst = [Answer::Below, Answer::CannotTell].into_iter().find(|one| answers.contains(one));
        worst.or_else(|| answers.first().map(|_| Answer::Meets))
    }

    /// Whether the policy's burst pays for the answer, which then holds only for now.
    fn is_paid_by_burst(&self) -> bool {
        matches!(self.burst, Some(Doubt::InsideBurst { .. } | Doubt::BurstUnknown))
    }

    /// Returns the answer of the whole command: below if a promise is not kept, or a bound surely does not hold at a rate that
    /// was given.
    pub fn outcome(&self) -> Answer {
        let held = self.loads.iter().flat_map(|load| &load.held).map(|held| held.answer).max();
        let found = match held {
            _ if !self.is_known() => Answer::CannotTell,
            _ if self.rates.is_empty() => self.kept().unwrap_or(Answer::Measured),
            Some(Holds::SurelyNot) => Answer::Below,
            Some(Holds::Surely) | None => Answer::Measured,
            Some(Holds::Seemingly | Holds::SeeminglyNot) => Answer::CannotTell,
        };
        match found {
            Answer::Measured | Answer::Meets if self.is_paid_by_burst() => Answer::ConsistentWithBurst,
            found => found,
        }
    }

    /// Whether a rate was found: an estimate, a lower bound, or two nearby rates on either side of it, on a steady
    /// volume; or, if rates were given, whether any of them was measured.
    pub fn is_known(&self) -> bool {
        if !self.rates.is_empty() {
            return !self.loads.is_empty();
        }
        let known = match self.greatest {
            Some(Greatest::Found(_) | Greatest::AtLeast(_)) => true,
            Some(Greatest::Between(rate)) => rate.high - rate.low <= ANSWERS * rate.value,
            Some(Greatest::AtMost(_)) | None => false,
        };
        known && !self.doubts.contains(&HeadroomDoubt::Swings)
    }
}

/// One kind of I/O of a load, as far as reports state it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArrivalShape {
    /// Share of this kind in the load's rate.
    pub share: f64,
    /// Percentage of reads.
    pub read_percent: u8,
    /// Longest I/O, bytes.
    pub block: u64,
    /// Percentage of I/Os at random places.
    pub random_percent: u8,
}

/// Returns the answer of `run` to the request.
pub(crate) fn answer(run: &Run, ground: &Ground<'_>, asked: &HeadroomRequest) -> HeadroomAnswer {
    let search = Search::of(asked, &run.steps);
    let greatest = search.greatest();
    let mut doubts = search.doubts(&run.steps);
    if !asked.rates.is_empty() {
        // These are about the greatest rate, which was not searched.
        doubts.retain(|doubt| !matches!(doubt, HeadroomDoubt::Disagree | HeadroomDoubt::Wide));
    }
    let known = promised::RateRange {
        greatest,
        surely_holds: search.surely_holds(),
        surely_fails: search.surely_fails(),
        swings: doubts.contains(&HeadroomDoubt::Swings),
    };
    let rates = search.full_queue.zip(search.served(greatest)).map(|(full_queue, answer)| paid::PaidRates {
        answer,
        full_queue,
        seconds: search.elapsed(),
    });
    HeadroomAnswer {
        promised: promised::promised(run, asked, &known),
        bounds: asked.bounds.clone(),
        rates: asked.rates.clone(),
        binds: search.binds(),
        load: asked.load.iter().map(ArrivalShape::of).collect(),
        greatest,
        surely_holds: search.surely_holds(),
        surely_fails: search.surely_fails(),
        full_queue: search.full_queue,
        burst: rates.and_then(|rates| paid::burst(run, ground, (asked, &rates))),
        doubts,
        changes: search.changes,
        seconds: search.elapsed(),
        loads: search.into_rows(),
    }
}

impl ArrivalShape {
    /// Returns the shape of `part`.
    pub fn of(part: &LoadPart) -> ArrivalShape {
        let access = &part.job.access;
        let way = if access.mix.writes_only() { Direction::Write } else { Direction::Read };
        ArrivalShape {
            share: part.share,
            read_percent: access.mix.read_percent(),
            block: part.job.blocks.longest().0,
            random_percent: *access.random_percent.of(way),
        }
    }
}

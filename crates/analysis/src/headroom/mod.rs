//! The answer of `plimsoll headroom`: the greatest rate of arrivals at which a latency holds.

pub(crate) mod claimed;
mod clusters;
mod load;
mod promised;
mod search;

use record::Run;
use serde::{Deserialize, Serialize};
use workload::{Direction, HeadroomRequest, LatencyBound, LoadPart};

pub use claimed::{Headroom, HeadroomBound, claimed_latency, keeps_up};
pub use load::{BoundOutcome, Holds, OpenLoad};
pub use promised::PromisedRate;
pub use search::{Greatest, HeadroomDoubt, Search, elapsed};

use crate::figures::Figures;
use crate::verdict::Answer;

/// The answer of `plimsoll headroom`: the greatest rate of arrivals at which a latency holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadroomAnswer {
    /// The bounds, in the order they were asked; all must hold.
    pub bounds: Vec<LatencyBound>,
    /// Index of the bound that binds; `None` if no rate was found.
    pub binds: Option<usize>,
    /// What arrives.
    pub load: Vec<ArrivalShape>,
    /// The greatest rate, I/Os per second of the whole load; `None` if nothing shows it.
    pub greatest: Option<Greatest>,
    /// The greatest rate at which all bounds surely held, below every rate at which one surely did not.
    pub surely_holds: Option<f64>,
    /// The least rate at which one surely did not hold.
    pub surely_fails: Option<f64>,
    /// I/Os per second of the same load with its queue kept full.
    pub full_queue: Option<f64>,
    /// The loads since the last change, by rising rate; those of about one rate are joined.
    pub loads: Vec<OpenLoad>,
    /// How often the volume changed during the search: loads that contradict each other lie on either side of a change.
    pub changes: usize,
    /// What was promised of this load, and whether the bounds hold at that rate.
    pub promised: Vec<PromisedRate>,
    /// Why the answer is to be doubted.
    pub doubts: Vec<HeadroomDoubt>,
    /// Length of the search on the run's clock, seconds.
    pub seconds: f64,
}

/// Width of a range, as a share of its middle, up to which it is an answer.
const ANSWERS: f64 = 0.1;

impl HeadroomAnswer {
    /// Returns what all promises together come to; `None` if none was made.
    pub fn kept(&self) -> Option<Answer> {
        let answers: Vec<Answer> = self.promised.iter().filter_map(|promised| promised.answer).collect();
        let worst = [Answer::Below, Answer::CannotTell].into_iter().find(|one| answers.contains(one));
        worst.or_else(|| answers.first().map(|_| Answer::Meets))
    }

    /// Whether a rate was found: one, a lower bound, or two on either side of it that are near each other; and the
    /// volume held still.
    pub fn is_known(&self) -> bool {
        let known = match self.greatest {
            Some(Greatest::Found(_) | Greatest::AtLeast(_)) => true,
            Some(Greatest::Between(rate)) => rate.high - rate.low <= ANSWERS * rate.value,
            Some(Greatest::AtMost(_)) | None => false,
        };
        known && !self.doubts.contains(&HeadroomDoubt::Swings)
    }
}

/// One kind of I/O of a load, as far as words need it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArrivalShape {
    /// Its share of the load's rate.
    pub share: f64,
    /// Percentage of reads.
    pub read_percent: u8,
    /// The longest I/O, bytes.
    pub block: u64,
    /// Percentage of I/Os that go to random places.
    pub random_percent: u8,
}

/// Returns the answer that `run` gives to what was asked.
pub(crate) fn answer(run: &Run, _figures: &Figures, asked: &HeadroomRequest) -> HeadroomAnswer {
    let search = Search::of(asked, &run.steps);
    let greatest = search.greatest();
    let doubts = search.doubts(&run.steps);
    let known = promised::RateRange {
        greatest,
        surely_holds: search.surely_holds(),
        surely_fails: search.surely_fails(),
        swings: doubts.contains(&HeadroomDoubt::Swings),
    };
    HeadroomAnswer {
        promised: promised::promised(run, asked, &known),
        bounds: asked.bounds.clone(),
        binds: search.binds(),
        load: asked.load.iter().map(ArrivalShape::of).collect(),
        greatest,
        surely_holds: search.surely_holds(),
        surely_fails: search.surely_fails(),
        full_queue: search.full_queue,
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

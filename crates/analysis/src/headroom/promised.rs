//! Rates promised for the load of a search, compared with the rate at which its bounds hold.

use policy::Level;
use record::Run;
use serde::{Deserialize, Serialize};
use workload::{Claim, Direction, Expectation, HeadroomRequest, LoadPart, Metric, PolicyName};

use super::paid::charged;
use super::search::Greatest;
use crate::verdict::Answer;

/// A rate that was promised, or that a policy allows a queue that is never empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromisedRate {
    /// The policy's name, or the claim as typed.
    pub by: String,
    /// I/Os per second of the whole load.
    pub iops: f64,
    /// Whether the bounds hold at that rate; `None` for a policy's rate, which does not apply to random arrivals: no
    /// volume serves them at its full rate within any bound.
    pub answer: Option<Answer>,
}

/// Returns the rates that the policy and the expectation of `run` promise for the load.
pub(super) fn promised(run: &Run, asked: &HeadroomRequest, known: &RateRange) -> Vec<PromisedRate> {
    let policy = run.policy.as_deref().and_then(|words| PolicyName::parse(words).ok());
    let of_policy = policy.and_then(|name| Some((name.to_string(), policy_rate(&name, &asked.load)?)));
    let expectation = run.expectation.as_deref().and_then(|words| Expectation::parse(words).ok());
    let of_claims = expectation.into_iter().flat_map(|expectation| expectation.claims);
    let of_claims =
        of_claims.filter_map(|claim| Some((claim.words.clone(), claimed_rate(&claim, &asked.load)?)));
    let granted = of_policy.into_iter().map(|(by, iops)| PromisedRate { by, iops, answer: None });
    let claimed = of_claims.map(|(by, iops)| PromisedRate { by, iops, answer: Some(known.answer(iops)) });
    granted.chain(claimed).collect()
}

/// The greatest rate, as far as known.
pub(super) struct RateRange {
    pub greatest: Option<Greatest>,
    pub surely_holds: Option<f64>,
    pub surely_fails: Option<f64>,
    /// Whether the volume changed again and again, so that no result lasts.
    pub swings: bool,
}

impl RateRange {
    fn answer(&self, iops: f64) -> Answer {
        let (mut holds, mut fails) = (self.surely_holds, self.surely_fails);
        match self.greatest {
            Some(Greatest::Found(rate) | Greatest::Between(rate)) => {
                (holds, fails) = (Some(rate.low), Some(rate.high))
            }
            Some(Greatest::AtLeast(rate)) => (holds, fails) = (Some(rate), None),
            Some(Greatest::AtMost(rate)) => (holds, fails) = (None, Some(rate)),
            None => {}
        }
        match (holds, fails) {
            _ if self.swings => Answer::CannotTell,
            (Some(holds), _) if iops <= holds => Answer::Meets,
            (_, Some(fails)) if iops > fails => Answer::Below,
            _ => Answer::CannotTell,
        }
    }
}

/// Returns the I/Os per second that a policy allows a load of one kind for ever; several kinds have no single rate.
fn policy_rate(name: &PolicyName, load: &[LoadPart]) -> Option<f64> {
    let [part] = load else { return None };
    let limits = policy::evaluate_of_volume(name).ok()?;
    Some(limits.cap(&charged(part), Level::Baseline)?.iops.0)
}

/// Returns the I/Os per second of the whole load at which a claimed rate is kept; `None` for other claims, or without
/// such I/O.
fn claimed_rate(claim: &Claim, load: &[LoadPart]) -> Option<f64> {
    let reads = |part: &LoadPart| f64::from(part.job.access.mix.read_percent()) / 100.0;
    let of_way = |part: &LoadPart| match claim.direction {
        Some(Direction::Read) => reads(part),
        Some(Direction::Write) => 1.0 - reads(part),
        _ => 1.0,
    };
    let share: f64 = load.iter().map(|part| part.share * of_way(part)).sum();
    let bytes: f64 =
        load.iter().map(|part| part.share * of_way(part) * part.job.blocks.longest().0 as f64).sum();
    let rate = match claim.metric {
        Metric::Iops(rate) => rate.0 / share,
        Metric::Bandwidth(rate) => rate.0 / bytes,
        Metric::MeanLatency(_) | Metric::Percentile(..) => return None,
    };
    rate.is_finite().then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Estimate;
    use workload::{Access, BlockSizes, Bytes, Job, Mix};

    fn load(reads: u8, kib: u64) -> Vec<LoadPart> {
        let access = Access::random(Mix::reads(reads));
        let job = Job { access, blocks: BlockSizes::all(Bytes::kib(kib)), ..Job::named("arrivals") };
        vec![LoadPart { job, share: 1.0 }]
    }

    #[test]
    fn a_promise_of_a_rate_is_one_of_the_whole_load() {
        let rate = |words: &str, load: &[LoadPart]| {
            claimed_rate(&Expectation::parse(words).unwrap().claims[0], load).map(f64::round)
        };
        assert_eq!(rate("2500 iops", &load(70, 4)), Some(2500.0));
        assert_eq!(rate("write 300 iops", &load(70, 4)), Some(1000.0));
        assert_eq!(rate("10 MiB/s", &load(100, 8)), Some(1280.0));
        assert_eq!(rate("write 300 iops", &load(100, 4)), None);
        assert_eq!(rate("p99 < 5ms", &load(100, 4)), None);
        let gp3 = PolicyName::parse("aws-gp3").unwrap();
        assert_eq!(policy_rate(&gp3, &load(100, 4)), Some(3000.0));
        assert_eq!(policy_rate(&gp3, &[load(100, 4), load(0, 4)].concat()), None);
    }

    #[test]
    fn a_rate_within_the_interval_is_left_open() {
        let estimate = Estimate { value: 100.0, low: 95.0, high: 105.0 };
        let known = |greatest, swings| RateRange {
            greatest: Some(greatest),
            surely_holds: Some(80.0),
            surely_fails: Some(130.0),
            swings,
        };
        let found = known(Greatest::Found(estimate), false);
        assert_eq!(
            [90.0, 100.0, 110.0].map(|iops| found.answer(iops)),
            [Answer::Meets, Answer::CannotTell, Answer::Below]
        );
        let least = known(Greatest::AtLeast(200.0), false);
        assert_eq!([150.0, 250.0].map(|iops| least.answer(iops)), [Answer::Meets, Answer::CannotTell]);
        assert_eq!(known(Greatest::Found(estimate), true).answer(90.0), Answer::CannotTell);
    }
}

//! Devices that did not answer for a while, by the engine's I/Os in flight: how long, how often, and which I/O waited.

use record::{Note, Run, Silence, SilenceStage, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos};

use crate::finding::{Confidence, Evidence, FindingOf, Kind, Nature};

/// Fewest silences that have a period.
const PERIODIC: usize = 3;
/// Share of their mean within which all gaps between periodic silences lie: a quarter, as in the stop rule of a step.
const EVEN: f64 = 0.25;

/// No I/O in flight at `path` completed for `lasted`, from `since` on the run's clock: the I/O that was in flight
/// longest, and `others` with it. Of several silences this is the longest, with their number and spacing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoppedAnswering {
    pub step: String,
    pub path: String,
    pub since: Nanos,
    pub lasted: Nanos,
    pub stage: SilenceStage,
    pub direction: Direction,
    pub offset: u64,
    pub bytes: u32,
    pub others: u64,
    pub times: u64,
    pub period_s: Option<f64>,
}

impl Kind for StoppedAnswering {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 0, device: None, badness: None, doubt: None, level: false }
    }
}

/// A silence, with its step. Simultaneous silences of several workers are one.
struct Spell<'r> {
    step: &'r StepRecord,
    longest: &'r Silence,
    from: Nanos,
    to: Nanos,
}

/// Returns one finding for each file that fell silent.
pub(super) fn rule(run: &Run) -> Vec<FindingOf<StoppedAnswering>> {
    let mut paths: Vec<&str> = silences(run).map(|(_, silence)| silence.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths.into_iter().filter_map(|path| of_path(run, path)).collect()
}

fn silences(run: &Run) -> impl Iterator<Item = (&StepRecord, &Silence)> {
    let notes = run.steps.iter().flat_map(|step| step.notes.iter().map(move |note| (step, note)));
    notes.filter_map(|(step, note)| match note {
        Note::Silence(silence) => Some((step, silence)),
        _ => None,
    })
}

fn of_path(run: &Run, path: &str) -> Option<FindingOf<StoppedAnswering>> {
    let spells = spells(silences(run).filter(|(_, silence)| silence.path == path));
    let worst = spells.iter().max_by_key(|spell| spell.to.since(spell.from))?;
    let longest = worst.longest;
    let meaning = StoppedAnswering {
        step: worst.step.plan.name.clone(),
        path: path.to_owned(),
        since: worst.from,
        lasted: worst.to.since(worst.from),
        stage: spells.last().map_or(longest.stage, |last| last.longest.stage),
        direction: longest.direction,
        offset: longest.offset,
        bytes: longest.bytes,
        others: longest.others as u64,
        times: spells.len() as u64,
        period_s: period_s(&spells),
    };
    let evidence = |spell: &Spell<'_>| Evidence {
        step: spell.step.plan.name.clone(),
        series: "rate".to_owned(),
        from: spell.from,
        to: spell.to,
    };
    let evidence = spells.iter().map(evidence).collect();
    Some(FindingOf { meaning, evidence, confidence: Confidence::Certain })
}

/// Returns the silences in the order of time; of overlapping ones, the longest.
fn spells<'r>(all: impl Iterator<Item = (&'r StepRecord, &'r Silence)>) -> Vec<Spell<'r>> {
    let of = |(step, longest): (&'r StepRecord, &'r Silence)| {
        let from = Nanos(longest.at.since(longest.lasted).0);
        Spell { step, longest, from, to: longest.at }
    };
    let mut all: Vec<Spell<'r>> = all.map(of).collect();
    all.sort_by_key(|spell| spell.from);
    let mut apart: Vec<Spell<'r>> = Vec::new();
    for spell in all {
        match apart.last_mut() {
            Some(last) if spell.from <= last.to => {
                last.to = last.to.max(spell.to);
                if spell.longest.lasted > last.longest.lasted {
                    last.longest = spell.longest;
                }
            }
            _ => apart.push(spell),
        }
    }
    apart
}

/// Returns the time between the starts of silences, in seconds, if they are periodic.
fn period_s(spells: &[Spell<'_>]) -> Option<f64> {
    let gaps: Vec<f64> =
        spells.windows(2).map(|pair| pair[1].from.since(pair[0].from).as_secs_f64()).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
    let even = gaps.iter().all(|gap| (gap - mean).abs() <= EVEN * mean);
    (spells.len() >= PERIODIC && even).then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::{Ending, StepKind, StepPlan};

    fn run(silences: &[(u64, u64, SilenceStage)]) -> Run {
        let note = |&(from, to, stage): &(u64, u64, SilenceStage)| {
            Note::Silence(Silence {
                stage,
                at: Nanos::from_secs(to),
                lasted: Nanos::from_secs(to - from),
                path: "/dev/vdb".into(),
                direction: Direction::Read,
                offset: 4096,
                bytes: 4096,
                others: 3,
                patience: Nanos::from_secs(60),
            })
        };
        let plan = StepPlan {
            name: "d8".into(),
            kind: StepKind::Job,
            workers: vec![],
            stop: vec![],
            ramp: Nanos::ZERO,
            interval: Nanos::SECOND,
            choices: vec![],
        };
        let mut run = Run::started(vec!["plimsoll".into()], 0);
        run.steps.push(StepRecord {
            plan,
            started: Nanos::ZERO,
            counted_from: Nanos::ZERO,
            ended: Nanos::from_secs(100),
            ending: Ending::Time,
            jobs: vec![],
            intervals: vec![],
            workers: vec![],
            failures: vec![],
            notes: silences.iter().map(note).collect(),
        });
        run
    }

    #[test]
    fn silences_of_workers_at_one_time_are_one_and_the_longest_is_told() {
        use SilenceStage::{GivenUp, Over};
        let found = rule(&run(&[(11, 17, Over), (10, 18, Over), (40, 70, GivenUp)]));
        let [found] = found.as_slice() else { panic!("{found:?}") };
        let told = &found.meaning;
        assert_eq!(
            (told.since, told.lasted, told.stage),
            (Nanos::from_secs(40), Nanos::from_secs(30), GivenUp)
        );
        assert_eq!((told.times, told.period_s, found.evidence.len()), (2, None, 2));
        assert!(rule(&run(&[])).is_empty());
    }

    #[test]
    fn a_period_is_told_where_there_is_one() {
        use SilenceStage::Over;
        let told = |spans: &[(u64, u64, SilenceStage)]| rule(&run(spans))[0].meaning.period_s;
        assert_eq!(told(&[(10, 16, Over), (30, 36, Over), (50, 57, Over)]), Some(20.0));
        assert_eq!(told(&[(10, 16, Over), (30, 36, Over), (80, 87, Over)]), None);
        assert_eq!(told(&[(10, 16, Over), (30, 36, Over)]), None);
    }
}

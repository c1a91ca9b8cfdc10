//! `plimsoll profile from --verify`: the profile of a load beside the load itself, on one volume, and the comparison.

use std::cell::OnceCell;

use analysis::Analysis;
use analysis::compare::{Comparison, Outcome, Shown};
use analysis::loads::{LoadFigures, RecordedLoad, beside, figures_of_recording, figures_of_step};
use experiments::{Layout, Profile, ProfileStep, Step, Writes};
use record::{Run, StepRecord};
use report::{Extent, Forecast, Paint};
use session::failure::Failure;
use session::{Setup, Wish};
use workload::{Access, BlockSizes, Bytes, Job, Nanos, Pace, Replay, Target};

use super::recorded::{Origin, Recorded, fitted};
use crate::arguments::{Format, MeasureArguments, OnlookerArguments, ShownArguments};
use crate::commands::measure::{Ground, Measurement, destruction};
use crate::commands::own;
use crate::commands::run::ProfileRun;
use session::progress::Form;

/// Parts in which both are compared: two more than the fewest of which a rank test tells anything (method 11).
const PARTS: usize = 8;
/// Parts beside a replay in virtual time, which costs nothing, and the I/Os of a trace up to which that is so (chosen by us:
/// seconds of computing).
const PARTS_VIRTUAL: usize = 24;
const IOS_FEW: u64 = 200_000;
/// Shortest and longest part beside a recording's figures.
const PART: [Nanos; 2] = [Nanos::from_secs(5), Nanos::from_secs(60)];
/// Latency of the simulated volume if the recording has none, in microseconds: that of a fast volume of a provider.
const LATENCY_US: f64 = 500.0;
/// I/Os of a replay that may be in flight.
const IN_FLIGHT: u32 = 256;
/// Exit code if the profile differs from the recording: below what is expected of it.
const DIFFERS: u8 = 3;

/// Runs the profile beside the recorded load on `target`, and prints how they differ.
pub(super) fn run(
    (target, busy): (&str, bool),
    recorded: &Recorded,
    profile: &Profile,
) -> Result<u8, Failure> {
    let own_volume = simulated(&recorded.load);
    let words = if target.is_empty() { own_volume.as_str() } else { target };
    let target = own::target(words)?;
    if target == Target::Null {
        return Err(Failure::refused(
            "--verify null: has no latency and no limit, so every load looks alike; name a folder, or sim:POLICY",
        ));
    }
    let arguments = MeasureArguments {
        start_at: None,
        busy,
        dry_run: false,
        give_up: record::PATIENCE,
        format: Format::Text,
        out: None,
        shown: ShownArguments { open: false, html: None, progress: Form::default() },
        onlookers: OnlookerArguments::default(),
    };
    let made = matches!(&target, Target::Path(path) if path.is_dir()) || matches!(target, Target::Lab(_));
    let wish = Wish { size: profile.size.filter(|_| made), ..Wish::default() };
    let ground = Ground::open((&target, words), &wish, &arguments)?;
    let (writes, layout) = (ground.setup.writes, ground.setup.layout);
    if writes == Writes::LeftOut && profile.steps.iter().any(ProfileStep::writes) {
        return Err(Failure::refused(format!(
            "--verify {words}: the load writes, and this target is only read; name a folder, or sim:POLICY"
        )));
    }
    let steps = steps(recorded, profile, &ground)?;
    let run = ProfileRun { profile: Profile { steps, ..profile.clone() }, writes, layout };
    ground.measure(&Verification { run, recorded, found: OnceCell::new() })
}

/// Returns the words of a simulated volume without limits that takes as long as the recorded one.
fn simulated(load: &RecordedLoad) -> String {
    let waits =
        load.flows().into_iter().filter_map(|(_, flow)| Some((flow.iops, flow.iops * flow.latency_s?)));
    let (ios, waited) = waits.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let latency = if ios > 0.0 && waited > 0.0 { waited / ios * 1e6 } else { LATENCY_US };
    format!("sim:custom,iops=10000000,latency={latency:.0}us")
}

/// Returns the steps: the profile in parts and, for a trace, its replay before each.
fn steps(recorded: &Recorded, profile: &Profile, ground: &Ground<'_>) -> Result<Vec<ProfileStep>, Failure> {
    let [own] = profile.steps.as_slice() else { return Ok(Vec::new()) };
    let mut parts = PARTS;
    let (time, replay) = match &recorded.origin {
        Origin::Run(_) => {
            let part = Nanos::from_secs_f64(recorded.load.seconds / PARTS as f64);
            (part.clamp(PART[0], PART[1]), None)
        }
        Origin::Trace(reading) => {
            let plan = ground.setup.runner.plan(&own.step()).map_err(Failure::refused)?;
            let region = plan
                .workers
                .first()
                .and_then(|worker| worker.files.first())
                .map_or(Bytes(0), |file| file.size);
            let fitted = fitted(&recorded.path, reading, region)?;
            if fitted.longest > region {
                return Err(Failure::refused(format!(
                    "--verify: the trace has an I/O of {}, and the region has {region}; name a larger target",
                    fitted.longest
                )));
            }
            if ground.setup.is_virtual() && fitted.ios.iter().sum::<u64>() <= IOS_FEW {
                parts = PARTS_VIRTUAL;
            }
            let length = Nanos(fitted.length.0.max(Nanos::from_millis(1).0));
            let replay = Replay {
                name: recorded.path.display().to_string(),
                ios: fitted.ios,
                longest: fitted.longest,
                length,
                changed: vec![fitted.ios[1] > 0],
                rows: fitted.rows,
            };
            (length, Some(replay))
        }
    };
    let mut steps = Vec::new();
    for part in 1..=parts {
        if let Some(replay) = &replay {
            let job = Job {
                size: Some(replay.longest),
                access: Access::replayed(replay.clone()),
                blocks: BlockSizes::all(replay.longest),
                pace: Pace::Traced,
                depth: IN_FLIGHT,
                ..Job::named("replay")
            };
            let name = format!("replay {part}");
            steps.push(ProfileStep { name, time: Nanos(time.0 + 1), ramp: Nanos::ZERO, jobs: vec![job] });
        }
        let mut jobs = own.jobs.clone();
        jobs.iter_mut().for_each(|job| job.seed = part as u64);
        steps.push(ProfileStep { name: format!("profile {part}"), time, ramp: Nanos::ZERO, jobs });
    }
    Ok(steps)
}

/// A profile that is run beside its recording.
struct Verification<'a> {
    run: ProfileRun,
    recorded: &'a Recorded,
    found: OnceCell<Comparison>,
}

impl Verification<'_> {
    fn compared(&self, run: &Run) -> &Comparison {
        self.found.get_or_init(|| {
            let measured: Vec<&StepRecord> =
                run.steps.iter().filter(|step| step.plan.kind == workload::StepKind::Job).collect();
            let replayed =
                |step: &&&StepRecord| step.plan.workers.iter().any(|worker| worker.access.replay.is_some());
            let figures = |replays: bool| -> Vec<LoadFigures> {
                measured
                    .iter()
                    .filter(|step| replayed(step) == replays)
                    .map(|step| figures_of_step(step))
                    .collect()
            };
            let original = match &self.recorded.origin {
                Origin::Run(run) => figures_of_recording(run, &self.recorded.load, PARTS),
                Origin::Trace(_) => figures(true),
            };
            beside(&original, &figures(false), &self.recorded.load)
        })
    }
}

/// Whether some figure of the profile is shown to differ.
fn differs(comparison: &Comparison) -> bool {
    let ratios = comparison.rows.iter().filter_map(|row| row.ratios.get(1).copied().flatten());
    ratios.into_iter().any(|ratio| matches!(ratio.shows(), Shown::Less | Shown::More))
}

impl Measurement for Verification<'_> {
    fn command(&self) -> String {
        "profile".to_owned()
    }

    fn noun(&self) -> &'static str {
        "a profile"
    }

    fn next(&self, done: &[StepRecord]) -> Option<Step> {
        self.run.next(done)
    }

    fn steps(&self) -> Option<usize> {
        self.run.steps()
    }

    fn forecast(&self) -> Forecast {
        self.run.forecast()
    }

    fn announcement(&self, setup: &Setup) -> Vec<String> {
        let head = report::head(&setup.facts, setup.runner.backend());
        let beside = match self.recorded.origin {
            Origin::Run(_) => "beside the recording's figures",
            Origin::Trace(_) => "in turns with a replay of the trace",
        };
        let time = match setup.is_virtual() {
            true => "in virtual time".to_owned(),
            false => format!("about {}", report::numbers::span(self.forecast().seconds)),
        };
        let own = |step: &&ProfileStep| step.jobs.iter().all(|job| job.access.replay.is_none());
        let times = self.run.profile.steps.iter().filter(own).count();
        let words = report::wrap("", &format!("The profile runs {times} times {beside}, {time}."));
        [head, words].into_iter().chain(destruction(setup)).collect()
    }

    fn outline(&self) -> [String; 2] {
        self.run.outline()
    }

    fn first(&self) -> Option<Step> {
        self.run.profile.next_step((self.run.writes, Layout::None), &[])
    }

    fn text(&self, run: &Run, _: &Analysis, _: Paint) -> String {
        report::comparison_text(self.compared(run), Extent::All)
    }

    fn exit_code(&self, _: &Analysis) -> u8 {
        match self.found.get() {
            Some(comparison) if differs(comparison) => DIFFERS,
            Some(comparison) if comparison.outcome == Outcome::Same => 0,
            _ => Outcome::CannotTell.exit_code(),
        }
    }
}

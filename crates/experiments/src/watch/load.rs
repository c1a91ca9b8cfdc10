//! The load of load cycles: jobs that run side by side, at their own rates or at a share of them.

use std::path::Path;

use policy::Limits;
use workload::{
    Access, BlockSizes, Bytes, Direction, Iops, Job, Mix, Nanos, Pace, StepKind, StopRule, Workload,
};

use super::phases::PlannedPhase;
use crate::profile::Profile;
use crate::step::Step;

/// Depth of a load made from a policy: that of the published test, deep enough to reach any rate.
const POLICY_DEPTH: u32 = 256;
/// Block size for a policy that states none.
const POLICY_BLOCK: Bytes = Bytes::kib(4);
/// Share of reads for a policy that states none: the mix that providers publish most.
const POLICY_READS: f64 = 0.7;

/// A load, which runs in every load phase.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchLoad {
    /// The load, as typed.
    pub words: String,
    /// Jobs that run side by side, without their own stop rules: the phase ends them.
    pub jobs: Vec<Job>,
    /// Notes for the user: what was changed or left out.
    pub notes: Vec<String>,
}

/// Rates that a load asks for in operations per second; zero if it asks for none in that direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Nominal {
    /// Reads.
    pub read: f64,
    /// Writes.
    pub write: f64,
}

/// Reason why a load cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The load has several steps that run one after the other.
    #[error(
        "{words} runs {count} steps one after the other ({}), and a load phase holds one; {remedy}",
        listed(steps)
    )]
    Steps {
        /// The load.
        words: String,
        /// Number of steps.
        count: usize,
        /// Names of the steps.
        steps: Vec<String>,
        /// Advice to the user.
        remedy: &'static str,
    },
    /// A job keeps no rate that could be scaled.
    #[error(
        "--scale: the job '{job}' of {words} keeps no rate (it runs as fast as it can), so there is nothing to take a share \
         of; give it rate_iops, or leave --scale out"
    )]
    NoRate {
        /// The load.
        words: String,
        /// Name of the job.
        job: String,
    },
    /// A policy has no limit on operations.
    #[error(
        "{words} limits no operations, so it names no load; name a fio job file or a profile with --load, and the policy with --policy"
    )]
    NoIops {
        /// The policy.
        words: String,
    },
}

/// The first few names, quoted.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let first = names.iter().take(SHOWN).map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{first}, …") } else { first }
}

impl WatchLoad {
    /// A load of `jobs`, without their own stop rules and delays.
    pub fn of_jobs(words: &str, jobs: Vec<Job>, notes: Vec<String>) -> WatchLoad {
        let endless = |job: Job| Job { stop: Vec::new(), delay: Nanos::ZERO, ..job };
        WatchLoad { words: words.to_owned(), jobs: jobs.into_iter().map(endless).collect(), notes }
    }

    /// The load of a profile's only step.
    ///
    /// # Errors
    /// Returns [`LoadError::Steps`] if the profile has more.
    pub fn of_profile(profile: &Profile) -> Result<WatchLoad, LoadError> {
        match &profile.steps[..] {
            [step] => Ok(WatchLoad::of_jobs(&profile.name, step.jobs.clone(), Vec::new())),
            steps => Err(LoadError::Steps {
                words: profile.name.clone(),
                count: steps.len(),
                steps: steps.iter().map(|step| step.name.clone()).collect(),
                remedy: "copy one step into a profile of your own (plimsoll profile show NAME --toml)",
            }),
        }
    }

    /// The load for which `limits` are stated, at the rate that they grant permanently.
    ///
    /// # Errors
    /// Returns [`LoadError::NoIops`] if the limits include none on operations.
    pub fn of_policy(limits: &Limits) -> Result<WatchLoad, LoadError> {
        let words = limits.policy.to_string();
        let stated = limits.reference_workload.as_ref();
        let reads = stated.map_or(POLICY_READS, |stated| stated.read_fraction);
        let block = stated.map_or(POLICY_BLOCK, |stated| stated.block);
        let random = stated.map_or(1.0, |stated| stated.random_fraction);
        let mixed = policy::Load::mixed(reads, block);
        let cap =
            limits.cap(&mixed, policy::Level::Baseline).ok_or(LoadError::NoIops { words: words.clone() })?;
        let rate = cap.iops.0;
        let percent = (reads * 100.0).round() as u8;
        let access = match random {
            random if random >= 1.0 => Access::random(Mix::reads(percent)),
            random if random <= 0.0 => Access::sequential(Mix::reads(percent)),
            random => Access::partly_random((random * 100.0).round() as u8, Mix::reads(percent)),
        };
        let side = |share: f64| Pace::Fixed(Iops(rate * share));
        let (pace, write_pace) = match reads {
            reads if reads >= 1.0 || reads <= 0.0 => (side(1.0), None),
            reads => (side(reads), Some(side(1.0 - reads))),
        };
        let job = Job {
            access,
            blocks: BlockSizes::all(block),
            depth: POLICY_DEPTH,
            pace,
            write_pace,
            ..Job::named(&limits.policy.id)
        };
        let from =
            if stated.is_some() { "as the policy states it" } else { "since the policy states no other" };
        let note = format!(
            "{words} as a load: {rate:.0} IOPS of {block}, {percent} % reads, {:.0} % random ({from})",
            random * 100.0
        );
        Ok(WatchLoad::of_jobs(&words, vec![job], vec![note]))
    }

    /// Restricts jobs without their own files to `region`, and notes the jobs whose size is dropped for that.
    pub fn fit(&mut self, region: Bytes) {
        for job in self.jobs.iter_mut().filter(|job| job.files.is_empty()) {
            let offset = job.offset.0;
            let beyond = |size: &Bytes| offset.saturating_add(size.0) > region.0;
            if let Some(size) = job.size.filter(beyond) {
                self.notes
                    .push(format!("{} asks for {size}, and {region} are there: it uses those", job.name));
                (job.size, job.offset) = (None, Bytes(0));
            }
        }
    }

    /// Makes jobs without their own files bypass the page cache, and notes which had asked for the cache: a target
    /// that is a device has no page cache of the load's own.
    pub fn go_past_the_cache(&mut self) {
        for job in self.jobs.iter_mut().filter(|job| job.files.is_empty() && !job.direct) {
            job.direct = true;
            let text =
                "asks for the page cache (direct=0); on a device or a file that is there it goes past it";
            self.notes.push(format!("{} {text}", job.name));
        }
    }

    /// Files that the jobs name, each once.
    pub fn files(&self) -> Vec<&Path> {
        let mut files: Vec<&Path> = Vec::new();
        for path in self.jobs.iter().flat_map(|job| &job.files) {
            if !files.contains(&path.as_path()) {
                files.push(path);
            }
        }
        files
    }

    /// Whether any job writes.
    pub fn writes(&self) -> bool {
        self.jobs.iter().any(|job| !job.access.mix.reads_only())
    }

    /// Whether any job writes to the file at `path`.
    pub fn writes_to(&self, path: &Path) -> bool {
        let on = |job: &&Job| job.files.iter().any(|file| file == path);
        self.jobs.iter().filter(on).any(|job| !job.access.mix.reads_only())
    }

    /// The rates that the load asks for; `None` if a job runs as fast as it can.
    pub fn nominal(&self) -> Option<Nominal> {
        let mut nominal = Nominal::default();
        for job in &self.jobs {
            let of_one = job_rates(job)?;
            nominal.read += of_one.read;
            nominal.write += of_one.write;
        }
        Some(nominal)
    }

    /// Checks that every job keeps a rate that can be scaled.
    ///
    /// # Errors
    /// Returns [`LoadError::NoRate`] with the first job that keeps none.
    pub fn can_be_scaled(&self) -> Result<(), LoadError> {
        let lacking = self.jobs.iter().find(|job| job_rates(job).is_none());
        match lacking {
            None => Ok(()),
            Some(job) => Err(LoadError::NoRate { words: self.words.clone(), job: job.name.clone() }),
        }
    }

    /// The step of a load phase: all jobs for the length of the phase, at `scale` of their rates.
    pub fn step(&self, phase: &PlannedPhase, scale: Option<f64>) -> Step {
        let jobs = self.jobs.iter().map(|job| scaled(job, scale.unwrap_or(1.0))).collect();
        let workload = Workload { jobs, stop: vec![StopRule::Time(phase.length)], ramp: Nanos::ZERO };
        Step { name: phase.name.clone(), kind: StepKind::Job, workload, interval: None }
    }
}

/// Rates of all clones of `job` together; `None` if a direction that it issues has no rate.
fn job_rates(job: &Job) -> Option<Nominal> {
    let clones = f64::from(job.clones);
    let mix = &job.access.mix;
    let pace = job.pace.rate().map(|rate| rate.0 * clones);
    let (reads, writes) = (mix.issues(Direction::Read), mix.issues(Direction::Write));
    match (job.write_pace, reads, writes) {
        (Some(own), true, true) => Some(Nominal { read: pace?, write: own.rate()?.0 * clones }),
        (_, true, false) => Some(Nominal { read: pace?, write: 0.0 }),
        (_, false, _) => Some(Nominal { read: 0.0, write: pace? }),
        (None, true, true) => {
            let share = f64::from(mix.read_percent()) / 100.0;
            Some(Nominal { read: pace? * share, write: pace? * (1.0 - share) })
        }
    }
}

fn scaled(job: &Job, scale: f64) -> Job {
    let at = |pace: Pace| pace.times(scale);
    Job { pace: at(job.pace), write_pace: job.write_pace.map(at), ..job.clone() }
}

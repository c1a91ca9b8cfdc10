//! The timespans of a DiskSpd run, one after the other.

use std::path::{Path, PathBuf};

use diskspd::{
    Asked, Cache, Creation, Format, Ground, SpanPlan, SpanResult, Target, TimeSpan, creations, plan_span,
    precreations, results,
};
use engine::{plan, run_real};
use kernel::Clock;
use record::StepRecord;
use workload::{Bytes, Ending, Nanos, StepKind, StopRule, Workload};

use super::files::{Files, cached, flushes_each_write, found};
use super::watch::Watch;
use session::output;
use session::signals::StopFlag;
use session::unwritten::{self, NOTABLE, Unwritten, percent};
use session::vigil;

/// Runs all timespans; those that a wish to stop leaves out are empty.
pub fn run(asked: &Asked, stop: &StopFlag) -> Result<Vec<SpanResult>, String> {
    let mut runner =
        Runner { asked, stop, clock: Clock::start(), files: Files::new(Clock::start(), stop.clone()) };
    let before = precreations(&asked.profile);
    runner.create(&before)?;
    let spans = &asked.profile.time_spans;
    let with_rest = |number: usize| move |error: String| error + &not_run(spans.len() - number - 1);
    let each = spans.iter().enumerate();
    each.map(|(number, span)| runner.run(span, &before).map_err(with_rest(number))).collect()
}

/// A failure ends the run, as DiskSpd's does: what comes behind it is not passed over in silence.
fn not_run(spans: usize) -> String {
    match spans {
        0 => String::new(),
        1 => "; the timespan behind it was not run".to_owned(),
        many => format!("; the {many} timespans behind it were not run"),
    }
}

struct Runner<'a> {
    asked: &'a Asked,
    stop: &'a StopFlag,
    clock: Clock,
    files: Files,
}

impl Runner<'_> {
    fn run(&mut self, span: &TimeSpan, before: &[Creation]) -> Result<SpanResult, String> {
        self.create(&creations(span, before))?;
        if self.stop.raised() {
            return Ok(SpanResult::default());
        }
        let planned = self.plan(span)?;
        for warning in &planned.warnings {
            output::people(report::wrap("WARNING: ", warning).trim_end());
        }
        self.name_doubts(span);
        let (record, cpus) = self.load(span, &planned)?;
        if record.ending == Ending::Failed {
            return Err(failure(&record));
        }
        Ok(results(span, &planned, &record, cpus))
    }

    fn create(&mut self, creations: &[Creation]) -> Result<(), String> {
        super::files::room_for(creations)?;
        for creation in creations {
            self.tell(&format!("creating {} ({} bytes)", creation.path.display(), creation.bytes));
            self.files.create(creation)?;
        }
        Ok(())
    }

    fn plan(&self, span: &TimeSpan) -> Result<SpanPlan, String> {
        let cpus = kernel::available_cpus();
        let ground =
            Ground { look: &|path| found(path), read: &read_start, cpus: &cpus, ring: self.asked.ring };
        plan_span(span, &ground).map_err(|error| error.to_string())
    }

    /// What makes a target's figures those of something else is said before they are measured, once a target.
    fn name_doubts(&self, span: &TimeSpan) {
        let mut seen: Vec<&str> = Vec::new();
        for target in &span.targets {
            if !seen.contains(&target.path.as_str()) {
                seen.push(&target.path);
                for doubt in doubts(target) {
                    output::people(report::wrap("note: ", &doubt).trim_end());
                }
            }
        }
    }

    fn load(
        &mut self,
        span: &TimeSpan,
        planned: &SpanPlan,
    ) -> Result<(StepRecord, Vec<diskspd::CpuUse>), String> {
        let paths: Vec<PathBuf> = planned.workload.jobs.iter().flat_map(|job| job.files.clone()).collect();
        let ground = self.files.ground(&paths, planned.interval);
        let plan =
            plan(&planned.workload, "timespan", StepKind::Job, &ground).map_err(|error| error.to_string())?;
        let files = &mut self.files;
        let open = || plan.workers.iter().map(|worker| files.open(worker)).collect::<Result<Vec<_>, _>>();
        let opened = vigil::over("opening the targets", self.stop, open)?;
        Files::advise(span, &opened);
        self.tell(&format!("starting warm up of {}s, then measuring {}s", span.warm_up, span.duration));
        let times = (planned.workload.ramp, measured(&planned.workload));
        let unwritten = Unwritten::of(&plan);
        let mut watch = Watch::new(&self.asked.profile, (self.stop, self.clock), times);
        let record = run_real(&plan, &opened, self.clock, &mut watch).map_err(|error| error.to_string())?;
        if let Some(line) = unwritten.behind(&record) {
            output::people(report::wrap("note: ", &line).trim_end());
        }
        self.tell("test finished");
        let until = (record.counted_from + times.1).min(record.ended);
        let cpus = watch.cpus(record.counted_from, until);
        Ok((record, cpus))
    }

    /// A line of `-v`: with the result as DiskSpd has it, but never inside XML.
    fn tell(&self, words: &str) {
        if !self.asked.profile.verbose {
            return;
        }
        let line = format!("[{:9.3}] {words}", self.clock.now().as_secs_f64());
        match self.asked.profile.format {
            // What cannot be written now cannot be written later either, and then it is told.
            Format::Text => drop(output::result(&format!("{line}\n"))),
            Format::Xml => output::people(&line),
        }
    }
}

/// Reads through a cache measure memory, reads of what was never written nothing, and where the kernel must send a flush
/// for each stable write, that is what limits them.
fn doubts(target: &Target) -> Vec<String> {
    let path = Path::new(&target.path);
    let (reads, writes) = (target.write_percent < 100, target.write_percent > 0);
    let mut doubts = Vec::new();
    let share = if reads && target.cache == Cache::Used { cached(path).unwrap_or(0.0) } else { 0.0 };
    if share >= NOTABLE {
        doubts.push(format!(
            "{:.0} % of '{}' lies in the page cache, so reads measure memory too; -Su goes past it",
            100.0 * share,
            target.path
        ));
    }
    let whole = found(path).filter(|_| reads).map(|found| Bytes(found.bytes));
    let share = whole.and_then(|bytes| unwritten::share(path, Bytes(0), bytes)).unwrap_or(0.0);
    if share >= NOTABLE {
        doubts.push(format!(
            "{} of '{}' was never written, so reads there do not reach the volume; -c<size> makes it anew with data",
            percent(share),
            target.path
        ));
    }
    if writes && target.write_through && flushes_each_write(path) {
        doubts.push(format!(
            "the volume of '{}' has a write cache that may lose data and no other way around it, so a flush follows each \
             write (-Sw); a limit on I/O counts flushes too",
            target.path
        ));
    }
    doubts
}

fn measured(workload: &Workload) -> Nanos {
    let time = workload.stop.iter().find_map(|rule| match rule {
        StopRule::Time(time) => Some(*time),
        _ => None,
    });
    time.unwrap_or(Nanos::ZERO)
}

/// The first bytes of a file, at most `most`.
fn read_start(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn failure(record: &StepRecord) -> String {
    match record.failures.first() {
        Some(failure) => format!(
            "{} of {} bytes at byte {} of '{}' failed: {}",
            failure.direction.name(),
            failure.bytes,
            failure.offset,
            failure.path,
            std::io::Error::from_raw_os_error(failure.errno)
        ),
        None => "an I/O failed".to_owned(),
    }
}

//! The timespans of a DiskSpd run as steps, one after the other, and the output while they run.

use std::cell::RefCell;
use std::path::Path;

use diskspd::{
    CpuReadings, CpuUse, Creation, DiskSpdRequest, Dots, Format, Ground, SpanPlan, SpanResult, TimeSpan,
    creations, failure, not_run, plan_span, precreations, results,
};
use experiments::Step;
use kernel::{Clock, Walk};
use record::{Interval, Observer, Silence, StepRecord};
use sampler::Root;
use workload::{Bytes, Ending, Nanos, StepKind, StepPlan, StopRule, Workload};

use super::targets;
use session::named::{Announcement, NamedFiles, Treatment, WithoutDirect};
use session::named_input::NamedInput;
use session::output;
use session::signals::StopFlag;
use session::unwritten::UnwrittenFiles;
use session::{NamedRunner, Procedure, RunnerError, run_steps};

/// Runs all timespans; a timespan that is not run because of a stop has an empty result.
pub fn run(asked: &DiskSpdRequest, stop: &StopFlag) -> Result<Vec<SpanResult>, String> {
    let (announcement, without_direct) = (Announcement::Now, WithoutDirect::Buffered);
    let treatment = Treatment { announcement, without_direct, stop: stop.clone() };
    let mut runner = NamedRunner::new(treatment, Some("opening the targets"));
    let clock = runner.run_clock();
    let watch = Watch { stop, clock, cpus: RefCell::default(), dots: Dots::new(0), format: Format::Text };
    let before = precreations(&asked.profile);
    let mut spans = Spans { asked, before, running: None, unwritten: None, watch, results: Vec::new() };
    spans.create(&spans.before, runner.files())?;
    let all = asked.profile.time_spans.len();
    run_steps(&mut spans, &mut runner)
        .map_err(|SpanFailure(why)| why + &not_run(all - spans.results.len() - 1))?;
    Ok(spans.results)
}

/// Why the run ends, as text.
struct SpanFailure(String);

impl From<String> for SpanFailure {
    fn from(why: String) -> SpanFailure {
        SpanFailure(why)
    }
}

impl From<RunnerError> for SpanFailure {
    fn from(error: RunnerError) -> SpanFailure {
        SpanFailure(match error {
            RunnerError::Engine { error, .. } => error.to_string(),
            other => other.to_string(),
        })
    }
}

struct Spans<'a> {
    asked: &'a DiskSpdRequest,
    /// Files made before the first timespan.
    before: Vec<Creation>,
    /// The timespan under way.
    running: Option<(&'a TimeSpan, SpanPlan)>,
    unwritten: Option<UnwrittenFiles>,
    watch: Watch<'a>,
    results: Vec<SpanResult>,
}

impl Spans<'_> {
    fn create(&self, creations: &[Creation], files: &mut NamedFiles) -> Result<(), String> {
        targets::room_for(creations)?;
        for creation in creations {
            self.tell(&format!("creating {} ({} bytes)", creation.path.display(), creation.bytes));
            targets::create(creation, files)?;
        }
        Ok(())
    }

    fn plan(&self, span: &TimeSpan) -> Result<SpanPlan, String> {
        if let Some(path) =
            span.targets.iter().map(|target| &target.path).find(|path| Path::new(path).is_dir())
        {
            return Err(format!("'{path}' is a directory; name a file in it, and -c<size> makes that"));
        }
        let cpus = kernel::available_cpus();
        let (look, read) = (&targets::found, &read_start);
        let ground = Ground { look, read, cpus: &cpus, ring: self.asked.ring };
        let planned = plan_span(span, &ground).map_err(|error| error.to_string())?;
        planned.warnings.iter().for_each(|warning| say("WARNING: ", warning));
        let mut seen: Vec<&str> = Vec::new();
        for target in &span.targets {
            if !seen.contains(&target.path.as_str()) {
                seen.push(&target.path);
                targets::doubts(target).iter().for_each(|doubt| say("note: ", doubt));
            }
        }
        Ok(planned)
    }

    /// Prints a line of `-v`: with the result, as DiskSpd does, but on stderr if that is XML.
    fn tell(&self, words: &str) {
        if !self.asked.profile.verbose {
            return;
        }
        let line = format!("[{:9.3}] {words}", self.watch.clock.now().as_secs_f64());
        match self.asked.profile.format {
            // If this cannot be written, neither can the result, which then reports the failure.
            Format::Text => drop(output::result(&format!("{line}\n"))),
            Format::Xml => output::people(&line),
        }
    }
}

impl Procedure<NamedRunner> for Spans<'_> {
    type Error = SpanFailure;

    fn next(&mut self, runner: &mut NamedRunner) -> Result<Option<Step>, SpanFailure> {
        let spans = &self.asked.profile.time_spans;
        let Some(span) = spans.get(self.results.len()) else { return Ok(None) };
        self.create(&creations(span, &self.before), runner.files())?;
        if self.watch.stop.raised() {
            self.results.resize_with(spans.len(), SpanResult::default);
            return Ok(None);
        }
        let planned = self.plan(span)?;
        runner.record_every(planned.interval);
        let workload = planned.workload.clone();
        self.running = Some((span, planned));
        Ok(Some(Step { name: "timespan".to_owned(), kind: StepKind::Job, workload, interval: None }))
    }

    fn ready(&mut self, plan: &StepPlan, runner: &mut NamedRunner) -> Result<(), SpanFailure> {
        let Some((span, planned)) = &self.running else { return Ok(()) };
        runner.advise(|path| walk(span, path));
        self.tell(&format!("starting warm up of {}s, then measuring {}s", span.warm_up, span.duration));
        self.unwritten = Some(UnwrittenFiles::of(plan));
        let from = self.watch.clock.now() + planned.workload.ramp;
        let cpus = CpuReadings::around(from, from + measured(&planned.workload)).into();
        let (dots, format) = (Dots::new(self.asked.profile.progress), self.asked.profile.format);
        self.watch = Watch { cpus, dots, format, ..self.watch };
        Ok(())
    }

    fn observer(&mut self) -> &mut dyn Observer {
        &mut self.watch
    }

    fn ended(&mut self, record: StepRecord, _runner: &mut NamedRunner) -> Result<(), SpanFailure> {
        let Some((span, planned)) = self.running.take() else { return Ok(()) };
        let behind = self.unwritten.take().and_then(|unwritten| unwritten.behind(&record));
        behind.iter().for_each(|line| say("note: ", line));
        self.tell("test finished");
        let until = (record.counted_from + measured(&planned.workload)).min(record.ended);
        let cpus = self.watch.cpus_between(record.counted_from, until);
        if record.ending == Ending::Failed {
            return Err(failure(&record).into());
        }
        self.results.push(results(span, &planned, &record, cpus));
        Ok(())
    }
}

/// Returns the access hint for the target at `path`, if `span` gives one.
fn walk(span: &TimeSpan, path: &Path) -> Option<Walk> {
    let target = span.targets.iter().find(|target| Path::new(&target.path) == path)?;
    match (target.random_hint, target.sequential_hint) {
        (true, _) => Some(Walk::Random),
        (false, true) => Some(Walk::Sequential),
        (false, false) => None,
    }
}

fn measured(workload: &Workload) -> Nanos {
    let time = workload.stop.iter().find_map(|rule| match rule {
        StopRule::Time(time) => Some(*time),
        _ => None,
    });
    time.unwrap_or(Nanos::ZERO)
}

/// Reads the first bytes of a file, at most `most`.
fn read_start(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    Ok(NamedInput::typed(path, Bytes(most)).beginning()?)
}

fn say(about: &str, words: &str) {
    output::people(report::wrap(about, words).trim_end());
}

/// Observes one timespan: the request to stop, the CPUs, and progress dots.
struct Watch<'a> {
    stop: &'a StopFlag,
    clock: Clock,
    cpus: RefCell<CpuReadings>,
    dots: Dots,
    format: Format,
}

impl Watch<'_> {
    fn read(&self, now: Nanos) {
        let times = sampler::cpu_times(&Root::real());
        self.cpus.borrow_mut().add(now, times.iter().map(|(number, cpu)| CpuUse::of(*number, cpu)).collect());
    }

    fn cpus_between(&self, from: Nanos, until: Nanos) -> Vec<CpuUse> {
        self.read(self.clock.now());
        self.cpus.borrow().between(from, until)
    }
}

impl Observer for Watch<'_> {
    fn interval(&mut self, interval: &Interval) {
        let fresh = self.dots.take(interval);
        match self.format {
            _ if fresh.is_empty() => {}
            // Losing a dot loses no result.
            Format::Text => drop(output::result(&fresh)),
            Format::Xml => output::beside(&fresh),
        }
    }

    fn silence(&mut self, silence: &Silence) {
        self.stop.tell(silence);
    }

    fn patience(&self) -> Nanos {
        self.stop.patience()
    }

    fn interrupted(&self) -> bool {
        let now = self.clock.now();
        if self.cpus.borrow().wants(now) {
            self.read(now);
        }
        self.stop.raised()
    }
}

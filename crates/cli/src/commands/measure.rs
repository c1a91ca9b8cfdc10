//! The flow of every command that measures a target: it announces what it will do, asks for consent, runs, and prints
//! and stores the result.

use analysis::Analysis;
use experiments::{Layout, OmissionReason, Step};
use policy::{BurstLength, Limits};
use record::{Run, StepRecord};
use report::{Credits, Extent, Forecast, Paint};
use session::failure::Failure;
use session::place::Place;
use session::run::{self, Against, Course, Earlier, Session};
use session::signals::StopFlag;
use session::{Setup, StartAt, Wish, null_setup, output};
use workload::{Bytes, Nanos, ProcedureRequest, Target};

use super::outline;
use crate::arguments::{Format, MeasureArguments};

/// Seconds of wall-clock time for a run in virtual time.
const VIRTUAL_S: f64 = 0.5;

/// A measurement whose command line has been parsed and whose target is set up.
pub(super) trait Measurement {
    /// Returns the command's part of the name of the run file, e.g. `check`.
    fn command(&self) -> String;

    /// Returns the command as used in a sentence, e.g. `a check`.
    fn noun(&self) -> &'static str;

    /// Returns the request to store in the run file; `None` if the steps say everything.
    fn asked(&self) -> Option<ProcedureRequest> {
        None
    }

    /// Returns the policy and the claims that the result is compared with.
    fn against(&self) -> &Against {
        &Against::NOTHING
    }

    /// Returns the records of an earlier session of the same run.
    fn earlier(&self) -> Option<&Earlier> {
        None
    }

    /// Returns the next step after those that are `done`; `None` at the end.
    fn next(&self, done: &[StepRecord]) -> Option<Step>;

    /// Returns the total number of steps, if no step depends on earlier ones.
    fn steps(&self) -> Option<usize> {
        None
    }

    /// Forecasts time, bytes written and credits; in virtual time the seconds are the volume's.
    fn forecast(&self) -> Forecast;

    /// Returns the seconds left after these steps: by default the rest of the forecast, at least one second.
    fn left(&self, done: &[StepRecord]) -> f64 {
        let began = done.first().map_or(Nanos::ZERO, |step| step.started);
        let now = done.last().map_or(Nanos::ZERO, |step| step.ended);
        (self.forecast().seconds - now.since(began).as_secs_f64()).max(1.0)
    }

    /// Returns remarks on the steps that ran, such as which were left out.
    fn remarks(&self, _done: &[StepRecord]) -> Vec<String> {
        Vec::new()
    }

    /// Returns the paragraphs printed before the run starts, about the target, the load and the time.
    fn announcement(&self, setup: &Setup) -> Vec<String> {
        let head = report::head(&setup.facts, setup.runner.backend());
        let forecast = (!setup.is_virtual()).then(|| report::forecast(&self.forecast()));
        std::iter::once(head).chain(forecast).chain(destruction(setup)).collect()
    }

    /// Returns the text that `--dry-run` prints before and after the options of the first step.
    fn outline(&self) -> [String; 2];

    /// Returns the step whose resolved options `--dry-run` prints.
    fn first(&self) -> Option<Step> {
        self.next(&[])
    }

    /// Refuses to start if the run needs more consent than the command line gives.
    fn leave(&self, _setup: &Setup) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns how many findings the text lists.
    fn extent(&self) -> Extent {
        Extent::Screen
    }

    /// Returns the result as text.
    fn text(&self, run: &Run, analysis: &Analysis, paint: Paint) -> String {
        report::terminal(run, analysis, paint, self.extent())
    }

    /// Returns the result as a JSON document.
    fn json(&self, run: &Run, analysis: &Analysis) -> String {
        report::json(run, analysis)
    }

    /// Says how to resume a run that was cut short; `stopped` if by a signal or a key.
    fn resume_words(&self, _analysis: &Analysis, _place: &Place, _stopped: bool) -> Option<String> {
        None
    }

    /// Returns the exit code of a run that came to its end.
    fn exit_code(&self, analysis: &Analysis) -> u8 {
        analysis.exit_code()
    }
}

/// Describes the data that will be destroyed, if any.
pub(super) fn destruction(setup: &Setup) -> Option<String> {
    setup.destruction.as_ref().map(run::destruction_words)
}

/// Returns the bytes that are laid out before anything is measured.
pub(super) fn laid_out(layout: Layout) -> Bytes {
    match layout {
        Layout::Write(size) => size,
        Layout::None => Bytes(0),
    }
}

/// Returns the credits that a run of `seconds` at the burst rate spends.
pub(super) fn credits_spent(limits: Option<&Limits>, seconds: f64) -> Credits {
    let Some(limits) = limits else { return Credits::Unknown };
    match limits.longest_burst() {
        BurstLength::None => Credits::NoBurst,
        BurstLength::Unknown => Credits::Unpublished,
        BurstLength::Ends(length) => Credits::Share((seconds / length.as_secs_f64()).min(1.0)),
    }
}

/// A target that is ready to be measured.
pub(super) struct Ground<'a> {
    /// The target as the run file names it.
    pub(super) words: String,
    /// The opened target.
    pub(super) setup: Setup,
    /// The user's request to stop.
    pub(super) stop: StopFlag,
    /// The options that all measurements share.
    pub(super) arguments: &'a MeasureArguments,
}

impl<'a> Ground<'a> {
    /// Opens `target`, which was typed as `typed`.
    ///
    /// # Errors
    /// The target cannot be measured.
    pub(super) fn open(
        (target, typed): (&Target, &str),
        wish: &Wish,
        arguments: &'a MeasureArguments,
    ) -> Result<Ground<'a>, Failure> {
        let words = run::absolute(target, typed);
        let stop = StopFlag::on_signals(arguments.give_up);
        let setup = run::set_up_target(target, &words, wish, &stop)?;
        Ok(Ground { words, setup, stop, arguments })
    }

    /// Takes the target `null:`, which has nothing to open and measures the tool itself.
    pub(super) fn null(arguments: &'a MeasureArguments) -> Ground<'a> {
        let stop = StopFlag::on_signals(arguments.give_up);
        let setup = null_setup();
        Ground { words: setup.facts.words.clone(), setup, stop, arguments }
    }

    /// Announces the measurement, runs it and prints the result; returns the exit code. With `--dry-run` it is only
    /// announced and outlined.
    ///
    /// # Errors
    /// The target is busy, consent is missing, steps could not run, or results could not be stored or printed.
    pub(super) fn measure(mut self, measurement: &dyn Measurement) -> Result<u8, Failure> {
        for paragraph in measurement.announcement(&self.setup) {
            output::people(paragraph.trim_end());
        }
        for note in self.setup.lab_notes() {
            output::people(report::wrap("  lab     ", note).trim_end());
        }
        if self.arguments.dry_run {
            return self.dry_run(measurement);
        }
        measurement.leave(&self.setup)?;
        if !self.arguments.busy {
            run::idle_gate(&mut self.setup, measurement.noun(), &self.stop)?;
        }
        if let (Some(StartAt::Time(_)), true) = (self.arguments.start_at, self.setup.is_virtual()) {
            let text = format!("--start-at has no meaning for {}; leave it out", self.words);
            return Err(Failure::refused(text));
        }
        let named = self.arguments.shown.named_page()?;
        let place = self.place(measurement)?;
        let Ground { setup, stop, arguments, .. } = self;
        arguments.start_at.into_iter().for_each(session::begin_at);
        let course =
            Course { left: &|done| measurement.left(done), remarks: &|done| measurement.remarks(done) };
        let session = Session {
            seconds: if setup.is_virtual() { VIRTUAL_S } else { measurement.forecast().seconds_most },
            setup,
            place: &place,
            stop: &stop,
            course: Some(course),
            against: measurement.against(),
            asked: measurement.asked(),
        };
        let nothing = Earlier::default();
        let earlier = measurement.earlier().unwrap_or(&nothing);
        let code = session.go_on(earlier, &|done| measurement.next(done), &|run, analysis| {
            let text = |paint| measurement.text(run, analysis, paint);
            print(arguments.format, &place.files_line(), (&text, &|| measurement.json(run, analysis)))?;
            if let Some(words) = measurement.resume_words(analysis, &place, stop.raised()) {
                output::people(&words);
            }
            Ok(measurement.exit_code(analysis))
        })?;
        arguments.shown.page_of(&place, named, code)
    }

    /// Returns folder and name of the run file and the page, with the onlookers.
    fn place(&self, measurement: &dyn Measurement) -> Result<Place, Failure> {
        let (out, devices) = (self.arguments.out.as_deref(), &self.setup.facts.devices);
        let place = Place::new(out, (&self.words, &measurement.command()), devices)?;
        if let Some(steps) = measurement.steps() {
            place.foresee_steps(steps);
        }
        let place = self.arguments.onlookers.at(place)?;
        Ok(if self.setup.is_virtual() { place.of_virtual_run() } else { place })
    }

    fn dry_run(&self, measurement: &dyn Measurement) -> Result<u8, Failure> {
        let first = measurement.first().map(|step| self.setup.runner.plan(&step));
        let first = first.transpose().map_err(Failure::refused)?;
        let [before, after] = measurement.outline();
        let choices = first.as_ref().map(run::plan_words).unwrap_or_default();
        let text = format!("{before}{choices}{after}");
        outline::tell(self.arguments.format, &self.setup.facts.words, (&text, first.as_ref()))
    }
}

/// Prints a result on stdout in this format, and `files`, the line that says where it is stored.
///
/// # Errors
/// Stdout cannot be written.
pub(super) fn print(
    format: Format,
    files: &str,
    (text, json): (&dyn Fn(Paint) -> String, &dyn Fn() -> String),
) -> Result<(), Failure> {
    match format {
        Format::Text => {
            let paint = if output::colours() { Paint::Ansi } else { Paint::Plain };
            output::painted(&format!("{}\n{files}\n", text(paint)))
        }
        Format::Json => {
            output::result(&json())?;
            output::people(files);
            Ok(())
        }
    }
}

/// Describes the omitted steps, one sentence for each reason.
pub(super) fn left_out_words(left_out: &[(String, OmissionReason)]) -> Vec<String> {
    let of = |why: OmissionReason| -> Vec<&str> {
        left_out.iter().filter(|(_, reason)| *reason == why).map(|(name, _)| name.as_str()).collect()
    };
    let sentence = |why: OmissionReason, reason: &str| {
        let names = of(why);
        (!names.is_empty()).then(|| format!("Left out {reason}: {}.", names.join(", ")))
    };
    let bytes = "because more would be written than was said (--write-most SIZE allows more)";
    [sentence(OmissionReason::Bytes, bytes), sentence(OmissionReason::Time, "for lack of time")]
        .into_iter()
        .flatten()
        .collect()
}

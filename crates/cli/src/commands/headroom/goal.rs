//! The latency that a fio job file asks for: fio adapts its depth to it, and a search for headroom takes it as its bounds.

use session::failure::Failure;
use session::named_input::NamedInput;
use workload::{Bytes, LatencyBound, Nanos};

use crate::commands::watch::load::is_job_file;

/// The percentile used for a bound on all I/Os, which no search can promise: the highest percentile that is searched for.
const ALL: f64 = 99.9;
/// Options of fio's own adaptation of the queue depth, which a search does not use.
const STEERING: [&str; 2] = ["latency_window", "latency_run"];

/// A job file with its latency goal taken out.
#[derive(Debug, Default)]
pub(super) struct Goal {
    /// The bounds that the jobs name, each once.
    pub bounds: Vec<LatencyBound>,
    /// The rest of the text: the load.
    pub text: String,
    /// Notes for the user about the bounds.
    pub notes: Vec<String>,
    /// Path on which the jobs run, if they all name the same one.
    pub place: Option<String>,
}

/// Longest job file accepted in the place of a target. A longer file is a target, and must not be read: that would
/// fill the page cache with the very data to be measured.
const JOB_MOST: Bytes = Bytes::kib(64);

/// Whether the word typed as the target is a job file and not a file to be measured. The file's device may fail to
/// answer for up to `patience`.
pub(super) fn is_job(word: &str, patience: Nanos) -> bool {
    let input = NamedInput::plain(word, JOB_MOST).patient_for(patience);
    is_job_file(word) && has_section(&input)
}

/// Whether the file begins as a job file does: with a section in brackets.
fn has_section(input: &NamedInput) -> bool {
    let Ok(text) = input.text() else { return false };
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    first.is_some_and(|line| line.starts_with('[') && line.ends_with(']'))
}

/// Reads the job file at `path`.
///
/// # Errors
/// The file cannot be read, or a latency in it is no time.
pub(super) fn read(path: &str) -> Result<Goal, Failure> {
    let text = NamedInput::plain(path, JOB_MOST)
        .text()
        .map_err(|error| error.failure(format!("{path}: cannot be read: {error}; name a job file of fio")))?;
    of_text(path, &text)
}

fn of_text(path: &str, text: &str) -> Result<Goal, Failure> {
    let mut goal = Goal::default();
    let (mut targets, mut most, mut percent) = (Vec::new(), None, None);
    let mut places: Vec<String> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (name, value) = option(line);
        let at = || format!("{path}, line {}: {name}={value}", number + 1);
        match name {
            "latency_target" => targets.push(time(value, &at)?),
            "latency_percentile" => {
                percent = Some(value.trim_end_matches('%').parse::<f64>().map_err(|_| refused(&at))?)
            }
            "max_latency" => most = Some(time(value, &at)?),
            name if STEERING.contains(&name) => {}
            _ => {
                if ["filename", "directory"].contains(&name) && !places.iter().any(|place| place == value) {
                    places.push(value.to_owned());
                }
                goal.text += line;
            }
        }
        // An option that is removed leaves an empty line, so that line numbers in errors stay correct.
        goal.text.push('\n');
    }
    targets.dedup();
    goal.place = (places.len() == 1).then(|| places.remove(0));
    goal.said(&targets, most, percent);
    Ok(goal)
}

impl Goal {
    fn said(&mut self, targets: &[Nanos], most: Option<Nanos>, percent: Option<f64>) {
        let asked = percent.unwrap_or(100.0);
        for target in targets.iter().filter(|target| **target > Nanos::ZERO) {
            self.bounds.push(LatencyBound::percentile(asked.clamp(1.0, ALL), *target));
        }
        if !targets.is_empty() && asked > ALL {
            self.notes.push(format!("latency_target is of {asked} % of all I/Os; the search takes {ALL} %"));
        }
        if let Some(most) = most.filter(|most| *most > Nanos::ZERO) {
            self.bounds.push(LatencyBound::percentile(ALL, most));
            self.notes.push(format!("max_latency is of every I/O; the search takes {ALL} % of them"));
        }
    }
}

/// Returns name and value of an option line; both are empty for a section, a comment or an empty line.
fn option(line: &str) -> (&str, &str) {
    let line = line.trim();
    match line.split_once('=') {
        Some((name, value)) if !line.starts_with(['[', '#', ';']) => (name.trim(), value.trim()),
        _ => ("", ""),
    }
}

/// Reads a time as fio does: without a unit it is microseconds.
fn time(value: &str, at: &dyn Fn() -> String) -> Result<Nanos, Failure> {
    match value.parse::<f64>() {
        Ok(microseconds) if microseconds >= 0.0 => Ok(Nanos((microseconds * 1e3) as u64)),
        _ => workload::duration(value).map_err(|_| refused(at)),
    }
}

fn refused(at: &dyn Fn() -> String) -> Failure {
    Failure::refused(format!("{} is no figure of a latency; write for example latency_target=10ms", at()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fio_steers_by_becomes_bounds_and_leaves_the_load() {
        let text = "[global]\nlatency_target=10ms\nlatency_window=5s\nlatency_percentile=99.0\n; latency_target=1\n[a]\nrw=randread\nfilename=/x\nmax_latency=50000\n";
        let goal = of_text("job.fio", text).unwrap();
        assert_eq!(
            goal.bounds,
            [
                LatencyBound::percentile(99.0, Nanos::from_millis(10)),
                LatencyBound::percentile(99.9, Nanos::from_millis(50))
            ]
        );
        assert_eq!(goal.text, "[global]\n\n\n\n; latency_target=1\n[a]\nrw=randread\nfilename=/x\n\n");
        assert_eq!((goal.place.as_deref(), goal.notes.len()), (Some("/x"), 1));
    }

    #[test]
    fn without_a_percentile_nearly_all_are_meant_and_what_is_no_time_is_named_with_its_line() {
        let goal = of_text("job.fio", "[a]\nlatency_target=2000\n").unwrap();
        assert_eq!(goal.bounds, [LatencyBound::percentile(99.9, Nanos::from_millis(2))]);
        assert_eq!(goal.notes.len(), 1);
        let error = of_text("job.fio", "[a]\nlatency_target=soon\n").unwrap_err().message;
        assert!(error.starts_with("job.fio, line 2: latency_target=soon"), "{error}");
        assert!(of_text("job.fio", "[a]\nrw=read\n").unwrap().bounds.is_empty());
    }
}

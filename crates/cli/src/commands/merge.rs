//! `plimsoll merge`: the runs of several machines put together, as if they were one measurement.

use std::path::{Path, PathBuf};

use analysis::{Analysis, alone_rates, analyse};
use record::{MachineRun, Run};
use report::{Extent, terminal};
use session::failure::Failure;
use session::inputs::{InputRun, Reader};
use session::output;
use session::place::{Place, short};
use workload::{AloneRate, ProcedureRequest};

use super::compare::named;
use super::measure::print;
use super::trend::paths;
use crate::arguments::{Format, MergeArguments, typed};

/// Reads the runs, merges them, stores and prints the result.
pub fn run(arguments: &MergeArguments) -> Result<u8, Failure> {
    put_together(arguments, Vec::new())
}

/// The same with the names of `missing` machines, of which there is no run.
pub(super) fn put_together(arguments: &MergeArguments, missing: Vec<String>) -> Result<u8, Failure> {
    let read = read_runs(&arguments.runs)?;
    let labels: Vec<String> = (0..read.len()).map(|at| label(&read, at)).collect();
    let alone = alone(&read_runs(&arguments.alone)?, (&read, &labels))?;
    let machine = |(of, label): (ReadRun, String)| MachineRun {
        label,
        file: of.path.display().to_string(),
        clock_ns: 0,
        clock_within: None,
        run: of.run,
    };
    let mut machines: Vec<MachineRun> = read.into_iter().zip(labels).map(machine).collect();
    for words in &arguments.clock {
        correct(&mut machines, words)?;
    }
    let mut run = record::merge(machines, typed()).map_err(Failure::refused)?;
    if let Some(ProcedureRequest::Merged(request)) = &mut run.asked {
        (request.alone, request.missing) = (alone, missing);
    }
    let analysis = analyse(&run, None, None);
    run.findings = analysis.stored(&report::sentence);
    let place = place(arguments.out.as_deref(), &run)?;
    let stored = runfile::write(|bytes| place.bear(bytes), &run).map_err(Failure::failed);
    let stored = stored.and_then(|_| place.put_report(&report::html(&run, &analysis)));
    // What was measured is printed even if it cannot be stored.
    let files = if stored.is_ok() { place.files_line() } else { "run     not stored (below)".to_owned() };
    show(arguments.format, (&run, &analysis), &files)?;
    stored.map(|()| analysis.exit_code())
}

/// Prints a run of one machine, which is named as for [`read_runs`].
pub(super) fn single(run: &str, format: Format) -> Result<u8, Failure> {
    for ReadRun { path, run, .. } in read_runs(&[run.to_owned()])? {
        show(format, (&run, &analyse(&run, None, None)), &format!("run     {}", short(&path)))?;
    }
    Ok(0)
}

fn show(format: Format, (run, analysis): (&Run, &Analysis), files: &str) -> Result<(), Failure> {
    let text = |paint| terminal(run, analysis, paint, Extent::Screen);
    print(format, files, (&text, &|| report::json(run, analysis)))
}

/// Returns the rates of machines by themselves: a run is of the machine that it is said to be, or else of the one with its
/// host and target.
fn alone(runs: &[ReadRun], (read, labels): (&[ReadRun], &[String])) -> Result<Vec<AloneRate>, Failure> {
    let mut rates = Vec::new();
    for own in runs {
        let is_it = |(of, label): &(&ReadRun, &String)| match &own.label {
            Some(typed) => typed == *label,
            None => (of.host(), of.target()) == (own.host(), own.target()),
        };
        let Some((_, label)) = read.iter().zip(labels).find(is_it) else {
            return Err(Failure::refused(format!(
                "--alone {}: none of the merged runs is of its host and target; say which machine it is: NAME={}, of {}",
                short(&own.path),
                short(&own.path),
                labels.join(", ")
            )));
        };
        rates.extend(alone_rates(&own.run, label));
    }
    Ok(rates)
}

/// Returns fresh names for the merged run.
fn place(out: Option<&Path>, run: &Run) -> Result<Place, Failure> {
    let machines = match &run.asked {
        Some(ProcedureRequest::Merged(request)) => request.machines.len(),
        _ => 0,
    };
    Place::of_result(out, &format!("merged-{machines}-machines"), jiff::Zoned::now().date())
}

/// A run that was read, with its name if one was typed.
struct ReadRun {
    label: Option<String>,
    path: PathBuf,
    run: Run,
}

impl ReadRun {
    fn host(&self) -> &str {
        self.run.host.as_ref().map_or("", |host| &host.hostname)
    }

    fn target(&self) -> &str {
        self.run.target.as_ref().map_or("", |target| &target.words)
    }
}

/// Reads the runs that are named, and those in folders except merged ones.
fn read_runs(typed_runs: &[String]) -> Result<Vec<ReadRun>, Failure> {
    let reader = Reader::of(typed());
    let mut read = Vec::new();
    for words in typed_runs {
        let (label, named) = named(words)?;
        let files = paths(&named)?;
        let is_one = files == named;
        if let (Some(label), [_, _, ..]) = (&label, files.as_slice()) {
            let text =
                format!("{words} names {} runs, and {label} can be one; name them one by one", files.len());
            return Err(Failure::refused(text));
        }
        for of in reader.recordings(&files)?.runs {
            let InputRun { path, run, .. } = of;
            if !is_one && matches!(run.asked, Some(ProcedureRequest::Merged(_))) {
                output::people(&format!("passed over: {}: it was merged from other runs", short(&path)));
                continue;
            }
            if run.still_running.is_some() {
                let text = format!("{} is still being measured; merge it when it has ended", short(&path));
                return Err(Failure::refused(text));
            }
            read.push(ReadRun { label: label.clone(), path, run });
        }
    }
    Ok(read)
}

/// Names a machine: as typed, or by its host, its target, or both, whichever no other run has; or else by its file.
fn label(read: &[ReadRun], at: usize) -> String {
    let host = |of: &ReadRun| of.host().to_owned();
    let short = |of: &ReadRun| of.host().split('.').next().unwrap_or_default().to_owned();
    let target = |of: &ReadRun| of.target().to_owned();
    let both = |of: &ReadRun| format!("{} {}", of.host(), of.target());
    let own = &read[at];
    let is_alone = |way: &&dyn Fn(&ReadRun) -> String| {
        !way(own).trim().is_empty() && read.iter().filter(|of| way(of) == way(own)).count() == 1
    };
    let ways: [&dyn Fn(&ReadRun) -> String; 4] = [&short, &host, &target, &both];
    let by_file = || own.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    own.label.clone().unwrap_or_else(|| ways.into_iter().find(is_alone).map_or_else(by_file, |way| way(own)))
}

/// Takes in `NAME=+TIME` or `NAME=-TIME`, a correction of a machine's clock, and how exact it is if `±TIME` follows.
fn correct(machines: &mut [MachineRun], words: &str) -> Result<(), Failure> {
    let wrong = |why: &str| {
        Failure::refused(format!("--clock {words}: {why}; write for example --clock web-2=-350ms"))
    };
    let (name, time) =
        words.split_once('=').ok_or_else(|| wrong("it needs the name of a machine and a time"))?;
    let (sign, time) = match time.strip_prefix('-') {
        Some(time) => (-1, time),
        None => (1, time.strip_prefix('+').unwrap_or(time)),
    };
    let (time, within) = time.split_once('±').map_or((time, None), |(time, within)| (time, Some(within)));
    let read = |time: &str| workload::duration(time).map_err(|error| wrong(&error.to_string()));
    let (time, within) = (read(time)?, within.map(read).transpose()?);
    let known: Vec<String> = machines.iter().map(|machine| machine.label.clone()).collect();
    let Some(machine) = machines.iter_mut().find(|machine| machine.label == name) else {
        return Err(wrong(&format!("no machine is called '{name}'; there are {}", known.join(", "))));
    };
    machine.clock_within = within;
    machine.clock_ns = sign * i64::try_from(time.0).map_err(|_| wrong("that is too long"))?;
    Ok(())
}

//! `plimsoll profile from`: the load of recordings and traces as a profile, or as a fio job file.

use std::path::Path;

use analysis::loads::RecordedLoad;
use experiments::{Profile, ProfileStep, ProfileTable};
use fio::Approximation;
use session::failure::Failure;
use session::files::{Kind, Output, Over};
use session::output;
use workload::Bytes;

use super::recorded::{Recorded, read};
use super::verify;
use crate::arguments::{FromArguments, LoadFormat};
use crate::commands::newest::or_newest;

/// The first line of every load that is written, by which it is known again.
const FIRST: &str = "plimsoll profile from";

/// Loads written by this command.
const LOAD: Kind = Kind {
    word: "load",
    remedy: "name another place with --out",
    is_ours: |there, made| {
        let first = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
        there.is_empty() || first(there) == first(made)
    },
};

/// Columns of a comment.
const COLUMNS: usize = 96;

/// Region that a fio job file names if the recording names none.
const REGION: Bytes = Bytes::GIB;

/// Describes each recording, and writes or verifies the profile of all.
pub fn run(arguments: &FromArguments) -> Result<u8, Failure> {
    let paths = or_newest(&arguments.inputs)?;
    let inputs: Vec<&Path> = paths.iter().map(std::path::PathBuf::as_path).collect();
    let over = Over { kind: Some(LOAD), inputs: &inputs };
    let mut out = arguments.out.as_deref().map(|out| Output::ask(out, over)).transpose()?;
    if arguments.verify.is_some() && paths.len() > 1 {
        return Err(Failure::refused(format!(
            "--verify compares one recording with its profile, and {} are named; name one",
            paths.len()
        )));
    }
    let recorded: Vec<Recorded> =
        paths.iter().map(|path| read(path, arguments.device.as_deref())).collect::<Result<_, _>>()?;
    let profile = profile(&recorded);
    let text = text(arguments.format, &profile, &recorded);
    match &mut out {
        Some(out) => {
            out.write(text.as_bytes())?;
            summary(&recorded);
        }
        None if arguments.verify.is_none() => output::result(&text)?,
        None => summary(&recorded),
    }
    match (&arguments.verify, recorded.first()) {
        (Some(target), Some(recorded)) => verify::run((target, arguments.busy), recorded, &profile),
        _ => Ok(0),
    }
}

/// Prints the loads and what is not known of them for people.
fn summary(recorded: &[Recorded]) {
    recorded.iter().flat_map(|one| comments(&one.load)).for_each(|line| {
        output::people(&report::fitted(&format!("  {line}"), report::columns_now()));
    });
}

/// Returns the lines that describe a load and what is not known of it.
fn comments(load: &RecordedLoad) -> Vec<String> {
    let unknown = load.unknowns.iter().map(|unknown| format!("unknown  {}", report::unknown_words(unknown)));
    report::recorded_load(load).into_iter().chain(unknown).collect()
}

/// Returns the profile of these loads, a step for each.
fn profile(recorded: &[Recorded]) -> Profile {
    let several = recorded.len() > 1;
    let named = recorded.iter().enumerate().map(|(at, one)| {
        let twice = recorded[..at].iter().any(|other| other.name == one.name);
        let name = if one.name.trim().is_empty() { "load" } else { one.name.as_str() };
        let name = if twice { format!("{name} ({})", at + 1) } else { name.to_owned() };
        ProfileStep::of_load(&name, &one.load)
    });
    let names: Vec<&str> = recorded.iter().map(|one| one.name.as_str()).collect();
    let unknowns = recorded.iter().flat_map(|one| &one.load.unknowns).map(report::unknown_words);
    let mut unknowns: Vec<String> = unknowns.collect();
    unknowns.dedup();
    Profile {
        name: "load.toml".to_owned(),
        title: format!("the load of {}", names.join(", ")),
        about: format!("The I/O that {} recorded, at the same rates.", if several { "these" } else { "it" }),
        measures: "what the volume makes of this load: its rates, and how long each I/O takes".to_owned(),
        left_out: unknowns.join("; "),
        table: ProfileTable::Lines,
        size: recorded.iter().filter_map(|one| Profile::region_of(&one.load)).max(),
        steps: named.collect(),
    }
}

fn text(format: LoadFormat, profile: &Profile, recorded: &[Recorded]) -> String {
    let mut lines = vec![FIRST.to_owned()];
    for one in recorded {
        lines.push(String::new());
        lines.push(report::clean(&one.path.display().to_string()));
        lines.extend(comments(&one.load));
    }
    let lines: Vec<String> = lines.iter().flat_map(|line| folded(line)).collect();
    match format {
        LoadFormat::Toml => profile.text(&[lines, vec![String::new()]].concat()),
        LoadFormat::Fio => fio_text(profile, &lines),
    }
}

/// Folds a comment to the width of a page.
fn folded(line: &str) -> Vec<String> {
    match line {
        "" => vec![String::new()],
        _ => report::fitted(line, COLUMNS).lines().map(|line| line.trim_end().to_owned()).collect(),
    }
}

fn fio_text(profile: &Profile, comments: &[String]) -> String {
    let mut text: String =
        comments.iter().map(|line| format!("# {line}").trim_end().to_owned() + "\n").collect();
    let size = profile.size.unwrap_or(REGION);
    if profile.size.is_none() {
        text += "# size     not recorded; set it to the part of the volume that is used\n";
    }
    text +=
        "# run      fio --directory=DIR FILE, or --filename=DEVICE, which it writes to if the load does\n";
    for step in &profile.steps {
        let (jobs, notes) = fio::job_file(&step.jobs, step.time, size);
        for note in notes {
            text += match note {
                Approximation::Bursts => {
                    "# approximate: fio has no arrivals in bursts; they come by chance at the mean rate (the profile has them)\n"
                }
                Approximation::Shares => {
                    "# approximate: fio's shares are whole percentages; sizes or zones are rounded\n"
                }
            };
        }
        text += "\n";
        text += &jobs;
    }
    text
}

//! Announcement of a watch before it begins: devices, duration, load, and the path of the run file.

use experiments::{Layout, PhaseWhat, PlannedPhase, scale_words};
use report::numbers;
use session::output;
use session::place::{Place, short};
use session::run;
use session::watch::{OpenLoad, Subject, WatchScope};

use super::asked::WatchCommand;

/// Maximum number of devices that are named; more are only counted.
const NAMED: usize = 6;

/// Prints the announcement on stderr.
pub fn tell(asked: &WatchCommand, watched: &WatchScope, place: &Place) {
    let every = match asked.every.as_secs_f64() {
        short if short < 1.0 => format!("{} ms", numbers::count(short * 1e3)),
        seconds => numbers::span(seconds),
    };
    say(&format!("Watching {}, every {every}, {}.", devices(watched), length(&asked.subject)));
    if let (Some(load), Some(open)) = (&asked.load, &watched.load) {
        say(&format!("{}: {}", load.word, phases(asked.phases())));
        of_load(open);
    }
    output::people(&format!("run file {}", short(&place.run())));
}

fn say(text: &str) {
    output::people(report::wrap("", text).trim_end());
}

fn devices(watched: &WatchScope) -> String {
    let names = &watched.devices.names;
    let mut words = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > NAMED {
        words += &format!(" and {} more", names.len() - NAMED);
    }
    match watched.devices.known.saturating_sub(names.len()) {
        0 => words,
        out => format!("{words} ({out} left out)"),
    }
}

fn length(subject: &Subject) -> String {
    match subject {
        Subject::Alone(None) => "until Ctrl-C".to_owned(),
        Subject::Alone(Some(length)) => format!("for {}", numbers::span(length.as_secs_f64())),
        Subject::Command { at_most: Some(length), .. } => {
            format!("while the command runs, at most {}", report::numbers::span(length.as_secs_f64()))
        }
        Subject::Command { .. } => "while the command runs".to_owned(),
        Subject::Cycles(phases) => {
            let seconds = phases.last().map_or(0.0, |last| last.end.as_secs_f64());
            format!("for {}", numbers::span(seconds))
        }
    }
}

fn of_load(open: &OpenLoad) {
    let OpenLoad { load, setup, .. } = open;
    if let Some(nominal) = load.nominal() {
        let sides = [(nominal.read, "read"), (nominal.write, "write")];
        let sides: Vec<String> = sides
            .iter()
            .filter(|(rate, _)| *rate > 0.0)
            .map(|(rate, side)| format!("{} {side}", numbers::count(*rate)))
            .collect();
        say(&format!("At 100 % it asks for {} IOPS.", sides.join(" and ")));
    }
    load.notes.iter().for_each(|note| say(&format!("Note: {note}.")));
    output::people(report::head(&setup.facts, setup.runner.backend()).trim_end());
    if let Some(destruction) = &setup.destruction {
        output::people(&run::destruction_words(destruction));
    }
    say(&writes(open));
}

/// Describes the data that will be written to the volume.
fn writes(open: &OpenLoad) -> String {
    let OpenLoad { load, setup, lacking } = open;
    if setup.is_virtual() {
        return "Nothing is written: the volume is simulated.".to_owned();
    }
    let first = match setup.layout {
        Layout::Write(size) => size.0,
        Layout::None => lacking.0,
    };
    match (first, load.writes()) {
        (0, false) => "Nothing is written.".to_owned(),
        (0, true) => "The load writes.".to_owned(),
        (first, writes) => {
            let then = if writes { "the load writes too" } else { "the load only reads" };
            format!("Writes {} of data before the first phase; {then}.", numbers::size(first))
        }
    }
}

/// Describes the phases: `idle, load, idle, load, idle, 60 s each`.
fn phases(phases: &[PlannedPhase]) -> String {
    let name = |phase: &PlannedPhase| match phase.what {
        PhaseWhat::Idle => "idle".to_owned(),
        PhaseWhat::Load(None) => "load".to_owned(),
        PhaseWhat::Load(Some(scale)) => scale_words(scale),
    };
    let each = phases.first().map_or(0.0, |phase| phase.length.as_secs_f64());
    let names: Vec<String> = phases.iter().map(name).collect();
    format!("{}, {} each", names.join(", "), numbers::span(each))
}

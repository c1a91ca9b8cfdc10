//! What a watch says before it begins: what is watched, for how long, what a load will do, and where it is kept.

use experiments::{Layout, PhaseWhat, PlannedPhase, WatchLoad, scale_words};
use report::numbers;
use session::Setup;

use super::asked::{Asked, AskedLoad, Subject};
use super::ground::Ground;
use session::output;
use session::place::{Place, short};
use session::run;

/// Devices are named up to so many, and counted beyond.
const NAMED: usize = 6;

/// Says it on stderr.
pub fn announce(asked: &Asked, ground: &Ground, place: &Place) {
    let every = match asked.every.as_secs_f64() {
        short if short < 1.0 => format!("{} ms", numbers::count(short * 1e3)),
        seconds => numbers::span(seconds),
    };
    say(&format!("Watching {}, every {every}, {}.", watched(ground), length(asked)));
    if let (Some(cycles), Some((load, setup))) = (asked.load(), &ground.cycles) {
        of_load(cycles, (load, setup), ground.lacking);
    }
    output::people(&format!("run file {}", short(&place.run())));
}

fn say(text: &str) {
    output::people(report::wrap("", text).trim_end());
}

fn watched(ground: &Ground) -> String {
    let names = &ground.devices.names;
    let mut words = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > NAMED {
        words += &format!(" and {} more", names.len() - NAMED);
    }
    match ground.devices.known.saturating_sub(names.len()) {
        0 => words,
        out => format!("{words} ({out} left out)"),
    }
}

fn length(asked: &Asked) -> String {
    match &asked.subject {
        Subject::Alone(None) => "until Ctrl-C".to_owned(),
        Subject::Alone(Some(length)) => format!("for {}", numbers::span(length.as_secs_f64())),
        Subject::Command(_) => "while the command runs".to_owned(),
        Subject::Cycles(cycles) => {
            let seconds = cycles.phases.last().map_or(0.0, |last| last.end.as_secs_f64());
            format!("for {}", numbers::span(seconds))
        }
    }
}

fn of_load(cycles: &AskedLoad, (load, setup): (&WatchLoad, &Setup), lacking: u64) {
    say(&format!("{}: {}", cycles.word, phases(&cycles.phases)));
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
    say(&writes(load, setup, lacking));
}

/// What reaches the volume by writing.
fn writes(load: &WatchLoad, setup: &Setup, lacking: u64) -> String {
    if setup.is_virtual() {
        return "Nothing is written: the volume is simulated.".to_owned();
    }
    let first = match setup.layout {
        Layout::Write(size) => size.0,
        Layout::None => lacking,
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

/// `idle, load, idle, load, idle of 60 s each`.
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

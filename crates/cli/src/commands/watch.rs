//! `plimsoll watch`: from the machine's counters to a diagnosis, a run file and a report.

pub mod arguments;
mod desk;
mod devices;
mod line;

use std::time::Duration;

use analysis::{Analysis, analyse};
use kernel::Clock;
use policy::Limits;
use record::{DeviceFacts, DeviceNode, Event, EventKind, Run, Watcher};
use report::{Paint, numbers};
use sampler::{Root, SamplerThread};
use workload::{Expectation, Nanos, PolicyName};

use crate::arguments::Format;
use crate::failure::{Code, Failure};
use crate::output;
use crate::place::{Place, short, write_whole};
use crate::scribe::Shown;
use crate::session;
use crate::signals::StopFlag;

use arguments::WatchArguments;
use desk::{Closed, Desk, Opening, read_back};
use devices::Chosen;

/// Shortest time between two samples: a reading costs some tens of microseconds, and the kernel's own times are
/// milliseconds.
const EVERY_LEAST: Nanos = Nanos::from_millis(50);
/// How often a wait looks for samples and for a wish to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Watches the machine and says what limits its disks.
pub fn run(arguments: &WatchArguments) -> Result<u8, Failure> {
    let asked = Asked::read(arguments)?;
    let root = Root::real();
    let chosen = devices::choose(&root, arguments, &[])?;
    let place = Place::new(arguments.out.as_deref(), "watch", &[])?;
    let run = asked.header(&root, &chosen);
    let writer = session::writer(&place, &run)?;
    announce(&asked, &chosen, &place);
    let stop = StopFlag::on_signals();
    let clock = Clock::start();
    let sampler = SamplerThread::start(
        &root,
        chosen.names.iter().map(String::as_str).collect(),
        asked.every,
        move || clock.now(),
    );
    let sampler = sampler.map_err(Failure::failed)?;
    let opening = Opening { run, writer, every: asked.every, shown: Shown::fitting(), favoured: Vec::new() };
    let desk = Desk::open(opening, Some(sampler), stop.clone());
    watch_alone(&asked, clock, &desk);
    conclude(&asked, arguments, desk.close(), &place).map(|code| match asked.length {
        Some(_) if stop.raised() => Code::Interrupted as u8,
        _ => code,
    })
}

/// The command line as it is understood.
struct Asked {
    length: Option<Nanos>,
    every: Nanos,
    policy: Option<PolicyName>,
    limits: Option<Limits>,
    expectation: Option<Expectation>,
}

impl Asked {
    fn read(arguments: &WatchArguments) -> Result<Asked, Failure> {
        let span = |option: &str, words: &str| {
            workload::duration(words).map_err(|error| Failure::refused(format!("{option}: {error}")))
        };
        let every = span("--every", &arguments.every)?;
        if every < EVERY_LEAST {
            return Err(Failure::refused(format!(
                "--every {}: the kernel's counters say nothing over less than 50ms; say 50ms or more",
                arguments.every
            )));
        }
        let length = arguments.length.as_deref().map(|words| span("--for", words)).transpose()?;
        if let (Some(length), Some(words)) = (length, &arguments.length)
            && length < every
        {
            return Err(Failure::refused(format!(
                "--for {words}: too short for samples every {}; watch longer, or say a shorter --every",
                arguments.every
            )));
        }
        let policy =
            arguments.policy.as_deref().map(PolicyName::parse).transpose().map_err(Failure::refused)?;
        let limits = policy.as_ref().map(policy::evaluate).transpose().map_err(Failure::refused)?;
        let expectation =
            arguments.expect.as_deref().map(Expectation::parse).transpose().map_err(Failure::refused)?;
        Ok(Asked { length, every, policy, limits, expectation })
    }

    fn header(&self, root: &Root, chosen: &Chosen) -> Run {
        let mut run = session::begun(sampler::host_facts(root));
        run.policy = self.policy.as_ref().map(PolicyName::to_string);
        run.expectation = self.expectation.as_ref().map(Expectation::to_string);
        let node = |name: &String| DeviceNode {
            facts: DeviceFacts { name: name.clone(), ..DeviceFacts::default() },
            timed: true,
            ..DeviceNode::default()
        };
        run.devices = chosen.names.iter().map(node).collect();
        run
    }
}

/// Says what is watched, for how long, and where it is kept.
fn announce(asked: &Asked, chosen: &Chosen, place: &Place) {
    let out = chosen.known.saturating_sub(chosen.names.len());
    let left = match out {
        0 => String::new(),
        out => format!(" ({out} more left out)"),
    };
    let length = match asked.length {
        Some(length) => format!("for {}", numbers::span(length.as_secs_f64())),
        None => "until Ctrl-C".to_owned(),
    };
    let every = numbers::span(asked.every.as_secs_f64());
    let text = format!("Watching {}{left}, every {every}, {length}.", chosen.names.join(", "));
    output::people(report::wrap("", &text).trim_end());
    output::people(&format!("run file {}", short(&place.run)));
}

/// Watches until the time is over or somebody asks to stop.
fn watch_alone(asked: &Asked, clock: Clock, desk: &Desk) {
    desk.says("watching", asked.length);
    let end = asked.length.unwrap_or(Nanos::MAX);
    while !desk.interrupted() && clock.now() < end {
        std::thread::sleep(LOOK.min(Duration::from_nanos(end.since(clock.now()).0)));
    }
    if clock.now() < end {
        let (kind, text) = match asked.length {
            Some(_) => (EventKind::Interrupt, "stopped by a signal before its time"),
            None => (EventKind::Note, "ended by a signal, as a watch without --for does"),
        };
        desk.note(Event { at: clock.now(), kind, text: text.to_owned() });
    }
}

/// Reads back what was stored, says what it means, and draws it.
fn conclude(asked: &Asked, arguments: &WatchArguments, closed: Closed, place: &Place) -> Result<u8, Failure> {
    let mut run = read_back(&place.run, closed.run);
    run.complete = true;
    let analysis = analyse(&run, asked.limits.as_ref(), asked.expectation.as_ref());
    let stored = session::conclude(&mut run, &analysis, closed.writer);
    let drawn = write_whole(&place.report, &report::html(&run, &analysis));
    present(arguments.format, &run, &analysis, place)?;
    if let Some(text) = closed.trouble {
        return Err(Failure::failed(format!("the run file is not complete: {text}")));
    }
    stored?;
    drawn?;
    Ok(analysis.verdict.exit_code())
}

fn present(format: Format, run: &Run, analysis: &Analysis, place: &Place) -> Result<(), Failure> {
    match format {
        Format::Text => {
            let paint = if output::colours() { Paint::Ansi } else { Paint::Plain };
            output::result(&format!("{}\n{}\n", report::terminal(run, analysis, paint), place.files_line()))
        }
        Format::Json => {
            output::result(&report::json(run, analysis))?;
            output::people(&place.files_line());
            Ok(())
        }
    }
}

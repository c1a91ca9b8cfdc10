//! `plimsoll check A B --together`: several volumes loaded alone and at once, and what they share.

use std::path::{Path, PathBuf};

use analysis::{Analysis, Answered};
use experiments::{
    LAYOUT_GUESS, Layout, TogetherAsk, Writes, next_together_step, together_looks_most, together_seconds,
    together_seconds_left,
};
use policy::Catalogue;
use report::{Credits, Forecast};
use session::Wish;
use session::failure::Failure;
use session::output;
use session::place::Place;
use session::run::{self, Against, Course, Session};
use session::signals::StopFlag;
use session::together::{Together, Volume, set_up_together};
use workload::{
    Asked, Bytes, Direction, NamedMachine, Nanos, Target, TogetherAsked, TogetherLoad, TogetherVolume,
};

use super::bounds::{REGION_USUAL, in_flight_most};
use super::check::{Shape, present, something_to_read};
use super::compare::labelled;
use crate::arguments::{CheckArguments, Format, size};
use crate::commands::{outline, own};

/// Exit codes of what cannot be told, and of a machine that lets less through than is published.
const CANNOT_TELL: u8 = 4;
const BELOW: u8 = 3;
/// Seconds of a look where no time was asked for, and the least.
const LOOK_S: f64 = 4.0;
const LOOK_LEAST_S: f64 = 2.0;
/// I/Os in flight on a volume that is filled, and of a modest user.
const DEPTH: u32 = 64;
const SHALLOW: u32 = 4;
/// So many volumes have a letter each, and a table that fits a screen.
const MOST: usize = 16;

/// Loads the volumes alone and at once, and says what they share.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let volumes = volumes(arguments)?;
    let machine = arguments.instance.as_deref().map(machine).transpose()?;
    let stop = StopFlag::on_signals(arguments.ground.give_up);
    let mut together = set_up_together(&volumes, &stop)?;
    if arguments.read_only {
        together.setup.writes = Writes::LeftOut;
        together.setup.facts.reads_only = true;
        together.layouts.fill(Layout::None);
    }
    let ask = ask(arguments, (&volumes, &together), machine)?;
    announce(&volumes, &together, &ask);
    if arguments.ground.dry_run {
        return dry_run(arguments.format, &together, &ask);
    }
    let Together { mut setup, .. } = together;
    if !arguments.ground.busy {
        run::idle_gate(&mut setup, "a check", &stop)?;
    }
    let name = format!("{}-and-{}-more", volumes[0].words, volumes.len() - 1);
    let place = Place::new(arguments.ground.out.as_deref(), (&name, "check"), &setup.facts.devices)?;
    let place = arguments.ground.onlookers.at(place)?;
    let place = if setup.is_virtual() { place.of_virtual_run() } else { place };
    let seconds = if setup.is_virtual() { 0.5 } else { together_seconds(&ask).0 + laying_out(&ask) };
    let course = Course { left: &|done| together_seconds_left(&ask, done), remarks: &|_| Vec::new() };
    let session = Session {
        setup,
        place: &place,
        stop: &stop,
        seconds,
        course: Some(course),
        against: &Against::default(),
        asked: Some(Asked::Together(ask.asked.clone())),
    };
    let code = session.run(&|done| next_together_step(&ask, done), &|run, analysis| {
        present(
            &Shape { format: arguments.format, extent: arguments.findings.extent() },
            run,
            analysis,
            &place,
        )?;
        Ok(exit_code(analysis))
    })?;
    Ok(arguments.shown.page_of(&place, code))
}

/// Refuses several targets of a check that does not say what to do with them.
pub fn refused(first: &str, other: &str) -> Failure {
    Failure::refused(format!(
        "two volumes, {first} and {other}: say --together to load them at once and see what they share, or hold one against the \
         other with: plimsoll compare {first} {other}"
    ))
}

fn exit_code(analysis: &Analysis) -> u8 {
    match &analysis.answered {
        Some(Answered::Together(answer)) if answer.is_below() => BELOW,
        Some(Answered::Together(answer)) if answer.is_known() => 0,
        _ => CANNOT_TELL,
    }
}

/// The targets of the command line, each with its label.
fn volumes(arguments: &CheckArguments) -> Result<Vec<Volume>, Failure> {
    let words: Vec<&String> = std::iter::once(&arguments.target).chain(&arguments.others).collect();
    if words.len() < 2 {
        let text =
            format!("--together needs two volumes or more; name the others behind {}", arguments.target);
        return Err(Failure::refused(text));
    }
    if words.len() > MOST {
        return Err(Failure::refused(format!(
            "--together takes {MOST} volumes at most, and these are {}",
            words.len()
        )));
    }
    for (given, option) in [(&arguments.policy, "--policy"), (&arguments.expect, "--expect")] {
        if given.is_some() {
            return Err(Failure::refused(format!(
                "{option} is a promise of one volume; check each with it alone, and --together with --instance"
            )));
        }
    }
    let volumes: Vec<Volume> =
        words.iter().enumerate().map(|(at, words)| volume(arguments, words, at)).collect::<Result<_, _>>()?;
    if let Some(destroyed) =
        arguments.ground.allow_destroy.iter().find(|device| !volumes.iter().any(|one| is(one, device)))
    {
        let text =
            format!("--allow-destroy {}: it is none of the volumes; leave it out", destroyed.display());
        return Err(Failure::refused(text));
    }
    each_once(&volumes)?;
    Ok(volumes)
}

fn volume(arguments: &CheckArguments, words: &str, at: usize) -> Result<Volume, Failure> {
    let (label, typed) = labelled(words, at)?;
    let target = own::target(&typed)?;
    if arguments.read_only {
        something_to_read(&target, &typed)?;
    }
    let size = size(arguments.ground.size.as_deref())?;
    let mut volume = Volume {
        label,
        words: run::absolute(&target, &typed),
        target,
        wish: Wish { size, ..Wish::default() },
    };
    volume.wish.allow_destroy =
        arguments.ground.allow_destroy.iter().find(|device| is(&volume, device)).cloned();
    Ok(volume)
}

fn is(volume: &Volume, device: &Path) -> bool {
    matches!(&volume.target, Target::Path(path) if path == device)
}

/// Neither a name nor a place twice.
fn each_once(volumes: &[Volume]) -> Result<(), Failure> {
    for (at, volume) in volumes.iter().enumerate() {
        if volumes[..at].iter().any(|before| before.label == volume.label) {
            return Err(Failure::refused(format!(
                "two volumes are called '{}'; give each a name of its own: NAME=TARGET",
                volume.label
            )));
        }
        if let Some(path) = place(volume)
            && volumes[..at].iter().any(|before| place(before).as_ref() == Some(&path))
        {
            return Err(Failure::refused(format!(
                "{} is named twice; name each volume once",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Where a volume is, by whatever name.
fn place(volume: &Volume) -> Option<PathBuf> {
    match &volume.target {
        Target::Path(path) => Some(path.canonicalize().unwrap_or_else(|_| path.clone())),
        Target::Lab(_) | Target::Sim(_) | Target::Null => None,
    }
}

/// The machine of that name, of whichever provider has it.
fn machine(name: &str) -> Result<NamedMachine, Failure> {
    let catalogue = Catalogue::builtin();
    let of = |provider: &str| {
        let limits = catalogue.instance(provider, name).map_err(Failure::refused)?;
        Ok((provider.to_owned(), limits.title))
    };
    // Amazon's names have a point, those of Azure an underscore.
    let order = if name.contains('_') { ["azure", "aws"] } else { ["aws", "azure"] };
    let found = of(order[0]).or_else(|error: Failure| of(order[1]).map_err(|_| error))?;
    Ok(NamedMachine { provider: found.0, name: found.1 })
}

fn ask(
    arguments: &CheckArguments,
    (volumes, together): (&[Volume], &Together),
    machine: Option<NamedMachine>,
) -> Result<TogetherAsk, Failure> {
    let writes = together.setup.writes == Writes::Measured;
    let ways: &[Direction] = if writes { &[Direction::Read, Direction::Write] } else { &[Direction::Read] };
    let least = together.setup.facts.direct_alignment;
    let blocks = [TogetherAsked::SMALL.max(least), TogetherAsked::LARGE];
    let of_way = |direction: &Direction| blocks.map(|block| TogetherLoad { direction: *direction, block });
    let named = volumes.iter().zip(&together.devices).map(|(volume, devices)| TogetherVolume {
        label: volume.label.clone(),
        words: volume.words.clone(),
        devices: devices.clone(),
    });
    let mut asked = TogetherAsked {
        volumes: named.collect(),
        machine,
        loads: ways.iter().flat_map(of_way).collect(),
        depth: DEPTH,
        shallow: SHALLOW,
        time: Nanos::ZERO,
        write_most: write_most(arguments, together)?,
        seed: arguments.ground.seed,
    };
    asked.time = time(arguments, together_looks_most(&asked))?;
    Ok(TogetherAsk { asked, layouts: together.layouts.clone(), in_flight_most: in_flight_most() })
}

/// What may be written to measure: as much as is laid out, unless told otherwise.
fn write_most(arguments: &CheckArguments, together: &Together) -> Result<Bytes, Failure> {
    let told = size(arguments.write_most.as_deref())?;
    let laid: u64 = together.layouts.iter().map(|layout| laid_out(*layout).0).sum();
    match told {
        _ if together.setup.writes == Writes::LeftOut => Ok(Bytes(0)),
        Some(most) if most.0 < laid => Err(Failure::refused(format!(
            "--write-most {most}: laying the regions out writes {} alone; name a smaller region with --size, or more to write",
            Bytes(laid)
        ))),
        Some(most) => Ok(Bytes(most.0 - laid)),
        None if together.setup.is_virtual() => Ok(Bytes(u64::MAX / 2)),
        None if laid > 0 => Ok(Bytes(laid)),
        None => Ok(Bytes(REGION_USUAL.0 * together.layouts.len() as u64)),
    }
}

fn laid_out(layout: Layout) -> Bytes {
    match layout {
        Layout::Write(size) => size,
        Layout::None => Bytes(0),
    }
}

/// The most time for so many looks.
fn time(arguments: &CheckArguments, looks: usize) -> Result<Nanos, Failure> {
    let Some(words) = &arguments.time else { return Ok(Nanos::from_secs_f64(LOOK_S * looks as f64)) };
    let time = workload::duration(words).map_err(Failure::refused)?;
    let least = LOOK_LEAST_S * looks as f64;
    if time.as_secs_f64() < least {
        return Err(Failure::refused(format!(
            "--time {words} is too short for these volumes: there are up to {looks} looks at them; give it {} or more",
            report::numbers::span(least)
        )));
    }
    Ok(time)
}

/// Seconds that the layout takes, all volumes at once.
fn laying_out(ask: &TogetherAsk) -> f64 {
    ask.layouts.iter().map(|layout| laid_out(*layout).0 as f64).sum::<f64>() / LAYOUT_GUESS
}

/// Says what is measured, what that will take, and what will be destroyed.
fn announce(volumes: &[Volume], together: &Together, ask: &TogetherAsk) {
    output::people(report::wrap("", &report::together_words(&ask.asked)).trim_end());
    for volume in volumes {
        output::people(report::wrap(&format!("  {}  ", volume.label), &volume.words).trim_end());
    }
    let (least, most) = together_seconds(ask);
    let written: u64 = ask.layouts.iter().map(|layout| laid_out(*layout).0).sum();
    let forecast = Forecast {
        seconds: least + laying_out(ask),
        seconds_most: most + laying_out(ask),
        bytes_written: written + ask.asked.write_most.0,
        credits: Credits::Unknown,
        billing: Vec::new(),
    };
    if !together.setup.is_virtual() {
        output::people(report::forecast(&forecast).trim_end());
    }
    for destruction in &together.destructions {
        output::people(&run::destruction_words(destruction));
    }
}

fn dry_run(format: Format, together: &Together, ask: &TogetherAsk) -> Result<u8, Failure> {
    let mut text = String::from(
        "This would run: each volume alone, all at once, and both again; where they share something, what tells its causes apart.\n",
    );
    let first = next_together_step(ask, &[]).map(|step| together.setup.runner.plan(&step));
    let first = first.transpose().map_err(Failure::refused)?;
    text.extend(first.iter().map(run::plan_words));
    outline::tell(format, &together.setup.facts.words, (&text, first.as_ref()))
}

//! `plimsoll check A B --together`: several volumes loaded alone and at once, to see what they share.

use std::path::{Path, PathBuf};

use experiments::{
    LAYOUT_GUESS, Layout, Step, TogetherAsk, Writes, next_together_step, together_looks_most,
    together_seconds, together_seconds_left,
};
use kernel::guard::Destruction;
use policy::Catalogue;
use record::StepRecord;
use report::{Credits, Extent, Forecast};
use session::failure::Failure;
use session::run;
use session::signals::StopFlag;
use session::together::{Together, Volume, set_up_together};
use session::{Setup, Wish};
use workload::{
    Bytes, Direction, NamedMachine, Nanos, ProcedureRequest, Target, TogetherLoad, TogetherRequest,
    TogetherVolume,
};

use super::bounds::{REGION_USUAL, in_flight_most};
use super::compare::labelled;
use super::measure::{Ground, Measurement, laid_out};
use super::readable::something_to_read;
use crate::arguments::{CheckArguments, size};
use crate::commands::own;

/// Seconds of a look by default, and at least.
const LOOK_S: f64 = 4.0;
const LOOK_LEAST_S: f64 = 2.0;
/// I/Os in flight on a saturated volume, and those of a light user.
const DEPTH: u32 = 64;
const SHALLOW: u32 = 4;
/// Most volumes: each gets a letter, and the table fits a screen.
const MOST: usize = 16;

/// Loads the volumes alone and at once, and reports what they share.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let volumes = volumes(arguments)?;
    let machine = arguments.instance.as_deref().map(machine).transpose()?;
    let stop = StopFlag::on_signals(arguments.measure.give_up);
    let mut together = set_up_together(&volumes, &stop)?;
    if arguments.read_only {
        together.setup.writes = Writes::LeftOut;
        together.setup.facts.reads_only = true;
        together.layouts.fill(Layout::None);
    }
    let ask = ask(arguments, (&volumes, &together), machine)?;
    let words = format!("{}-and-{}-more", volumes[0].words, volumes.len() - 1);
    let Together { setup, destructions, .. } = together;
    let ground = Ground { words, setup, stop, arguments: &arguments.measure };
    ground.measure(&TogetherMeasurement { ask, volumes, destructions, extent: arguments.findings.extent() })
}

/// Several volumes that are loaded together.
struct TogetherMeasurement {
    ask: TogetherAsk,
    volumes: Vec<Volume>,
    destructions: Vec<Destruction>,
    extent: Extent,
}

impl TogetherMeasurement {
    /// Returns the seconds that the layout takes, with all volumes laid out at once.
    fn laying_out(&self) -> f64 {
        self.ask.layouts.iter().map(|layout| laid_out(*layout).0 as f64).sum::<f64>() / LAYOUT_GUESS
    }
}

impl Measurement for TogetherMeasurement {
    fn command(&self) -> String {
        "check".to_owned()
    }

    fn noun(&self) -> &'static str {
        "a check"
    }

    fn asked(&self) -> Option<ProcedureRequest> {
        Some(ProcedureRequest::Together(self.ask.asked.clone()))
    }

    fn next(&self, done: &[StepRecord]) -> Option<Step> {
        next_together_step(&self.ask, done)
    }

    fn forecast(&self) -> Forecast {
        let (least, most) = together_seconds(&self.ask);
        let written: u64 = self.ask.layouts.iter().map(|layout| laid_out(*layout).0).sum();
        Forecast {
            seconds: least + self.laying_out(),
            seconds_most: most + self.laying_out(),
            bytes_written: written + self.ask.asked.write_most.0,
            credits: Credits::NotForecast,
            billing: Vec::new(),
        }
    }

    fn left(&self, done: &[StepRecord]) -> f64 {
        together_seconds_left(&self.ask, done)
    }

    /// Names all volumes, because the usual head knows only one.
    fn announcement(&self, setup: &Setup) -> Vec<String> {
        let words = report::wrap("", &report::together_words(&self.ask.asked));
        let named = self.volumes.iter().map(|one| report::wrap(&format!("  {}  ", one.label), &one.words));
        let forecast = (!setup.is_virtual()).then(|| report::forecast(&self.forecast()));
        let destroyed = self.destructions.iter().map(run::destruction_words);
        std::iter::once(words).chain(named).chain(forecast).chain(destroyed).collect()
    }

    fn outline(&self) -> [String; 2] {
        let before = "This would run: each volume alone, all at once, and both again; where they share something, what tells its causes apart.\n";
        [before.to_owned(), String::new()]
    }

    fn extent(&self) -> Extent {
        self.extent
    }
}

/// Returns the refusal of several targets without `--together`.
pub fn refused(first: &str, other: &str) -> Failure {
    Failure::refused(format!(
        "two volumes, {first} and {other}: say --together to load them at once and see what they share, or hold one against the \
         other with: plimsoll compare {first} {other}"
    ))
}

/// Returns the targets of the command line, each with its label.
fn volumes(arguments: &CheckArguments) -> Result<Vec<Volume>, Failure> {
    let words: Vec<&String> = std::iter::once(&arguments.target).chain(&arguments.others).collect();
    if words.len() < 2 {
        let text =
            format!("--together needs two volumes or more; name the others after {}", arguments.target);
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
            format!("--allow-destroy {}: it is not one of the volumes; leave it out", destroyed.display());
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

/// Refuses two volumes with the same name or in the same place.
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

/// Returns the path of a volume, with links resolved.
fn place(volume: &Volume) -> Option<PathBuf> {
    match &volume.target {
        Target::Path(path) => Some(path.canonicalize().unwrap_or_else(|_| path.clone())),
        Target::Lab(_) | Target::Sim(_) | Target::Null => None,
    }
}

/// Finds the machine of that name at whichever provider has it.
fn machine(name: &str) -> Result<NamedMachine, Failure> {
    let catalogue = Catalogue::builtin();
    let of = |provider: &str| {
        let limits = catalogue.instance(provider, name).map_err(Failure::refused)?;
        Ok((provider.to_owned(), limits.title))
    };
    // Amazon's names contain a dot, those of Azure an underscore.
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
    let blocks = [TogetherRequest::SMALL.max(least), TogetherRequest::LARGE];
    let of_way = |direction: &Direction| blocks.map(|block| TogetherLoad { direction: *direction, block });
    let named = volumes.iter().zip(&together.devices).map(|(volume, devices)| TogetherVolume {
        label: volume.label.clone(),
        words: volume.words.clone(),
        devices: devices.clone(),
    });
    let mut asked = TogetherRequest {
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

/// Returns the bytes that may be written besides the layout: by default as many as are laid out.
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

/// Returns the total time of `looks` looks, at most.
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

//! `plimsoll check --resume`: continues a stopped run with its original request, if its target still exists.

use std::path::Path;

use experiments::CheckAsk;
use record::{DeviceFacts, StepRecord, TargetFacts};
use session::failure::Failure;
use session::output;
use session::place::{Place, pasted, pasted_note};
use session::run::Earlier;
use session::usual_region;
use workload::{Bytes, CheckPlan, CheckRequest, Ending, Nanos, PolicyName, ProcedureRequest, Target};

use super::asked::CheckCommand;
use crate::arguments::{CheckArguments, size};
use crate::commands::bounds::{Bounds, REGION_USUAL};
use crate::commands::promise::against;

/// Reads the run at `path`, with its request.
pub(super) fn resumed(arguments: &CheckArguments, path: &Path) -> Result<CheckCommand, Failure> {
    let read = session::inputs::stopped_run(path)?;
    let no_check = |why: &str| Failure::refused(format!("{} {why}", path.display()));
    let (stored, facts) = match (read.asked, read.target) {
        (Some(ProcedureRequest::Check(stored)), Some(facts)) => (*stored, facts),
        (Some(ProcedureRequest::Burst(_)), _) => {
            return Err(no_check("is a run of plimsoll burst; go on with: plimsoll burst --resume RUN"));
        }
        _ => {
            return Err(no_check(
                "is not a run of plimsoll check, or does not say what was asked of it, so it cannot be resumed; plimsoll report shows what it is",
            ));
        }
    };
    if read.complete && !read.steps.last().is_some_and(was_cut) && !was_stopped(&read.events) {
        return Err(no_check("came to its end, so that nothing is left to run; plimsoll report shows it"));
    }
    let target = Target::parse(&facts.words).map_err(Failure::refused)?;
    let named = read.policy.as_deref().map(PolicyName::parse).transpose().map_err(Failure::refused)?;
    let typed = [size(arguments.ground.size.as_deref())?, size(arguments.write_most.as_deref())?];
    within_bounds(path, &stored, (&target, typed))?;
    let plays_again = matches!(target, Target::Lab(_) | Target::Sim(_));
    let own = |name: &PolicyName| matches!(&target, Target::Lab(of) | Target::Sim(of) if of == name);
    let against = against(&target, named.filter(|name| !own(name)), read.expectation.as_deref())?;
    if plays_again {
        output::people(
            "A simulated or lab volume does not outlive its run: it is measured from the beginning.",
        );
    }
    let steps = if plays_again { Vec::new() } else { kept(read.steps, stored.plan) };
    let check = sitting(stored, &steps);
    Ok(CheckCommand {
        typed: facts.words.clone(),
        target,
        against,
        wish: session::Wish { size: check.size, ..arguments.ground.wish()? },
        bounds: Bounds {
            write_most: check.write_most,
            size: check.size,
            seed: check.seed,
            modest: CheckAsk::modest,
        },
        check,
        earlier: Earlier { steps, started_unix_ms: read.started_unix_ms },
        before: Some(facts).filter(|_| !plays_again),
    })
}

fn was_cut(step: &StepRecord) -> bool {
    matches!(step.ending, Ending::Interrupted | Ending::Failed)
}

fn was_stopped(events: &[record::Event]) -> bool {
    events.iter().any(|event| event.kind == record::EventKind::Interrupt)
}

/// Returns the steps that ended by themselves; a step that was cut short runs again, except a drain, which is kept and
/// continued.
fn kept(mut steps: Vec<StepRecord>, plan: CheckPlan) -> Vec<StepRecord> {
    while plan != CheckPlan::Burst && steps.last().is_some_and(was_cut) {
        steps.pop();
    }
    steps
}

/// Returns the request for the sitting that begins after `steps`.
fn sitting(mut stored: CheckRequest, steps: &[StepRecord]) -> CheckRequest {
    stored.sittings.retain(|&at| at < steps.len());
    if !steps.is_empty() {
        stored.sittings.push(steps.len());
    }
    for part in &mut stored.parts {
        if let ProcedureRequest::Burst(burst) = part {
            burst.resumed = steps.len();
        }
    }
    stored
}

/// Refuses to continue if the target is now another device.
pub(super) fn same_target(before: &TargetFacts, now: &TargetFacts) -> Result<(), Failure> {
    let differs = |what: &str, was: &str, is: &str| {
        Err(Failure::refused(format!(
            "{}: this run cannot go on, for what is there now is not what it measured: {what} was {was} and is {is}. Bring that \
             back, or begin a new run",
            now.words
        )))
    };
    let kind = |facts: &TargetFacts| format!("{:?}", facts.kind).to_lowercase();
    if before.kind != now.kind {
        return differs("the kind", &kind(before), &kind(now));
    }
    let none = DeviceFacts::default();
    let (was, is) = (before.devices.first().unwrap_or(&none), now.devices.first().unwrap_or(&none));
    let told = |word: &str| if word.is_empty() { "none".to_owned() } else { word.trim().to_owned() };
    for (what, was, is) in
        [("the serial number", &was.serial, &is.serial), ("the model", &was.model, &is.model)]
    {
        if was.trim() != is.trim() {
            return differs(what, &told(was), &told(is));
        }
    }
    if was.size != is.size {
        return differs("the size", &was.size.to_string(), &is.size.to_string());
    }
    // A serial number identifies the device even if its kernel name has changed.
    if was.serial.trim().is_empty() && was.name != is.name {
        return differs("the device", &told(&was.name), &told(&is.name));
    }
    if before.filesystem != now.filesystem {
        return differs("the file system", &told(&before.filesystem), &told(&now.filesystem));
    }
    Ok(())
}

/// Returns the command that resumes the run of `check` at `place`. Limits beyond the usual must be repeated each time.
pub(super) fn go_on_words(place: &Place, check: &CheckRequest) -> String {
    let option = |name: &str, bytes: Option<Bytes>| {
        bytes.map(|bytes| format!(" {name} {}", bytes.0)).unwrap_or_default()
    };
    let (size, most) = (option("--size", check.size), option("--write-most", check.write_most));
    let run = place.run();
    format!("It goes on with{}: plimsoll check --resume {}{size}{most}", pasted_note(&run), pasted(&run))
}

/// Longest time of a check. plimsoll stores none beyond it, so another program made a file that asks for more.
const LONGEST: Nanos = Nanos::from_secs(92 * 86_400);
/// Most sittings of a run; each lays the region out again.
const SITTINGS_MOST: usize = 20;

/// Refuses limits in a run file beyond a check's defaults, unless this command line repeats them, because the file may
/// come from anybody. `typed` are the command line's `--size` and `--write-most`.
fn within_bounds(
    path: &Path,
    stored: &CheckRequest,
    (target, typed): (&Target, [Option<Bytes>; 2]),
) -> Result<(), Failure> {
    let refused = |why: String| Err(Failure::refused(format!("{}: {why}", path.display())));
    let times = stored.parts.iter().map(time_of).chain(stored.time);
    if let Some(time) = times.max().filter(|time| *time > LONGEST) {
        let (time, most) = [time, LONGEST].map(|time| report::numbers::span(time.as_secs_f64())).into();
        return refused(format!("it asks for {time}, and no check takes more than {most}; begin a new one"));
    }
    if stored.sittings.len() > SITTINGS_MOST {
        return refused(format!("it was gone on with more than {SITTINGS_MOST} times; begin a new run"));
    }
    let Target::Path(place) = target else { return Ok(()) };
    let [size, write_most] = typed;
    let usual = usual_region(place).unwrap_or(REGION_USUAL);
    let region = stored.size.unwrap_or(usual);
    let searched = stored.parts.iter().map(|part| match part {
        ProcedureRequest::Headroom(asked) => asked.write_most,
        _ => Bytes(0),
    });
    let searched = Bytes(searched.fold(0, |all, part| all.saturating_add(part.0)));
    let written = stored.write_most.unwrap_or_default();
    for (option, asked, usual, typed) in [
        ("--size", region, usual, size),
        ("--write-most", written, Bytes(region.0.saturating_mul(2)), write_most),
        // The write limit of the search was derived from the space that was free at that time.
        ("--write-most", searched, Bytes(region.0.saturating_mul(2)), write_most),
    ] {
        if asked > usual && typed.is_none_or(|typed| typed < asked) {
            return refused(format!(
                "it asks for {asked} where a check takes {usual} unasked; say {option} {} beside --resume where that is meant, \
                 or begin a new run",
                asked.0
            ));
        }
    }
    Ok(())
}

fn time_of(part: &ProcedureRequest) -> Nanos {
    match part {
        ProcedureRequest::Headroom(asked) => asked.time,
        ProcedureRequest::Places(asked) => asked.time,
        ProcedureRequest::Burst(asked) => asked.most,
        ProcedureRequest::Soak(asked) => asked.time,
        _ => Nanos::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::TargetKind;

    fn facts(serial: &str, name: &str, gib: u64) -> TargetFacts {
        let device = DeviceFacts {
            name: name.to_owned(),
            serial: serial.to_owned(),
            size: Bytes::gib(gib),
            ..DeviceFacts::default()
        };
        TargetFacts { kind: TargetKind::BlockDevice, devices: vec![device], ..TargetFacts::default() }
    }

    #[test]
    fn another_device_is_named_by_what_differs() {
        let refused = |before: &TargetFacts, now: &TargetFacts| same_target(before, now).unwrap_err().message;
        let before = facts("S1", "sda", 100);
        assert!(same_target(&before, &facts("S1", "sdb", 100)).is_ok(), "the kernel may call it otherwise");
        assert!(refused(&before, &facts("S2", "sda", 100)).contains("the serial number was S1 and is S2"));
        assert!(refused(&before, &facts("S1", "sda", 200)).contains("the size was 100 GiB and is 200 GiB"));
        let unnamed = facts("", "loop3", 1);
        assert!(refused(&unnamed, &facts("", "loop4", 1)).contains("the device was loop3 and is loop4"));
        let folder = TargetFacts { kind: TargetKind::Directory, ..facts("S1", "sda", 100) };
        assert!(refused(&before, &folder).contains("the kind"));
    }
}

//! `plimsoll check --resume`: a run that was stopped, as it was asked, and whether its target is still there.

use std::path::Path;

use experiments::CheckAsk;
use record::{DeviceFacts, StepRecord, TargetFacts};
use session::failure::Failure;
use session::output;
use session::place::{Place, short};
use session::run::Earlier;
use workload::{Asked as Procedure, CheckAsked, CheckPlan, Ending, PolicyName, Target};

use super::bounds::Bounds;
use super::check::{Asked, against};
use crate::arguments::CheckArguments;

/// The run at `path`, as it was asked.
pub(super) fn resumed(arguments: &CheckArguments, path: &Path) -> Result<Asked, Failure> {
    let read = session::inputs::whole_run(path)?;
    let no_check = |why: &str| Failure::refused(format!("{}: {why}", path.display()));
    let (stored, facts) = match (read.asked, read.target) {
        (Some(Procedure::Check(stored)), Some(facts)) => (*stored, facts),
        (Some(Procedure::Burst(_)), _) => {
            return Err(no_check("is a run of plimsoll burst; go on with: plimsoll burst --resume RUN"));
        }
        _ => {
            return Err(no_check(
                "is no run of plimsoll check that says what it was asked, so that it cannot go on; plimsoll report shows what it is",
            ));
        }
    };
    if read.complete && !read.steps.last().is_some_and(was_cut) && !was_stopped(&read.events) {
        return Err(no_check("came to its end, so that nothing is left to run; plimsoll report shows it"));
    }
    let target = Target::parse(&facts.words).map_err(Failure::refused)?;
    let named = read.policy.as_deref().map(PolicyName::parse).transpose().map_err(Failure::refused)?;
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
    Ok(Asked {
        typed: facts.words.clone(),
        target_words: facts.words.clone(),
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

/// What ran to its end: a step that was cut runs once more. A drain is told from what it was cut at.
fn kept(mut steps: Vec<StepRecord>, plan: CheckPlan) -> Vec<StepRecord> {
    while plan != CheckPlan::Burst && steps.last().is_some_and(was_cut) {
        steps.pop();
    }
    steps
}

/// What is asked of the sitting that begins behind `steps`.
fn sitting(mut stored: CheckAsked, steps: &[StepRecord]) -> CheckAsked {
    stored.sittings.retain(|&at| at < steps.len());
    if !steps.is_empty() {
        stored.sittings.push(steps.len());
    }
    for part in &mut stored.parts {
        if let Procedure::Burst(burst) = part {
            burst.resumed = steps.len();
        }
    }
    stored
}

/// Refuses to go on where another device is there now.
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
    // A serial number tells which device it is whatever the kernel calls it now.
    if was.serial.trim().is_empty() && was.name != is.name {
        return differs("the device", &told(&was.name), &told(&is.name));
    }
    if before.filesystem != now.filesystem {
        return differs("the file system", &told(&before.filesystem), &told(&now.filesystem));
    }
    Ok(())
}

/// What goes on with the run at `place`.
pub(super) fn go_on_words(place: &Place) -> String {
    let path = short(&place.run());
    let quoted = if path.contains(char::is_whitespace) { format!("'{path}'") } else { path };
    format!("It goes on with: plimsoll check --resume {quoted}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::TargetKind;
    use workload::Bytes;

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

//! Opens the devices and the load's target that the command line of a watch names.

use session::failure::Failure;
use session::signals::StopFlag;
use session::watch::{LoadTarget, LoadWish, WatchScope};
use workload::Target;

use super::asked::WatchCommand;
use super::{job_files, load};

/// Finds the devices and, with load cycles, opens the target of the load. If the load is a policy and there is no
/// other policy or claim, the result is compared with that policy.
pub fn open(asked: &mut WatchCommand, stop: &StopFlag) -> Result<WatchScope, Failure> {
    let Some(cycles) = &asked.load else {
        return WatchScope::machine(&asked.devices, asked.subject.command());
    };
    let found = load::find(cycles)?;
    let own = found.step.as_deref();
    let own = own.map(|step| |devices| job_files::runner(step, devices, stop));
    let here = Target::Path(".".into());
    let on = match (&cycles.on, &own) {
        (Some((typed, target)), _) => LoadTarget::Named(typed, target),
        (None, Some(runner)) => LoadTarget::Own { runner, lacking: found.lacking() },
        (None, None) => LoadTarget::Named(".", &here),
    };
    let wish = LoadWish {
        words: &cycles.word,
        load: found.load.clone(),
        phases: asked.phases(),
        every: asked.every,
        on,
        size: cycles.size,
        reach: found.reach,
        allow_destroy: cycles.allow_destroy.as_deref(),
    };
    let watched = WatchScope::under_load(&asked.devices, wish, stop)?;
    asked.against.fall_back_on(found.limits);
    Ok(watched)
}

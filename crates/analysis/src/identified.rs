//! Evidence in a run for whose volume it measured: its levels, and the facts of the machine.

use policy::{Circumstances, Plateau};
use record::{Run, TargetKind};

use crate::figures::figures;
use crate::findings::burst_alike::levels as levels_of;

/// Returns the levels that limited the ladders of `run`, of small I/Os and of large ones, by direction; empty if no
/// limit applied.
pub fn levels(run: &Run) -> Vec<Plateau> {
    levels_of(&figures(run))
}

/// Returns what is known about the volume besides its levels. The facts of this machine say nothing about a simulated
/// volume or one of the lab.
pub fn circumstances(run: &Run) -> Circumstances {
    let Some(target) = &run.target else { return Circumstances::default() };
    match target.kind {
        TargetKind::Simulated => Circumstances::told(&[], Some(target.available)),
        TargetKind::Lab | TargetKind::Null => Circumstances::default(),
        TargetKind::Directory | TargetKind::File | TargetKind::BlockDevice => {
            let product = run.host.iter().map(|host| host.product.as_str());
            let models = target.devices.iter().map(|device| device.model.as_str());
            let texts: Vec<&str> = product.chain(models).collect();
            Circumstances::told(&texts, target.devices.last().map(|device| device.size))
        }
    }
}

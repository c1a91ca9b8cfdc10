//! One side of a comparison, and the size of its volume.

use policy::Limits;
use record::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Bytes;

use super::price::Price;

/// One side of a comparison: runs of one volume, with the owner's statements about it.
#[derive(Clone, Debug)]
pub struct Side {
    /// Name of the side.
    pub label: String,
    /// File or target of a side to which nobody gave a name, and whose label is therefore a letter.
    pub source: Option<String>,
    /// Measured or imported runs; several of the same work are repeats.
    pub runs: Vec<Run>,
    /// The policy that the owner declares.
    pub limits: Option<Limits>,
    /// Price of the volume.
    pub price: Option<Price>,
    /// Size of the volume; `None`: as stated by the policy or the runs.
    pub size: Option<Bytes>,
    /// The machine type that the owner declares, such as `t2.small`.
    pub machine: Option<String>,
}

impl Side {
    /// Makes a side of runs of one volume, without any further facts.
    pub fn of_runs(label: String, runs: Vec<Run>) -> Side {
        Side { label, source: None, runs, limits: None, price: None, size: None, machine: None }
    }
}

/// Where the size of a volume comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SizeFrom {
    /// The command line.
    Typed,
    /// The declared policy.
    Policy,
    /// The run: the device that was measured.
    Run,
}

/// Returns the size of the volume: as typed, or else from its policy, or else of the device that was measured.
pub(crate) fn size(side: &Side) -> Option<(u64, SizeFrom)> {
    let typed = side.size.map(|size| (size.0, SizeFrom::Typed));
    let of_policy = || {
        let parameters = &side.limits.as_ref()?.policy.parameters;
        let (_, words) = parameters.iter().find(|(name, _)| name == "size")?;
        workload::size(words).ok().map(|size| (size.0, SizeFrom::Policy))
    };
    let of_run = || {
        let device = side.runs.iter().find_map(|run| run.target.as_ref()?.devices.first())?;
        (device.size.0 > 0).then_some((device.size.0, SizeFrom::Run))
    };
    typed.or_else(of_policy).or_else(of_run)
}

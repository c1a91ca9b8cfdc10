//! Whether what a worker writes can be verified as requested.

use workload::{BackendKind, Bytes, Direction, Proof, ReadBack, Verification, Verify, WorkerPlan};

use super::error::PlanError;
use super::target::Choices;
use crate::verify::{header_length, interval};

/// Settles the verification of `worker`: off if nothing is stored, otherwise checked.
pub(super) fn settle(worker: &mut WorkerPlan, choices: &mut Choices) -> Result<(), PlanError> {
    let Verify::On(verification) = &worker.verify else { return Ok(()) };
    let mix = worker.access.mix;
    if worker.access.replay.is_none() && !mix.issues(Direction::Read) && !mix.issues(Direction::Write) {
        worker.verify = Verify::Off;
        return Ok(());
    }
    if worker.backend == BackendKind::Null {
        choices.add("verify", "off", "the null backend keeps nothing that could be read back");
        worker.verify = Verify::Off;
        return Ok(());
    }
    match reason_against(worker, verification) {
        None => {
            let taken = interval(worker, verification);
            if let Some(asked) = verification.interval.filter(|asked| *asked != taken) {
                let reason = format!("{} bytes do not divide what all its blocks have in common", asked.0);
                choices.add("verified interval", format!("{} bytes", taken.0), &reason);
            }
            Ok(())
        }
        Some(reason) => Err(PlanError::Verify { job: worker.job.clone(), reason }),
    }
}

fn reason_against(worker: &WorkerPlan, verification: &Verification) -> Option<String> {
    let interval = interval(worker, verification);
    let has_header = matches!(verification.proof, Proof::Header | Proof::HeaderAndPattern(_));
    let header = header_length(verification.checksum);
    let least = Bytes(verification.header_at.0.saturating_add(header.0));
    if has_header && interval < least {
        return Some(format!(
            "its blocks have {} bytes in common, and a header at byte {} needs {}; take lengths that are multiples of 512, no unaligned ones, or a pattern without header",
            interval.0, verification.header_at.0, least.0
        ));
    }
    if has_header && (1..header.0).contains(&verification.header_at.0) {
        return Some(format!(
            "a header of {} bytes cannot be moved to byte {}, into itself; take 0, or {} or more",
            header.0, verification.header_at.0, header.0
        ));
    }
    if matches!(verification.when, ReadBack::Every { writes: 0, .. }) {
        return Some("blocks are to be read back after every 0 writes; it must be at least 1".to_owned());
    }
    None
}

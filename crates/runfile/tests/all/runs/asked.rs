//! What procedures are asked for.

use proptest::prelude::*;
use workload::{BurstOf, BurstRequest, Bytes, Mix, Nanos, ProcedureRequest};

/// What each procedure was asked for.
pub fn each() -> [ProcedureRequest; 8] {
    [
        ProcedureRequest::Burst(BurstRequest {
            of: BurstOf::Both,
            most: Nanos(1),
            small: Bytes(2),
            large: Bytes(3),
            mix: Mix::reads(70),
            both_ways: true,
            seed: 4,
            resumed: 5,
        }),
        ProcedureRequest::Headroom(Default::default()),
        ProcedureRequest::Map(Default::default()),
        ProcedureRequest::Turns(Default::default()),
        ProcedureRequest::Places(Default::default()),
        ProcedureRequest::Together(Default::default()),
        ProcedureRequest::Check(Default::default()),
        ProcedureRequest::Soak(Default::default()),
    ]
}

/// Generates what any procedure was asked for, or `None`.
pub fn asked() -> impl Strategy<Value = Option<ProcedureRequest>> {
    let every = each().into_iter().map(Some).chain([None]);
    proptest::sample::select(every.collect::<Vec<_>>())
}

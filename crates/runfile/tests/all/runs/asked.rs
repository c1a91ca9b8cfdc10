//! What procedures are asked for.

use proptest::prelude::*;
use workload::{Asked, BurstAsked, BurstOf, Bytes, Mix, Nanos};

/// Generates what any procedure was asked for, or `None`.
pub fn asked() -> impl Strategy<Value = Option<Asked>> {
    let of = [
        Asked::Burst(BurstAsked {
            of: BurstOf::Both,
            most: Nanos(1),
            small: Bytes(2),
            large: Bytes(3),
            mix: Mix::reads(70),
            both_ways: true,
            seed: 4,
            resumed: 5,
        }),
        Asked::Headroom(Default::default()),
        Asked::Map(Default::default()),
        Asked::InTurns(Default::default()),
        Asked::Places(Default::default()),
        Asked::Together(Default::default()),
        Asked::Check(Default::default()),
        Asked::Soak(Default::default()),
    ];
    let every = of.into_iter().map(Some).chain([None]);
    proptest::sample::select(every.collect::<Vec<_>>())
}

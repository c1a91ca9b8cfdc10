//! Random plans on a faulty volume, one per seed: whatever is requested and whatever fails, the record says what happened;
//! and damage to real files is found, all of it and nothing else.
//!
//! `PLIMSOLL_SEED=123` runs only that seed, `PLIMSOLL_SEEDS=100000` as many seeds; `PLIMSOLL_SEEDS_FROM` is the first.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod corruption;
mod faulty;
mod held;
mod plans;

use statistics::Stream;

/// Number of seeds in a run without settings: some seconds.
const FEW: u64 = 2_000;
/// One of this many seeds also damages files.
const FILES: u64 = 20;

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

fn seeds() -> std::ops::Range<u64> {
    match asked("PLIMSOLL_SEED") {
        Some(seed) => seed..seed + 1,
        None => {
            let from = asked("PLIMSOLL_SEEDS_FROM").unwrap_or(0);
            from..from + asked("PLIMSOLL_SEEDS").unwrap_or(FEW)
        }
    }
}

/// Runs `test` with each seed, names the first seed that fails, and how to run it alone.
fn each(seeds: impl Iterator<Item = u64>, name: &str, test: impl Fn(u64) + std::panic::RefUnwindSafe) {
    for seed in seeds {
        if let Err(panic) = std::panic::catch_unwind(|| test(seed)) {
            eprintln!(
                "seed {seed} fails; alone: PLIMSOLL_SEED={seed} cargo test -p engine --test all {name}"
            );
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn what_a_faulty_volume_does_to_a_random_plan_is_what_its_record_says() {
    each(seeds(), "what_a_faulty", |seed| {
        let plan = plans::random(&mut Stream::new(seed, 0));
        let mut volume = faulty::Faulty::new(&plan, seed);
        let record = crate::vocabulary::simulate(&plan, &mut volume);
        held::check(&plan, &volume.served, &record);
        if seed % 16 == 0 {
            let mut again = faulty::Faulty::new(&plan, seed);
            assert_eq!(crate::vocabulary::simulate(&plan, &mut again), record, "one seed, one record");
        }
    });
}

#[test]
fn every_injected_corruption_is_found_and_none_is_invented() {
    let seeds = seeds();
    // A seed that was named is always run.
    let every = if seeds.end - seeds.start == 1 { 1 } else { FILES as usize };
    each(seeds.step_by(every), "every_injected", |seed| corruption::check(&mut Stream::new(seed, 1)));
}

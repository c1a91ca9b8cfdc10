//! Runs of volumes of the catalogue: the policy that a volume was made of is identified, first or level with
//! others that give the same.

use policy::{Catalogue, Level, identify};
use workload::{Bytes, Direction, PolicyName};

use crate::catalogue::choices;
use crate::checked::{CheckedVolume, each};

/// Operations a second above which a simulation takes long.
const QUICK_MOST: f64 = 8_000.0;

/// What was identified on one volume.
enum Identification {
    First,
    Behind(String),
    Missing(String),
    /// The run shows no level that a limit caused.
    NoLevel,
}

fn find(words: &str) -> Identification {
    let truth = PolicyName::parse(words).unwrap();
    let checked = CheckedVolume::of(words, "");
    let levels = analysis::levels(&checked.run);
    if levels.is_empty() {
        return Identification::NoLevel;
    }
    let candidates = identify(&levels, &analysis::circumstances(&checked.run));
    let first = candidates.first().map_or_else(String::new, |one| one.policy.to_string());
    match candidates.iter().find(|one| one.policy.id == truth.id) {
        Some(one) if one.rank == 1 => Identification::First,
        Some(one) => Identification::Behind(format!("{words}: rank {} behind {first}", one.rank)),
        None => Identification::Missing(format!("{words}: not among {} of {levels:?}", candidates.len())),
    }
}

/// Returns one volume of each policy, if one can be simulated in little time.
fn volumes() -> Vec<String> {
    let slow = |words: &String| {
        let limits = policy::evaluate(&PolicyName::parse(words).unwrap()).unwrap();
        let cap = limits.cap_iops(Direction::Read, Bytes::kib(4), Level::Burst);
        cap.is_some_and(|cap| cap.0 <= QUICK_MOST)
    };
    let one = |policy: &policy::Policy| choices(policy).into_iter().find(slow);
    Catalogue::builtin().list().iter().filter_map(one).collect()
}

/// If the run shows no level, nothing is identified, which is no fault. A policy may come after another only if a
/// provider's figure is closer to what was measured.
#[test]
fn volumes_of_the_catalogue_are_identified() {
    let volumes = volumes();
    assert!(volumes.len() >= 25, "{}", volumes.len());
    let found = each(&volumes, |words| find(words));
    let (mut first, mut wrong, mut open) = (0, Vec::new(), 0);
    for one in found {
        match one {
            Identification::First => first += 1,
            Identification::Behind(text) | Identification::Missing(text) => wrong.push(text),
            Identification::NoLevel => open += 1,
        }
    }
    eprintln!("identified {first} of {}, {open} without a level, otherwise {wrong:#?}", volumes.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(open * 4 <= volumes.len(), "{open} of {} show no level", volumes.len());
}

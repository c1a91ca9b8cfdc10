//! What limits a volume, on simulated volumes of known truth: a whole check in virtual time, and what is found.

mod doubts;
mod families;

use analysis::findings::Question;
use analysis::{Charge, Confidence, LevelUnit, Meaning, analyse};
use workload::Direction;

use crate::simulated_checks::check;

const MIB: f64 = 1048576.0;

/// Returns what a check finds on a simulated volume, with how sure it is.
fn said(words: &str) -> Vec<(Meaning, Confidence)> {
    let (run, _) = check(words, "");
    let found = analyse(&run, None, None).findings;
    found.into_iter().map(|finding| (finding.meaning, finding.confidence)).collect()
}

/// What is found to limit a level, in a word.
#[derive(Clone, Debug, PartialEq)]
enum Word {
    Capped(f64),
    Units(u64, Charge),
    Saturated,
    Depth,
    InFlight,
    Open,
    Other,
}

/// Returns the words on `counted` in `direction`. A unit counts for both operations and bytes.
fn words(
    said: &[(Meaning, Confidence)],
    direction: Direction,
    counted: LevelUnit,
) -> Vec<(Word, Confidence)> {
    let of = |meaning: &Meaning| {
        let (way, what, word) = match meaning {
            Meaning::IopsCap(found) => {
                (found.direction, LevelUnit::Operations, Word::Capped(found.cap.value))
            }
            Meaning::BandwidthCap(found) => {
                (found.direction, LevelUnit::Bytes, Word::Capped(found.cap.value))
            }
            Meaning::AccountingUnit(found) => {
                (found.direction, LevelUnit::Bytes, Word::Units(found.unit, found.charge))
            }
            Meaning::Saturation(found) => (found.direction, found.counted, Word::Saturated),
            Meaning::DepthBound(found) => (found.direction, LevelUnit::Operations, Word::Depth),
            Meaning::InFlightBound(found) => (found.direction, LevelUnit::Bytes, Word::InFlight),
            Meaning::CpuBound(found) => (found.direction, found.counted, Word::Other),
            Meaning::MachineLimit(found) => (found.direction, found.counted, Word::Other),
            Meaning::KernelQueue(found) => (found.direction, LevelUnit::Operations, Word::Other),
            Meaning::NotIdentifiable(found) if found.question == Question::Holds => {
                (found.direction?, found.counted, Word::Open)
            }
            _ => return None,
        };
        (way == direction && what == counted).then_some(word)
    };
    said.iter().filter_map(|(meaning, sure)| Some((of(meaning)?, *sure))).collect()
}

const READ: Direction = Direction::Read;

fn one(said: &[(Meaning, Confidence)], counted: LevelUnit) -> Option<Word> {
    words(said, READ, counted).first().map(|(word, _)| word.clone())
}

fn capped(word: Option<Word>, truth: f64) -> bool {
    matches!(word, Some(Word::Capped(level)) if (level / truth - 1.0).abs() <= 0.03)
}

#[test]
fn two_caps_are_called_by_what_they_count() {
    for (words, iops, mib) in [
        ("sim:aws-gp3", 3000.0, 125.0),
        ("sim:custom,iops=800,bandwidth=60MiB/s,latency=0.5ms", 800.0, 60.0),
        ("sim:custom,iops=5000,bandwidth=150MiB/s,jitter=0.5,slice=100ms", 5000.0, 150.0),
    ] {
        let said = said(words);
        let operations = one(&said, LevelUnit::Operations);
        // Slices hide a meter from short intervals: the cause may stay open, but must not be anything else.
        let open = words.contains("slice") && operations == Some(Word::Open);
        assert!(open || capped(operations, iops), "{words}: {said:#?}");
        assert!(capped(one(&said, LevelUnit::Bytes), mib * MIB), "{words}: {said:#?}");
    }
}

#[test]
fn an_operation_of_32_kib_is_a_unit_and_no_bandwidth() {
    let said = said("sim:vmware-vmdk-limit,limit=1000");
    assert!(capped(one(&said, LevelUnit::Operations), 1000.0), "{said:#?}");
    assert_eq!(one(&said, LevelUnit::Bytes), Some(Word::Units(32 << 10, Charge::Ceil)), "{said:#?}");
}

#[test]
fn bytes_that_bind_at_4_kib_are_no_operations() {
    let said = said("sim:custom,iops=300000,bandwidth=13MB/s");
    assert!(!matches!(one(&said, LevelUnit::Operations), Some(Word::Capped(_))), "{said:#?}");
    assert!(capped(one(&said, LevelUnit::Bytes), 13e6), "{said:#?}");
}

#[test]
fn what_plimsoll_keeps_in_flight_is_its_own_limit() {
    let said = said("sim:custom,iops=20000,bandwidth=4000MiB/s,latency=50ms");
    assert_eq!(one(&said, LevelUnit::Operations), Some(Word::Depth), "{said:#?}");
    // If a wide interval leaves "at least", the cause may stay open, but it must not be a limit of the volume.
    let bytes = one(&said, LevelUnit::Bytes);
    assert!(matches!(bytes, Some(Word::InFlight | Word::Open)), "{said:#?}");
}

/// Returns the lower bound of a level whose cause is open.
fn least(said: &[(Meaning, Confidence)], direction: Direction, counted: LevelUnit) -> Option<f64> {
    said.iter().find_map(|(meaning, _)| match meaning {
        Meaning::NotIdentifiable(found)
            if found.question == Question::Holds
                && (found.direction, found.counted) == (Some(direction), counted) =>
        {
            found.at_least.then_some(found.level.value)
        }
        _ => None,
    })
}

#[test]
fn at_least_is_no_more_than_the_same_load_had_before() {
    let words = "sim:custom,iops=1710,bandwidth=297MiB/s,latency=2550us,write_back=64MiB,drain=64MiB/s,\
                 write_back_latency=2ms";
    let said = said(words);
    let told = least(&said, Direction::Write, LevelUnit::Operations);
    assert!(told.is_none_or(|told| told < 1.1 * 16384.0), "{words}: {said:#?}");
}

#[test]
fn what_stolen_time_took_from_a_level_is_not_taken_for_the_volume() {
    let words = "sim:custom,iops=1050,latency=834us,theft=50ms,theft_every=1s,theft_pace=poisson,seed=11";
    let said = said(words);
    for (meaning, _) in &said {
        if let Meaning::NotIdentifiable(found) = meaning
            && found.question == Question::Holds
        {
            assert!(found.at_least || found.level.high >= 1050.0, "{words}: {found:#?}");
        }
    }
}

#[test]
fn a_busy_device_is_not_called_capped() {
    for words in [
        "sim:custom,servers=8,service=1ms,service_cv=1,server_bandwidth=500MiB/s,latency=100us",
        "sim:custom,servers=32,service=8ms,service_cv=0.5,server_bandwidth=200MiB/s,latency=100us",
        "sim:custom,servers=1,service=4ms,service_cv=2,server_bandwidth=150MiB/s,latency=100us",
    ] {
        let said = said(words);
        for counted in [LevelUnit::Operations, LevelUnit::Bytes] {
            assert!(!matches!(one(&said, counted), Some(Word::Capped(_))), "{words}: {said:#?}");
        }
    }
}

#[test]
fn one_budget_for_both_is_told_from_one_for_each() {
    let shared = |words: &str| {
        let said = said(words);
        let has = |kind: fn(&Meaning) -> bool| said.iter().any(|(meaning, _)| kind(meaning));
        (
            has(|one| matches!(one, Meaning::SharedBudget(_))),
            has(|one| matches!(one, Meaning::SeparateBudgets(_))),
        )
    };
    assert_eq!(shared("sim:custom,iops=2000,bandwidth=100MiB/s"), (true, false));
    let each = "sim:custom,read_iops=2000,write_iops=2000,read_bandwidth=100MiB/s,write_bandwidth=100MiB/s";
    assert_eq!(shared(each), (false, true));
}

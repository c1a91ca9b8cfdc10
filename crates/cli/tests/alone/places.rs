//! `plimsoll where` on volumes of another make: a file served through FUSE with a cache, and a part that is loaded on
//! first access.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may unwrap, and says what it measured")]

use std::ops::Range;
use std::time::Duration;

use crate::machine::*;
use serde_json::Value;
use testbed::{Character, Device, Takes};

const MIB: u64 = 1 << 20;
const SIZE: u64 = 2048 * MIB;
const LAZY: Range<u64> = 1024 * MIB..1536 * MIB;
/// Largest accepted error of a cache's size, as a share.
const TENTH: f64 = 0.1;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Returns a device whose reads take 4 ms, twelve at a time.
fn plain() -> Character {
    Character::new(12, Takes::Even(ms(4)))
}

fn looked(folder: &Folder, target: &str, words: &[&str]) -> Value {
    let fixed = ["where", target, "--busy", "--format", "json"];
    let ended = ended(&mut folder.plimsoll(&[&fixed[..], words].concat()));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    ended.json()["answered"].clone()
}

/// Checks that a region of this kind is reported, with its true inner edges within the reported intervals.
fn has_region(answer: &Value, kind: &str, truth: &Range<u64>) -> Result<(), String> {
    let regions = answer["regions"].as_array().unwrap();
    let region = regions.iter().find(|region| region["kind"] == kind);
    let region = region.ok_or_else(|| format!("no {kind}: {regions:?}"))?;
    let holds = |side: &str, truth: u64| {
        let at = |bound: &str| region[side][bound].as_f64().unwrap();
        if at("low") <= truth as f64 && truth as f64 <= at("high") {
            return Ok(());
        }
        let (low, high) = (at("low"), at("high"));
        Err(format!("{side} of {kind}: {low} to {high} instead of {truth}: {regions:#?}"))
    };
    holds("from", truth.start)?;
    if truth.end < SIZE { holds("to", truth.end) } else { Ok(()) }
}

/// Checks that a cache of `mib` MiB is reported within a tenth, or, if too little was seen for that, between two
/// sizes on either side of it.
fn has_cache(answer: &Value, mib: u64) -> Result<(), String> {
    let cache = &answer["cache"];
    let in_mib = |told: &Value| told.as_f64().map(|bytes| bytes / MIB as f64);
    println!("a cache of {mib} MiB is told: {cache}");
    let (least, most) = ((1.0 - TENTH) * mib as f64, (1.0 + TENTH) * mib as f64);
    let right = match (in_mib(&cache["size"]["value"]), in_mib(&cache["holds"]), in_mib(&cache["less_than"]))
    {
        (Some(size), ..) => (least..=most).contains(&size),
        (None, Some(holds), Some(less)) => least / 2.0 <= holds && holds <= most && less >= least,
        _ => false,
    };
    if right { Ok(()) } else { Err(format!("{mib} MiB: {answer:#}")) }
}

/// Runs `look` on a new device, up to three times if it fails, because other programs use the processors too.
fn holds(character: &dyn Fn() -> Character, look: &dyn Fn(&Folder, &str) -> Result<(), String>) {
    let folder = Folder::new();
    let mut tried = Vec::new();
    for _ in 0..3 {
        let Some(device) = Device::or_skip(SIZE) else { return };
        device.behave(character());
        let neighbours = Neighbours::watch();
        match look(&folder, &text(&device.path())) {
            Ok(()) => return,
            Err(why) => tried.push((why, neighbours)),
        }
    }
    let (why, neighbours) = tried.pop().unwrap();
    neighbours.excuse_or_fail(&why);
}

/// Returns the device with a cache of `mib` MiB in front of it.
fn cached(mib: usize) -> Character {
    plain().cached(mib, Takes::Even(Duration::ZERO))
}

#[test]
#[ignore = "night: real latencies"]
fn a_part_that_loads_is_told_with_its_edges() {
    let character = || plain().first_touch_within(LAZY, ms(30));
    holds(&character, &|folder, target| {
        has_region(&looked(folder, target, &["--time", "20s", "--largest", "64MiB"]), "first_touch", &LAZY)
    });
}

#[test]
#[ignore = "night: real latencies"]
fn a_cache_of_64_mib_is_told() {
    holds(&|| cached(64), &|folder, target| has_cache(&looked(folder, target, &["--time", "30s"]), 64));
}

#[test]
#[ignore = "night: caches of two more sizes, before a part that loads"]
fn caches_of_96_and_200_mib_are_told() {
    for mib in [96, 200] {
        let character = || cached(mib).first_touch_within(LAZY, ms(30));
        holds(&character, &|folder, target| {
            let answer = looked(folder, target, &["--time", "1m"]);
            has_cache(&answer, mib as u64)?;
            has_region(&answer, "first_touch", &LAZY)
        });
    }
}

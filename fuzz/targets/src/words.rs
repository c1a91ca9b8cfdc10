//! plimsoll's own words: profiles, expectations, policies, targets, sizes, prices, and what `explain` is given.

use std::io;

use experiments::Profile;
use explain::{Around, Detail, Style, explain_all, find, of_words, pages};
use volumes::SimulatedVolume;
use workload::{Expectation, Nanos, PolicyName, Target};

/// A profile, and its steps.
pub fn profile(bytes: &[u8]) {
    match Profile::read("own.toml", &String::from_utf8_lossy(bytes)) {
        Ok(profile) => drop(profile.lasting(Nanos::SECOND).seeded(7)),
        Err(error) => drop(error.to_string()),
    }
}

/// `--expect`; what was understood is written and read back.
pub fn expectation(bytes: &[u8]) {
    match Expectation::parse(&String::from_utf8_lossy(bytes)) {
        Ok(expectation) => {
            let written = expectation.to_string();
            let again = Expectation::parse(&written).map(|again| again.to_string());
            assert!(again.as_ref() == Ok(&written), "{written} is read as {again:?}");
        }
        Err(error) => drop(error.to_string()),
    }
}

/// A policy with its parameters, and the volume that is simulated of it.
pub fn policy(bytes: &[u8]) {
    let Ok(name) = PolicyName::parse(&String::from_utf8_lossy(bytes)) else { return };
    if let Err(error) = ::policy::evaluate_with_rest(&name) {
        let _ = error.to_string();
    }
    match SimulatedVolume::new(&name) {
        Ok(volume) => drop((volume.limits().clone(), volume.size())),
        Err(error) => drop(error.to_string()),
    }
}

/// Sizes, times, rates, prices and targets; a line each.
pub fn units(bytes: &[u8]) {
    for word in String::from_utf8_lossy(bytes).lines() {
        let _ = workload::size(word).map(|size| size.to_string()).map_err(|error| error.to_string());
        let _ = workload::duration(word).map(|time| time.to_string()).map_err(|error| error.to_string());
        let _ = workload::rate(word).map(|rate| rate.0).map_err(|error| error.to_string());
        let _ = analysis::compare::Price::parse(word)
            .map(|price| price.a_month())
            .map_err(|error| error.to_string());
        let _ = Target::parse(word).map_err(|error| error.to_string());
    }
}

/// Text as it is pasted, and the same as words of one command line.
pub fn explain(bytes: &[u8]) {
    let pasted = String::from_utf8_lossy(bytes);
    let around = Around { read: &|_| Err(io::Error::from(io::ErrorKind::NotFound)) };
    match explain_all(&find(&pasted), &around) {
        Ok(explained) => {
            let _ = report::document_json("explain", &explained);
            for detail in [Detail::Brief, Detail::Whole] {
                drop(pages(
                    &explained.told,
                    Style { detail, wrap: &|first, words| report::wrap(first, words) },
                ));
            }
        }
        Err(error) => drop(error.to_string()),
    }
    let words: Vec<String> = pasted.split_whitespace().map(str::to_owned).collect();
    let _ = of_words(&words).map(|found| explain_all(&[found], &around));
}

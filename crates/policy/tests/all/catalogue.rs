//! The built-in catalogue: complete and sourced, and every policy evaluates with every possible choice.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may fail where its story breaks

use policy::{Catalogue, Limits, Parameter, Policy, Resource};
use workload::PolicyName;

/// Returns every combination of a policy's choices, with an example for each required figure.
fn settings(policy: &Policy) -> Vec<PolicyName> {
    let required = policy.required_parameters();
    let words = |parameter: &Parameter| -> Vec<String> {
        if parameter.choices.is_empty() { vec![example(parameter)] } else { parameter.choices.clone() }
    };
    let mut settings = vec![PolicyName { id: policy.id.clone(), parameters: Vec::new() }];
    for parameter in policy.parameters.iter().filter(|p| required.contains(&p.name.as_str())) {
        let with = |name: &PolicyName, word: &String| {
            let mut next = name.clone();
            next.parameters.push((parameter.name.clone(), word.clone()));
            next
        };
        settings = settings
            .iter()
            .flat_map(|s| words(parameter).iter().map(|w| with(s, w)).collect::<Vec<_>>())
            .collect();
    }
    settings
}

fn example(parameter: &Parameter) -> String {
    if parameter.name == "size" { "500".to_owned() } else { parameter.example() }
}

fn all() -> impl Iterator<Item = (PolicyName, Limits)> {
    Catalogue::builtin().list().iter().flat_map(settings).map(|name| {
        let limits = policy::evaluate(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, limits)
    })
}

#[test]
fn the_catalogue_is_complete() {
    let catalogue = Catalogue::builtin();
    assert_eq!(catalogue.list().len(), 43);
    assert_eq!(catalogue.tables().len(), 16);
    assert_eq!(catalogue.aws_instances().len(), 625);
    assert_eq!(catalogue.azure_instances().len(), 8);
    let mut ids: Vec<&str> = catalogue.list().iter().map(|policy| policy.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 43, "every id is unique");
}

#[test]
fn every_policy_evaluates_with_every_choice() {
    assert!(all().count() > 80, "tiers and levels are tried one by one");
    for (name, limits) in all() {
        assert!(!limits.limits.is_empty(), "{name}: at least one rule");
        assert!(!limits.sources.is_empty(), "{name}: at least one source");
        for limit in &limits.limits {
            assert!(
                limit.baseline > 0.0 && limit.baseline.is_finite(),
                "{name} {}: {}",
                limit.id,
                limit.baseline
            );
            if let Some(burst) = &limit.burst {
                assert!(
                    burst.rate >= limit.baseline,
                    "{name} {}: a burst is not below its baseline",
                    limit.id
                );
            }
        }
    }
}

/// What was evaluated can be typed again and gives the same, so that a run file can name its policy.
#[test]
fn evaluated_names_can_be_typed_again() {
    for (name, limits) in all() {
        let typed = PolicyName::parse(&limits.policy.to_string()).unwrap();
        let again = policy::evaluate(&typed).unwrap_or_else(|error| panic!("{name} as {typed}: {error}"));
        assert_eq!(again, limits, "{name} as {typed}");
    }
}

#[test]
fn limits_survive_a_file() {
    for (name, limits) in all() {
        let text = serde_json::to_string(&limits).unwrap();
        let again: Limits = serde_json::from_str(&text).unwrap();
        for (a, b) in again.limits.iter().zip(&limits.limits) {
            // Reading a number back may be off by the last bit.
            assert!((a.baseline / b.baseline - 1.0).abs() < 1e-12, "{name} {}", a.id);
        }
        let without_rates = |limits: &Limits| Limits { limits: Vec::new(), ..limits.clone() };
        assert_eq!(without_rates(&again), without_rates(&limits), "{name}");
        assert_eq!(again.limits.len(), limits.limits.len(), "{name}");
    }
}

#[test]
fn every_source_is_dated_or_says_that_it_is_not() {
    for policy in Catalogue::builtin().list() {
        for source in &policy.sources {
            let dated = source.date.as_ref().is_none_or(|date| date.starts_with("20"));
            let linked = source.url.as_ref().is_none_or(|url| url.starts_with("https://"));
            assert!(dated && linked && !source.title.is_empty(), "{}: {source:?}", policy.id);
        }
    }
}

/// Only these policies lack one of the two caps; they are listed, so that a dropped rule is noticed.
#[test]
fn most_policies_limit_operations_and_bytes() {
    let single: Vec<&str> = Catalogue::builtin()
        .list()
        .iter()
        .filter(|policy| {
            let limits = policy::evaluate(&settings(policy)[0]).unwrap().limits;
            let has = |resource| limits.iter().any(|limit| limit.resource == resource);
            !(has(Resource::Iops) && has(Resource::Bytes))
        })
        .map(|policy| policy.id.as_str())
        .collect();
    assert_eq!(
        single,
        [
            "gcp-pd-write-egress",
            "gcp-hyperdisk-other",
            "scaleway-5k",
            "scaleway-15k",
            "vmware-vmdk-limit",
            "vmware-vsan-limit",
            "cloud4y-vcd-type-med"
        ]
    );
}

#[test]
fn instances_stand_in_front_of_volumes() {
    let name = PolicyName::parse("aws-io2-block-express,iops=64000,instance=m5.large").unwrap();
    let limits = policy::evaluate(&name).unwrap();
    let read = workload::Direction::Read;
    let small = workload::Bytes::kib(4);
    assert_eq!(limits.cap_iops(read, small, policy::Level::Burst).unwrap().0, 18_750.0);
    assert_eq!(limits.cap_iops(read, small, policy::Level::Baseline).unwrap().0, 3_600.0);
    let half_an_hour = policy::BurstLength::Ends(workload::Nanos::from_secs(1800));
    assert_eq!(limits.longest_burst(), half_an_hour);
}

#[test]
fn every_instance_evaluates() {
    let catalogue = Catalogue::builtin();
    for (provider, names) in [
        ("aws", catalogue.aws_instances().keys().collect::<Vec<_>>()),
        ("azure", catalogue.azure_instances().keys().collect()),
    ] {
        for name in names {
            let limits = catalogue.instance(provider, name).unwrap();
            assert!(limits.limits.iter().all(|limit| limit.baseline > 0.0), "{name}");
        }
    }
    let error = catalogue.instance("aws", "m5.largo").unwrap_err().to_string();
    assert!(error.contains("m5.large"), "{error}");
}

//! The page of a sized load: both charts of each device, and names that stay text.
#![allow(clippy::unwrap_used)] // a test may stop at what it did not expect

use analysis::size::{Carries, SizeAsk, SizedLoads, Sizing, offered, size};
use policy::PriceList;
use record::{DeviceFacts, DeviceNode, DiskCounters, Run, Sample};
use workload::{Bytes, Direction, Nanos, PolicyName};

use crate::pages::{in_order, names_are_given_once, well_formed};

const EVIL: &str = "</title><script>alert(1)</script>\"'&";
/// Reads a second in most readings and in the busy ones, by device.
const RATES: [(&str, [u64; 2]); 2] = [("sdb", [900, 4000]), (EVIL, [800, 3600])];
/// Readings of a second, and the one that is missing.
const READINGS: u64 = 1200;
const MISSING: u64 = 600;

/// Returns a watch of two disks that are busy for a minute out of ten.
fn watched() -> Run {
    let mut run = Run::started(vec!["plimsoll".into(), "watch".into()], 1_700_000_000_000);
    let mut totals = [DiskCounters::default(); 2];
    for (name, _) in RATES {
        let facts = DeviceFacts { name: name.to_owned(), size: Bytes(100 << 30), ..Default::default() };
        run.devices.push(DeviceNode { facts, timed: true, ..Default::default() });
    }
    for second in 0..=READINGS {
        for ((_, rates), total) in RATES.iter().zip(&mut totals) {
            let reads = rates[usize::from(second % 600 >= 300 && second % 600 < 360)];
            total.reads += reads;
            total.sectors_read += 16 * reads;
            total.read_ms += reads / 2;
            total.queue_ms += reads / 2;
            total.busy_ms += reads / 8;
        }
        let disks = RATES.iter().zip(totals).map(|((name, _), total)| ((*name).into(), total));
        // The second device is absent for a while.
        let disks = disks.take(if second.abs_diff(MISSING) < 20 { 1 } else { 2 }).collect();
        run.samples.push(Sample { at: Nanos::from_secs(second), disks, ..Default::default() });
    }
    run.complete = true;
    run
}

fn sized() -> Vec<Sizing> {
    let present = PolicyName::parse("aws-gp3,size=100GiB,iops=3000").unwrap();
    let asked = SizeAsk {
        device: None,
        capacity: None,
        instance: None,
        allowed: None,
        policies: offered(&["aws".to_owned(), "gcp".to_owned()]),
        present: Some(policy::evaluate(&present).unwrap()),
        prices: PriceList::builtin(),
        region: None,
    };
    size(&watched(), &asked).volumes
}

fn page(volumes: &[Sizing]) -> String {
    report::size_html(&SizedLoads { volumes: volumes.to_vec(), machines: Vec::new() })
}

#[test]
fn a_verdict_without_a_colon_has_a_blank_after_its_word() {
    let mut volumes = sized();
    let sizing = &mut volumes[0];
    sizing.cheapest = None;
    sizing.settings.iter_mut().for_each(|setting| setting.meets = Carries::AtLeastRecorded);
    assert!(page(&volumes[..1]).contains("AT LEAST</strong> aws-"));
}

#[test]
fn a_page_of_two_devices_has_both_charts_of_each_and_a_table_of_all() {
    let html = page(&sized());
    well_formed(&html);
    names_are_given_once(&html);
    in_order(
        &html,
        &[
            "<h1>plimsoll: which volumes 2 devices need",
            "<h2>All devices</h2>",
            "<section id=\"device-1\">",
            "class=\"good\">CHEAPEST</strong>: ",
            "<dt>Price a month</dt>",
            "<figure id=\"price-1\">",
            ">now: aws-gp3 100GiB 3000 125MiB/s<",
            "<figure id=\"iops-1\">",
            ">closest to the limit<",
            "<h3>Settings</h3>",
            "<section id=\"device-2\">",
            "<figure id=\"price-2\">",
            "<figure id=\"iops-2\">",
        ],
    );
    assert!(!html.contains("<script") && !html.contains("NaN"), "a name of a device is text");
    assert!(html.contains("&lt;/title&gt;&lt;script&gt;"), "and it is shown");
}

#[test]
fn a_page_of_one_device_has_a_section_for_each_part() {
    let html = page(&sized()[..1]);
    well_formed(&html);
    names_are_given_once(&html);
    let parts = ["<h2>In pictures</h2>", "<h2>The load</h2>", "<h2>Settings</h2>"];
    in_order(&html, &parts);
}

#[test]
fn prices_of_another_currency_are_left_out_and_said_to_be() {
    let mut sizings = sized();
    let only = &mut sizings[0];
    let at = only.cheapest.unwrap();
    let other = only.settings.iter_mut().skip(at + 1).find_map(|setting| setting.price.as_mut()).unwrap();
    other.currency = "EUR".to_owned();
    let html = page(&sizings[..1]);
    assert!(html.contains("Price against waiting, in USD; a setting with another currency is left out"));
}

#[test]
fn a_limit_of_writes_is_drawn_with_the_writes_alone() {
    let mut sizings = sized();
    let best = sizings[0].cheapest.unwrap();
    sizings[0].settings[best].levels.iter_mut().for_each(|level| level.direction = Some(Direction::Write));
    let html = page(&sizings[..1]);
    assert!(html.contains("Operations a second of writes against the limit of "));
    assert!(html.contains("<th scope=\"row\">the busiest reading</th><td>0</td>"), "it only reads");
}

#[test]
fn a_setting_that_carries_a_load_only_once_joins_no_line() {
    let line = ">no cheaper one waits less<";
    let mut sizings = sized();
    assert!(page(&sizings[..1]).contains(line));
    sizings[0].settings.iter_mut().for_each(|setting| setting.carries = Carries::Once);
    assert!(!page(&sizings[..1]).contains(line));
}

#[test]
fn the_course_has_a_column_for_no_more_than_a_chart_shows_and_none_where_nothing_was_recorded() {
    for sizing in sized() {
        let course = &sizing.course;
        assert!(course.len() <= 400 && course.len() > 300, "{} columns", course.len());
        let peak = course.iter().map(|column| column.all.iops_peak).fold(0.0, f64::max);
        assert_eq!(peak, sizing.load.iops_peak, "no peak is lost");
        let apart = course.windows(2).filter(|pair| pair[0].ends_s < pair[1].begins_s).count();
        assert_eq!(apart, usize::from(sizing.load.device == EVIL), "{}", sizing.load.device);
    }
}

#[test]
fn the_document_has_the_course_and_the_rates_of_rules_beside_what_it_had() {
    let document: serde_json::Value =
        serde_json::from_str(&report::size_json(&SizedLoads { volumes: sized(), machines: Vec::new() }))
            .unwrap();
    let keys = |of: &serde_json::Value| of.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let device = &document["devices"][0];
    let mut names = keys(device);
    names.sort();
    assert_eq!(
        names,
        [
            "allowed",
            "cannot_show",
            "capacity",
            "cheaper",
            "cheapest",
            "closeup",
            "course",
            "load",
            "present",
            "recording",
            "settings",
            "verdict"
        ]
    );
    let best = &device["settings"][device["cheapest"].as_u64().unwrap() as usize];
    let mut names = keys(&best["levels"][0]);
    names.sort();
    assert_eq!(names, ["baseline", "burst", "counts", "direction", "rule"]);
}

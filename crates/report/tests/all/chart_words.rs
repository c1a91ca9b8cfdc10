//! What charts say: their message as title, what they leave out, and where a picture that stands alone comes from.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may stop at what it did not expect

use crate::made_machines::{Cycles, FAST, Volume};
use analysis::{Analysis, analyse};
use record::Run;
use report::charts::{PictureOptions, pictures};
use workload::Expectation;

fn svg((run, analysis): &(Run, Analysis), end: &str) -> String {
    let all = pictures(run, analysis, &PictureOptions::default());
    let found = all.iter().find(|picture| picture.name.ends_with(end));
    found.unwrap_or_else(|| panic!("no {end}")).svg()
}

/// Returns the title by which a screen reader announces a drawing.
fn title(svg: &str) -> &str {
    svg.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0
}

/// Returns the texts in a drawing.
fn words(svg: &str) -> Vec<&str> {
    let texts = svg.split("<text ").skip(1);
    texts.map(|text| text.split_once('>').unwrap().1.split("</text>").next().unwrap()).collect()
}

fn overloaded() -> (Run, Analysis) {
    let volume = Volume { cap_read: 840.0, cap_write: 360.0, ..FAST };
    let run = Cycles::on(volume, &[0.5, 1.0, 2.0, 5.0, 10.0]).run();
    let expected = Expectation::parse("read 700 iops, write 300 iops, latency < 30ms").unwrap();
    let analysis = analyse(&run, None, Some(&expected));
    (run, analysis)
}

#[test]
fn a_chart_is_named_by_what_its_findings_say() {
    let case = crate::made_up::meets();
    for (end, message, plain) in [
        ("-depths", "Reads reach 3,001 IOPS from depth 2 on", "Rate and latency by queue depth."),
        (
            "-blocks",
            "Reads are held by 3,001 IOPS below 43 KiB and by 125 MiB/s above",
            "Rate and bandwidth by block size.",
        ),
        (
            "-percentiles",
            "One at a time, half of all reads take up to 0.59 ms, and 99 % up to 1.3 ms",
            "Latency of one I/O",
        ),
    ] {
        let svg = svg(&case, end);
        assert_eq!(title(&svg), message);
        assert!(svg.contains(&format!("<desc>{plain}")), "{end}: what is drawn is still said");
        let html = report::html(&case.0, &case.1);
        assert!(html.contains(&format!("<figcaption>{message}</figcaption>")), "{message}");
    }
    let cut = crate::made_up::cut_off();
    assert_eq!(title(&svg(&cut, "-rate")), "The run was stopped after 31 s, before its end");
}

#[test]
fn a_chart_whose_finding_is_not_there_has_its_plain_title() {
    let (run, mut analysis) = crate::made_up::meets();
    analysis.findings.clear();
    let case = (run, analysis);
    assert_eq!(title(&svg(&case, "-depths")), "Rate and latency by queue depth");
    assert_eq!(title(&svg(&case, "-rate")), "Operations a second against time");
}

#[test]
fn charts_of_a_watch_say_where_the_load_is_held() {
    let case = overloaded();
    let held = "From 200 % of its nominal rate on it stays at 840 reads and 360 writes a second";
    assert_eq!(title(&svg(&case, "-overload-summary")), held);
    assert_eq!(title(&svg(&case, "-sda-iops")), "Above its nominal rate sda is throttled");
    assert_eq!(title(&svg(&case, "-sda-traffic")), "sda: Disk traffic", "no finding points there");
}

#[test]
fn what_was_asked_in_factors_stands_evenly_on_its_axis() {
    let svg = svg(&overloaded(), "-overload-summary");
    // Ticks below the first of three panels: the shares of 1,000 a second.
    let place = |label: &str| -> i32 {
        let below = |text: &&str| text.contains("dy=\"0.76em\"") && text.contains(&format!(">{label}<"));
        let text = svg.split("<text ").find(below).unwrap();
        text.split_once("x=\"").unwrap().1.split('"').next().unwrap().parse().unwrap()
    };
    let (half, whole, double) = (place("0.5 k"), place("1 k"), place("2 k"));
    assert!(((whole - half) - (double - whole)).abs() <= 2, "{half}, {whole} and {double} are doublings");
    let ten = place("10 k");
    assert!(ten - half < 5 * (whole - half) && ten > double);
    // No line leads from the nominal rate, which the device delivers, to twice that rate, which it does not.
    let lines = svg.split("<polyline").filter(|line| line.contains("stroke=\"#24292F\" stroke-width=\"3\""));
    let joined = lines.filter(|line| {
        let points = line.split_once("points=\"").unwrap().1.split('"').next().unwrap();
        let places: Vec<i32> =
            points.split(' ').map(|pair| pair.split_once(',').unwrap().0.parse().unwrap()).collect();
        places.contains(&whole) && places.contains(&double)
    });
    assert_eq!(joined.count(), 0);
}

#[test]
fn a_series_of_zeros_is_left_out_and_named() {
    let case = overloaded();
    let svg = svg(&case, "-sda-iops");
    let words = words(&svg);
    assert!(words.contains(&"r/s") && words.contains(&"w/s"), "{words:?}");
    for zero in ["rrqm/s", "d/s", "drqm/s"] {
        assert!(!words.contains(&zero), "{zero} has a place in the legend");
    }
    let named = words.iter().find(|word| word.starts_with("Zero throughout: ")).unwrap();
    assert!(named.contains("rrqm/s") && named.contains("drqm/s"), "{named}");
    let html = report::html(&case.0, &case.1);
    assert!(html.contains("Zero throughout: rrqm/s"));
    // A binary that was built without the web part has no zoom.
    if report::zoom_missing().is_none() {
        let data = html.split("id=\"zoom-data\"").nth(1).unwrap();
        assert!(data.contains("\"r/s\"") && !data.contains("\"drqm/s\""), "nor does the zoom draw it");
    }
}

#[test]
fn a_device_that_did_nothing_still_has_its_charts() {
    let (mut run, _) = overloaded();
    for sample in &mut run.samples {
        sample.disks.iter_mut().for_each(|(_, counters)| *counters = record::DiskCounters::default());
    }
    let analysis = analyse(&run, None, None);
    let svg = svg(&(run, analysis), "-sda-iops");
    assert!(words(&svg).contains(&"r/s") && !words(&svg).contains(&"w/s"));
}

#[test]
fn times_of_one_axis_are_in_one_unit() {
    let svg = svg(&crate::made_up::meets(), "-depths");
    let times: Vec<&str> = words(&svg)
        .into_iter()
        .filter(|word| word.ends_with('s') && word.contains(' '))
        .filter(|word| word.starts_with(|letter: char| letter.is_ascii_digit()))
        .collect();
    assert!(times.len() >= 3, "{times:?}");
    assert!(times.iter().all(|word| word.ends_with(" ms")), "{times:?}");
}

#[test]
fn a_picture_says_where_it_comes_from_and_a_page_says_it_once() {
    let case = crate::made_up::meets();
    let svg = svg(&case, "-blocks");
    let words = words(&svg);
    let foot = words[words.len() - 3..].join(" | ");
    for piece in [
        "/mnt/data: ext4 on nvme1n1 (Amazon Elastic Block Store, 100 GiB)",
        "2026-11-21 02:57:00 UTC",
        "against aws-gp3",
        "plimsoll check /mnt/data --policy aws-gp3",
        &format!("plimsoll {}", case.0.version),
        "Amazon EC2 m5.large, 2 CPUs (Intel(R) Xeon(R) Platinum 8259CL), 8.0 GiB, Linux 6.18.44",
    ] {
        assert!(foot.contains(piece), "{piece} in {foot}");
    }
    let html = report::html(&case.0, &case.1);
    assert!(html.matches("Amazon EC2 m5.large, 2 CPUs").count() == 0, "the page has a section for it");
    assert_eq!(svg.matches("2026-11-21 02:57:00 UTC").count(), 1);
}

#[test]
fn the_words_below_a_picture_stay_within_it() {
    let (mut run, analysis) = crate::made_up::meets();
    run.words.push("--describe".to_owned());
    run.words.push("a very long word ".repeat(40));
    let svg = svg(&(run, analysis), "-blocks");
    let size: Vec<i32> = svg
        .split_once("viewBox=\"0 0 ")
        .unwrap()
        .1
        .split('"')
        .next()
        .unwrap()
        .split(' ')
        .map(|n| n.parse().unwrap())
        .collect();
    let foot: Vec<&str> =
        svg.split("<text ").filter(|text| text.contains("font-size=\"20\" fill=\"#444B54\"")).collect();
    assert!(foot.len() >= 3, "{foot:?}");
    for text in foot {
        let y: i32 = text.split_once("y=\"").unwrap().1.split('"').next().unwrap().parse().unwrap();
        let words = text.split_once('>').unwrap().1.split('<').next().unwrap();
        assert!(y < size[1], "below the picture: {words}");
        // Letters of 10 pixels, two units each, are on average half as wide as high.
        assert!(words.chars().count() as f64 * 20.0 * 0.5 < f64::from(size[0]), "{words}");
    }
}

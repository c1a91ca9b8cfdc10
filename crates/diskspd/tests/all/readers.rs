//! Programs of the field read our output as they read DiskSpd's: by position, by name, by empty lines.

use roxmltree::{Document, Node};

use crate::output::{result, text, xml};
use crate::vocabulary::asked;

fn named<'a>(node: Node<'a, 'a>, name: &str) -> Node<'a, 'a> {
    node.descendants().find(|child| child.has_tag_name(name)).unwrap_or_else(|| panic!("no <{name}>"))
}

fn document(words: &str) -> String {
    xml(&asked(words), &[result()])
}

#[test]
fn the_first_line_is_the_root_and_the_last_has_no_end() {
    let shown = document("-L -D t");
    assert_eq!(shown.lines().next(), Some("<Results>"));
    assert!(shown.ends_with("</Results>"));
    assert!(Document::parse(&shown).is_ok());
}

/// VM Fleet reads it this way.
#[test]
fn percentiles_are_found_by_their_place() {
    let shown = document("-L t");
    let document = Document::parse(&shown).unwrap();
    let latency = named(document.root(), "Latency");
    let buckets: Vec<Node<'_, '_>> = latency.children().filter(|node| node.has_tag_name("Bucket")).collect();
    let label = |at: usize| named(buckets[at], "Percentile").text().unwrap_or_default().to_owned();
    for at in 0..=99 {
        assert_eq!(label(at), at.to_string());
    }
    let nines: Vec<String> = (100..buckets.len()).map(label).collect();
    assert_eq!(nines, ["99.9", "99.99", "99.999", "99.9999", "99.99999", "99.999999", "99.9999999", "100"]);
    assert!(buckets.iter().all(|bucket| named(*bucket, "TotalMilliseconds").text().is_some()));
    assert_eq!(named(buckets[50], "ReadMilliseconds").text(), Some("1.000"));
    for name in ["AverageReadMilliseconds", "AverageWriteMilliseconds", "AverageTotalMilliseconds"] {
        assert!(named(latency, name).text().unwrap().parse::<f64>().is_ok());
    }
}

/// PerfKitBenchmarker reads it this way.
#[test]
fn children_of_a_threads_target_are_numbers() {
    let shown = document("-L t");
    let document = Document::parse(&shown).unwrap();
    let target = named(named(document.root(), "Thread"), "Target");
    for child in target.children().filter(Node::is_element) {
        let name = child.tag_name().name();
        let value = child.text().unwrap_or_default();
        assert!(name == "Path" || value.parse::<f64>().is_ok(), "{name}: {value}");
    }
}

/// Process-DiskSpd.ps1 reads it this way.
#[test]
fn the_profile_is_echoed_with_what_says_what_ran() {
    let shown = document("-L -D -r -b8K -w30 -o7 t");
    let document = Document::parse(&shown).unwrap();
    let target = named(named(document.root(), "Profile"), "Target");
    let value = |name: &str| named(target, name).text().unwrap().to_owned();
    assert_eq!(
        [value("Random"), value("BlockSize"), value("WriteRatio"), value("RequestCount")],
        ["8192", "8192", "30", "7"]
    );
    assert_eq!(
        named(document.root(), "CpuUtilization").children().filter(|n| n.has_tag_name("Average")).count(),
        1
    );
    assert!(named(document.root(), "ReadIopsStdDev").text().is_some());
}

#[test]
fn paths_are_escaped() {
    let mut run = result();
    run.threads[0][0].path = "a&b<c>\".dat".to_owned();
    let shown = xml(&asked("a&b t"), &[run]);
    let document = Document::parse(&shown).unwrap();
    assert_eq!(named(named(document.root(), "Thread"), "Path").text(), Some("a&b<c>\".dat"));
}

/// VirtualClient reads it this way: it finds sections by splitting at empty lines.
#[test]
fn sections_of_the_text_are_separated_by_empty_lines() {
    let shown = text(&asked("--compat=2.1 -L t"), &[result()]);
    let sections: Vec<&str> = shown.split("\n\n").map(str::trim).collect();
    for title in ["Total IO", "Read IO", "Write IO", "total:"] {
        assert!(sections.iter().any(|section| section.starts_with(title)), "{title}\n{shown}");
    }
    let total = sections.iter().find(|section| section.starts_with("Total IO")).unwrap();
    let sum = total.lines().find(|line| line.starts_with("total:")).unwrap();
    let cells: Vec<&str> = sum.trim_start_matches("total:").split('|').map(str::trim).collect();
    assert_eq!(cells[..4], ["6291456", "16", "0.05", "0.13"]);
    assert!(cells[4..].iter().all(|cell| cell.parse::<f64>().is_ok()));
}

/// The one-liners of the field read it this way: `awk '/^total:/ {print $6}'` and the like.
#[test]
fn fields_of_the_total_line_stand_where_awk_looks() {
    let shown = text(&asked("-L -D t"), &[result()]);
    let totals: Vec<Vec<&str>> = shown
        .lines()
        .filter(|line| line.starts_with("total:"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(totals.len(), 3);
    for (fields, ops) in totals.iter().zip(["16", "6", "10"]) {
        // total: bytes | ops | MiB/s | IOPS | AvgLat | IopsStdDev | LatStdDev
        assert_eq!((fields.len(), fields[3]), (14, ops));
    }
}

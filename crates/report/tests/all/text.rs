//! What is printed: golden answers, every finding and doubt in words, and lines that fit 80 columns.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may stop at what it did not expect

use std::path::Path;
use std::{env, fs};

use crate::made_up::{all_doubts, all_meanings, found};
use analysis::findings::{Crossover, FillingDepth, ForeignLoad, GeneratorBound, Unsteady};
use analysis::{Analysis, Confidence, Estimate, Finding};
use proptest::prelude::*;
use record::Run;
use report::{Extent, Paint, terminal};
use workload::{Direction, Nanos};

const COLUMNS: usize = 80;

/// Compares with `tests/golden/NAME`; `PLIMSOLL_BLESS=1` writes it instead.
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if env::var_os("PLIMSOLL_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, kept, "{name} has changed; look at it, then run PLIMSOLL_BLESS=1 cargo test -p report");
}

fn lines_fit(text: &str) {
    for line in text.lines() {
        // A path stays whole, on a line of its own.
        let begins_path = ["/", "./", "../", "~/"].iter().any(|begin| line.trim().starts_with(begin));
        let is_path = begins_path && !line.trim().contains(' ');
        assert!(is_path || line.chars().count() <= COLUMNS, "{} columns: {line}", line.chars().count());
        assert_eq!(line.trim_end(), line, "blanks at the end");
    }
}

/// Where blocks are split on the way, foreign operations are unknown and only the bytes are reported.
#[test]
fn operations_that_nobody_counted_are_no_figure() {
    let load =
        ForeignLoad { device: "vda".into(), ops_per_second: 0.0, bytes_per_second: 3.8e7, share: 0.17 };
    let sentence = report::sentence(&found(analysis::Meaning::ForeignLoad(load)));
    assert_eq!(sentence, "Somebody else used vda meanwhile: 36.2 MiB/s, 17 % of all its I/O.");
}

/// Asserts that nothing reaches a reader that must not: Debug output, placeholders, values that are no numbers.
fn reads_well(text: &str) {
    for bad in ["{", "}", "Some(", "None", "NaN", "inf ", "Estimate", "::", "  of", "..", " ."] {
        assert!(!text.contains(bad), "{bad:?} in: {text}");
    }
    assert!(
        text.trim_start()
            .starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || text.starts_with("plimsoll")),
        "{text}"
    );
    assert!(text.ends_with('.'), "no full stop: {text}");
}

fn printed(case: (Run, Analysis)) -> String {
    let text = terminal(&case.0, &case.1, Paint::Plain, Extent::Screen);
    lines_fit(&text);
    text
}

#[test]
fn a_volume_that_keeps_its_promise() {
    golden("meets.txt", &printed(crate::made_up::meets()));
}

#[test]
fn a_volume_that_is_below_its_claim() {
    golden("below.txt", &printed(crate::made_up::below()));
}

#[test]
fn a_burst_that_outlasts_the_run() {
    golden("cannot_tell.txt", &printed(crate::made_up::cannot_tell()));
}

#[test]
fn figures_without_a_claim() {
    golden("measured.txt", &printed(crate::made_up::measured()));
}

#[test]
fn a_cap_that_both_directions_share_is_one_cap() {
    use analysis::findings::{IopsCap, SharedBudget};
    let (run, mut analysis) = crate::made_up::measured();
    let total = crate::made_up::around(2_000.0, 6.0);
    let cap = |direction, half| IopsCap {
        direction,
        cap: crate::made_up::around(1_991.0, half),
        scales: crate::made_up::scales(analysis::Metering::Metered),
    };
    let budget = SharedBudget {
        counted: analysis::LevelUnit::Operations,
        block: 4096,
        read: 1_991.0,
        write: 1_991.0,
        total,
    };
    analysis.findings = [
        analysis::Meaning::IopsCap(cap(Direction::Read, 40.0)),
        analysis::Meaning::IopsCap(cap(Direction::Write, 30.0)),
        analysis::Meaning::SharedBudget(budget),
    ]
    .map(crate::made_up::found)
    .to_vec();
    let text = printed((run, analysis));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("One IOPS cap of 2,000 ± 6 for reads and writes together stops both."), "{text}");
    assert!(!words.contains("an IOPS cap of 1,99"), "{text}");
}

#[test]
fn a_run_that_was_cut_off() {
    golden("cut_off.txt", &printed(crate::made_up::cut_off()));
}

#[test]
fn a_run_in_which_nothing_happened() {
    golden("nothing.txt", &printed(crate::made_up::nothing()));
}

#[test]
fn colour_marks_the_verdict_word_and_changes_nothing_else() {
    for case in [
        crate::made_up::meets(),
        crate::made_up::below(),
        crate::made_up::cannot_tell(),
        crate::made_up::measured(),
    ] {
        let painted = terminal(&case.0, &case.1, Paint::Ansi, Extent::Screen);
        assert_eq!(painted.matches("\x1b[").count(), 2, "one word is coloured");
        let mut plain = painted;
        while let Some(start) = plain.find("\x1b[") {
            let end = start + plain[start..].find('m').unwrap();
            plain.replace_range(start..=end, "");
        }
        assert_eq!(plain, printed(case));
    }
}

/// Returns the lines of an answer from its first finding up to the claims or the verdict.
fn findings_of(text: &str) -> Vec<&str> {
    let found = text.lines().skip_while(|line| !line.starts_with("  found   "));
    let ends = |line: &&str| !line.is_empty() && !line.starts_with("  ") || line.starts_with("  figure ");
    found.take_while(|line| !ends(line)).collect()
}

#[test]
fn findings_fill_a_screen_at_most_and_all_of_them_are_there_when_asked_for() {
    let (run, mut analysis) = crate::made_up::measured();
    analysis.findings = all_meanings().into_iter().map(found).collect();
    let screen = terminal(&run, &analysis, Paint::Plain, Extent::Screen);
    let all = terminal(&run, &analysis, Paint::Plain, Extent::All);
    [&screen, &all].into_iter().for_each(|text| lines_fit(text));
    let (some, whole) = (findings_of(&screen), findings_of(&all));
    assert!(some.len() <= 17, "{} lines: {screen}", some.len());
    let told = |lines: &[&str]| lines.iter().filter(|line| line.starts_with("  found   ")).count();
    let rest = format!("{} more findings", told(&whole) - told(&some));
    assert!(told(&some) >= 1 && screen.contains(&rest) && screen.contains(": --all\n"), "{rest}: {screen}");
    assert!(!all.contains(": --all\n") && whole.iter().any(|line| line.starts_with("  unless  ")), "{all}");
}

#[test]
fn the_verdict_and_its_table_are_the_last_that_a_screen_shows() {
    for case in [crate::made_up::meets(), crate::made_up::below(), crate::made_up::measured()] {
        let word = report::verdict_words(&case.0, &case.1).word;
        let text = printed(case);
        let from = text.lines().position(|line| line.starts_with(word)).unwrap();
        assert!(text.lines().count() - from <= 21, "two lines more name the files: {text}");
        assert!(text.lines().skip(from).all(|line| !line.starts_with("  found   ")), "{text}");
    }
}

/// Returns a stream of a quick look that reached `mib` MiB a second.
fn stream(mib: f64) -> analysis::QuickRow {
    let pattern = serde_json::json!({
        "sequential": true, "read_percent": 100, "depth": 1, "workers": 1, "offered": null, "flush_every": null, "direct": true
    });
    let rate = mib * f64::from(1 << 20);
    let cell = serde_json::json!({
        "step": "", "job": "", "pattern": pattern, "directions": [], "iops": mib, "bytes_per_second": rate, "latency_ns_mean": 1.0
    });
    let row = serde_json::json!({
        "cell": cell, "direction": "read", "device_share": null, "whose": "volume", "seconds": 5.0
    });
    serde_json::from_value(row).unwrap()
}

#[test]
fn streams_beside_each_other_have_one_unit() {
    let text = report::quick_text(&[stream(312.0), stream(3_686.0)]);
    assert!(
        text.contains(" 312 MiB/s") && text.contains(" 3,686 MiB/s") && !text.contains("GiB/s"),
        "{text}"
    );
    let fast = report::quick_text(&[stream(3_174.0), stream(3_686.0)]);
    assert!(fast.contains(" 3.1 GiB/s") && fast.contains(" 3.6 GiB/s"), "{fast}");
}

#[test]
fn every_answer_has_its_word() {
    use analysis::Answer;
    let words = [
        (Answer::Measured, "MEASURED: "),
        (Answer::Meets, "MEETS aws-gp3: "),
        (Answer::Exceeds, "EXCEEDS aws-gp3: "),
        (Answer::Below, "BELOW aws-gp3: "),
        (Answer::ConsistentWithBurst, "CANNOT TELL beyond the burst of aws-gp3: "),
        (Answer::CannotTell, "CANNOT TELL whether it meets aws-gp3: "),
    ];
    for (answer, start) in words {
        let (run, mut analysis) = crate::made_up::meets();
        analysis.verdict.answer = answer;
        let sentence = report::verdict_words(&run, &analysis).sentence();
        assert!(sentence.starts_with(start), "{sentence}");
        reads_well(&sentence);
    }
}

#[test]
fn the_head_names_target_file_system_device_and_means() {
    let text = report::head(&crate::made_up::target(), "io_uring");
    lines_fit(&text);
    assert_eq!(text, "/mnt/data: ext4 on nvme1n1 (Amazon Elastic Block Store, 100 GiB), io_uring\n");
}

#[test]
fn the_last_line_names_both_files_and_breaks_neither() {
    assert_eq!(report::files_line("a.html", "a.plimsoll"), "report  a.html    run  a.plimsoll\n");
    let (report, run) = ("d/".repeat(30), "e/".repeat(60));
    let long = report::files_line(&report, &run);
    assert_eq!(long, format!("report  {report}\nrun     {run}\n"), "a path can be copied whole");
}

#[test]
fn a_finished_step_is_one_plain_line() {
    let (run, _) = crate::made_up::meets();
    let lines: Vec<String> = run.steps.iter().map(report::step_done).collect();
    let text = lines.join("\n") + "\n";
    lines_fit(&text);
    golden("steps_done.txt", &text);
}

/// Returns the same finding in these steps.
fn in_steps(meaning: analysis::Meaning, steps: &[&str]) -> analysis::Finding {
    let once = found(meaning);
    let span = |step: &&str| analysis::Evidence { step: (*step).to_owned(), ..once.evidence[0].clone() };
    analysis::Finding { evidence: steps.iter().map(span).collect(), ..once.clone() }
}

#[test]
fn a_finding_of_several_steps_lists_them_and_tells_the_worst() {
    let unsteady =
        |step: &str| analysis::Meaning::Unsteady(Unsteady { step: step.to_owned(), half_width: 0.071 });
    let one = in_steps(unsteady("d8"), &["d8", "d8"]);
    assert_eq!(
        report::sentence(&one),
        "The rate did not settle in step 'd8': its 95 % interval is still ± 7.1 % wide."
    );
    let three = in_steps(unsteady("d16"), &["d8", "d16", "d32"]);
    assert_eq!(
        report::sentence(&three),
        "The rate did not settle in 3 steps ('d8', 'd16' and 'd32'), worst in 'd16': its 95 % interval is still ± 7.1 % wide."
    );
    assert_eq!(report::next_step(&three), "Run steps 'd8', 'd16' and 'd32' longer, or at another hour.");
    let many: Vec<String> = (1..=20).map(|step| format!("d{step}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let starved = analysis::Meaning::GeneratorBound(GeneratorBound {
        step: "d20".to_owned(),
        own_cpu_share: 0.5,
        waiting_share: 0.3,
        steal_share: 0.0,
        lost_share: 0.2,
        late: 12,
    });
    let told = report::sentence(&in_steps(starved, &many));
    let list = "in 20 steps ('d1', 'd2', 'd3' and 17 more), worst in 'd20': its busiest";
    assert!(told.contains(list), "{told}");
}

#[test]
fn every_finding_has_a_sentence_an_alternative_and_a_next_step() {
    let mut listed = String::new();
    for meaning in all_meanings() {
        let finding = found(meaning);
        reads_well(&report::sentence(&finding));
        reads_well(&report::next_step(&finding));
        let other = report::competing(&finding);
        if let Some(other) = &other {
            reads_well(other);
        }
        let parts = [Some(report::sentence(&finding)), other, Some(report::next_step(&finding))];
        listed += &parts.into_iter().flatten().map(|part| report::wrap("- ", &part)).collect::<String>();
        listed.push('\n');
    }
    lines_fit(&listed);
    golden("findings.txt", &listed);
}

/// Pairs every two kinds of findings, with figures of the same volume, level and time, to find those that cannot
/// both hold.
#[test]
fn pairs_that_cannot_both_be_true_exclude_each_other_whichever_comes_first() {
    let all: Vec<Finding> = all_meanings().into_iter().map(found).collect();
    let kind =
        |finding: &Finding| serde_json::to_value(finding).unwrap()["kind"].as_str().unwrap().to_owned();
    let mut pairs = std::collections::BTreeSet::new();
    for (at, a) in all.iter().enumerate() {
        for b in &all[at + 1..] {
            assert_eq!(analysis::exclude(a, b), analysis::exclude(b, a), "{a:?} {b:?}");
            let mut names = [kind(a), kind(b)];
            names.sort();
            if analysis::exclude(a, b) && names[0] != names[1] {
                pairs.insert(names.join(" or "));
            }
        }
    }
    golden("exclusive.txt", &pairs.into_iter().map(|pair| pair + "\n").collect::<String>());
}

#[test]
fn every_doubt_has_a_clause_and_a_remedy() {
    let mut listed = String::new();
    for doubt in all_doubts() {
        let clause = report::doubt(&doubt);
        assert!(!clause.ends_with('.') && clause.starts_with(char::is_alphanumeric), "{clause}");
        reads_well(&report::remedy(&doubt));
        listed += &report::wrap("- ", &format!("{clause}. {}", report::remedy(&doubt)));
    }
    lines_fit(&listed);
    golden("doubts.txt", &listed);
}

#[test]
fn the_json_document_has_its_schema_first_and_every_part() {
    let (run, analysis) = crate::made_up::meets();
    let text = report::json(&run, &analysis);
    assert!(
        text.starts_with("{\n  \"schema\": \"plimsoll-report\",\n  \"schema_version\": 1,"),
        "{}",
        &text[..80]
    );
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["verdict"]["answer"], "meets");
    assert_eq!(document["verdict"]["exit_code"], 0);
    assert_eq!(document["findings"][0]["kind"], "iops_cap");
    assert!(document["findings"][0]["next_step"].as_str().unwrap().ends_with('.'));
    assert_eq!(document["steps"].as_array().unwrap().len(), run.steps.len());
    assert_eq!(document["steps"][2]["totals"]["read"]["ops"], run.steps[2].tally(Direction::Read).ops);
    assert_eq!(document["run"]["command_line"][1], "check");
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), Just(f64::NAN), Just(f64::INFINITY), Just(0.0), -1e3..1e9]
}

prop_compose! {
    /// Any estimate at all, with its ends in any order.
    fn estimates()(value in number(), low in number(), high in number()) -> Estimate {
        Estimate { value, low, high }
    }
}

/// Returns the volume that meets its claim, with its numbers replaced by any others.
fn upset(estimate: Estimate, number: f64, whole: u64, words: String) -> (Run, Analysis) {
    let (mut run, mut analysis) = crate::made_up::meets();
    for point in analysis.depths.iter_mut().chain(&mut analysis.blocks) {
        point.iops = estimate;
        point.bytes_per_second = estimate;
        point.latency_ns_mean = number;
        point.latency_ns_p99 = whole;
        point.block = whole;
        point.depth = whole as u32;
        point.seconds = number;
    }
    for row in &mut analysis.latencies {
        row.mean_ns = number;
        row.percentiles.push((number, whole));
        row.step = words.clone();
    }
    for row in &mut analysis.verdict.rows {
        row.measured = Some(estimate);
        row.claimed.value = number;
        row.what = words.clone();
        row.claimed.words = words.clone();
    }
    analysis.horizon = Nanos(whole);
    analysis.findings = vec![
        found(analysis::Meaning::Crossover(Crossover { direction: Direction::Read, bytes: number })),
        found(analysis::Meaning::FillingDepth(FillingDepth {
            direction: Direction::Read,
            star: number,
            ninety: number,
            base_latency_ns: number,
        })),
        Finding {
            evidence: Vec::new(),
            confidence: Confidence::Possible,
            ..found(analysis::Meaning::Unsteady(Unsteady { step: words, half_width: number }))
        },
    ];
    for step in &mut run.steps {
        step.intervals.iter_mut().for_each(|interval| interval.directions[0].tally.ops = whole);
        step.ended = Nanos(whole);
    }
    (run, analysis)
}

/// Returns what a page shows: neither the script that zooms it nor that script's packed values.
fn without_scripts(html: &str) -> String {
    let mut parts = html.split("<script");
    let first = parts.next().unwrap_or_default();
    let behind = parts.filter_map(|part| part.split_once("</script>")).map(|(_, behind)| behind);
    std::iter::once(first).chain(behind).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_number_and_no_name_breaks_the_answer(
        estimate in estimates(), number in number(), whole in any::<u64>(), words in "\\PC{0,90}",
    ) {
        let (run, analysis) = upset(estimate, number, whole, words.clone());
        let text = terminal(&run, &analysis, Paint::Plain, Extent::Screen);
        lines_fit(&text);
        let html = without_scripts(&report::html(&run, &analysis));
        for shown in [text, html, report::json(&run, &analysis)] {
            prop_assert!(words.contains("NaN") || !shown.contains("NaN"));
            prop_assert!(words.contains("inf") || !shown.contains(">inf") && !shown.contains("inf,"));
        }
    }
}

//! What a watch prints: the contract's answer first, a table by phase, findings with what else could explain them.
#![allow(clippy::unwrap_used)] // a test may stop at what it did not expect

use std::path::Path;
use std::{env, fs};

use crate::made_machines::*;
use analysis::findings::{
    BackendSlow, CpuStarved, FlushBound, HeldBytes, HeldLevelFell, HeldOperations, MicroBursts, QueueFull,
    Saturated, SerialApplication, Stalls, ThrottledAboveDevice, ThrottledAboveNominal, Untimed, WriteBack,
};
use analysis::{Analysis, Finding, Level, LevelOrigin, Meaning, Place, Waiting, analyse};
use record::{Event, EventKind, LocalLimit, Run, TargetDoubt};
use report::{Extent, Paint, competing, json, next_step, sentence, terminal, watch};
use workload::{Expectation, Nanos};

const CLOUD: Volume = Volume { cap_read: 840.0, cap_write: 360.0, ..FAST };
const CONTRACT: &str = "read 700 iops, write 300 iops, latency < 30ms";

/// Compares with `tests/golden/NAME`; `PLIMSOLL_BLESS=1` writes it instead.
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if env::var_os("PLIMSOLL_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, kept, "{name} has changed; look at it, then run PLIMSOLL_BLESS=1 cargo test -p report");
}

fn contract(mut run: Run) -> (Run, Analysis) {
    run.expectation = Some(CONTRACT.to_owned());
    let analysis = analyse(&run, None, Some(&Expectation::parse(CONTRACT).unwrap()));
    (run, analysis)
}

/// Returns what is printed, and asserts that it fits a terminal.
fn printed((run, analysis): &(Run, Analysis)) -> String {
    let text = terminal(run, analysis, Paint::Plain, Extent::Screen);
    for line in text.lines() {
        assert!(line.chars().count() <= 80 && line.trim_end() == line, "{line}");
    }
    assert!(text.lines().count() <= 24, "{} lines:\n{text}", text.lines().count());
    for bad in ["NaN", "Some(", "None", "inf "] {
        assert!(!text.contains(bad), "{bad} in {text}");
    }
    text
}

#[test]
fn an_overload_series() {
    let series = contract(Cycles::on(CLOUD, &[0.5, 1.0, 2.0, 5.0, 10.0]).run());
    golden("watch_overload.txt", &printed(&series));
}

#[test]
fn two_cycles_that_meet_the_contract() {
    let cycles = Cycles { scales: vec![None, None], ..Cycles::on(CLOUD, &[]) };
    golden("watch_meets.txt", &printed(&contract(cycles.run())));
}

#[test]
fn a_volume_that_misses_its_contract() {
    let small = Cycles::on(Volume { cap_read: 600.0, ..CLOUD }, &[0.5, 1.0]);
    golden("watch_below.txt", &printed(&contract(small.run())));
}

#[test]
fn repeats_that_miss_are_one_row_with_their_range() {
    let small = Volume { cap_read: 600.0, ..CLOUD };
    for scales in [vec![Some(1.0); 3], vec![None; 3]] {
        let named = if scales[0].is_some() { "at load 100% (3x)" } else { "at 3 loads" };
        let mut run = Cycles { scales, ..Cycles::on(small, &[]) }.run();
        let mut number = 0;
        for (phase, step) in
            run.phases.iter_mut().filter(|phase| phase.name.starts_with("load")).zip(&mut run.steps)
        {
            number += 1;
            let record::PhaseKind::Load { step: name, .. } = &mut phase.kind else { continue };
            *name = format!("{name} #{number}");
            (phase.name, step.plan.name) = (name.clone(), name.clone());
        }
        let text = terminal_line(&contract(run));
        assert!(text.contains(named) && text.matches("of 700 IOPS").count() == 1, "{text}");
    }
}

/// Returns the printed text with its lines joined.
fn terminal_line((run, analysis): &(Run, Analysis)) -> String {
    terminal(run, analysis, Paint::Plain, Extent::Screen).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_latency_that_is_not_judged_says_why_and_what_was_met() {
    let words = "read 400 iops, latency < 30ms";
    let mut run = Cycles { scales: vec![None], ..Cycles::on(CLOUD, &[]) }.run();
    run.expectation = Some(words.to_owned());
    let analysis = analyse(&run, None, Some(&Expectation::parse(words).unwrap()));
    let text = terminal_line(&(run, analysis));
    assert!(
        text.contains("of 400 IOPS at load 1; read mean latency is not judged: more was asked"),
        "{text}"
    );
}

#[test]
fn a_passive_watch_of_a_volume_that_is_held() {
    let volume = Volume { cap_all: 3000.0, ..FAST };
    let askers = [asker(How::Random(100.0), 0.0, 60.0), asker(How::Closed(32), 90.0, 300.0)];
    let run = machine(&serve(&volume, &askers, 5), 1.0, 300.0);
    let analysis = analyse(&run, None, None);
    golden("watch_held.txt", &printed(&(run, analysis)));
}

#[test]
fn a_watch_in_which_nothing_happened() {
    let run = machine(&[], 1.0, 60.0);
    let analysis = analyse(&run, None, None);
    golden("watch_idle.txt", &printed(&(run, analysis)));
}

#[test]
fn what_is_doubted_is_said_where_nothing_is_claimed() {
    let mut run = Cycles { scales: vec![None], ..Cycles::on(CLOUD, &[]) }.run();
    let filesystem = "tmpfs".to_owned();
    run.target.get_or_insert_default().doubts.push(TargetDoubt::MemoryFilesystem { filesystem });
    let analysis = analyse(&run, None, None);
    let text = terminal_line(&(run, analysis));
    assert!(text.contains("CANNOT TELL what the volume bears: "), "{text}");
    assert!(text.contains("tmpfs") && !text.contains("whether it meets"), "{text}");
}

#[test]
fn a_record_that_is_not_whole_says_so() {
    let mut run = machine(&[], 1.0, 60.0);
    run.complete = true;
    let whole = terminal(&run, &analyse(&run, None, None), Paint::Plain, Extent::Screen);
    assert!(!whole.contains("  record  "), "{whole}");
    run.complete = false;
    run.events = (1..7)
        .map(|second| Event {
            at: Nanos::from_secs(second * 3),
            kind: EventKind::Warning,
            text: "nobody looked for 5.0 s".to_owned(),
        })
        .collect();
    let text = terminal(&run, &analyse(&run, None, None), Paint::Plain, Extent::Screen);
    assert!(text.contains("  record  The watch was cut off at "), "{text}");
    assert!(text.contains("  record  At 3 s: nobody looked for 5.0 s"), "{text}");
    assert!(text.contains("  record  2 more of that kind are in the run file."), "{text}");
}

#[test]
fn the_table_of_the_load_holds_every_phase() {
    let (_, analysis) = contract(Cycles::on(CLOUD, &[0.5, 1.0, 2.0]).run());
    let table = watch::phase_table(&analysis.watched.unwrap()).unwrap();
    assert_eq!(table.rows.len(), 3);
    assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{table:?}");
}

#[test]
fn the_document_holds_the_watch() {
    let (run, analysis) = contract(Cycles::on(CLOUD, &[1.0, 2.0]).run());
    let document: serde_json::Value = serde_json::from_str(&json(&run, &analysis)).unwrap();
    let watched = &document["watched"];
    assert_eq!(watched["load_device"]["name"], "sda");
    assert_eq!(watched["phases"].as_array().unwrap().len(), 5);
    assert_eq!(watched["series"][1]["scale"], 2.0);
    assert_eq!(watched["contract"][0]["answer"], "meets");
    assert_eq!(document["findings"][0]["kind"], "throttled_above_nominal");
    assert!(document["findings"][0]["level"]["read"]["value"].as_f64().unwrap() > 839.0);
    assert_eq!(document["verdict"]["exit_code"], 0);
}

#[test]
fn a_page_tells_the_verdict_overload_and_contract_before_what_every_device_did() {
    let (run, analysis) = contract(Cycles::on(CLOUD, &[0.5, 1.0, 2.0, 5.0]).run());
    let html = report::html(&run, &analysis);
    let mut rest = html.as_str();
    for part in [
        "class=\"good\">MEETS</strong>",
        "<dl class=\"tiles\">",
        "<h2>Overload</h2>",
        "<h2>The contract</h2>",
        "<p class=\"note\">At load 200% and above more was asked than is claimed;",
        "<h2>The load</h2>",
        ">issue to done</th>",
        "<h2>Findings</h2>",
        "<h2>sda by phase</h2>",
        "<h2>Devices</h2>",
    ] {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part} is not there, or stands before"));
        rest = &rest[at..];
    }
    let (_, from) = html.split_once("<h2>The contract</h2>").unwrap();
    let (table, _) = from.split_once("</table>").unwrap();
    assert_eq!(table.matches("<tr>").count(), 1 + 2 * 3, "50 % and 100 %: {table}");
    let document: serde_json::Value = serde_json::from_str(&json(&run, &analysis)).unwrap();
    assert_eq!(document["watched"]["contract"].as_array().unwrap().len(), 4 * 3);
}

#[test]
fn a_page_of_a_watch_without_a_target_is_named_for_its_machine() {
    let run = machine(&[], 1.0, 60.0);
    let html = report::html(&run, &analyse(&run, None, None));
    assert!(html.contains("<h1>plimsoll: 1 device"), "{}", &html[..2000]);
    for nothing_of_ours in ["charged operations", "no change within", "under load"] {
        assert!(!html.contains(nothing_of_ours), "{nothing_of_ours}");
    }
}

#[test]
fn how_sure_it_is_names_a_flat_rate_only_where_there_is_one() {
    for meaning in all_kinds() {
        let level = matches!(
            meaning,
            Meaning::HeldOperations(_) | Meaning::HeldBytes(_) | Meaning::ThrottledAboveNominal(_)
        );
        for confidence in [analysis::Confidence::Likely, analysis::Confidence::Strong] {
            let finding = Finding { meaning: meaning.clone(), evidence: Vec::new(), confidence };
            let words = report::html(
                &machine(&[], 1.0, 5.0),
                &Analysis { findings: vec![finding], ..analyse(&machine(&[], 1.0, 5.0), None, None) },
            );
            assert_eq!(words.contains("flat, and "), level, "{meaning:?}");
        }
    }
}

#[test]
fn a_span_of_a_day_is_told_by_one_clock() {
    let span = |from, to| analysis::Evidence {
        step: String::new(),
        series: "diskstats sda".into(),
        from: Nanos::from_secs(from),
        to: Nanos::from_secs(to),
    };
    assert_eq!(report::evidence(&[span(0, 86_400)]), "diskstats sda, 0:00:00 to 24:00:00");
    assert_eq!(report::evidence(&[span(0, 60)]), "diskstats sda, 0.0 s to 60.0 s");
}

#[test]
fn a_device_is_named_with_what_it_stands_on() {
    let place = Place {
        name: "dm-3".into(),
        alias: "vg0-data".into(),
        on: vec![vec!["md0".into()], vec!["sda".into(), "sdb".into()]],
    };
    assert_eq!(watch::place_words(&place), "dm-3 (vg0-data) on md0 on sda, sdb");
}

/// Returns one of every kind of finding that only a watch has.
fn all_kinds() -> Vec<Meaning> {
    let device = Place { name: "sda".into(), ..Place::default() };
    let estimate = |value: f64| analysis::Estimate { value, low: value - 1.0, high: value + 1.0 };
    let limit = LocalLimit { group: "/db".into(), device: "sda".into(), what: "riops".into(), value: 840 };
    let level = |named| Level {
        read: Some(estimate(840.0)),
        write: Some(estimate(360.0)),
        all: estimate(1200.0),
        named,
    };
    let waiting =
        Waiting { queue: 31.6, latency_ns: 15.8e6, usual_queue: Some(0.9), usual_latency_ns: Some(0.4e6) };
    let policy = LevelOrigin::Policy { policy: "aws-gp3".into(), value: 3000.0, declared: true };
    let d = || device.clone();
    vec![
        Meaning::SerialApplication(SerialApplication {
            device: d(),
            ops_per_second: 1950.0,
            latency_ns: 0.51e6,
            cap: Some(16_000.0),
        }),
        Meaning::HeldOperations(HeldOperations {
            device: d(),
            level: level(Some(policy)),
            waiting,
            depth_one: false,
            one_size: Some(65_536.0),
        }),
        Meaning::HeldOperations(HeldOperations {
            device: d(),
            level: level(None),
            waiting,
            depth_one: true,
            one_size: None,
        }),
        Meaning::HeldBytes(HeldBytes {
            device: d(),
            level: level(Some(LevelOrigin::Round { value: 1200.0 })),
            waiting,
            size: 262_144.0,
        }),
        Meaning::ThrottledAboveNominal(ThrottledAboveNominal {
            device: d(),
            scale: 2.0,
            level: level(Some(LevelOrigin::Local(limit.clone()))),
            waiting,
            claimed: Some(1000.0),
            bytes: false,
            pulled: None,
        }),
        Meaning::ThrottledAboveDevice(ThrottledAboveDevice {
            device: d(),
            waited_ns: Some(16e6),
            latency_ns: 0.5e6,
            queue: 1.1,
            limit: Some(limit),
        }),
        Meaning::ThrottledAboveDevice(ThrottledAboveDevice {
            device: d(),
            waited_ns: None,
            latency_ns: 0.5e6,
            queue: 1.1,
            limit: None,
        }),
        Meaning::BackendSlow(BackendSlow { device: d(), waiting, ops_per_second: 990.0 }),
        Meaning::FlushBound(FlushBound {
            device: d(),
            flushes_per_second: 210.0,
            flush_ns: 4.1e6,
            write_ns: Some(0.4e6),
            share: 0.86,
        }),
        Meaning::CpuStarved(CpuStarved { device: d(), steal_share: 0.12, waiting }),
        Meaning::QueueFull(QueueFull { device: d(), holds: 128, waiting }),
        Meaning::Untimed(Untimed { device: d() }),
        Meaning::HeldLevelFell(HeldLevelFell {
            device: d(),
            at: Nanos::from_secs(240),
            before: 3000.0,
            after: 300.0,
            bytes: false,
            back: None,
        }),
        Meaning::HeldLevelFell(HeldLevelFell {
            device: d(),
            at: Nanos::from_secs(240),
            before: 1000.0,
            after: 400.0,
            bytes: false,
            back: Some(Nanos::from_secs(280)),
        }),
        Meaning::Saturated(Saturated {
            device: d(),
            ops_per_second: 990.0,
            bytes_per_second: 4e6,
            waiting,
            uneven: Some(0.8),
        }),
        Meaning::Stalls(stalls(9, Some(8.0))),
        Meaning::Stalls(stalls(1, None)),
        Meaning::MicroBursts(MicroBursts {
            device: d(),
            busy: 0.21,
            ops_per_second: 210.0,
            inside_per_second: 1000.0,
            queue: 38.0,
            latency_ns: 78e6,
        }),
        Meaning::WriteBack(WriteBack {
            device: d(),
            dirty: 320.0 * 1048576.0,
            bytes_per_second: 10.0 * 1048576.0,
            waiting,
        }),
    ]
}

fn stalls(count: usize, period_s: Option<f64>) -> Stalls {
    Stalls {
        device: Place { name: "vda".into(), ..Place::default() },
        count,
        longest_s: 1.2,
        mean_s: 1.0,
        period_s,
        first: Nanos::from_secs(8),
        seen: count > 1,
    }
}

#[test]
fn every_finding_reads_well_and_says_what_to_do() {
    let mut text = String::new();
    for meaning in all_kinds() {
        let finding = Finding { meaning, evidence: Vec::new(), confidence: analysis::Confidence::Likely };
        let told = [Some(sentence(&finding)), competing(&finding), Some(next_step(&finding))];
        for words in told.into_iter().flatten() {
            for bad in ["{", "}", "Some(", "None", "NaN", "inf ", "::", "  ", " .", ".."] {
                assert!(!words.contains(bad), "{bad:?} in: {words}");
            }
            assert!(words.ends_with('.') && words.len() > 20, "{words}");
            text += &format!("{words}\n");
        }
        text.push('\n');
    }
    golden("watch_findings.txt", &text);
}

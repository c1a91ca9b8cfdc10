//! How pages and texts start: the better buy, the busiest device, the figures of an import, the table of a
//! profile.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may stop at what it did not expect

use crate::made_up::{MadeUpStep, gp3_check, step};
use analysis::compare::{Comparison, Price, Side, compare};
use analysis::findings::GeneratorBound;
use analysis::{Meaning, analyse};
use record::{
    Figure, Metric, ObservedDevice, ObservedMachine, Origin, RateBasis, ReportedDirection, ReportedPart, Run,
    Scope,
};
use workload::{Direction, Nanos, StepKind};

fn at(text: &str, words: &str) -> usize {
    text.find(words).unwrap_or_else(|| panic!("{words} is missing in {text}"))
}

/// The last section of a text: the verdict.
fn last(text: &str) -> String {
    text.split("\n\n").last().unwrap().replace('\n', " ")
}

fn sides(prices: [&str; 2]) -> Comparison {
    let side = |(label, price): (&str, &str)| Side {
        price: Price::parse(price).ok(),
        ..Side::of_runs(label.to_owned(), vec![gp3_check()])
    };
    compare(&["first", "second"].into_iter().zip(prices).map(side).collect::<Vec<_>>())
}

#[test]
fn a_comparison_with_prices_ends_with_a_table_of_prices_and_the_better_buy() {
    let comparison = sides(["5/month", "10/month"]);
    let text = report::comparison_text(&comparison, report::Extent::Screen);
    let verdict = last(&text);
    assert!(
        verdict.starts_with("BETTER BUY: first. The same rate costs 2.00 times as much on second, in all"),
        "{verdict}"
    );
    assert!(text.contains("One run each"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(at(&text, "Nothing that is recorded differs") < at(&text, "price a month of"));
    let html = report::comparison_html(&comparison);
    assert!(at(&html, "<strong>BETTER BUY:</strong>") < at(&html, "<h2>Price</h2>"));
    assert!(at(&html, "<h2>Price</h2>") < at(&html, "<h2>Figures</h2>"));
    for head in ["first", "second", "cheaper"] {
        assert!(html.contains(&format!("<th scope=\"col\">{head}</th>")), "{head} heads no column");
    }
    // 3,000 IOPS for 5 a month: 1.67 per thousand.
    let told = html.replace('\u{a0}', " ");
    assert!(told.contains("1,000 IOPS of 4 KiB random reads") && told.contains("first, 2.00 times"));
    assert!(!html.contains("0.00167"), "a price of one I/O has too many zeros");
}

#[test]
fn prices_that_cannot_be_held_against_each_other_give_no_answer() {
    let text = report::comparison_text(&sides(["EUR 5/month", "USD 10/month"]), report::Extent::Screen);
    assert!(
        last(&text).starts_with("CANNOT TELL which is the better buy: their prices are in different"),
        "{text}"
    );
}

/// Halves what was done in every interval.
fn halve(run: &mut Run) {
    for interval in run.steps.iter_mut().flat_map(|step| &mut step.intervals) {
        interval.directions.iter_mut().for_each(|part| {
            part.tally.ops /= 2;
            part.tally.bytes /= 2;
        });
    }
    for totals in run.steps.iter_mut().flat_map(|step| &mut step.workers) {
        totals.directions.iter_mut().for_each(|part| {
            part.tally.ops /= 2;
            part.tally.bytes /= 2;
        });
    }
}

#[test]
fn a_comparison_without_prices_says_who_is_faster_or_that_it_cannot_tell() {
    let text = report::comparison_text(&sides(["", ""]), report::Extent::Screen);
    assert!(last(&text).starts_with("THE SAME within 5 % in all "), "{text}");
    assert!(last(&text).contains("One run each"), "{text}");
    let runs = |is_slow: bool| -> Vec<Run> {
        let all = (0..4).map(|_| gp3_check());
        all.map(|mut run| {
            if is_slow {
                halve(&mut run);
            }
            run
        })
        .collect()
    };
    let repeated =
        compare(&[Side::of_runs("old".to_owned(), runs(true)), Side::of_runs("new".to_owned(), runs(false))]);
    let text = report::comparison_text(&repeated, report::Extent::Screen);
    assert!(
        last(&text).starts_with("new is 2.00 times as fast at its limit: 2,999 IOPS, old had 1,499"),
        "{text}"
    );
    assert!(!last(&text).contains("One run each"), "four runs a side: {text}");
}

/// Returns CrystalDiskMark's cells on the made-up volume.
fn crystal() -> Run {
    let mut run = gp3_check();
    run.steps.clear();
    run.samples.clear();
    let mut from = Nanos::ZERO;
    for (load, depth, block) in [("big", 8, 1 << 20), ("small", 32, 4096), ("single", 1, 4096)] {
        for direction in [Direction::Read, Direction::Write] {
            let name = format!("{load} {}", direction.name());
            let asked = MadeUpStep { name: &name, kind: StepKind::Job, direction, depth, block, seconds: 6 };
            run.steps.push(step(&asked, from));
            from += Nanos::from_secs(7);
        }
    }
    run
}

#[test]
fn the_page_of_loads_that_were_each_read_and_written_is_their_table() {
    let run = crystal();
    let html = report::html(&run, &analyse(&run, None, None));
    assert!(html.contains("MEASURED</strong>: up to"), "the headline has figures");
    assert!(at(&html, "<h2>MB/s</h2>") < at(&html, "<h2>Jobs</h2>"));
    for words in ["read MB/s", "write MB/s", "read IOPS", "write µs"] {
        assert!(html.contains(&format!("<th scope=\"col\">{words}</th>")), "{words}");
    }
    let row = html.split_once(">RND1M Q8T1</th>").unwrap().1.split("</tr>").next().unwrap();
    let figures: Vec<f64> =
        row.split("<td>").skip(1).map(|cell| cell.split('<').next().unwrap().parse().unwrap()).collect();
    // 125 MiB/s in both directions.
    assert!(figures.len() == 2 && figures.iter().all(|figure| (figure / 131.07 - 1.0).abs() < 0.02), "{row}");
    assert!(!html.contains("id=\"by-depth\""), "depths 1 and 32 are no ladder");
}

#[test]
fn loads_that_were_not_all_read_and_written_are_no_such_table() {
    let mut run = crystal();
    run.steps.pop();
    let html = report::html(&run, &analyse(&run, None, None));
    assert!(!html.contains("<h2>MB/s</h2>"));
}

fn figure(value: f64, printed: &str) -> Option<Figure> {
    Some(Figure { value, step: 1.0, printed: printed.to_owned() })
}

fn way(direction: Direction, iops: f64) -> ReportedDirection {
    ReportedDirection {
        direction: Some(direction),
        iops: figure(iops, &format!("{iops}")),
        bytes_per_second: figure(iops * 4096.0, "x"),
        basis: RateBasis::Elapsed,
        bytes: None,
        ops: None,
        runtime: None,
        latencies: Vec::new(),
        figures: Vec::new(),
    }
}

#[test]
fn an_import_begins_with_its_figures_and_whose_they_are_stands_behind() {
    let mut run = Run::started(Vec::new(), 0);
    run.origin = Origin::Imported { tool: "fio 1.59 text".to_owned(), lacks: vec!["a series".to_owned()] };
    run.host = Some(record::HostFacts { hostname: "vm".to_owned(), cpus: 2, ..record::HostFacts::default() });
    run.reported.push(ReportedPart {
        scope: Scope::Job,
        job: "test".to_owned(),
        group: None,
        clones: None,
        asked: Vec::new(),
        said: Vec::new(),
        runtime: None,
        error: None,
        directions: vec![way(Direction::Read, 2257.0), way(Direction::Write, 752.0)],
        figures: Vec::new(),
        series: Vec::new(),
        line: 1,
    });
    let analysis = analyse(&run, None, None);
    let words = report::verdict_words(&run, &analysis);
    assert_eq!(words.word, "IMPORTED");
    let told =
        ": 2,257 IOPS read (8.816 MiB/s), 752 IOPS written (2.938 MiB/s), as fio 1.59 text printed it.";
    assert_eq!(words.rest, told);
    assert!(words.stops.starts_with("Note: plimsoll measured nothing of it"), "{}", words.stops);
    assert!(words.stops.ends_with("It does not hold a series."));
    let html = report::html(&run, &analysis);
    assert!(html.contains("<dt>CPUs</dt><dd>2</dd>"), "what is known is said");
    for unknown in ["2 of <", "0 B<", ", 0 ns a reading"] {
        assert!(!html.contains(unknown), "{unknown}: what is not known is left out");
    }
}

/// Returns reports of iostat on three devices: one busy, one hardly, one not at all.
fn recording() -> Run {
    let mut run = Run::started(Vec::new(), 1_795_229_820_000);
    run.origin = Origin::Imported { tool: "iostat JSON".to_owned(), lacks: Vec::new() };
    let count = 30u64;
    let device = |name: &str, busy: f64, rate: f64| ObservedDevice {
        name: name.to_owned(),
        metrics: [
            (Metric::Busy, busy),
            (Metric::ReadOps, rate),
            (Metric::WriteOps, 0.0),
            (Metric::ReadAwait, 0.002),
        ]
        .map(|(metric, value)| (metric, vec![value; count as usize]))
        .to_vec(),
    };
    run.observed = Some(ObservedMachine {
        intervals: (0..count).map(|at| (Nanos::from_secs(at), Nanos::from_secs(at + 1))).collect(),
        devices: vec![device("sda", 0.01, 3.0), device("sdb", 0.93, 800.0), device("sdc", 0.0, 0.0)],
        ..ObservedMachine::default()
    });
    run
}

#[test]
fn a_recording_opens_with_its_busiest_device_and_shows_the_others_small() {
    let run = recording();
    let analysis = analyse(&run, None, None);
    let html = report::html(&run, &analysis);
    let decides = &html[at(&html, "The chart that decides")..];
    assert!(decides[at(decides, "<figure")..].contains("id=\"sdb-iops\""), "sdb is the busiest");
    let small = html.split_once("id=\"at-a-glance\"").unwrap().1.split("</figure>").next().unwrap();
    for panel in [">sda: time busy<", ">sda: IOPS<", ">sda: latency<"] {
        assert!(small.contains(panel), "{panel}");
    }
    assert!(!small.contains(">sdc: IOPS<"), "a device that did nothing has nothing to show");
    assert!(at(&html, "id=\"sdb-iops\"") < at(&html, "id=\"at-a-glance\""));
}

#[test]
fn clauses_of_the_finding_of_a_short_cpu_whose_figure_is_nothing_are_left_out() {
    let of_loss = |steal_share: f64, late: u64, lost_share: f64| {
        let meaning = Meaning::GeneratorBound(GeneratorBound {
            step: "depth 8".to_owned(),
            own_cpu_share: 0.97,
            waiting_share: 0.11,
            steal_share,
            lost_share,
            late,
        });
        crate::made_up::found(meaning)
    };
    let begins = "plimsoll was short of CPU in step 'depth 8': its busiest worker ran 97 % of the time and waited for a CPU 11 % of it";
    let next = |lost_share: f64| report::next_step(&of_loss(0.0, 0, lost_share));
    let of = |steal_share: f64, late: u64| report::sentence(&of_loss(steal_share, late, 0.02));
    assert_eq!(of(0.0, 0), format!("{begins}."));
    let all = "; the hypervisor took 3 % of the machine. 12 I/Os were issued over 1 ms late.";
    assert_eq!(of(0.03, 12), format!("{begins}{all}"));
    // How sure the shortage is stands behind the sentence, and what it costs is not as sure.
    let stop = "Stop what else uses the CPU, or run it from a machine with more of them";
    assert_eq!(next(0.0), format!("{stop}."));
    assert_eq!(next(0.49), format!("{stop}: up to 49 % of the rate may have been lost."));
    let unknown = format!("{stop}: how much of the rate was lost is not known.");
    assert_eq!((next(1.0), next(0.5)), (unknown.clone(), unknown));
}

#[test]
fn a_side_without_a_name_is_called_by_its_file_in_the_table_and_in_the_verdict() {
    let side = |number: usize, slow: bool| {
        let mut run = gp3_check();
        if slow {
            halve(&mut run);
        }
        let label = char::from(b'A' + number as u8).to_string();
        Side { source: Some(format!("web-{number}.plimsoll")), ..Side::of_runs(label, vec![run]) }
    };
    let two = compare(&[side(0, false), side(1, true)]);
    let text = report::comparison_text(&two, report::Extent::Screen);
    assert!(text.starts_with("A             web-0.plimsoll, plimsoll "), "{text}");
    let begins =
        "B (web-1.plimsoll) is 0.500 times as fast at its limit: 1,499 IOPS, A (web-0.plimsoll) had 2,999 ";
    assert!(last(&text).starts_with(begins), "{text}");
    let many = compare(&(0..5).map(|number| side(number, number == 3)).collect::<Vec<_>>());
    let text = report::comparison_text(&many, report::Extent::Screen);
    let first: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().take(2).collect();
    assert_eq!(first, ["D", "web-3.plimsoll"], "{text}");
    assert!(last(&text).starts_with("D (web-3.plimsoll) is the odd one: "), "{text}");
    let long = |number: usize| Side {
        source: Some(format!("sim-custom-iops-3000-noise-check-2026-11-28-100{number}.plimsoll")),
        ..side(number, number == 3)
    };
    let long = compare(&(0..5).map(long).collect::<Vec<_>>());
    let text = report::comparison_text(&long, report::Extent::Screen);
    let table = text.lines().nth(1).unwrap();
    assert!(table.starts_with("D sim-custo…se-check-2026-11-28-1003.plimsoll "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

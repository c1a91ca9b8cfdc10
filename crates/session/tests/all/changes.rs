//! Volumes that change on the way: what the timeline makes of them.

use analysis::{Course, Regimes};
use record::Run;

use crate::simulated_checks::check;

fn told(words: &str) -> (Run, Regimes) {
    let (run, _) = check(words, "");
    let regimes = Regimes::of(&run.steps);
    (run, regimes)
}

#[test]
fn show() {
    for (on, off) in [
        (2, 2),
        (3, 3),
        (4, 6),
        (5, 5),
        (6, 12),
        (7, 11),
        (10, 10),
        (10, 20),
        (20, 10),
        (20, 20),
        (30, 30),
        (45, 15),
        (60, 60),
        (90, 90),
    ] {
        let words =
            format!("sim:custom,iops=3000,burst_iops=6000,burst={on}s,cool_off={off}s,bandwidth=400MiB/s");
        let started = std::time::Instant::now();
        let (run, regimes) = told(&words);
        let whole = started.elapsed();
        let started = std::time::Instant::now();
        Regimes::of(&run.steps);
        println!(
            "{on}/{off}: {:?} {:?} settled {} looked {:?} ({whole:?}, {:?})",
            regimes.course,
            regimes.last(),
            regimes.settled,
            regimes.looked,
            started.elapsed()
        );
        for change in &regimes.changes {
            println!(
                "    {:.1} ({:.1}..{:.1}) x{:.2} {:?} {:.0} -> {:.0}",
                change.likeliest.as_secs_f64(),
                change.at.0.as_secs_f64(),
                change.at.1.as_secs_f64(),
                change.ratio.value,
                change.moved,
                change.before.value,
                change.after.value
            );
        }
    }
    let _ = Course::Steady;
}
#[test]
fn show_buckets() {
    for (kind, size) in [
        ("ops", 20_000),
        ("ops", 60_000),
        ("ops", 120_000),
        ("ops", 200_000),
        ("ops", 300_000),
        ("ops", 400_000),
        ("bytes", 1000),
        ("bytes", 2000),
        ("bytes", 4000),
        ("bytes", 6000),
        ("bytes", 8000),
    ] {
        let words = match kind {
            "ops" => format!("sim:custom,iops=1000,burst_iops=5000,bucket={size}"),
            _ => format!(
                "sim:custom,iops=5000,bandwidth=50MiB/s,burst_bandwidth=250MiB/s,byte_bucket={size}MiB"
            ),
        };
        let (run, regimes) = told(&words);
        println!("{words}: {:?} settled {} looked {:?}", regimes.course, regimes.settled, regimes.looked);
        for change in &regimes.changes {
            println!(
                "    {:.1} ({:.1}..{:.1}) x{:.2} {:?} {:.0} -> {:.0}",
                change.likeliest.as_secs_f64(),
                change.at.0.as_secs_f64(),
                change.at.1.as_secs_f64(),
                change.ratio.value,
                change.moved,
                change.before.value,
                change.after.value
            );
        }
        for step in &run.steps {
            if step.plan.kind != workload::StepKind::Latency {
                let rates: Vec<String> = step.intervals.iter().map(|i| format!("{:.0}", i.iops())).collect();
                println!("        {:.1} {}: {}", step.started.as_secs_f64(), step.plan.name, rates.join(" "));
            }
        }
    }
}

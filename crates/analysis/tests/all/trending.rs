//! A trend: what one figure of a run shows counts for the others of that run.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use analysis::trend::{Trend, TrendAsk, TrendOutcome, TrendRun, trend};
use record::{Figure, Origin, ReportedDirection, ReportedPart, Run, Scope};
use workload::{Direction, Nanos};

/// A night of reads at six depths, with the logarithm of each rate.
fn night(at: u64, logs: [f64; 6]) -> TrendRun {
    let mut run = Run::started(Vec::new(), at * 86_400_000);
    run.origin = Origin::Imported { tool: "fio 3.33 text".to_owned(), lacks: Vec::new() };
    run.complete = true;
    let part = |(depth, log): (usize, f64)| {
        let iops = 1000.0 * log.exp();
        let asked = [("rw", "randread".to_owned()), ("bs", "4k".to_owned()), ("iodepth", depth.to_string())];
        ReportedPart {
            asked: asked.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            runtime: Some(Nanos::from_secs(10)),
            directions: vec![ReportedDirection {
                iops: Some(Figure::exact(iops, format!("{iops}"))),
                ..ReportedDirection::new(Some(Direction::Read))
            }],
            ..ReportedPart::named(Scope::Job, depth.to_string(), 1)
        }
    };
    run.reported = logs.into_iter().enumerate().map(|(at, log)| part((2 + at, log))).collect();
    TrendRun::of(format!("{at}"), run)
}

/// Eight nights and two more, in which the first figure has risen by `rise`, and the second has fallen by 4 %, which by itself
/// its scatter may explain.
fn ten_nights(rise: f64) -> Trend {
    let scatter = [0.008, -0.013, 0.011, -0.006, 0.014, -0.011, 0.002, -0.005, -0.042, -0.038];
    let of = |(at, second): (usize, f64)| {
        let calm = if at % 2 == 0 { 0.001 } else { -0.001 };
        let first = calm + if at < 8 { 0.0 } else { rise };
        night(at as u64, [first, second, calm, -calm, calm, -calm])
    };
    let runs = scatter.into_iter().enumerate().map(of).collect();
    trend(runs, TrendAsk { by: 0.03, last: usize::MAX }).unwrap()
}

#[test]
fn a_figure_that_became_better_has_the_others_looked_at_from_the_same_run_on() {
    let alone = ten_nights(0.0);
    assert!(alone.figures.iter().all(|figure| !figure.worse), "{:#?}", alone.figures[0]);
    let with = ten_nights(0.08);
    let worse: Vec<f64> = with.figures.iter().filter(|of| of.worse).map(|of| of.worse_by()).collect();
    assert_eq!((worse.len(), with.outcome), (1, TrendOutcome::Worse), "{:#?}", with.figures);
    assert!((0.035..0.045).contains(&worse[0]), "{worse:?}");
}

//! Segments of series with known changes, and of series with none.

use statistics::Stream;
use statistics::segments::{Change, Rule, Sample, Segmentation, segments, segments_of_each};

/// Samples of `length` seconds each; `value` gives the value for a sample's start.
fn series(n: usize, length: f64, mut value: impl FnMut(f64) -> f64) -> Vec<Sample> {
    let sample = |at: usize| {
        let from = at as f64 * length;
        Sample { from, to: from + length, value: value(from) }
    };
    (0..n).map(sample).collect()
}

fn cut(samples: &[Sample]) -> Segmentation {
    segments(samples, &Rule::default())
}

fn autoregressive(rho: f64, seed: u64) -> impl FnMut() -> f64 {
    let mut stream = Stream::new(seed, 0);
    let mut value = stream.normal();
    move || {
        value = rho * value + (1.0 - rho * rho).sqrt() * stream.normal();
        value
    }
}

/// Asserts that the changes are at these times, to within 2 s, and that their intervals hold them.
#[track_caller]
fn held(changes: &[Change], truth: &[f64]) {
    assert_eq!(changes.len(), truth.len(), "{changes:?} against {truth:?}");
    for (change, truth) in changes.iter().zip(truth) {
        assert!(change.low <= *truth && *truth <= change.high, "{change:?} against {truth}");
        assert!((change.at - truth).abs() <= 2.0, "{change:?} against {truth}");
    }
}

#[test]
fn nothing_and_one_level_have_no_change() {
    assert_eq!(cut(&[]), Segmentation::default());
    for n in [1, 2, 5, 100] {
        let cut = cut(&series(n, 0.5, |_| 400.0));
        assert_eq!((cut.segments.len(), cut.changes.len()), (1, 0));
        assert_eq!(cut.segments[0].level, 400.0);
    }
    assert!(cut(&series(50, 1.0, |_| 0.0)).changes.is_empty(), "a volume that never answered");
}

#[test]
fn dependent_noise_makes_no_change() {
    for rho in [0.0, 0.5, 0.8] {
        let found = (0..60).filter(|seed| {
            let mut noise = autoregressive(rho, *seed);
            !cut(&series(200, 0.5, |_| 1000.0 * (1.0 + 0.08 * noise()))).changes.is_empty()
        });
        assert!(found.count() <= 1, "rho {rho}");
    }
}

#[test]
fn a_level_that_drifts_wanders_and_does_not_change() {
    let mut noise = autoregressive(0.0, 4);
    let cut = cut(&series(240, 0.5, |from| 1000.0 * (1.0 + 0.3 * from / 120.0 + 0.01 * noise())));
    assert!(cut.changes.is_empty(), "{:?}", cut.changes);
}

#[test]
fn quantised_counts_and_slices_make_no_change() {
    let mut stream = Stream::new(3, 0);
    let quantised = series(120, 1.0, |_| 400.0 + 4.0 * (stream.below(3) as f64 - 1.0));
    assert!(cut(&quantised).changes.is_empty());
    // Slices of 100 ms in intervals of half a second: one falls now into an interval, now into its neighbour.
    let mut owed = 0.0;
    let slices = series(240, 0.5, |_| {
        let taken = if stream.below(4) == 0 { 200.0 - owed } else { 0.0 };
        let value = 1000.0 + taken - owed;
        owed = taken;
        value
    });
    assert!(cut(&slices).changes.is_empty(), "{:?}", cut(&slices).changes);
}

#[test]
fn an_outlier_is_a_pulse_and_no_change() {
    let mut noise = autoregressive(0.3, 9);
    let pulses = series(200, 0.5, |from| match from {
        40.0 | 40.5 | 70.0 => 0.0,
        _ => 1000.0 * (1.0 + 0.02 * noise()),
    });
    assert!(cut(&pulses).changes.is_empty(), "{:?}", cut(&pulses).changes);
}

#[test]
fn a_fall_is_found_with_its_time_in_intervals_of_any_length() {
    for length in [0.1, 0.5, 1.0] {
        for truth in [8.0, 30.3, 50.9] {
            let share = |from: f64| ((truth - from) / length).clamp(0.0, 1.0);
            let samples = series((60.0 / length) as usize, length, |from| 500.0 + 1000.0 * share(from));
            let cut = cut(&samples);
            held(&cut.changes, &[truth]);
            assert!((cut.segments[1].level / 500.0 - 1.0).abs() < 0.06, "{:?}", cut.segments);
        }
    }
}

#[test]
fn square_waves_are_cut_at_every_edge() {
    for (on, off) in [(4.0, 6.0), (5.0, 5.0), (7.0, 11.0), (20.0, 10.0), (45.0, 15.0)] {
        let mut noise = autoregressive(0.5, 2);
        let samples = series(240, 0.5, |from| {
            let level = if from % (on + off) < on { 6000.0 } else { 3000.0 };
            level * (1.0 + 0.02 * noise())
        });
        let edges: Vec<f64> = (1..240)
            .map(|at| f64::from(at) * 0.5)
            .filter(|at| (at % (on + off) < on) != ((at - 0.5) % (on + off) < on))
            .filter(|at| (3.0..=117.0).contains(at))
            .collect();
        held(&cut(&samples).changes, &edges);
    }
}

#[test]
fn a_change_in_a_gap_lies_in_all_of_it() {
    let mut samples = series(40, 0.5, |_| 1000.0);
    samples.extend(series(40, 0.5, |_| 700.0).iter().map(|s| Sample {
        from: s.from + 30.0,
        to: s.to + 30.0,
        ..*s
    }));
    let cut = cut(&samples);
    let [change] = cut.changes.as_slice() else { panic!("{:?}", cut.changes) };
    assert!(change.low <= 20.0 && change.high >= 30.0, "{change:?}");
}

#[test]
fn a_day_of_seconds_is_thinned() {
    let cut = cut(&series(86_400, 1.0, |from| if from < 40_000.0 { 900.0 } else { 600.0 }));
    let [change] = cut.changes.as_slice() else { panic!("{:?}", cut.changes) };
    assert!(
        change.low <= 40_000.0 && 40_000.0 <= change.high && change.high - change.low < 200.0,
        "{change:?}"
    );
}

#[test]
fn series_that_share_their_noise_have_levels_of_their_own() {
    let mut noise = autoregressive(0.4, 8);
    let mut one = |level: f64, from: f64| -> Vec<Sample> {
        let values = series(14, 0.5, |_| level * (1.0 + 0.02 * noise()));
        values.iter().map(|s| Sample { from: s.from + from, to: s.to + from, ..*s }).collect()
    };
    let mut steps: Vec<Vec<Sample>> =
        (0..12).map(|at| one(1000.0 + 300.0 * f64::from(at), 7.0 * f64::from(at))).collect();
    steps[5].iter_mut().skip(6).for_each(|sample| sample.value *= 0.6);
    steps.insert(3, Vec::new());
    let cut = segments_of_each(&steps, &Rule::default());
    let changes: Vec<usize> = cut.iter().map(|cut| cut.changes.len()).collect();
    assert_eq!(changes, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    held(&cut[6].changes, &[38.0]);
    assert!(cut[3].segments.is_empty(), "nothing of nothing");
}

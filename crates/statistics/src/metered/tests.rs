//! Series of known truth, by families: the meter of each, how often it is found, and how often the contrary is.

use super::*;
use crate::random::{LogNormal, Stream};

/// Truth about a family.
#[derive(Clone, Copy, PartialEq)]
enum Truth {
    /// A meter of an even rate.
    Pinned,
    /// No meter of an even rate: devices, and throttles whose rate varies.
    Loose,
    /// A meter whose rate fluctuates by less than one I/O per interval when it is slow: either answer is acceptable.
    Trembling,
}

/// A family: its name, its truth, and the completion times of its I/Os over a number of seconds.
struct Family {
    name: &'static str,
    truth: Truth,
    done: fn(&mut Stream, f64, f64) -> Vec<f64>,
}

/// Completion times of a leaky bucket: evenly spaced, each late by `late()`.
fn leaky(rate: f64, seconds: f64, mut late: impl FnMut() -> f64) -> Vec<f64> {
    (0..(rate * seconds) as u64).map(|n| n as f64 / rate + late()).collect()
}

/// Slices of `slice` seconds: the budget of each completes at its beginning, and slices drift against the intervals.
fn sliced(stream: &mut Stream, (rate, seconds, slice): (f64, f64, f64)) -> Vec<f64> {
    let phase = slice * stream.unit_f64();
    leaky(rate, seconds, || 0.0).into_iter().map(|at| phase + (at / slice).floor() * slice + 0.001).collect()
}

/// Whole groups completed at once, as by a throttle behind FUSE.
fn grouped(stream: &mut Stream, (rate, seconds, group): (f64, f64, f64)) -> Vec<f64> {
    let mut lag = 0.0;
    let mut last = -1.0;
    let times = leaky(rate, seconds, || 0.0).into_iter().map(|at| {
        let this = (at * rate / group).floor();
        if this != last {
            (last, lag) = (this, stream.exponential(0.004));
        }
        (this + 1.0) * group / rate + lag
    });
    times.collect()
}

/// `servers` servers that are never idle, each with separate service times.
fn servers(stream: &mut Stream, (rate, seconds): (f64, f64), (servers, cv): (usize, f64)) -> Vec<f64> {
    let service = LogNormal::new(servers as f64 / rate, cv);
    let mut done = Vec::new();
    for _ in 0..servers {
        let mut at = -service.sample(stream) * stream.unit_f64();
        while at < seconds {
            done.push(at);
            at += service.sample(stream);
        }
    }
    done
}

/// A meter whose rate varies from second to second.
fn trembling(stream: &mut Stream, (rate, seconds): (f64, f64), (cv, rho): (f64, f64)) -> Vec<f64> {
    let mut noise = stream.normal();
    let (mut at, mut done) = (0.0_f64, Vec::new());
    while at < seconds {
        if (at.floor() - (at - 1.0 / rate).floor()) > 0.5 {
            noise = rho * noise + (1.0 - rho * rho).sqrt() * stream.normal();
        }
        done.push(at);
        at += 1.0 / (rate * (1.0 + cv * noise).max(0.05));
    }
    done
}

/// Reads of a metered mix: each I/O is a read by chance.
fn thinned(stream: &mut Stream, (rate, seconds): (f64, f64), share: f64) -> Vec<f64> {
    let all = leaky(rate / share, seconds, || 0.0);
    all.into_iter().filter(|_| stream.unit_f64() < share).collect()
}

/// A closed loop on a device whose latency wanders.
fn wandering(stream: &mut Stream, (rate, seconds): (f64, f64)) -> Vec<f64> {
    let (mut at, mut wander, mut done) = (0.0, 0.0_f64, Vec::new());
    while at < seconds {
        done.push(at);
        wander = (wander + 0.15 * (1.0 / rate).sqrt() * stream.normal()).clamp(-0.5, 0.5);
        at += (1.0 + wander) / rate;
    }
    done
}

/// A family by its name, its truth, and how its I/Os complete at a given rate over some seconds.
macro_rules! family {
    ($name:literal, $truth:ident, $done:expr) => {
        Family { name: $name, truth: Truth::$truth, done: $done }
    };
}

const FAMILIES: [Family; 20] = [
    family!("leaky bucket, 0.8 ms ± 10 %", Pinned, |s, x, t| leaky(x, t, || s.lognormal(8e-4, 0.1))),
    family!("leaky bucket, 4 ms ± 50 %", Pinned, |s, x, t| leaky(x, t, || s.lognormal(4e-3, 0.5))),
    family!("leaky bucket, 5 ms ± 200 %", Pinned, |s, x, t| leaky(x, t, || s.lognormal(5e-3, 2.0))),
    family!("slices of 100 ms", Pinned, |s, x, t| sliced(s, (x, t, 0.1))),
    family!("slices of 99 ms", Pinned, |s, x, t| sliced(s, (x, t, 0.099))),
    family!("slices of 20.3 ms", Pinned, |s, x, t| sliced(s, (x, t, 0.0203))),
    family!("groups of 4 through FUSE", Pinned, |s, x, t| grouped(s, (x, t, 4.0))),
    family!("groups of 16", Pinned, |s, x, t| grouped(s, (x, t, 16.0))),
    family!("reads of a metered mix 70/30", Loose, |s, x, t| thinned(s, (x, t), 0.7)),
    family!("4 servers, CV 10 %", Loose, |s, x, t| servers(s, (x, t), (4, 0.1))),
    family!("8 servers, CV 30 %", Loose, |s, x, t| servers(s, (x, t), (8, 0.3))),
    family!("32 servers, CV 100 %", Loose, |s, x, t| servers(s, (x, t), (32, 1.0))),
    family!("8 servers, CV 300 %", Loose, |s, x, t| servers(s, (x, t), (8, 3.0))),
    family!("one server, CV 50 %", Loose, |s, x, t| servers(s, (x, t), (1, 0.5))),
    family!("Poisson", Loose, |s, x, t| servers(s, (x, t), (256, 1.0))),
    family!("latency that wanders", Loose, |s, x, t| wandering(s, (x, t))),
    family!("rate ± 1 %", Trembling, |s, x, t| trembling(s, (x, t), (0.01, 0.0))),
    family!("rate ± 3 %, rho 0.5", Loose, |s, x, t| trembling(s, (x, t), (0.03, 0.5))),
    family!("rate ± 10 %", Loose, |s, x, t| trembling(s, (x, t), (0.1, 0.0))),
    family!("rate ± 10 %, rho 0.8", Loose, |s, x, t| trembling(s, (x, t), (0.1, 0.8))),
];

/// Windows of a load, each with its length and the length of its intervals, both in seconds.
fn windows(family: &Family, stream: &mut Stream, rate: f64, shape: &[(f64, f64)]) -> Vec<Window> {
    let one = |&(length, interval): &(f64, f64)| {
        let mut counts = vec![0.0; (length / interval).round() as usize];
        // The first half second is a ramp that is not counted.
        for at in (family.done)(stream, rate, length + 1.0) {
            let place = ((at - 0.5) / interval).floor();
            if place >= 0.0 && (place as usize) < counts.len() {
                counts[place as usize] += 1.0;
            }
        }
        let clean = |number: f64| Count { number, clean: true };
        Window { seconds: interval, depth: 4.0, unit: 1.0, counts: counts.into_iter().map(clean).collect() }
    };
    shape.iter().map(one).collect()
}

/// Percent of the answers: metered, not metered, unclear.
fn shares(family: &Family, rate: f64, shape: &[(f64, f64)], seeds: u64) -> [f64; 3] {
    let mut shares = [0.0; 3];
    for seed in 0..seeds {
        let mut stream = Stream::new(seed, rate as u64);
        let answer = metered_at_one_level(&windows(family, &mut stream, rate, shape)).answer;
        let at = [Metering::Metered, Metering::NotMetered, Metering::Unclear]
            .iter()
            .position(|one| *one == answer);
        shares[at.unwrap()] += 100.0 / seeds as f64;
    }
    shares
}

/// Lengths of the windows and of their intervals, as in a check and as in a watch.
const SHAPES: [&[(f64, f64)]; 6] = [
    &[(3.0, 0.5)],
    &[(7.0, 0.5)],
    &[(4.0, 0.5), (7.0, 0.5), (2.0, 0.5)],
    &[(3.0, 0.5), (3.0, 0.5), (1.8, 0.3), (1.8, 0.3), (1.8, 0.3), (3.0, 0.5)],
    &[(60.0, 1.0)],
    &[(30.0, 0.5)],
];

#[test]
fn of_many_families_hardly_any_is_called_the_contrary() {
    let mut found = Vec::new();
    for family in &FAMILIES {
        let (mut contrary, mut metered) = (Vec::new(), Vec::new());
        for (rate, seeds) in [(60.0, 60), (400.0, 40), (3000.0, 12)] {
            let of_shapes: Vec<[f64; 3]> =
                SHAPES.iter().map(|shape| shares(family, rate, shape, seeds)).collect();
            let words: Vec<String> =
                of_shapes.iter().map(|[m, n, u]| format!("{m:3.0}/{n:3.0}/{u:3.0}")).collect();
            println!("| {:28} | {rate:5} | {} |", family.name, words.join(" | "));
            metered.extend(of_shapes.iter().map(|shares| shares[0]));
            contrary
                .extend(of_shapes.iter().map(|shares| shares[usize::from(family.truth == Truth::Pinned)]));
        }
        let wrong = contrary.iter().sum::<f64>() / contrary.len() as f64;
        assert!(
            wrong <= 1.0 || family.truth == Truth::Trembling,
            "{}: {wrong:.2} % are called the contrary",
            family.name
        );
        if family.truth == Truth::Pinned {
            found.push(metered.iter().sum::<f64>() / metered.len() as f64);
        }
    }
    let found = found.iter().sum::<f64>() / found.len() as f64;
    println!("meters found {found:.0} %");
    assert!(found > 60.0, "meters found: {found} %");
}

/// Counts per second under a meter whose load waits for a CPU now and then, for 5 to 60 % of a second; the I/Os that it
/// misses are lost.
fn starved(stream: &mut Stream, rate: f64, seconds: usize) -> Vec<Count> {
    let mut edge = 0.0;
    let second = |_| {
        let short = stream.unit_f64() < 0.3;
        let lost = if short { rate * (0.05 + 0.55 * stream.unit_f64()) } else { 0.0 };
        let next = 2.0 * stream.normal();
        let number = (rate - lost + next - edge).round();
        edge = next;
        Count { number, clean: !short }
    };
    (0..seconds).map(second).collect()
}

#[test]
fn seconds_in_which_the_load_was_short_are_left_out() {
    let (mut trimmed, mut as_it_is) = (0, 0);
    for seed in 0..100 {
        let counts = starved(&mut Stream::new(seed, 5), 800.0, 120);
        let window = Window { seconds: 1.0, depth: 4.0, unit: 1.0, counts };
        trimmed += u32::from(metered(std::slice::from_ref(&window)).answer == Metering::Metered);
        let all_clean = window.counts.iter().map(|count| Count { clean: true, ..*count }).collect();
        as_it_is += u32::from(metered(&[Window { counts: all_clean, ..window }]).answer == Metering::Metered);
    }
    assert!(trimmed >= 60, "trimmed: {trimmed} of 100");
    assert!(as_it_is <= 5, "as it is: {as_it_is} of 100");
}

#[test]
fn equal_counts_are_pinned_and_the_numbers_say_so() {
    let counts = vec![Count { number: 600.0, clean: true }; 36];
    let meter = metered(&[Window { seconds: 1.0, depth: 4.0, unit: 1.0, counts }]);
    assert_eq!(meter.answer, Metering::Metered);
    assert!(meter.fano.iter().all(|(_, fano)| *fano == 0.0) && meter.fano.len() == 5, "{:?}", meter.fano);
    assert!(meter.slope.is_some_and(|slope| slope.value == -1.0 && slope.high < BORDER), "{:?}", meter.slope);
}

#[test]
fn of_items_that_wait_less_suffices() {
    let even = |cv: f64, seconds: usize| -> usize {
        let found = |seed: &u64| {
            let mut stream = Stream::new(*seed, 6);
            let count = |_| Count { number: (400.0 + cv * 20.0 * stream.normal()).round(), clean: true };
            let counts = (0..seconds).map(count).collect();
            metered(&[Window { seconds: 1.0, depth: 4.0, unit: 1.0, counts }]).if_waiting
        };
        (0..100).filter(found).count()
    };
    assert!(even(0.1, 24) >= 95 && even(0.1, 8) >= 50, "{} and {}", even(0.1, 24), even(0.1, 8));
    assert!(even(1.0, 24) <= 3 && even(1.0, 8) <= 3, "{} and {}", even(1.0, 24), even(1.0, 8));
}

#[test]
fn usual_rates_are_those_of_clean_counts_without_accidents() {
    let mut counts = vec![Count { number: 300.0, clean: true }; 20];
    (counts[7].number, counts[9].clean) = (240.0, false);
    let rates = Window { seconds: 0.5, depth: 4.0, unit: 1.0, counts }.usual_rates();
    assert_eq!(rates, vec![600.0; 18]);
}

#[test]
fn one_slice_that_slipped_does_not_hide_a_meter() {
    let mut counts = vec![Count { number: 300.0, clean: true }; 20];
    counts[7].number = 240.0;
    assert_eq!(metered(&[Window { seconds: 0.5, depth: 4.0, unit: 1.0, counts }]).answer, Metering::Metered);
}

#[test]
fn nothing_is_said_of_too_few_counts_or_none() {
    assert_eq!(metered(&[]), Meter::default());
    let of = |number: f64, n: usize| Window {
        seconds: 0.5,
        depth: 4.0,
        unit: 1.0,
        counts: vec![Count { number, clean: true }; n],
    };
    assert_eq!(metered(&[of(100.0, 7)]), Meter::default());
    assert_eq!(metered(&[of(0.0, 30)]).answer, Metering::Unclear);
    assert_eq!(metered(&[Window { seconds: 0.0, ..of(1.0, 30) }]), Meter::default());
}

#[test]
fn slices_that_end_with_our_intervals_in_some_loads_and_stray_in_others_are_a_meter() {
    let window = |seconds: f64, numbers: &[f64]| Window {
        seconds,
        depth: 4.0,
        unit: 1.0,
        counts: numbers.iter().map(|number| Count { number: *number, clean: false }).collect(),
    };
    let straying =
        window(0.5, &[2125.0, 2875.0, 2500.0, 2500.0, 2413.0, 2587.0, 2500.0, 2398.0, 2602.0, 2053.0]);
    let even = window(0.5, &[2500.0; 6]);
    let short = window(0.3, &[1500.0; 6]);
    let seen = |windows: &[&Window]| {
        metered_at_one_level(&windows.iter().copied().cloned().collect::<Vec<_>>()).answer
    };
    assert_eq!(seen(&[&even, &straying, &short, &short]), Metering::Metered);
    assert_eq!(seen(&[&even, &straying]), Metering::Unclear, "two windows may be chance");
    let other = window(0.3, &[1400.0; 6]);
    assert_eq!(seen(&[&even, &straying, &short, &other]), Metering::Unclear, "they are of different rates");
}

/// Counts of a family beside a busy machine: waits of 5 to 500 ms take `share` of the time. Nothing completes in a
/// wait; what would have completes at its end, and a meter lets no more through than its rate afterwards.
fn busy(
    family: &Family,
    stream: &mut Stream,
    (rate, share): (f64, f64),
    shape: &[(f64, f64)],
) -> Vec<Window> {
    let one = |&(length, interval): &(f64, f64)| {
        let mut counts = vec![0.0; (length / interval).round() as usize];
        let (mut lag, mut next) = (0.0, 0.0_f64);
        let mut wait = (0.0, 0.0);
        let mut done = (family.done)(stream, rate, length + 1.0);
        done.sort_by(f64::total_cmp);
        for at in done {
            let mut at = at + lag;
            while at >= next {
                let long = 0.005 * 100f64.powf(stream.unit_f64());
                wait = (next, next + long);
                next = wait.1 + stream.exponential(0.107 * (1.0 - share) / share);
            }
            if at < wait.1 {
                // Waits behind a meter are lost to the load.
                lag += wait.1 - at;
                at = wait.1;
            }
            let place = ((at - 0.5) / interval).floor();
            if place >= 0.0 && (place as usize) < counts.len() {
                counts[place as usize] += 1.0;
            }
        }
        let dirty = |number: f64| Count { number, clean: false };
        Window { seconds: interval, depth: 4.0, unit: 1.0, counts: counts.into_iter().map(dirty).collect() }
    };
    shape.iter().map(one).collect()
}

/// Windows of a check: rungs, repeated loads and probes of one block size.
const CHECK: [(f64, f64); 8] =
    [(3.0, 0.5), (7.0, 0.5), (3.0, 0.5), (1.8, 0.3), (1.8, 0.3), (1.8, 0.3), (3.0, 0.5), (3.0, 0.5)];

/// Greatest share of series with a rate that is not there, or not within the interval.
const FALSE_ALARMS: f64 = 0.015;
/// Half of the 3 % by which a claim may be missed: slices of 99 ms look like fewer I/Os in slices of 100 ms.
const HALF_OF_A_TOLERANCE: f64 = 0.015;

#[test]
fn beside_waits_a_meter_shows_by_its_exact_rate_and_nothing_else_has_one() {
    let mut named = Vec::new();
    for family in &FAMILIES {
        let (mut wrong, mut right, mut all) = (0, 0, 0);
        for (rate, seeds) in [(200.0, 40), (400.0, 40), (1500.0, 30), (3000.0, 20), (15_000.0, 6)] {
            for share in [0.02, 0.1, 0.2] {
                for seed in 0..seeds {
                    let mut stream = Stream::new(seed, rate as u64 + 7);
                    let exact = exact_rate(&busy(family, &mut stream, (rate, share), &CHECK));
                    all += 1;
                    let near = |exact: ExactRate| (exact.rate / rate - 1.0).abs() < HALF_OF_A_TOLERANCE;
                    let holds = exact.map(|exact| near(exact) || (exact.low..=exact.high).contains(&rate));
                    wrong += u32::from(holds == Some(false));
                    right += u32::from(holds == Some(true));
                }
            }
        }
        println!("| {:28} | {right:4} right | {wrong:4} wrong | of {all} |", family.name);
        named.push((family, f64::from(right) / f64::from(all), f64::from(wrong) / f64::from(all)));
    }
    for (family, right, wrong) in named {
        let false_alarms = if family.truth == Truth::Loose { right + wrong } else { wrong };
        assert!(false_alarms <= FALSE_ALARMS, "{}: {right:.3} {wrong:.3}", family.name);
    }
}

#[test]
fn an_exact_rate_holds_throughout_only_if_the_first_loads_show_it() {
    let window = |number: f64| Window {
        seconds: 0.5,
        depth: 4.0,
        unit: 1.0,
        counts: vec![Count { number, clean: false }; 6],
    };
    let of = |numbers: &[f64]| exact_rate(&numbers.iter().map(|number| window(*number)).collect::<Vec<_>>());
    let all = of(&[1500.0; 6]).unwrap();
    assert!(all.throughout && (all.low..=all.high).contains(&3000.0), "{all:?}");
    // Loads of rates of their own come first.
    assert!(
        !of(&[1310.0, 1420.0, 1500.0, 1500.0, 1500.0, 1500.0, 1500.0, 1500.0, 1500.0, 1500.0])
            .unwrap()
            .throughout
    );
    assert_eq!(of(&[1500.0, 1500.0, 1500.0, 1500.0, 1390.0, 1270.0]), None, "it may have changed");
}

/// Windows of a block ladder with the loads repeated beside it: size of an item in the smallest, seconds, interval.
const SIZES: [(f64, f64, f64); 8] = [
    (1.0, 7.0, 0.5),
    (2.0, 5.0, 0.5),
    (4.0, 5.0, 0.5),
    (64.0, 1.8, 0.3),
    (16.0, 4.0, 0.5),
    (64.0, 4.0, 0.5),
    (64.0, 1.8, 0.3),
    (64.0, 4.0, 0.5),
];

/// Returns the counts of items of several sizes, in units of the largest, that a `family` lets through at `rate` of the smallest
/// a second; `each` is the part of the time of one of these that passes for every item besides its size.
fn of_sizes(family: &Family, stream: &mut Stream, (rate, share, each): (f64, f64, f64)) -> Vec<Window> {
    let one = |&(size, seconds, interval): &(f64, f64, f64)| {
        let items = rate / (each + size * (1.0 - each));
        let mut window = busy(family, stream, (items, share), &[(seconds, interval)]).remove(0);
        window.counts.iter_mut().for_each(|count| count.number *= size / 64.0);
        Window { unit: size / 64.0, ..window }
    };
    SIZES.iter().map(one).collect()
}

#[test]
fn beside_waits_a_meter_of_bytes_shows_by_loads_of_several_sizes_and_time_for_each_item_does_not() {
    for (family, number) in FAMILIES.iter().zip(0..) {
        let (mut right, mut wrong, mut differing, mut all) = (0, 0, 0, 0);
        for (rate, share) in [(2_560.0, 0.05), (3_840.0, 0.1), (3_840.0, 0.2), (8_000.0, 0.1)] {
            for seed in 0..20 {
                let mut stream = Stream::new(seed, number);
                let exact = exact_rate(&of_sizes(family, &mut stream, (rate, share, 0.0)));
                let near = |exact: ExactRate| (exact.rate / (rate / 64.0) - 1.0).abs() < HALF_OF_A_TOLERANCE;
                right += u32::from(exact.is_some_and(near));
                wrong += u32::from(exact.is_some_and(|exact| !near(exact)));
                differing +=
                    u32::from(exact_rate(&of_sizes(family, &mut stream, (rate, share, 0.05))).is_some());
                all += 1;
            }
        }
        println!(
            "| {:28} | {right:2} right | {wrong} wrong | {differing} differing | of {all} |",
            family.name
        );
        // A meter of each size may be found by itself.
        let false_alarms = if family.truth == Truth::Loose { wrong + differing } else { wrong };
        assert!(f64::from(false_alarms) <= FALSE_ALARMS * f64::from(all), "{}", family.name);
    }
}

#[test]
fn loads_of_one_size_are_no_three_sizes() {
    let window = |unit: f64| Window {
        seconds: 0.5,
        depth: 32.0,
        unit,
        counts: [1000.0, 1012.0, 990.0, 1003.0, 996.0, 1007.0]
            .map(|of| Count { number: of, clean: true })
            .to_vec(),
    };
    let of = |units: [f64; 3]| super::sizes::of_sizes(&units.map(window));
    assert!(of([1.0, 0.5, 0.25]).is_some_and(|found| (found.low..=found.high).contains(&2000.0)));
    assert_eq!(of([1.0, 1.0 + 1e-9, 1.0 - 1e-9]), None);
}

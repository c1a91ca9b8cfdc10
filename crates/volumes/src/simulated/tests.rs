//! A simulated volume does what its parameters say; each mechanism is compared with its own truth.

use super::build::LATENCY;
use super::*;

fn volume(words: &str) -> Result<SimulatedVolume, SimError> {
    SimulatedVolume::new(&PolicyName::parse(words).unwrap())
}

fn io(kind: Direction, offset: u64, bytes: u32) -> Io {
    Io { slot: 0, kind, file: 0, offset, bytes, due: Nanos::ZERO }
}

fn read(offset: u64) -> Io {
    io(Direction::Read, offset, 4096)
}

/// Counts by second of a closed loop of random 4 KiB reads, each issued as soon as another is done.
fn counts(words: &str, depth: usize, seconds: usize) -> Vec<f64> {
    let mut volume = volume(words).unwrap();
    let mut places = Stream::new(99, 99);
    let mut counts = vec![0.0; seconds];
    let mut heap: std::collections::BinaryHeap<_> =
        (0..depth).map(|_| std::cmp::Reverse(Nanos::ZERO)).collect();
    while let Some(std::cmp::Reverse(now)) = heap.pop() {
        let second = (now.0 / 1_000_000_000) as usize;
        if second >= seconds {
            break;
        }
        let served = volume.serve(now, &read(places.below(volume.size().0 / 4096) * 4096));
        let done = (served.done_at.0 / 1_000_000_000) as usize;
        if done < seconds {
            counts[done] += 1.0;
        }
        heap.push(std::cmp::Reverse(volume.has_cpu_at(served.done_at)));
    }
    counts
}

fn mean(counts: &[f64]) -> f64 {
    counts.iter().sum::<f64>() / counts.len() as f64
}

#[test]
fn an_idle_volume_answers_after_its_base_latency() {
    let mut volume = volume("aws-gp3,latency=0.5ms,jitter=0").unwrap();
    let served = volume.serve(Nanos::from_secs(1), &read(1 << 20));
    assert_eq!(served, VolumeAnswer { done_at: Nanos::from_secs(1) + Nanos::from_micros(500), result: 4096 });
}

#[test]
fn a_loaded_volume_serves_its_cap() {
    let mut volume = volume("aws-gp3").unwrap();
    let last = (0..30_000).map(|at| volume.serve(Nanos::ZERO, &read(at * 8192)).done_at).max().unwrap();
    assert!((last.as_secs_f64() - 10.0).abs() < 0.05, "{last}");
}

#[test]
fn unknown_and_bad_parameters_are_named_with_what_would_do() {
    for (words, part) in [
        ("aws-gp3,latenzy=1ms", "did you mean 'latency'?"),
        ("aws-gp3,latency=fast", "latency"),
        ("aws-gp3,jitter=9", "0 to 2"),
        ("aws-gp2,size=100GiB,credits=lots", "40%"),
        ("aws-gp2,size=100GiB,credits=9000000", "5400000"),
        ("do-volumes-standard,size=1MiB", "64 MiB"),
        ("do-volumes-standard,size=big", "size"),
        ("aws-gp9", "aws-gp"),
        ("aws-gp3,noise=5", "0% to 30%"),
        ("aws-gp3,rho=0.5", "noise="),
        ("aws-gp3,cap_low=50%", "wave="),
        ("aws-gp3,cap_low=50%,wave=10s", "10s/20s"),
        ("aws-gp3,cap_low=0%,wave=10s/10s", "5% to 100%"),
        ("aws-gp3,stall=2s,stall_every=1s", "shorter than its period"),
        ("aws-gp3,stall=2s,stall_every=5s,stall_pace=often", "even or poisson"),
        ("aws-gp3,noise=1%,noise=2%", "twice"),
        ("custom,servers=8", "service="),
        ("custom,latency=1ms", "needs 'iops'"),
        ("custom,tail=1%,tail_latency=300ms", "servers="),
        ("custom,tail=1%,tail_latency=300ms,iosp=4", "did you mean 'iops'?"),
    ] {
        let text = volume(words).unwrap_err().to_string();
        assert!(text.contains(part), "{words}: {text}");
    }
}

#[test]
fn the_size_is_the_policys_then_the_targets_then_a_default() {
    for (words, size) in [
        ("aws-gp2,size=334GiB", Bytes::gib(334)),
        ("azure-premium-ssd-large,tier=P30", Bytes::gib(1024)),
        ("do-volumes-standard,size=10GiB", Bytes::gib(10)),
        ("do-volumes-standard", Bytes::gib(100)),
    ] {
        assert_eq!(volume(words).unwrap().size(), size, "{words}");
    }
}

/// A policy's parameter hides the simulation's of the same name, so only those with the same meaning may share a name.
#[test]
fn no_policy_has_a_parameter_of_the_simulations_name() {
    for policy in policy::Catalogue::builtin().list() {
        for name in policy.parameter_names() {
            let same = parameters::ROWS.iter().any(|row| row.name == parameters::plain(&name));
            assert!(!same || name == "size" || name == "latency", "{}: {name}", policy.id);
        }
    }
}

#[test]
fn noise_moves_the_cap_itself_around_its_nominal_mean() {
    let counts = counts("custom,iops=1000,noise=5%,rho=0.6,slow=2%", 16, 10_000);
    let mut moments = statistics::moments::Moments::default();
    counts.iter().for_each(|&count| moments.push(count));
    // Standard error of the mean over 10,000 s: 0.1 % from AR(1), 0.22 % from the slow part.
    assert!((moments.mean() / 1000.0 - 1.0).abs() < 0.008, "{}", moments.mean());
    let sd = (0.05f64.powi(2) + 0.02f64.powi(2)).sqrt();
    assert!((moments.sd() / 1000.0 / sd - 1.0).abs() < 0.05, "{}", moments.sd());
    let lag = (0.6 * 0.05f64.powi(2) + 0.02f64.powi(2)) / sd.powi(2);
    assert!(
        (statistics::dependence::lag_one(&counts) - lag).abs() < 0.05,
        "{}",
        statistics::dependence::lag_one(&counts)
    );
}

#[test]
fn neighbours_and_waves_take_their_share_when_they_say() {
    let neighbour = counts("custom,iops=1000,neighbour=40%,neighbour_for=10s,neighbour_every=30s", 16, 60);
    assert!((mean(&neighbour[2..29]) - 1000.0).abs() < 3.0);
    assert!((mean(&neighbour[31..39]) - 600.0).abs() < 3.0);
    assert!((mean(&neighbour[41..59]) - 1000.0).abs() < 3.0);
    let wave = counts("custom,iops=1000,cap_low=50%,wave=10s/20s,wave_phase=5s", 16, 60);
    assert!((mean(&wave[1..4]) - 1000.0).abs() < 5.0 && (mean(&wave[6..24]) - 500.0).abs() < 3.0);
    assert!((mean(&wave[26..34]) - 1000.0).abs() < 3.0);
}

#[test]
fn a_second_volume_leaves_the_rest_of_the_budget() {
    let all = counts("custom,iops=1000,second_iops=300", 16, 20);
    assert!((mean(&all[2..]) - 700.0).abs() < 3.0, "{all:?}");
    let spans = counts("custom,iops=1000,second_iops=300,second_for=5s,second_every=10s", 16, 20);
    assert!((mean(&spans[2..9]) - 1000.0).abs() < 3.0 && (mean(&spans[11..14]) - 700.0).abs() < 3.0);
}

#[test]
fn slices_keep_the_rate_and_let_it_through_in_pulses() {
    let mut volume = volume("custom,iops=1000,slice=50ms,jitter=0,latency=1ms").unwrap();
    let done: Vec<u64> = (0..2_000).map(|at| volume.serve(Nanos::ZERO, &read(at * 8192)).done_at.0).collect();
    assert!((done[1999] as f64 / 1e9 - 2.0).abs() < 0.06, "{}", done[1999]);
    let mut moments: Vec<u64> = done.iter().map(|done| (done - 1_000_000) % 50_000_000).collect();
    moments.dedup();
    assert_eq!(moments, [0], "every one at the end of a slice");
    let counts = counts("custom,iops=1000,slice=100ms", 128, 20);
    assert!((mean(&counts[2..]) - 1000.0).abs() < 5.0, "{counts:?}");
}

#[test]
fn a_soft_corner_reaches_the_harmonic_sum_of_its_bounds() {
    for depth in [1usize, 4, 16] {
        let counts = counts("custom,iops=1000,corner=1,latency=4ms,jitter=0", depth, 20);
        let free = depth as f64 / 4e-3;
        let truth = 1.0 / (1.0 / free + 1.0 / 1000.0);
        assert!((mean(&counts[2..]) / truth - 1.0).abs() < 0.02, "{depth}: {} {truth}", mean(&counts[2..]));
    }
}

#[test]
fn servers_saturate_without_any_rule() {
    let counts = counts("custom,servers=8,service=1ms,service_cv=1,latency=1us", 64, 20);
    assert!((mean(&counts[1..]) / 8000.0 - 1.0).abs() < 0.02, "{counts:?}");
    assert!(volume("custom,servers=8,service=1ms").unwrap().limits().limits.is_empty());
}

#[test]
fn a_stall_stops_everything_for_its_length() {
    let mut volume =
        volume("custom,iops=1000,latency=1ms,jitter=0,stall=500ms,stall_every=10s,stall_from=3s").unwrap();
    let done =
        |volume: &mut SimulatedVolume, ms: u64| volume.serve(Nanos::from_millis(ms), &read(ms)).done_at;
    assert_eq!(done(&mut volume, 2_000), Nanos::from_millis(2_001));
    assert_eq!(done(&mut volume, 2_999), Nanos::from_millis(3_000), "just done");
    assert_eq!(done(&mut volume, 3_200), Nanos::from_millis(3_501));
    assert_eq!(done(&mut volume, 4_000), Nanos::from_millis(4_001));
    assert_eq!(done(&mut volume, 13_100), Nanos::from_millis(13_501));
}

#[test]
fn without_a_processor_the_generator_notices_nothing() {
    let words = "custom,iops=100000,latency=1ms,jitter=0,theft=200ms,theft_every=1s";
    let mut attended = volume(words).unwrap();
    assert_eq!(attended.has_cpu_at(Nanos::from_millis(1_100)), Nanos::from_millis(1_200));
    assert_eq!(attended.has_cpu_at(Nanos::from_millis(1_300)), Nanos::from_millis(1_300));
    let counts = counts(words, 1, 10);
    assert!((mean(&counts[1..]) / 800.0 - 1.0).abs() < 0.02, "{counts:?}");
}

#[test]
fn errors_come_by_share_and_by_place() {
    let mut volume = volume("custom,iops=100000,errors=1%,bad_at=1MiB,bad_bytes=64KiB").unwrap();
    assert_eq!(volume.serve(Nanos::ZERO, &read((1 << 20) + 4096)).result, -EIO);
    let failed = (0..20_000u64).filter(|at| volume.serve(Nanos(*at), &read(4096)).result < 0).count();
    assert!((150..250).contains(&failed), "{failed}");
}

#[test]
fn a_cache_a_thin_volume_and_a_write_back_answer_past_the_meters() {
    let latency = |volume: &mut SimulatedVolume, io: Io| volume.serve(Nanos::ZERO, &io).done_at;
    let mut cached = volume("custom,iops=1000,jitter=0,cache=1GiB,cache_latency=20us").unwrap();
    assert_eq!(latency(&mut cached, read(0)), LATENCY);
    assert_eq!(latency(&mut cached, read(0)), Nanos::from_micros(20));
    let mut thin = volume("custom,iops=1000,jitter=0,thin=30us").unwrap();
    assert_eq!(latency(&mut thin, read(0)), Nanos::from_micros(30));
    assert_eq!(latency(&mut thin, io(Direction::Write, 0, 4096)), LATENCY);
    assert_eq!(latency(&mut thin, read(0)), LATENCY);
    let mut back = volume("custom,iops=1000,jitter=0,write_back=64MiB,drain=64MiB/s,flush=1ms").unwrap();
    assert_eq!(latency(&mut back, io(Direction::Write, 0, 1 << 20)), Nanos::from_micros(50));
    let flushed = latency(&mut back, io(Direction::Flush, 0, 0));
    assert_eq!(flushed, Nanos(1_000_000_000 / 64) + Nanos::from_millis(1));
}

#[test]
fn the_first_touch_of_a_region_takes_longer() {
    let mut volume = volume("custom,iops=1000,jitter=0,first_touch=30ms").unwrap();
    assert_eq!(volume.serve(Nanos::ZERO, &read(0)).done_at, LATENCY + Nanos::from_millis(30));
    assert_eq!(volume.serve(Nanos::ZERO, &read(4096)).done_at, LATENCY);
}

#[test]
fn credits_start_where_they_are_put_in_units_as_well() {
    let emptied = |words: &str| counts(words, 32, 30).iter().position(|&count| count < 800.0);
    let words = "custom,iops=500,burst_iops=1500,bucket=100000";
    assert_eq!(emptied(&format!("{words},credits=10000")), Some(10));
    assert_eq!(emptied(&format!("{words},credits=20%")), Some(20));
    let bytes = "custom,bandwidth=2MiB/s,burst_bandwidth=6MiB/s,byte_bucket=1GiB,credits=40MiB";
    assert_eq!(counts(bytes, 32, 30).iter().position(|&count| count < 1000.0), Some(10));
}

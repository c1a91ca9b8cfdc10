//! The three formats of the same counters.

use std::collections::BTreeMap;
use std::sync::Arc;

use metrics::{EDGES_NS, Resource, RunCounters, otlp, protobuf, text, wants_protobuf};
use proptest::prelude::*;
use record::{DiskCounters, Distribution, Interval, Pressure, Sample, Tally};
use serde_json::Value;
use workload::Nanos;

/// Returns an interval of job `job` in which reads with these latencies, in nanoseconds, completed.
fn interval(job: u16, reads: &[u64]) -> Interval {
    let mut interval = Interval::empty(job, Nanos::ZERO, Nanos::SECOND);
    let of = &mut interval.directions[0];
    let mut tally = Tally::default();
    reads.iter().for_each(|ns| tally.count(4096, *ns));
    let values: Vec<(u64, u64)> = reads.iter().map(|ns| (*ns, 1)).collect();
    of.latency = Distribution::counted(&values, tally.latency_ns_min, tally.latency_ns_max);
    of.tally = tally;
    interval
}

fn sample() -> Sample {
    let disk =
        DiskCounters { reads: 10, sectors_read: 80, busy_ms: 1500, in_flight: 3, ..DiskCounters::default() };
    let pressure = Some(Pressure { some_us: 2_500_000, full_us: 0 });
    Sample { disks: vec![(Arc::from("sda"), disk)], pressure, ..Sample::default() }
}

fn counted() -> RunCounters {
    let mut counted = RunCounters::default();
    counted.step_started("depth \"4\"\\", ["reads", "reads", "log"].into_iter());
    counted.interval(&interval(0, &[1_000_000, 2_000_000, 2_000_000]));
    counted.interval(&interval(0, &[50_000_000]));
    counted.interval(&interval(1, &[700]));
    counted.interval(&interval(7, &[1]));
    counted.sample(&sample());
    counted
}

/// Reads every sample of the text, keyed by its name and labels.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
}

#[test]
fn the_text_says_what_was_counted() {
    let text = text(&counted());
    let samples = samples(&text);
    for (name, value) in [
        ("plimsoll_device_reads_completed_total{device=\"sda\"}", 10.0),
        ("plimsoll_device_read_bytes_total{device=\"sda\"}", 40960.0),
        ("plimsoll_device_busy_seconds_total{device=\"sda\"}", 1.5),
        ("plimsoll_device_in_flight{device=\"sda\"}", 3.0),
        ("plimsoll_machine_io_pressure_some_seconds_total", 2.5),
        ("plimsoll_job_operations_total{job_name=\"reads\",direction=\"read\"}", 4.0),
        ("plimsoll_job_bytes_total{job_name=\"reads\",direction=\"read\"}", 16384.0),
        ("plimsoll_job_operations_total{job_name=\"log\",direction=\"read\"}", 1.0),
        ("plimsoll_job_latency_seconds_count{job_name=\"reads\",direction=\"read\"}", 4.0),
        ("plimsoll_job_latency_seconds_sum{job_name=\"reads\",direction=\"read\"}", 0.055),
        ("plimsoll_job_latency_seconds_bucket{job_name=\"reads\",direction=\"read\",le=\"+Inf\"}", 4.0),
        ("plimsoll_step_info{step=\"depth \\\"4\\\"\\\\\"}", 1.0),
        ("plimsoll_steps_started_total", 1.0),
    ] {
        assert_eq!(samples.get(name), Some(&value), "{name} in\n{text}");
    }
    let buckets = samples.keys().filter(|name| name.contains("_bucket{job_name=\"log\"")).count();
    assert_eq!(buckets, EDGES_NS.len() + 1);
    let below = samples["plimsoll_job_latency_seconds_bucket{job_name=\"reads\",direction=\"read\",le=\"0.001572863\"}"];
    assert_eq!(below, 1.0, "one of four took no more than 1.57 ms");
    let typed = text.lines().filter(|line| line.starts_with("# TYPE ")).count();
    let told: std::collections::BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(typed, told.len(), "a family is typed once");
}

#[test]
fn a_watch_that_loads_nothing_exposes_devices_alone() {
    let mut counted = RunCounters::default();
    assert_eq!(text(&counted), "");
    counted.sample(&sample());
    assert!(!text(&counted).contains("plimsoll_job") && text(&counted).contains("plimsoll_device"));
}

/// The value of a field of a protobuf message.
#[derive(Debug, PartialEq)]
enum Field {
    Number(u64),
    Double(f64),
    Bytes(Vec<u8>),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (first, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        shift += 7;
        if first & 0x80 == 0 {
            return number;
        }
    }
}

fn taken<'b>(bytes: &mut &'b [u8], count: usize) -> &'b [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field)> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            1 => Field::Double(f64::from_le_bytes(taken(&mut bytes, 8).try_into().unwrap())),
            2 => {
                let length = varint(&mut bytes) as usize;
                Field::Bytes(taken(&mut bytes, length).to_vec())
            }
            other => panic!("wire type {other}"),
        };
        found.push((key >> 3, field));
    }
    found
}

fn inside(fields: &[(u64, Field)], number: u64) -> Vec<Vec<(u64, Field)>> {
    fields
        .iter()
        .filter(|(of, _)| *of == number)
        .map(|(_, field)| match field {
            Field::Bytes(bytes) => self::fields(bytes),
            other => panic!("{other:?} is no message"),
        })
        .collect()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[test]
fn the_protobuf_has_every_value_in_a_native_bucket() {
    let bytes = protobuf(&counted());
    let mut rest = bytes.as_slice();
    let mut families = Vec::new();
    while !rest.is_empty() {
        let length = varint(&mut rest) as usize;
        families.push(fields(taken(&mut rest, length)));
    }
    let name = Field::Bytes(b"plimsoll_job_latency_seconds".to_vec());
    let family = families.iter().find(|family| family[0].1 == name).unwrap();
    let histograms: Vec<_> = inside(family, 4).iter().map(|metric| inside(metric, 7).remove(0)).collect();
    assert_eq!(histograms.len(), 2, "one a job");
    let reads = &histograms[1];
    assert_eq!((&reads[0], &reads[1]), (&(1, Field::Number(4)), &(2, Field::Double(0.055))));
    let spans: Vec<(i64, u64)> = inside(reads, 12)
        .iter()
        .map(|span| match span.as_slice() {
            [(1, Field::Number(offset)), (2, Field::Number(length))] => (unzigzag(*offset), *length),
            other => panic!("{other:?}"),
        })
        .collect();
    let Some((_, Field::Bytes(deltas))) = reads.iter().find(|(number, _)| *number == 13) else {
        panic!("{reads:?}")
    };
    let (mut deltas, mut count, mut bucket, mut found) = (deltas.as_slice(), 0, 0, Vec::new());
    for (offset, length) in spans {
        bucket += offset;
        for _ in 0..length {
            count += unzigzag(varint(&mut deltas));
            found.push((bucket, count));
            bucket += 1;
        }
    }
    let bucket_of = |seconds: f64| (seconds.log2() * 16.0).ceil() as i64;
    assert_eq!(found, [(bucket_of(0.001), 1), (bucket_of(0.002), 2), (bucket_of(0.05), 1)]);
    assert!(deltas.is_empty());
}

#[test]
fn the_json_says_the_same() {
    let resource = Resource { host: "db1", version: "1", began_unix_ns: 5, now_unix_ns: 9 };
    let json = otlp(&counted(), &resource);
    let metrics = json["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let of = |name: &str| metrics.iter().find(|metric| metric["name"] == name).unwrap();
    let reads = &of("plimsoll_device_reads_completed_total")["sum"];
    assert_eq!(
        (&reads["isMonotonic"], &reads["aggregationTemporality"]),
        (&Value::from(true), &Value::from(2))
    );
    assert_eq!(reads["dataPoints"][0]["asDouble"], 10.0);
    assert_eq!(reads["dataPoints"][0]["timeUnixNano"], "9");
    let latency = &of("plimsoll_job_latency_seconds")["exponentialHistogram"]["dataPoints"][1];
    assert_eq!((&latency["count"], &latency["scale"]), (&Value::from("4"), &Value::from(4)));
    let counts = latency["positive"]["bucketCounts"].as_array().unwrap();
    let filled: Vec<(i64, &str)> = counts
        .iter()
        .zip(latency["positive"]["offset"].as_i64().unwrap()..)
        .map(|(count, bucket)| (bucket, count.as_str().unwrap()))
        .filter(|(_, count)| *count != "0")
        .collect();
    // OTLP's bucket n holds values above 2^(n/16) seconds.
    let bucket_of = |seconds: f64| (seconds.log2() * 16.0).ceil() as i64 - 1;
    assert_eq!(filled, [(bucket_of(0.001), "1"), (bucket_of(0.002), "2"), (bucket_of(0.05), "1")]);
}

#[test]
fn the_protobuf_is_for_who_asks_for_it() {
    assert!(wants_protobuf(
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
    ));
    for text in [
        "",
        "text/plain",
        "*/*",
        "application/openmetrics-text",
        "application/vnd.google.protobuf;encoding=text",
    ] {
        assert!(!wants_protobuf(text), "{text}");
    }
}

/// Computes a quantile as `histogram_quantile` does: the first cumulative bucket that reaches the rank, interpolated
/// linearly.
fn quantile(buckets: &[(f64, f64)], share: f64) -> f64 {
    let all = buckets.last().unwrap().1;
    let rank = share * all;
    let place = buckets.iter().position(|(_, count)| *count >= rank).unwrap();
    let (upper, count) = buckets[place];
    let (lower, before) = if place == 0 { (0.0, 0.0) } else { buckets[place - 1] };
    if upper.is_infinite() { lower } else { lower + (upper - lower) * (rank - before) / (count - before) }
}

proptest! {
    #[test]
    fn a_quantile_of_the_classic_buckets_is_ours_within_a_bucket(
        values in proptest::collection::vec(1_u64..20_000_000_000, 1..200),
        share in proptest::sample::select(vec![0.5, 0.9, 0.99, 0.999]),
    ) {
        let mut counted = RunCounters::default();
        counted.step_started("a", ["reads"].into_iter());
        counted.interval(&interval(0, &values));
        let text = text(&counted);
        let lines = text.lines().filter_map(|line| line.split_once("le=\""));
        let buckets: Vec<(f64, f64)> = lines
            .map(|(_, rest)| {
                let (edge, count) = rest.split_once("\"} ").unwrap();
                (edge.parse().unwrap(), count.parse().unwrap())
            })
            .collect();
        prop_assert_eq!(buckets.len(), EDGES_NS.len() + 1);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let ours = sorted[((share * values.len() as f64).ceil() as usize).max(1) - 1];
        let theirs = (quantile(&buckets, share) * 1e9) as u64;
        let bucket_of = |ns: u64| EDGES_NS.partition_point(|edge| *edge < ns);
        prop_assert!(bucket_of(ours).abs_diff(bucket_of(theirs)) <= 1, "{} and {}", ours, theirs);
    }
}

//! Prometheus' protobuf (`io.prometheus.client.MetricFamily`, each message preceded by its length), in which a
//! histogram has native buckets as well as classic ones. This module encodes the few necessary fields itself, as
//! the wire format specifies.

use crate::buckets::{SCHEMA, classic, native};
use crate::counted::RunCounters;
use crate::families::{Family, Form, Point, Value, families};
use record::Distribution;

/// The MIME type of [`protobuf`].
pub const PROTOBUF: &str =
    "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited";

/// Values below this many seconds count as zero: a tenth of the clock's nanosecond.
const ZERO_BELOW_S: f64 = 1e-10;

/// Returns all figures, one length-delimited message for each family.
pub fn protobuf(counted: &RunCounters) -> Vec<u8> {
    let mut bytes = Vec::new();
    for family in families(counted) {
        let message = family_message(&family);
        varint(&mut bytes, message.0.len() as u64);
        bytes.extend(message.0);
    }
    bytes
}

/// The bytes of a message written so far.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    /// Appends a length-delimited field: a string, a message or packed numbers.
    fn bytes(mut self, field: u32, bytes: &[u8]) -> Message {
        varint(&mut self.0, u64::from(field << 3 | 2));
        varint(&mut self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(self, field: u32, text: &str) -> Message {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u32, message: &Message) -> Message {
        self.bytes(field, &message.0)
    }

    fn number(mut self, field: u32, number: u64) -> Message {
        varint(&mut self.0, u64::from(field << 3));
        varint(&mut self.0, number);
        self
    }

    fn double(mut self, field: u32, value: f64) -> Message {
        varint(&mut self.0, u64::from(field << 3 | 1));
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }
}

/// Appends a number as a varint: seven bits in each byte, the least significant first.
fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Maps a signed number to an unsigned one so that small magnitudes stay short, whether positive or negative.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn family_message(family: &Family<'_>) -> Message {
    let form = match family.words.form {
        Form::Counter => 0,
        Form::Gauge => 1,
        Form::Histogram => 4,
    };
    let head = Message::default().text(1, family.words.name).text(2, family.words.help).number(3, form);
    family.points.iter().fold(head, |message, point| message.message(4, &metric(point, family.words.form)))
}

fn metric(point: &Point<'_>, form: Form) -> Message {
    let label = |message: Message, (name, value): &(&str, &str)| {
        message.message(1, &Message::default().text(1, name).text(2, value))
    };
    let metric = point.labels.iter().fold(Message::default(), label);
    match (point.value, form) {
        (Value::Number(value), Form::Gauge) => metric.message(2, &Message::default().double(1, value)),
        (Value::Number(value), _) => metric.message(3, &Message::default().double(1, value)),
        (Value::Latency(latency, sum), _) => metric.message(7, &histogram(latency, sum)),
    }
}

fn histogram(latency: &Distribution, sum: f64) -> Message {
    let mut message = Message::default().number(1, latency.count()).double(2, sum);
    for (edge, count) in classic(latency) {
        message = message.message(3, &Message::default().number(1, count).double(2, edge as f64 / 1e9));
    }
    let native = native(latency);
    message = message.number(5, zigzag(i64::from(SCHEMA))).double(6, ZERO_BELOW_S).number(7, native.zero);
    let (mut deltas, mut last) = (Vec::new(), 0);
    for (offset, counts) in spans(&native.filled) {
        let span = Message::default().number(1, zigzag(i64::from(offset))).number(2, counts.len() as u64);
        message = message.message(12, &span);
        for count in counts {
            let count = count as i64;
            varint(&mut deltas, zigzag(count - last));
            last = count;
        }
    }
    if deltas.is_empty() {
        // An empty span marks the histogram as native even if it has no values.
        return message.message(12, &Message::default().number(1, 0).number(2, 0));
    }
    message.bytes(13, &deltas)
}

/// Splits the buckets into runs of consecutive ones: the gap since the end of the previous run (for the first run,
/// its bucket number), and the counts.
fn spans(filled: &[(i32, u64)]) -> Vec<(i32, Vec<u64>)> {
    let mut behind = 0;
    let runs = filled.chunk_by(|a, b| a.0 + 1 == b.0);
    runs.map(|run| {
        let offset = run[0].0 - behind;
        behind = run[0].0 + run.len() as i32;
        (offset, run.iter().map(|(_, count)| *count).collect())
    })
    .collect()
}

//! Counters of a run for monitoring systems: Prometheus' text, its protobuf with native histograms, and OTLP's JSON.
//!
//! [`RunCounters`] adds up intervals and samples; `families` is the table of exposed figures, from which every
//! format and the documentation are made.

mod buckets;
mod counted;
mod families;
mod otlp;
mod protobuf;
mod text;

pub use buckets::EDGES_NS;
pub use counted::RunCounters;
pub use families::{FamilyWords, Form, words};
pub use otlp::{Resource, otlp};
pub use protobuf::{PROTOBUF, protobuf};
pub use text::{TEXT, text};

/// Whether a scraper that sends this `Accept` header accepts the protobuf, in which a histogram has all its
/// buckets.
pub fn wants_protobuf(accept: &str) -> bool {
    accept.split(',').any(|form| {
        let mut parts = form.split(';').map(str::trim);
        parts.next() == Some("application/vnd.google.protobuf")
            && parts.any(|part| part == "encoding=delimited")
    })
}

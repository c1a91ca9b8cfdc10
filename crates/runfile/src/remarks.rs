//! Events beside the load, the findings about the run, and the verdict of a trend, in their tables.

use record::{Event, StoredFinding};

use crate::cell::{Text, Time, Whole, Word};
use crate::table::table;

table! {
    Events, "event" of Event, Own(event) {
        Time: at_ns = at;
        Word: kind;
        Text: text;
    }
}

table! {
    Findings, "finding" of StoredFinding, Own(finding) {
        Text: kind, json, sentence;
    }
}

/// The verdict of a trend about its newest run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredTrend {
    /// When it was judged: milliseconds since 1970, UTC.
    pub judged_unix_ms: u64,
    /// What was asked, in words.
    pub question: String,
    /// The verdict, in words.
    pub verdict: String,
    /// The whole trend as JSON.
    pub json: String,
}

table! {
    Trends, "trend" of StoredTrend, Own(trend) {
        Whole: judged_unix_ms;
        Text: question, verdict, json;
    }
}

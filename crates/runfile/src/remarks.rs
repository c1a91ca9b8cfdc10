//! Events beside the load, and the findings about the run, in their tables.

use record::{Event, StoredFinding};

use crate::cell::{Text, Time, Word};
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

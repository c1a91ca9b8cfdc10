//! What happened beside the load, and what the run means, in their tables.

use record::{Event, StoredFinding};

use crate::cell::{Text, Time, Word};
use crate::table::table;

table! {
    Events, "event" of Event, Own(event) {
        at_ns: Time = at;
        kind: Word = kind;
        text: Text = text;
    }
}

table! {
    Findings, "finding" of StoredFinding, Own(finding) {
        kind: Text = kind;
        json: Text = json;
        sentence: Text = sentence;
    }
}

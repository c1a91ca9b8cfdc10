//! What the processes say to each other, as bytes.

use serde::{Deserialize, Serialize};
use workload::Nanos;

/// Time between two signs of life.
pub const ALIVE_EVERY: Nanos = Nanos(1_000_000_000);
/// Time without a word after which a member counts as gone: five signs of life were due by then, less the time that naming it
/// takes, so that it is named within five seconds.
pub const SILENCE: Nanos = Nanos(4_500_000_000);
/// First byte of a message that is a part of a run file; any other message is JSON.
const PART: u8 = 0;

/// An order of the first process to a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Say what your clock shows.
    Clock,
    /// Start to measure with these words, up to the first step.
    Begin(Vec<String>),
    /// Begin the step that is ready when your clock shows this time since 1970.
    Go(Nanos),
    /// End what you measure; what is known by then counts.
    Stop,
    /// Send the run file.
    Send,
    /// Nothing: the first process is there.
    Alive,
    /// The fleet is over.
    Leave,
}

/// What a member says to the first process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Report {
    /// The member is there.
    Here {
        /// Its version of plimsoll.
        version: String,
        /// Name of its host.
        host: String,
        /// Name of its clock: members with the same one need not be compared.
        clock: String,
    },
    /// Its clock shows this time since 1970.
    Clock(Nanos),
    /// This step is ready to begin.
    Ready(String),
    /// It is there.
    Alive {
        /// Operations per second of the last interval.
        iops: f64,
        /// Time since the measuring process last said anything.
        quiet: Nanos,
    },
    /// A step has ended with this rate, operations per second.
    StepEnded {
        /// Name of the step.
        step: String,
        /// Operations per second; zero if nothing was counted.
        iops: f64,
    },
    /// The measuring process has ended.
    Ended {
        /// Its exit code; `None` if a signal ended it.
        code: Option<i32>,
        /// The last that it said to people.
        said: String,
        /// The run file, if one was begun.
        file: Option<String>,
    },
    /// The next part of the run file.
    Part(Vec<u8>),
    /// All parts were sent, or the file cannot be read.
    Sent {
        /// Why it cannot be read.
        why_not: Option<String>,
    },
}

/// A message of either kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// From the first process.
    Order(Order),
    /// To the first process.
    Report(Report),
}

impl Message {
    /// Returns the message as bytes.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Message::Report(Report::Part(bytes)) => [&[PART], bytes.as_slice()].concat(),
            // These types have no form that JSON lacks.
            other => serde_json::to_vec(other).unwrap_or_default(),
        }
    }

    /// Returns the message that these bytes are; `None` if they are none of this version.
    pub fn decode(bytes: &[u8]) -> Option<Message> {
        match bytes.split_first() {
            Some((&PART, part)) => Some(Message::Report(Report::Part(part.to_vec()))),
            _ => serde_json::from_slice(bytes).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_none(bytes: Vec<u8>) {
            if let Some(message) = Message::decode(&bytes) {
                prop_assert_eq!(Message::decode(&message.encode()), Some(message));
            }
        }

        #[test]
        fn a_message_arrives_as_it_was_sent(words: Vec<String>, at: u64, part: Vec<u8>, iops: u32) {
            let sent = [
                Message::Order(Order::Begin(words)),
                Message::Order(Order::Go(Nanos(at))),
                Message::Report(Report::Part(part)),
                Message::Report(Report::Alive { iops: f64::from(iops), quiet: Nanos(at) }),
            ];
            for message in sent {
                prop_assert_eq!(Message::decode(&message.encode()), Some(message));
            }
        }
    }
}

//! A row of a log: its columns and their values.

use std::fmt::Write as _;

use workload::Direction;

use crate::logging::{LogOptions, LogValue};

/// Values of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// Milliseconds since the job's start, or since 1970.
    pub time_ms: u64,
    /// The value.
    pub value: u64,
    /// The greatest value of the window.
    pub greatest: u64,
    /// Direction: 0 read, 1 write, 2 trim.
    pub direction: u8,
    /// Bytes of the I/O; 0 for a window.
    pub bytes: u32,
    /// Byte offset of the I/O; 0 for a window.
    pub offset: u64,
    /// Time at which the I/O was issued, in nanoseconds; 0 for a window.
    pub issued_ns: u64,
}

impl Row {
    /// Appends the row with the columns that `options` ask for. Writing to a `String` cannot fail.
    pub fn write(&self, out: &mut String, options: &LogOptions) {
        let windowed = options.window.0 > 0;
        let value = if windowed && options.value == LogValue::Greatest { self.greatest } else { self.value };
        let _ = write!(out, "{}, {value}", self.time_ms);
        if options.value == LogValue::Both {
            let _ = write!(out, ", {}", if windowed { self.greatest } else { value });
        }
        let _ = write!(out, ", {}, {}", self.direction, self.bytes);
        if options.offset {
            let _ = write!(out, ", {}", self.offset);
        }
        // The process has no I/O priority of its own.
        out.push_str(if options.priority { ", 0x0000" } else { ", 0" });
        if options.issue_time && options.offset {
            let _ = write!(out, ", {}", self.issued_ns);
        }
        out.push('\n');
    }
}

/// Number of `direction` in a row; `None` for flushes, which are not logged.
pub fn number_of(direction: Direction) -> Option<u8> {
    match direction {
        Direction::Read => Some(0),
        Direction::Write => Some(1),
        Direction::Trim => Some(2),
        Direction::Flush => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: workload::Nanos = workload::Nanos::from_millis(500);

    /// fio 3.33 printed each of these rows, except for the last column, which only newer versions have.
    #[test]
    fn columns_come_and_go_as_they_do_in_fio() {
        let text = |set: fn(&mut LogOptions), row: Row| {
            let mut options = LogOptions::default();
            set(&mut options);
            let mut out = String::new();
            row.write(&mut out, &options);
            out
        };
        let single =
            Row { time_ms: 3, value: 142_921, direction: 1, bytes: 4096, offset: 503_808, ..Row::default() };
        assert_eq!(text(|_| {}, single), "3, 142921, 1, 4096, 0\n");
        assert_eq!(text(|o| o.offset = true, single), "3, 142921, 1, 4096, 503808, 0\n");
        assert_eq!(
            text(|o| (o.offset, o.priority) = (true, true), single),
            "3, 142921, 1, 4096, 503808, 0x0000\n"
        );
        let window = Row { time_ms: 500, value: 2008, greatest: 2010, ..Row::default() };
        assert_eq!(text(|o| o.window = HALF, window), "500, 2008, 0, 0, 0\n");
        assert_eq!(
            text(|o| (o.window, o.value) = (HALF, LogValue::Both), window),
            "500, 2008, 2010, 0, 0, 0\n"
        );
        assert_eq!(
            text(|o| (o.window, o.value) = (HALF, LogValue::Greatest), window),
            "500, 2010, 0, 0, 0\n"
        );
        let issued = Row { issued_ns: 77, ..single };
        assert_eq!(
            text(|o| (o.offset, o.issue_time) = (true, true), issued),
            "3, 142921, 1, 4096, 503808, 0, 77\n"
        );
    }
}

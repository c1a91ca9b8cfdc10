//! Flushes between writes, and the flags of a job's system calls.

use workload::{Calls, Flush, FlushBy, PagesFlush};

use super::number::NumberError;
use super::options::JobOptions;
use super::value::ValueError;

/// Options of calls as typed; each field is the option named in its comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallOptions {
    /// `sync_file_range`: flags, and number of writes between two calls.
    pub pages: Option<(PagesFlush, u32)>,
    /// `nowait`.
    pub nowait: bool,
    /// `uncached`.
    pub uncached: bool,
    /// `atomic`.
    pub atomic: bool,
    /// `force_async`.
    pub force_async: u32,
}

/// Returns the number of writes between two flushes.
pub(super) fn flush(options: &JobOptions) -> Flush {
    let pages = options.calls.pages.map_or(0, |(_, writes)| writes);
    match options.fsync.max(options.fdatasync).max(pages) {
        0 => Flush::Never,
        writes => Flush::Every(writes),
    }
}

/// Returns the operation, kind of flush and flags of each system call.
pub(super) fn calls(options: &JobOptions) -> Calls {
    let CallOptions { pages, nowait, uncached, atomic, force_async } = options.calls;
    let flush = match pages {
        Some((pages, _)) => FlushBy::Pages(pages),
        None if options.fsync > 0 => FlushBy::File,
        None => FlushBy::Data,
    };
    Calls { act: options.engine.act(), flush, nowait, uncached, atomic, force_async }
}

/// Difference of flushes from fio's. Before each I/O, fio 3.33 checks whether the count of writes is a multiple, so it
/// also flushes after each read until the next write.
pub(super) fn difference(options: &JobOptions) -> Option<&'static str> {
    let counted = options.fsync > 0 || options.fdatasync > 0;
    (counted && options.pattern.mixed())
        .then_some("flushes follow writes only; fio 3.33 flushes again after each read until the next write")
}

/// Returns two kinds of flush that exclude each other, if both are set.
pub(super) fn contradiction(options: &JobOptions) -> Option<&'static str> {
    match (options.fsync > 0, options.fdatasync > 0, options.calls.pages.is_some()) {
        (true, true, _) => Some("fsync together with fdatasync"),
        (true, _, true) => Some("fsync together with sync_file_range"),
        (_, true, true) => Some("fdatasync together with sync_file_range"),
        _ => None,
    }
}

/// Reads `wait_before,write:8`.
pub(super) fn pages(word: &str) -> Result<(PagesFlush, u32), ValueError> {
    const KNOWN: &[(&str, &str)] = &[("wait_before", ""), ("write", ""), ("wait_after", "")];
    let (names, writes) = word.split_once(':').unwrap_or((word, "1"));
    let mut pages = PagesFlush::default();
    for name in names.split(',').map(str::trim) {
        match name {
            "wait_before" => pages.wait_before = true,
            "write" => pages.write = true,
            "wait_after" => pages.wait_after = true,
            _ => return Err(ValueError::Choice { word: name.to_owned(), words: KNOWN }),
        }
    }
    let wrong =
        || NumberError::misread(word, "the number after the colon says after how many writes, from 1 on");
    let writes = writes.trim().parse().ok().filter(|&writes| writes > 0).ok_or_else(wrong)?;
    Ok((pages, writes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_flushed_as_the_words_say() {
        let both = PagesFlush { wait_before: true, write: true, wait_after: false };
        assert_eq!(pages("wait_before,write:8"), Ok((both, 8)));
        assert_eq!(pages("write"), Ok((PagesFlush { write: true, ..PagesFlush::default() }, 1)));
        for word in ["", "writ:8", "write:", "write:0", "write:-1", "write:x"] {
            assert!(pages(word).is_err(), "{word}");
        }
    }
}

//! Drops the page cache between two passes of a worker over its files, so that each pass reads from the volume and not
//! from memory.

use std::os::fd::AsFd;

use kernel::OpenFile;
use workload::{Bytes, Io};

/// The progress of a worker within its pass.
#[derive(Debug)]
pub(super) struct Passes {
    files: Vec<OpenFile>,
    /// Bytes per pass.
    length: u64,
    issued: u64,
}

impl Passes {
    /// Passes of `length` over `files`; `None` if the plan asks for none.
    pub(super) fn new(length: Option<Bytes>, files: Vec<OpenFile>) -> Option<Passes> {
        length.filter(|length| *length > Bytes(0)).map(|length| Passes { files, length: length.0, issued: 0 })
    }

    /// Counts I/Os that are submitted.
    pub(super) fn issued(&mut self, ios: &[Io]) {
        self.issued += ios.iter().map(|io| u64::from(io.bytes)).sum::<u64>();
    }

    /// Drops the page cache once a pass has been issued; returns whether it did. Dirty pages are not waited for, as in
    /// fio, and if the kernel ignores the advice, nothing changes. At depth, the pass's last I/Os may still be in
    /// flight.
    pub(super) fn turn_over(&mut self) -> bool {
        if self.issued < self.length {
            return false;
        }
        self.issued %= self.length;
        for file in &self.files {
            // The first call works on a device, for root only; on a file it fails.
            let _ = kernel::flush_buffers(file.as_fd()).or_else(|_| kernel::forget(file, 0, Bytes(0)));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::{Direction, Nanos};

    #[test]
    fn a_pass_is_over_when_its_bytes_are_issued() {
        let io = |bytes| Io { slot: 0, kind: Direction::Read, file: 0, offset: 0, bytes, due: Nanos::ZERO };
        let mut passes = Passes::new(Some(Bytes(10)), Vec::new()).unwrap();
        passes.issued(&[io(4), io(4)]);
        assert!(!passes.turn_over());
        passes.issued(&[io(4)]);
        assert!(passes.turn_over() && !passes.turn_over(), "once a pass");
        passes.issued(&[io(8)]);
        assert!(passes.turn_over(), "two bytes of it had been issued before");
        assert!(Passes::new(None, Vec::new()).is_none());
    }
}

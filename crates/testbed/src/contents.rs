//! The contents of a file: pages in memory if something was written, or another file.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The unit in which memory is taken, in bytes.
const PAGE: usize = 64 << 10;

/// The bytes of one file.
#[derive(Debug)]
pub(crate) enum Contents {
    /// Zeros, except for the pages that were written.
    Memory { size: u64, pages: HashMap<u64, Box<[u8]>> },
    /// The bytes of another file.
    File(File),
}

impl Contents {
    pub(crate) fn zeros(size: u64) -> Contents {
        Contents::Memory { size, pages: HashMap::new() }
    }

    pub(crate) fn size(&self) -> u64 {
        match self {
            Contents::Memory { size, .. } => *size,
            Contents::File(file) => file.metadata().map_or(0, |meta| meta.len()),
        }
    }

    pub(crate) fn truncate(&mut self, to: u64) -> io::Result<()> {
        match self {
            Contents::File(file) => file.set_len(to),
            Contents::Memory { size, pages } => {
                *size = to;
                pages.retain(|page, _| page * (PAGE as u64) < to);
                if let Some(last) = pages.get_mut(&(to / PAGE as u64)) {
                    last[(to % PAGE as u64) as usize..].fill(0);
                }
                Ok(())
            }
        }
    }

    /// Returns as many bytes of `length` from `offset` on as there are.
    pub(crate) fn read(&self, offset: u64, length: u32) -> io::Result<Vec<u8>> {
        let length = self.size().saturating_sub(offset).min(u64::from(length));
        let mut bytes = vec![0; length as usize];
        match self {
            Contents::File(file) => file.read_exact_at(&mut bytes, offset)?,
            Contents::Memory { pages, .. } => each_page(offset, bytes.len(), |page, within, part| {
                if let Some(page) = pages.get(&page) {
                    bytes[part].copy_from_slice(&page[within]);
                }
            }),
        }
        Ok(bytes)
    }

    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        match self {
            Contents::File(file) => file.write_all_at(bytes, offset),
            Contents::Memory { size, pages } => {
                *size = (*size).max(offset + bytes.len() as u64);
                each_page(offset, bytes.len(), |page, within, part| {
                    let page = pages.entry(page).or_insert_with(|| vec![0; PAGE].into_boxed_slice());
                    page[within].copy_from_slice(&bytes[part]);
                });
                Ok(())
            }
        }
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        match self {
            Contents::File(file) => file.sync_all(),
            Contents::Memory { .. } => Ok(()),
        }
    }
}

/// Calls `visit` with each page that `length` bytes from `offset` on touch: its number, the part of it, and
/// the range of those bytes in the buffer.
fn each_page(
    offset: u64,
    length: usize,
    mut visit: impl FnMut(u64, std::ops::Range<usize>, std::ops::Range<usize>),
) {
    let mut done = 0;
    while done < length {
        let at = offset + done as u64;
        let within = (at % PAGE as u64) as usize;
        let count = (PAGE - within).min(length - done);
        visit(at / PAGE as u64, within..within + count, done..done + count);
        done += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_across_pages_is_read_and_what_was_cut_off_is_zero() {
        let mut contents = Contents::zeros(1 << 20);
        let bytes: Vec<u8> = (0..200_000_u32).map(|n| (n % 251) as u8).collect();
        contents.write(60_000, &bytes).unwrap();
        assert_eq!(contents.read(60_000, 200_000).unwrap(), bytes);
        contents.truncate(100_000).unwrap();
        assert_eq!(contents.read(99_999, 10).unwrap(), [bytes[39_999]]);
        contents.truncate(1 << 20).unwrap();
        assert_eq!(contents.read(100_000, 10).unwrap(), [0; 10]);
        assert_eq!(contents.read(1 << 20, 10).unwrap(), [0; 0]);
    }
}

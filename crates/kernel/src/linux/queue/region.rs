//! One mapped, prefaulted region that holds all buffers of a queue.

use std::io;
use std::ptr::NonNull;

/// An anonymous private mapping. It is unmapped on drop unless [`Region::leak`] was called.
#[derive(Debug)]
pub(super) struct Region {
    map: NonNull<libc::c_void>,
    map_bytes: usize,
    start: NonNull<u8>,
    bytes: usize,
}

const HUGE_PAGE: usize = 2 << 20;
const PAGE: usize = 4096;

impl Region {
    /// Maps `bytes`, aligned to `align` (a power of two) and, if it is large enough, to a huge page, and touches every
    /// page, so that no fault happens while I/O is measured.
    pub(super) fn map(bytes: usize, align: usize) -> io::Result<Region> {
        assert!(align.is_power_of_two(), "an alignment of {align} is no power of two");
        let align = if bytes >= HUGE_PAGE { align.max(HUGE_PAGE) } else { align.max(PAGE) };
        let out_of_memory = || io::Error::from_raw_os_error(libc::ENOMEM);
        let bytes = bytes.checked_next_multiple_of(PAGE).ok_or_else(out_of_memory)?;
        let map_bytes = bytes.checked_add(align).ok_or_else(out_of_memory)?;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice, which cannot overlap existing memory.
        let map = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                map_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if map == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let map = NonNull::new(map).ok_or_else(out_of_memory)?;
        let skip = map.cast::<u8>().align_offset(align);
        assert!(skip < align, "the start of a region lies behind its mapping");
        // SAFETY: `skip` is below `align`, and `align` bytes more than `bytes` are mapped.
        let start = unsafe { map.cast::<u8>().add(skip) };
        let region = Region { map, map_bytes, start, bytes };
        region.prepare();
        Ok(region)
    }

    fn prepare(&self) {
        let start = self.start.as_ptr();
        // Huge pages mean fewer segments in the block layer and fewer TLB misses. A forked child gets no copy:
        // otherwise a fork could leave this process other pages than the kernel writes to. Either call may fail without
        // harm.
        // SAFETY: the range lies in our own mapping, and neither advice changes its contents.
        unsafe {
            libc::madvise(start.cast(), self.bytes, libc::MADV_HUGEPAGE);
            libc::madvise(start.cast(), self.bytes, libc::MADV_DONTFORK);
        }
        for page in (0..self.bytes).step_by(PAGE) {
            // SAFETY: inside the mapping, which nothing else knows yet; volatile, so that the write is not optimised away.
            unsafe { start.add(page).write_volatile(0) };
        }
    }

    /// The first byte of the region.
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Usable length of the region.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keeps the region mapped for ever, because the kernel may still write to it.
    pub(super) fn leak(&mut self) {
        self.map_bytes = 0;
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if self.map_bytes > 0 {
            // SAFETY: exactly the mapping that `map` made; the owner of the region has made sure that neither the
            // kernel nor a borrow uses it any more.
            unsafe { libc::munmap(self.map.as_ptr(), self.map_bytes) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_aligned_zeroed_and_as_long_as_asked() {
        for (bytes, align) in [(1, 512), (4096, 4096), (3 << 20, 4096), (5000, 1 << 16)] {
            let region = Region::map(bytes, align).unwrap();
            assert_eq!(region.start().as_ptr() as usize % align.max(PAGE), 0);
            assert!(region.bytes() >= bytes);
            // SAFETY: the region is mapped for this length and nothing writes to it.
            let all = unsafe { std::slice::from_raw_parts(region.start().as_ptr(), region.bytes()) };
            assert!(all.iter().all(|&b| b == 0));
        }
    }

    #[test]
    fn more_than_there_can_be_is_an_error() {
        assert!(Region::map(usize::MAX - 4096, 4096).is_err());
        assert!(Region::map(usize::MAX / 2, 4096).is_err());
    }
}

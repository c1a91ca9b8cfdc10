//! Log pages of NVMe controllers.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use super::call::check;

/// The admin command, laid out as in `<linux/nvme_ioctl.h>`.
#[repr(C)]
#[derive(Default)]
struct AdminCommand {
    opcode: u8,
    flags: u8,
    rsvd1: u16,
    nsid: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    addr: u64,
    metadata_len: u32,
    data_len: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = libc::_IOWR::<AdminCommand>(b'N' as u32, 0x41);
/// Get Log Page (NVM Express base specification, 5.1.12).
const GET_LOG_PAGE: u8 = 0x02;
/// Time in milliseconds after which the kernel gives up on a controller that does not answer.
const TIMEOUT_MS: u32 = 1000;

/// Fills `page` from the start of log page `id` of namespace 1 of the open NVMe device; the length of `page` must be a
/// multiple of four. Reading a page changes nothing on the device; needs root.
///
/// # Errors
/// `ENOTTY` for any other device, `EACCES` without root, `Other` with the controller's status if it refuses.
pub fn nvme_log_page(fd: BorrowedFd<'_>, id: u8, page: &mut [u8]) -> io::Result<()> {
    let words = (page.len() / 4) as u32;
    assert!(words > 0 && page.len().is_multiple_of(4), "a log page is read in words of four bytes");
    let mut command = AdminCommand {
        opcode: GET_LOG_PAGE,
        nsid: 1,
        addr: page.as_mut_ptr() as u64,
        data_len: words * 4,
        // The field holds the number of words minus one, in two halves.
        cdw10: u32::from(id) | (((words - 1) & 0xffff) << 16),
        cdw11: (words - 1) >> 16,
        timeout_ms: TIMEOUT_MS,
        ..AdminCommand::default()
    };
    // SAFETY: the command has the kernel's layout and lives across the call; the kernel writes `data_len` bytes at
    // `addr`, which are all of `page`, borrowed for the duration of the call.
    let status = check(unsafe { libc::ioctl(fd.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, &raw mut command) })?;
    match status {
        0 => Ok(()),
        status => {
            Err(io::Error::other(format!("the controller refuses log page {id:#04x}: status {status:#x}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn the_command_is_as_long_as_the_kernels_and_what_is_no_nvme_device_is_an_error() {
        assert_eq!(size_of::<AdminCommand>(), 72);
        let file = std::fs::File::open("/dev/null").unwrap();
        let mut page = [0u8; 512];
        assert_eq!(
            nvme_log_page(file.as_fd(), 0xd0, &mut page).unwrap_err().raw_os_error(),
            Some(libc::ENOTTY)
        );
        assert!(page.iter().all(|byte| *byte == 0));
    }
}

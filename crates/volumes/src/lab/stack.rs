//! Two loop devices, one on the other: the lower is throttled, the upper carries the load.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kernel::guard::{AllowDestroy, WritePermit, permit_block_device};
use kernel::lab::{
    LoopDevice, LoopError, LoopOptions, WriteCache, detach, loops, set_max_sectors_kb, set_write_cache,
};
use kernel::{DeviceNumber, Direct};
use workload::Bytes;

use super::{LabError, Lifetime, group};

/// The kernel's default for the largest request: 2,560 sectors (`BLK_DEF_MAX_SECTORS_CAP`). A loop device keeps what was
/// set for its last use, so that it is written in any case.
const WHOLE: Bytes = Bytes::kib(1280);

/// A loop device that is taken apart on drop unless it is kept.
#[derive(Debug)]
pub(crate) struct Attached {
    /// Open where the kernel is to take it apart when this process ends.
    device: Option<LoopDevice>,
    path: PathBuf,
    number: DeviceNumber,
    /// Whether drop detaches it.
    detach: bool,
    /// Whether it goes past the page cache.
    direct: Direct,
}

impl Attached {
    fn new(permit: &WritePermit, lifetime: Lifetime, direct: Direct) -> Result<Attached, LabError> {
        let options = LoopOptions { direct, size_limit: None, block_size: None };
        if lifetime == Lifetime::ThisRun {
            let device = LoopDevice::attach(permit, options)?;
            let (path, number) = (device.path().to_owned(), device.number());
            return Ok(Attached { device: Some(device), path, number, detach: true, direct });
        }
        let path = LoopDevice::attach_for_good(permit, options)?;
        match number_at(&path) {
            Some(number) => Ok(Attached { device: None, path, number, detach: true, direct }),
            None => {
                let _ = detach(&path);
                Err(LabError::NoLab { device: path })
            }
        }
    }

    /// Past the page cache where the file system can; memory cannot before Linux 6.6, and there it makes no difference.
    fn of_file(permit: &WritePermit, lifetime: Lifetime) -> Result<Attached, LabError> {
        match Attached::new(permit, lifetime, Direct::Yes) {
            Err(LabError::Loop(LoopError::Attach { source, .. }))
                if source.kind() == std::io::ErrorKind::InvalidInput =>
            {
                Attached::new(permit, lifetime, Direct::No)
            }
            other => other,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn number(&self) -> DeviceNumber {
        self.number
    }

    pub(crate) fn direct(&self) -> Direct {
        self.direct
    }

    /// Leaves it attached.
    fn keep(&mut self) {
        self.detach = false;
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        if !self.detach {
            return;
        }
        let device = self.device.take();
        let _ = let_go(&self.path, || match device {
            Some(device) => device.detach(),
            None => detach(&self.path),
        });
    }
}

/// Detaches the loop device at `path` by `detach` and waits a moment until it is gone: who closed it last may still be
/// in the kernel's hands, as the files of an io_uring are. False where somebody has it open still; the kernel removes
/// it when that is over.
///
/// # Errors
/// [`LoopError::Detach`].
pub(crate) fn let_go(path: &Path, detach: impl FnOnce() -> Result<(), LoopError>) -> Result<bool, LoopError> {
    const ATTEMPTS: u32 = 50;
    const PAUSE: Duration = Duration::from_millis(10);
    let before = shown(path);
    detach()?;
    let gone = || before.is_none() || shown(path) != before;
    Ok((0..ATTEMPTS).any(|attempt| {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        gone()
    }))
}

/// What the loop device at `path` shows.
fn shown(path: &Path) -> Option<PathBuf> {
    let attached = loops(Path::new("/")).into_iter();
    attached.filter(|device| path.ends_with(&device.name)).map(|device| device.backing).next()
}

/// The number of the loop device at `/dev/loopN`.
pub(crate) fn number_at(path: &Path) -> Option<DeviceNumber> {
    kernel::number_of_name(Path::new("/"), path.file_name()?.to_str()?)
}

/// Both devices; the upper goes first on drop.
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) above: Attached,
    pub(crate) below: Attached,
}

impl Stack {
    /// Shows a file through two devices, of which the lower splits I/O at `unit`.
    ///
    /// # Errors
    /// [`LabError`] without root or the loop driver.
    pub(crate) fn attach(
        permit: &WritePermit,
        unit: Option<Bytes>,
        lifetime: Lifetime,
    ) -> Result<Stack, LabError> {
        let below = Attached::of_file(permit, lifetime)?;
        // What a crash may have left in force on these devices.
        group::lift_everywhere(below.number);
        set_largest_request(below.number, unit.unwrap_or(WHOLE))?;
        // A provider's volume keeps what it has confirmed. Else every flush would be sent through the throttle, which
        // counts it as one more I/O: 150 of 3,200 a second with stable writes on ext4.
        set_write_cache(below.number, WriteCache::Kept)?;
        let allow = AllowDestroy::devices([below.path.clone()]);
        let (permit, _) = permit_block_device(&below.path, &allow)?;
        let above = Attached::new(&permit, lifetime, Direct::Yes)?;
        group::lift_everywhere(above.number);
        set_largest_request(above.number, WHOLE)?;
        Ok(Stack { above, below })
    }

    /// Leaves both attached.
    pub(crate) fn keep(mut self) {
        self.above.keep();
        self.below.keep();
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        if self.below.detach {
            reset_queue(self.below.number);
        }
    }
}

fn set_largest_request(number: DeviceNumber, size: Bytes) -> Result<(), LabError> {
    set_max_sectors_kb(number, size.0 / 1024)?;
    Ok(())
}

/// So that the next user of the device finds it as the kernel makes it.
pub(crate) fn reset_queue(number: DeviceNumber) {
    let _ = set_max_sectors_kb(number, WHOLE.0 / 1024);
    let _ = set_write_cache(number, WriteCache::Volatile);
}

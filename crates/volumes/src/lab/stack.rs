//! Two loop devices, one on the other: the lower is throttled, the upper carries the load.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kernel::guard::{AllowDestroy, WritePermit, permit_block_device};
use kernel::lab::{
    LoopDevice, LoopError, LoopOptions, flushes_are_off, let_flushes_through, loops, set_max_sectors_kb,
};
use kernel::{DeviceNumber, Direct};
use workload::Bytes;

use super::cleanup::Step;
use super::{LabError, group};

/// The kernel's default for the largest request: 2,560 sectors (`BLK_DEF_MAX_SECTORS_CAP`).
const WHOLE: Bytes = Bytes::kib(1280);

/// A loop device that is detached on drop, and by the kernel if this process dies, unless it is kept.
#[derive(Debug)]
pub(crate) struct LoopAttachment {
    /// The device; `None` once it has been made permanent.
    device: Option<LoopDevice>,
    path: PathBuf,
    number: DeviceNumber,
    /// Whether the device bypasses the page cache.
    direct: Direct,
}

impl LoopAttachment {
    fn new(permit: &WritePermit, direct: Direct) -> Result<LoopAttachment, LabError> {
        let options = LoopOptions { direct, size_limit: None, block_size: None };
        let device = LoopDevice::attach(permit, options)?;
        let (path, number) = (device.path().to_owned(), device.number());
        Ok(LoopAttachment { device: Some(device), path, number, direct })
    }

    /// Attaches a file past the page cache if the file system supports it; a file system in memory does so only since
    /// Linux 6.6, and there it makes no difference.
    fn of_file(permit: &WritePermit) -> Result<LoopAttachment, LabError> {
        match LoopAttachment::new(permit, Direct::Yes) {
            Err(LabError::Loop(LoopError::Attach { source, .. }))
                if source.kind() == std::io::ErrorKind::InvalidInput =>
            {
                LoopAttachment::new(permit, Direct::No)
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

    /// Leaves the device attached.
    fn keep(&mut self) -> Result<(), LabError> {
        Ok(self.device.take().map_or(Ok(()), LoopDevice::keep)?)
    }
}

impl Drop for LoopAttachment {
    fn drop(&mut self) {
        if let Some(device) = self.device.take() {
            let _ = let_go(&self.path, || device.detach());
        }
    }
}

/// Detaches the loop device at `path` by `detach` and waits briefly until it is gone: the kernel may still be busy with
/// the last user, for example with the files of an io_uring. Returns false if somebody still has the device open; the
/// kernel removes it once it is closed.
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

/// Returns the backing file of the loop device at `path`.
fn shown(path: &Path) -> Option<PathBuf> {
    let attached = loops(Path::new("/")).into_iter();
    attached.filter(|device| path.ends_with(&device.name)).map(|device| device.backing).next()
}

/// Returns the number of the loop device at `/dev/loopN`.
pub(crate) fn number_at(path: &Path) -> Option<DeviceNumber> {
    kernel::number_of_name(Path::new("/"), path.file_name()?.to_str()?)
}

/// Both devices; on drop, the upper is detached first.
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) above: LoopAttachment,
    pub(crate) below: LoopAttachment,
}

impl Stack {
    /// Attaches a file through two devices.
    ///
    /// # Errors
    /// [`LabError`] without root or the loop driver.
    pub(crate) fn attach(permit: &WritePermit) -> Result<Stack, LabError> {
        let below = LoopAttachment::of_file(permit)?;
        make_as_new(below.number);
        let allow = AllowDestroy::devices([below.path.clone()]);
        let (permit, _) = permit_block_device(&below.path, &allow)?;
        let above = LoopAttachment::new(&permit, Direct::Yes)?;
        assert!(above.number != below.number, "a loop device would stand on itself");
        make_as_new(above.number);
        Ok(Stack { above, below })
    }

    /// Makes the lower device split I/O at `unit`. The setting outlives the device: the caller must already have noted
    /// the step that undoes it.
    ///
    /// # Errors
    /// [`LabError::Throttle`] if the kernel refuses.
    pub(crate) fn split_at(&self, unit: Option<Bytes>) -> Result<(), LabError> {
        set_max_sectors_kb(self.below.number, unit.unwrap_or(WHOLE).0 / 1024)?;
        Ok(())
    }

    /// Leaves both devices attached, in one step: the upper holds the lower, which goes with it, so that a killed
    /// process leaves both or neither.
    ///
    /// # Errors
    /// [`LabError::Loop`]; then neither device is left.
    pub(crate) fn keep(mut self) -> Result<(), LabError> {
        self.above.keep()?;
        drop(self.below.device.take());
        Ok(())
    }

    /// Returns the step that cancels the cleanup after this process's death once the devices are kept.
    pub(crate) fn until_kept(&self) -> Step {
        let name = self.above.path.file_name().unwrap_or_default();
        let folder = Path::new("/sys/class/block").join(name).join("loop");
        Step::UntilKept { device: folder, shows: self.below.path.clone() }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        if self.below.device.is_some() {
            reset_queue(self.below.number);
        }
    }
}

/// Removes the limits and queue settings that a crash may have left in force on the number of a loop device.
fn make_as_new(number: DeviceNumber) {
    group::lift_everywhere(number);
    reset_queue(number);
}

/// Resets the queue of a loop device to the values of a new device, because settings outlive an attachment.
///
/// This is right even if somebody attaches something in between: they get the values of a new device, and flushes,
/// which are never wrong to send.
pub(crate) fn reset_queue(number: DeviceNumber) {
    if !has_queue_of_ours(number) {
        return;
    }
    let _ = set_max_sectors_kb(number, WHOLE.0 / 1024);
    if flushes_are_off(number) {
        let _ = let_flushes_through(number);
    }
}

/// Whether the queue has values that a loop device does not get from the kernel, but that the lab sets or once set: a
/// smaller largest request, and no flushes.
pub(crate) fn has_queue_of_ours(number: DeviceNumber) -> bool {
    largest_request(number).is_some_and(|size| size < WHOLE) || flushes_are_off(number)
}

/// Returns the size of the largest request that is now sent to the device.
pub(crate) fn largest_request(number: DeviceNumber) -> Option<Bytes> {
    let text = std::fs::read_to_string(request_file(number)).ok()?;
    text.trim().parse().ok().map(Bytes::kib)
}

/// Returns the kernel's file of the largest request's size, in KiB.
pub(crate) fn request_file(number: DeviceNumber) -> PathBuf {
    PathBuf::from(format!("/sys/dev/block/{number}/queue/max_sectors_kb"))
}

/// Returns the text that sets the default size in [`request_file`].
pub(crate) fn whole_request() -> String {
    (WHOLE.0 / 1024).to_string()
}

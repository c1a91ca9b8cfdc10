//! An EBS volume's own counters: the statistics page of its NVMe controller.
//!
//! On Nitro machines Amazon's volumes are NVMe devices with a vendor's log page, 0xD0, whose counters give the time
//! over the limits of the volume, and over those of the instance (layout as in amazon-ec2-utils and nvme-cli).

use std::fs::File;
use std::os::fd::AsFd;

use record::ExceededLimits;

use crate::Root;

/// Number of the page.
const PAGE: u8 = 0xd0;
/// Bytes up to the end of the counters; the histograms after them are not read.
const LENGTH: usize = 96;
/// First word of the page of an EBS volume, and of an instance's local disk, whose counters have the same layout.
const MAGIC: [u32; 2] = [0x3c23_b510, 0xec2c_0d7e];
/// Start of the controller's model.
const MODELS: [&str; 2] = ["Amazon Elastic Block Store", "Amazon EC2 NVMe Instance Storage"];

/// Why a page cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// The page ends before the end of its counters.
    #[error("a statistics page of {0} bytes is too short: its counters reach to 96")]
    Short(usize),
    /// The page belongs to another vendor, or is not a statistics page.
    #[error("a page that begins with {0:#010x} is no statistics page of Amazon's")]
    Magic(u32),
}

/// Returns the counters of a statistics page of any version: later versions add counters at the end.
///
/// # Errors
/// [`PageError`].
pub fn exceeded_limits(page: &[u8]) -> Result<ExceededLimits, PageError> {
    let word = |at: usize| page.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
    let short = PageError::Short(page.len());
    let magic = page.get(..4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes).ok_or(short)?;
    if !MAGIC.contains(&magic) {
        return Err(PageError::Magic(magic));
    }
    Ok(ExceededLimits {
        volume_iops_us: word(56).ok_or(short)?,
        volume_bytes_us: word(64).ok_or(short)?,
        instance_iops_us: word(72).ok_or(short)?,
        instance_bytes_us: word(80).ok_or(short)?,
    })
}

/// Returns the present counters of the controller of disk `name` (`nvme1n1`); `None` if it is not an Amazon volume or
/// this process may not ask.
pub fn read_exceeded_limits(root: &Root, name: &str) -> Option<ExceededLimits> {
    let model = root.text(format!("sys/block/{name}/device/model"))?;
    if !MODELS.iter().any(|known| model.trim().starts_with(known)) {
        return None;
    }
    let device = File::open(root.join(format!("dev/{name}"))).ok()?;
    let mut page = [0; LENGTH];
    kernel::nvme_log_page(device.as_fd(), PAGE, &mut page).ok()?;
    exceeded_limits(&page).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a page in which the word at each offset of eight is that offset.
    fn page(magic: u32, version: u32, length: usize) -> Vec<u8> {
        let mut page: Vec<u8> =
            (0..length.div_ceil(8)).flat_map(|at| (at as u64 * 8).to_le_bytes()).collect();
        page.truncate(length);
        page[..4].copy_from_slice(&magic.to_le_bytes());
        page[4..8].copy_from_slice(&version.to_le_bytes());
        page
    }

    #[test]
    fn counters_are_where_the_layout_has_them_in_every_version_and_length() {
        let wanted = ExceededLimits {
            volume_iops_us: 56,
            volume_bytes_us: 64,
            instance_iops_us: 72,
            instance_bytes_us: 80,
        };
        for (magic, version, length) in
            [(MAGIC[0], 0, 4096), (MAGIC[0], 1, 8192), (MAGIC[1], 1, 96), (MAGIC[0], 7, 88)]
        {
            assert_eq!(
                exceeded_limits(&page(magic, version, length)),
                Ok(wanted),
                "{magic:x} {version} {length}"
            );
        }
    }

    #[test]
    fn what_is_short_or_somebody_elses_is_no_statistics_page() {
        assert_eq!(exceeded_limits(&[]), Err(PageError::Short(0)));
        assert_eq!(exceeded_limits(&page(MAGIC[0], 0, 87)), Err(PageError::Short(87)));
        assert_eq!(exceeded_limits(&page(0, 0, 4096)), Err(PageError::Magic(0)));
        assert_eq!(exceeded_limits(&page(0x10b5_233c, 0, 4096)), Err(PageError::Magic(0x10b5_233c)));
    }

    #[test]
    fn a_machine_without_such_a_volume_is_not_asked() {
        let machine = tempfile::tempdir().unwrap();
        let model = machine.path().join("sys/block/nvme0n1/device");
        std::fs::create_dir_all(&model).unwrap();
        std::fs::write(model.join("model"), "Some other disk\n").unwrap();
        let root = Root::at(machine.path());
        assert_eq!(read_exceeded_limits(&root, "nvme0n1"), None);
        // A file in the device's place does not answer either.
        std::fs::write(model.join("model"), "Amazon Elastic Block Store              \n").unwrap();
        std::fs::create_dir_all(machine.path().join("dev")).unwrap();
        std::fs::write(machine.path().join("dev/nvme0n1"), "").unwrap();
        assert_eq!(read_exceeded_limits(&root, "nvme0n1"), None);
    }
}

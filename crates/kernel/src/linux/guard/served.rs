//! Devices that this machine exports to others as disks: targets of NVMe and of SCSI, according to configfs. The kernel
//! has such a device open without claiming it, and no process has a descriptor.

use std::path::{Path, PathBuf};

use super::backing::store_at;
use super::hold::Hold;
use super::question::Question;
use crate::linux::device::read_word;
use crate::linux::facts::folder_names;

/// The mount point of configfs, below the root.
const CONFIG: &str = "sys/kernel/config";

/// A device or file that is exported.
struct ExportedPath {
    path: PathBuf,
    by: String,
}

/// Finds every export that shares a byte with the target.
pub(super) fn served(question: &Question<'_>) -> Vec<Hold> {
    let config = question.root.join(CONFIG);
    let shared = nvme(&config).into_iter().chain(scsi(&config)).filter_map(|served| {
        let store = store_at(question.root, &served.path)?;
        question.shares(store.clone()).then(|| Hold::Served { device: question.name(&store), by: served.by })
    });
    shared.collect()
}

/// NVMe targets (Documentation/nvme of the kernel): `nvmet/subsystems/NQN/namespaces/N/device_path`, in use while `enable`
/// is set.
fn nvme(config: &Path) -> Vec<ExportedPath> {
    let mut found = Vec::new();
    let subsystems = config.join("nvmet/subsystems");
    for subsystem in folder_names(&subsystems) {
        let namespaces = subsystems.join(&subsystem).join("namespaces");
        for number in folder_names(&namespaces) {
            let folder = namespaces.join(&number);
            let path = read_word(&folder.join("device_path")).filter(|_| is_enabled(&folder));
            let by = format!("namespace {number} of the NVMe target {subsystem}");
            found.extend(path.map(|path| ExportedPath { path: PathBuf::from(path), by }));
        }
    }
    found
}

/// SCSI targets (Documentation/target of the kernel): `target/core/HBA/NAME`, whose path tools write to `udev_path` and
/// the kernel shows in `info` after `File:`.
fn scsi(config: &Path) -> Vec<ExportedPath> {
    let mut found = Vec::new();
    let core = config.join("target/core");
    for adapter in folder_names(&core) {
        for name in folder_names(&core.join(&adapter)) {
            let folder = core.join(&adapter).join(&name);
            if !is_enabled(&folder) {
                continue;
            }
            let info = std::fs::read_to_string(folder.join("info")).unwrap_or_default();
            let paths = [read_word(&folder.join("udev_path")), file_of_info(&info)];
            let by = format!("the SCSI target {adapter}/{name}");
            found.extend(
                paths.into_iter().flatten().map(|path| ExportedPath { path: path.into(), by: by.clone() }),
            );
        }
    }
    found
}

fn is_enabled(folder: &Path) -> bool {
    read_word(&folder.join("enable")).as_deref() != Some("0")
}

fn file_of_info(info: &str) -> Option<String> {
    let (_, behind) = info.split_once("File: ")?;
    let (path, _) = behind.split_once("  Size:")?;
    Some(path.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::question::{holds, holds_of_file};
    use crate::linux::captured::Machine;
    use crate::linux::device::DeviceNumber;
    use std::path::Path;

    #[test]
    fn what_is_served_to_other_machines_is_in_use() {
        let machine = Machine::new("");
        for (name, number) in [("sda", "8:0"), ("sdb", "8:16"), ("sdc", "8:32")] {
            machine.device(&format!("pci/{name}"), number, &[("size", "4000")]);
        }
        let nvme = "sys/kernel/config/nvmet/subsystems/nqn.store/namespaces";
        for (number, device, enable) in [("1", "/dev/sda", "1"), ("2", "/dev/sdc", "0")] {
            machine.file(&format!("{nvme}/{number}/device_path"), &format!("{device}\n"));
            machine.file(&format!("{nvme}/{number}/enable"), &format!("{enable}\n"));
        }
        let core = "sys/kernel/config/target/core";
        machine.file(&format!("{core}/iblock_0/disk/udev_path"), "/dev/sdb\n");
        machine.file(&format!("{core}/iblock_0/disk/enable"), "1\n");
        let info = "Status: ACTIVATED  Max Queue Depth: 0\n        TCM FILEIO ID: 0        File: /srv/a b  Size: 9  Mode: O_DSYNC\n";
        machine.file(&format!("{core}/fileio_1/image/info"), info);
        let words = |minor| -> Vec<String> {
            holds(machine.root(), DeviceNumber { major: 8, minor }).iter().map(ToString::to_string).collect()
        };
        assert_eq!(words(0), ["sda is served to other machines by namespace 1 of the NVMe target nqn.store"]);
        assert_eq!(words(16), ["sdb is served to other machines by the SCSI target iblock_0/disk"]);
        assert!(words(32).is_empty(), "not enabled");
        assert_eq!(holds_of_file(machine.root(), Path::new("/srv/a b")).len(), 1);
    }
}

//! The request that an iostat command line makes.

/// The outcome of parsing a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Print this text, and read no counters.
    Say(String),
    /// Print reports.
    Watch(Box<IostatRequest>),
}

/// Unit of amounts of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// 1,024 bytes.
    #[default]
    Kilobytes,
    /// 1,048,576 bytes.
    Megabytes,
    /// 512 bytes, as POSIX requires.
    Sectors,
}

/// Source of the list of devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// `/sys/block`: whole disks.
    #[default]
    Disks,
    /// `/proc/diskstats`: partitions too.
    Everything,
}

/// A group of devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Members of the group, as typed.
    pub members: Vec<String>,
    /// Disks typed after `-p`; they and their partitions are members.
    pub disks: Vec<String>,
}

impl Group {
    /// Whether the device was typed after the group's name.
    pub(super) fn holds(&self, device: &str) -> bool {
        self.members.iter().any(|member| member == device) || holds_partition(&self.disks, device)
    }
}

/// Whether `device` is one of `disks` or a partition of one: `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`.
fn holds_partition(disks: &[String], device: &str) -> bool {
    disks.iter().any(|disk| {
        let Some(rest) = device.strip_prefix(disk.as_str()) else { return false };
        let number =
            if disk.ends_with(|c: char| c.is_ascii_digit()) { rest.strip_prefix('p') } else { Some(rest) };
        rest.is_empty()
            || number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// The requested reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IostatRequest {
    /// Whether the CPU report is printed.
    pub cpu: bool,
    /// Whether the device report is printed.
    pub devices: bool,
    /// `-x`: extended figures.
    pub extended: bool,
    /// `-s`: short form.
    pub short: bool,
    /// Unit of amounts, if one was chosen.
    pub units: Option<Units>,
    /// Whether a unit follows each value.
    pub human: bool,
    /// Whether device names are at the end of the line.
    pub pretty: bool,
    /// Whether the pretty extended report is in one table.
    pub compact: bool,
    /// Number of decimals in text, if chosen.
    pub decimals: Option<u8>,
    /// Whether the output is JSON instead of text.
    pub json: bool,
    /// Whether a line with the time precedes each report.
    pub timestamp: bool,
    /// Whether device mapper devices are shown under their mapper names.
    pub mapper_names: bool,
    /// Kind of persistent names (`id`, `label`, `path`, `uuid`), in lower case.
    pub persistent: Option<String>,
    /// Folder with the counters, instead of `/proc` and `/sys`.
    pub folder: Option<String>,
    /// Folder with further devices, which are listed after those of the kernel.
    pub folder_besides: Option<String>,
    /// Devices, in the order typed.
    pub names: Vec<String>,
    /// Disks that are listed with their partitions.
    pub with_partitions: Vec<String>,
    /// `ALL`: whether to show devices that were never used.
    pub never_used_too: bool,
    /// Source of the list of devices.
    pub source: Source,
    /// Groups, in the order typed.
    pub groups: Vec<Group>,
    /// Whether only groups are reported.
    pub only_groups: bool,
    /// Whether the first report, which covers the time since boot, is left out.
    pub skip_first: bool,
    /// Whether devices without activity are left out.
    pub skip_idle: bool,
    /// Seconds between reports; 0: one report.
    pub interval_s: u64,
    /// Number of reports; `None`: until stopped.
    pub count: Option<u64>,
}

impl IostatRequest {
    /// Unit of amounts: the chosen one, or the default.
    pub(super) fn units(&self) -> Units {
        self.units.unwrap_or_default()
    }

    /// Whether the report on the time since boot is left out; if it is the only one, it stays.
    pub fn skips_first(&self) -> bool {
        self.skip_first && self.interval_s > 0
    }

    /// Whether the device, or its disk after `-p`, was typed.
    pub(super) fn is_typed(&self, device: &str) -> bool {
        self.names.iter().any(|name| name == device) || holds_partition(&self.with_partitions, device)
    }

    /// Whether any device was typed, in which case devices that were never used are shown too.
    pub fn is_chosen(&self) -> bool {
        !self.names.is_empty() || !self.with_partitions.is_empty()
    }
}

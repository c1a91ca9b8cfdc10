//! The option table: every option of iostat as a row.

use options::Table;

use super::asked::{Group, IostatRequest, Source, Units};

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// One word; the help shows this name for it.
    Word(&'static str),
    /// A list of devices separated by commas, or nothing.
    Devices,
}

/// The table of options; a row's name is one letter after `-`, or a long word after `--`.
#[derive(Clone, Copy, Debug)]
pub struct Options;

impl Table for Options {
    type Takes = Takes;
    /// Sets the option; false if the value is not allowed.
    type Effect = fn(&mut IostatRequest, &str) -> bool;
    type Own = ();
    const NOTHING: Self::Effect = |_, _| false;
    const PLAIN: () = ();
}

/// One option.
pub type Row = options::Row<Options>;

const fn flag(word: &'static str, help: &'static str, apply: fn(&mut IostatRequest, &str) -> bool) -> Row {
    Row::new(word, Takes::Nothing).does(help, apply)
}

const fn with(word: &'static str, value: &'static str, help: &'static str) -> Row {
    Row::new(word, Takes::Word(value)).does(help, Options::NOTHING)
}

/// Defines a flag's effect from the fields that it sets.
macro_rules! set {
    ($($field:ident = $value:expr),+) => {
        |asked, _| {
            $(asked.$field = $value;)+
            true
        }
    };
}

/// Every option.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    flag("-c", "The CPU report.", set!(cpu = true)),
    flag("-d", "The device report.", set!(devices = true)),
    flag("-x", "Extended device figures: of reads, writes, discards and flushes the rate, merges, average wait and size of a request; queue and utilisation of the device.", set!(extended = true)),
    flag("-s", "A short form of the device figures: with -x reads and writes together, otherwise writes and discards.", set!(short = true)),
    flag("-h", "As --human --pretty.", set!(human = true, pretty = true)),
    flag("-H", "Only groups, not their members; with -g.", set!(only_groups = true)),
    flag("-k", "Amounts in kilobytes of 1,024 bytes.", |asked, _| unit(asked, Units::Kilobytes)),
    flag("-m", "Amounts in megabytes of 1,048,576 bytes.", |asked, _| unit(asked, Units::Megabytes)),
    flag("-N", "The names that device mapper gives.", set!(mapper_names = true)),
    flag("-t", "The time before each report.", set!(timestamp = true)),
    flag("-y", "Leaves out the first report, since boot.", set!(skip_first = true)),
    flag("-z", "Leaves out devices without activity.", set!(skip_idle = true)),
    flag("-V", "The version.", |_, _| true),
    flag("--human", "Units beside each value.", set!(human = true)),
    flag("--pretty", "Device names at the end of the line.", set!(pretty = true)),
    flag("--compact", "The pretty extended report in one table.", set!(compact = true)),
    with("--dec", "=0|1|2", "Decimals of the text.").sets(|asked, value| {
        asked.decimals = ["0", "1", "2"].iter().position(|digit| *digit == value).map(|digit| digit as u8);
        asked.decimals.is_some()
    }),
    with("-o", "JSON", "The result as one JSON document, complete when it ends.").sets(|asked, value| {
        asked.json = value == "JSON";
        asked.json
    }),
    with("-g", "NAME", "A line for all devices that follow, or for all there are.").sets(|asked, value| {
        // A repeated name begins no group: the devices after it belong to the last group.
        if asked.groups.iter().all(|group| group.name != value) {
            asked.groups.push(Group { name: value.to_owned(), ..Group::default() });
        }
        true
    }),
    with("-j", "ID|LABEL|PATH|UUID", "Persistent names of that kind.").sets(|asked, value| {
        asked.persistent = Some(value.to_ascii_lowercase());
        true
    }),
    with("-f", "DIR", "Counters of the file diskstats in this folder, of all devices in it.").sets(|asked, value| {
        asked.folder = Some(value.to_owned());
        true
    }),
    with("+f", "DIR", "With -p, the devices of this folder's diskstats after those of the kernel.").sets(|asked, value| {
        asked.folder_besides = Some(value.to_owned());
        true
    }),
    Row::new("-p", Takes::Devices).does("Partitions too: of these disks, or of all.", partitions),
];

/// Sets the unit; false if it contradicts an earlier one.
fn unit(asked: &mut IostatRequest, units: Units) -> bool {
    let same = asked.units.is_none_or(|before| before == units);
    asked.units = Some(units);
    same
}

fn partitions(asked: &mut IostatRequest, list: &str) -> bool {
    match list {
        "" => asked.source = Source::Everything,
        "ALL" => (asked.source, asked.never_used_too) = (Source::Everything, true),
        list => {
            // A list of commas names no disk, so no disk is reported.
            let mut names: Vec<String> = list.split(',').map(bare).collect();
            names.dedup_by(|a, b| a.is_empty() && b.is_empty());
            if let Some(group) = asked.groups.last_mut() {
                group.disks.extend(names.iter().cloned());
            }
            asked.with_partitions.extend(names);
        }
    }
    true
}

/// A device's name without `/dev/`.
pub(super) fn bare(word: &str) -> String {
    word.strip_prefix("/dev/").unwrap_or(word).to_owned()
}

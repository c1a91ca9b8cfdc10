//! One rule for explaining and running, for the other tools: an option that has an effect changes the explanation, or is on
//! the list of those that need not.

use std::collections::BTreeMap;

use diskspd::Support;
use explain::{DISKSPD_SILENT, IOPING_SILENT, IOSTAT_SILENT};

use crate::one;

/// An option as it is tested.
struct OptionTrial {
    name: String,
    /// The words with the option; `without` has the same words without it.
    with: String,
    without: String,
}

fn told(line: &str) -> Vec<String> {
    one(line).asks
}

fn is_done(support: Support) -> bool {
    matches!(support, Support::Honoured | Support::Approximated(_))
}

fn faults(options: &[OptionTrial], silent: &[(&str, &str)]) -> Vec<String> {
    let list: BTreeMap<&str, &str> = silent.iter().copied().collect();
    let mut faults = Vec::new();
    for option in options {
        let changed = told(&option.with) != told(&option.without);
        if changed == list.contains_key(option.name.as_str()) {
            faults.push(format!("{}: {}", option.with, if changed { "is told" } else { "is not told" }));
        }
    }
    let known = |name: &str| options.iter().any(|option| option.name == name);
    faults.extend(
        silent
            .iter()
            .filter(|(name, why)| !known(name) || why.len() < 9)
            .map(|(name, _)| format!("{name} is listed, and no such option is done, or the reason lacks")),
    );
    faults
}

#[test]
fn every_option_of_diskspd_that_is_done_is_told() {
    let mut options = Vec::new();
    for row in diskspd::ROWS.iter().filter(|row| is_done(row.support)) {
        let (value, beside) = match (row.name, row.takes) {
            ("ag", _) => ("0,1", ""),
            ("a", _) => ("1,0", ""),
            ("b", _) => ("4K", ""),
            ("f", "<rst>") => ("r", ""),
            ("g", _) => ("40i", ""),
            ("i", _) => ("5", "-j10"),
            ("j", _) => ("20", "-i5"),
            ("I", _) => ("1", ""),
            ("N", _) => ("v", "-Sm"),
            ("O", _) => ("7", "-F2"),
            ("P", _) => ("", ""),
            ("rs", _) => ("30", ""),
            ("rd", _) => ("pct90/10", "-r"),
            ("r", _) => ("4K", ""),
            ("Rp" | "Rs", _) => ("", ""),
            ("R", _) => ("xml", ""),
            ("s", _) => ("128K", ""),
            ("S", _) => ("u", ""),
            ("T", _) => ("1M", "-t2"),
            ("p", _) => ("", "-o4"),
            ("u", _) => ("8", ""),
            ("z", _) => ("7", ""),
            ("Z", _) => ("1M", ""),
            ("w", _) => ("30", ""),
            ("X", _) => continue,
            (_, "") => ("", ""),
            _ => ("3", ""),
        };
        let writes = if row.name == "w" { "-w10" } else { "-w50" };
        let without = match row.name {
            "i" | "j" => "-i6 -j12".to_owned(),
            _ => beside.to_owned(),
        };
        let line = |words: &str| format!("diskspd {writes} {words} t.dat");
        let with = line(&format!("-{}{value} {beside}", row.name));
        options.push(OptionTrial { name: row.name.to_owned(), with, without: line(&without) });
    }
    // Letters that two rows share are explained by both.
    let faults = faults(&options, DISKSPD_SILENT);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_option_of_ioping_that_is_done_is_told() {
    use ioping::Takes;
    let mut options = Vec::new();
    for row in ioping::ROWS.iter().filter(|row| is_done(row.support)) {
        let value = match row.takes {
            Takes::Nothing | Takes::MaybeText => "",
            Takes::Count | Takes::Seed => " 7",
            Takes::Size => " 16k",
            Takes::Time => " 7s",
        };
        let with = format!("ioping -{}{value} -W d", row.own.short);
        let without = if row.name == "write" { "ioping -q d" } else { "ioping -W d" };
        options.push(OptionTrial { name: row.name.to_owned(), with, without: without.to_owned() });
    }
    let faults = faults(&options, IOPING_SILENT);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_option_of_iostat_that_is_done_is_told() {
    let mut options = Vec::new();
    for row in iostat::ROWS.iter().filter(|row| is_done(row.support)) {
        let (value, beside) = match row.name {
            "--dec" => ("=1", ""),
            "-o" => (" JSON", ""),
            "-g" => (" all sda", ""),
            "-H" => ("", "-g all sda"),
            "-j" => (" UUID", ""),
            "-f" | "+f" => (" /d", ""),
            "-p" => (" sda", ""),
            _ => ("", ""),
        };
        let with = format!("iostat {}{value} {beside} 5 9", row.name);
        options.push(OptionTrial {
            name: row.name.to_owned(),
            with,
            without: format!("iostat {beside} 5 9"),
        });
    }
    let faults = faults(&options, IOSTAT_SILENT);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Lines of these tools whose explanation was once wrong or incomplete.
#[test]
fn what_is_told_of_these_lines_is_true_and_enough() {
    let rows: [(&str, &[&str], &[&str]); 9] = [
        (
            "diskspd -r -rdpct90/10:10/90 -w50 t.dat",
            &["90 % of the I/Os go to its first 10 %, 10 % to the next 90 %"],
            &[],
        ),
        ("diskspd -t4 -T1M t.dat", &["its start 1 MiB behind"], &[]),
        ("diskspd -t4 t.dat", &["each thread by itself, all from the same place"], &[]),
        ("diskspd -g1000 -b4K t.dat", &["1,000 bytes a millisecond, 244 I/Os a second"], &[]),
        ("diskspd -B1G:2G t.dat", &["2 GiB of it are used, from 1 GiB on"], &[]),
        ("ioping -c 10 -w 5 .", &["10 times and at most for 5 s"], &[]),
        ("ioping -R /mnt", &["makes a file of 64 MiB there"], &["1 MiB"]),
        ("iostat -xp vda 2 5", &["Every device and partition", "(vda) come first"], &["Devices: vda"]),
        ("iostat -d 2", &["No CPU."], &["stolen"]),
    ];
    for (line, says, never) in rows {
        let asks = told(line).join(" ");
        says.iter().for_each(|word| assert!(asks.contains(word), "{line}: lacks '{word}': {asks}"));
        never.iter().for_each(|word| assert!(!asks.contains(word), "{line}: says '{word}': {asks}"));
    }
}

//! One rule for explaining and running, for the other tools: an option is explained by its row, and what decides the load
//! changes what the command asks for.

use crate::one;

fn told(line: &str) -> Vec<String> {
    one(line).asks
}

/// Asserts that `line` explains one of its words by the row's help.
fn is_told(line: &str, help: &str) {
    let said = |text: &str| text.trim_end_matches('.').to_lowercase();
    let words = one(line).words;
    assert!(words.iter().any(|word| said(&word.meaning) == said(help)), "{line}: {help}: {words:?}");
}

fn changes(with: &str, without: &str) {
    assert_ne!(told(with), told(without), "{with}");
}

/// A value that DiskSpd's option takes, and other options beside it.
fn diskspd_value(row: &diskspd::Row) -> (&'static str, &'static str) {
    match (row.name, row.takes) {
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
        ("rs", _) => ("30", ""),
        ("rd", _) => ("pct90/10", "-r"),
        ("r", _) => ("4K", ""),
        ("R", _) => ("xml", ""),
        ("s", _) => ("128K", ""),
        ("S", _) => ("u", ""),
        ("T", _) => ("1M", "-t2"),
        ("p", _) => ("", "-o4"),
        ("u", _) => ("8", ""),
        ("z", _) => ("7", ""),
        ("Z", _) => ("1M", ""),
        ("w", _) => ("30", ""),
        ("P" | "Rp" | "Rs" | "e" | ":" | "bs" | "ys" | "yf" | "y", _) | (_, "") => ("", ""),
        _ => ("3", ""),
    }
}

#[test]
fn every_option_of_diskspd_is_told_in_the_words_of_its_row() {
    const DECIDING: [&str; 22] = [
        "b", "B", "C", "d", "f", "F", "g", "i", "j", "n", "o", "O", "Rp", "Rs", "rs", "rd", "r", "s", "S",
        "T", "t", "W",
    ];
    // -? and -X stand for other commands, and the rest is refused or read nothing.
    let done = |row: &&diskspd::Row| {
        matches!(row.support, diskspd::Support::Honoured | diskspd::Support::Approximated(_))
    };
    for row in diskspd::ROWS.iter().filter(done).filter(|row| !["?", "X"].contains(&row.name)) {
        let (value, beside) = diskspd_value(row);
        let with = format!("diskspd -w50 -{}{value} {beside} t.dat", row.name);
        let without = match row.name {
            "i" | "j" => "diskspd -w50 -i6 -j12 t.dat".to_owned(),
            _ => format!("diskspd -w50 {beside} t.dat"),
        };
        if row.name != "w" {
            is_told(&with, row.help);
        }
        if DECIDING.contains(&row.name) && row.takes != "<rst>" {
            changes(&with, &without);
        }
    }
    changes("diskspd -w30 t.dat", "diskspd -w50 t.dat");
}

#[test]
fn every_option_of_ioping_is_told_in_the_words_of_its_row() {
    use ioping::Takes;
    for row in ioping::ROWS.iter().filter(|row| !["help", "version"].contains(&row.name)) {
        let value = match row.takes {
            Takes::Nothing | Takes::MaybeText => "",
            Takes::Count | Takes::Seed => " 7",
            Takes::Size => " 16k",
            Takes::Time => " 7s",
        };
        let line = |write: &str| format!("ioping -{}{value} {write} d", row.own.short);
        is_told(&line(""), row.help);
        if "CDGLWRabciosSwlrk".contains(row.own.short) {
            changes(&line("-W"), if row.name == "write" { "ioping -q d" } else { "ioping -W d" });
        }
    }
}

#[test]
fn each_letter_after_one_dash_is_told() {
    let words = one("ioping -qDc 10 .").words;
    let told: Vec<&str> = words.iter().map(|word| word.meaning.as_str()).collect();
    let letters = "No line a request. Go past the page cache (O_DIRECT). Stop after N requests.";
    assert_eq!(told, [letters, "The value of -qDc.", "The target."]);
}

#[test]
fn every_option_of_iostat_is_told_in_the_words_of_its_row() {
    for row in iostat::ROWS.iter().filter(|row| row.name != "-V") {
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
        let line = format!("iostat {}{value} {beside} 5 9", row.name);
        is_told(&line, row.help);
        if ["-c", "-d", "-x", "-m", "-y"].contains(&row.name) {
            changes(&line, "iostat 5 9");
        }
    }
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
        ("diskspd -t4 -T1M t.dat", &["1 MiB after the one before"], &[]),
        ("diskspd -t4 t.dat", &["each thread by itself, all from the same place"], &[]),
        ("diskspd -g1000 -b4K t.dat", &["1,000 bytes a millisecond, 244 I/Os a second"], &[]),
        ("diskspd -B1G:2G t.dat", &["2 GiB of it are used, from 1 GiB on"], &[]),
        ("ioping -c 10 -w 5 .", &["10 times and at most for 5 s"], &[]),
        ("ioping -R /mnt", &["makes a file of 64 MiB, writes it full"], &["1 MiB"]),
        ("iostat -xp vda 2 5", &["The named devices come first."], &["Devices: vda"]),
        ("iostat -d 2", &["No CPU."], &["stolen"]),
    ];
    for (line, says, never) in rows {
        let asks = told(line).join(" ");
        says.iter().for_each(|word| assert!(asks.contains(word), "{line}: lacks '{word}': {asks}"));
        never.iter().for_each(|word| assert!(!asks.contains(word), "{line}: says '{word}': {asks}"));
    }
}

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

/// Asserts for each line what its explanation says, and what it does not say: in `of`, the sentences or the risks.
fn says(of: fn(&str) -> String, rows: &[(&str, &[&str], &[&str])]) {
    for (line, says, never) in rows {
        let said = of(line);
        says.iter().for_each(|words| assert!(said.contains(words), "{line}: lacks '{words}': {said}"));
        never.iter().for_each(|words| assert!(!said.contains(words), "{line}: says '{words}': {said}"));
    }
}

fn asks(line: &str) -> String {
    told(line).join(" ")
}

fn risks(line: &str) -> String {
    one(line).risks.iter().map(|risk| format!("[{}] {} ", risk.id, risk.text)).collect()
}

/// Lines of these tools whose explanation was once wrong or incomplete.
#[test]
fn what_is_told_of_these_lines_is_true_and_enough() {
    says(
        asks,
        &[
            (
                "diskspd -r -rdpct90/10:10/90 -w50 t.dat",
                &["90 % of the I/Os go to its first 10 %, 10 % to the next 90 %"],
                &[],
            ),
            (
                "diskspd -t4 -T1M t.dat",
                &["by itself through all of it, from 1 MiB after the one before"],
                &[],
            ),
            ("diskspd -t4 t.dat", &["each thread by itself, all from the same place"], &[]),
            ("diskspd -g1000 -b4K t.dat", &["1,000 bytes a millisecond, 244 I/Os a second"], &[]),
            ("diskspd -B1G:2G t.dat", &["2 GiB of it are used, from 1 GiB on"], &[]),
            ("ioping -c 10 -w 5 .", &["10 times and at most for 5 s"], &[]),
            ("ioping -R /mnt", &["makes a file of 64 MiB, writes it full"], &["1 MiB"]),
            ("iostat -xp vda 2 5", &["every disk and partition, vda first"], &["Devices: vda"]),
            ("iostat -d 2", &["No CPU."], &["stolen"]),
        ],
    );
}

/// Measured with ioping 1.3: its system calls, its files and its counts.
#[test]
fn what_ioping_does_to_a_target_and_to_caches_is_said() {
    says(
        asks,
        &[
            (
                "ioping -DRL -w 5 .",
                &["Past the page cache (-D)", "Prints the summary alone"],
                &["file or device"],
            ),
            ("ioping -WWW /mnt/", &["In the directory /mnt/ ioping makes"], &["of a file or device"]),
            ("ioping -W /mnt/x", &["to no file or device without -WWW"], &["it uses all"]),
            ("ioping -W /dev/sdz", &["On /dev/sdz: ioping writes to no file or device without -WWW."], &[]),
            ("ioping -S 1g -o 2g /dev/sdz", &["On /dev/sdz: 1 GiB of it from 2 GiB on."], &[]),
            ("ioping -WC .", &["Writes 4 KiB at", "as it stands (-C)"], &["waits", "forget"]),
            ("ioping -WCy .", &["waits until it is stored (O_DSYNC)"], &["fdatasync"]),
            (
                "ioping -G -s 8k .",
                &["Writes 8 KiB and waits until it is stored (fdatasync), then reads 8 KiB"],
                &[],
            ),
            ("ioping -b 5 -i 2 .", &["5 in a row every 2 s: one request at a time"], &["at once"]),
            ("ioping -A .", &["forget each place first, by asynchronous I/O (-A)"], &[]),
            ("ioping -N .", &["Each request fails"], &[]),
            ("ioping -N -D .", &["Past the page cache"], &["fails"]),
            ("ioping -k .", &["uses the file ioping.tmp, of which it writes 1 MiB first unless"], &[]),
            ("ioping -q -p 100 .", &["a raw line every 100 counted requests and no summary"], &[]),
            ("ioping -P 5 .", &["Prints a raw line every 5 s too."], &["no summary"]),
            ("ioping -B .", &["Prints one raw line at the end."], &[]),
            (
                "ioping -T 10ms -t 1us .",
                &[
                    "count the first request, nor those that take less than 1 µs, nor those that take more than 10 ms",
                ],
                &[],
            ),
        ],
    );
    says(
        risks,
        &[
            // 199 counted: 1.99.
            (
                "ioping -WWW -c 200 -i 0 -L -s 4K /mnt/",
                &["little tail: 2 of them"],
                &["[destroys]", "In a directory"],
            ),
            (
                "ioping -WWW -S 1g /dev/sdz",
                &[
                    "What is on /dev/sdz is overwritten: blocks of 4 KiB, at random places in its first 1 GiB.",
                ],
                &[],
            ),
            ("ioping -WWW -c 20 -L /dev/sdz", &["up to 20 blocks of 256 KiB, in order, of all of it."], &[]),
            // Requests start after 0, 1, 2, 3 and 4 s.
            ("ioping -w 5 .", &["At most 5 requests, of which ioping 1.0 and later count 4, show"], &[]),
            (
                "ioping -w 3 -i 500ms -b 2 .",
                &["At most 12 requests, of which ioping 1.0 and later count 11"],
                &[],
            ),
            ("ioping -R .", &["stays within 64 MiB", "may hold that"], &["[no-tail]"]),
            ("ioping -s 768k .", &["[one-place]"], &["[small-working-set]"]),
            (
                "ioping -s 512k .",
                &["stays within 1 MiB that was written just before: any cache"],
                &["[one-place]"],
            ),
            (
                "ioping -S 16m /dev/sdz",
                &["It stays within 16 MiB: "],
                &["written just before", "[advice-only]"],
            ),
        ],
    );
}

/// Measured with iostat of sysstat 12.6.1: its devices, figures and times.
#[test]
fn which_devices_iostat_shows_and_when_is_said() {
    says(
        asks,
        &[
            ("iostat -p sda,md0 -y 5", &["Devices: sda and md0 with their partitions."], &[]),
            (
                "iostat -xz sda nvme0n1 1 5",
                &["sda and nvme0n1, without idle ones", "the last after 4 s"],
                &[],
            ),
            ("iostat -y 1 5", &["5 reports, one every 1 s, the last after 5 s, without the one since"], &[]),
            ("iostat -d", &["every disk that was ever used, without its partitions"], &[]),
            ("iostat -d ALL", &["every disk, without its partitions"], &["ever used"]),
            ("iostat -p", &["every disk and partition that was ever used"], &[]),
            ("iostat -p ALL", &["every disk and partition."], &["ever used"]),
            ("iostat -N", &["by the names of device mapper"], &[]),
            ("iostat -g all sda sdb", &["Devices: sda and sdb, with sums (all)."], &[]),
            ("iostat -H -g all sda sdb", &["sda and sdb, only as sums (all)."], &[]),
            ("iostat -xs sda", &["of all directions together"], &["of reads, writes and discards"]),
            ("iostat -s sda", &["read, and written or discarded"], &[]),
            ("iostat -x -t -o JSON 1 2", &["as one JSON document", "each with the time"], &[]),
        ],
    );
    says(
        risks,
        &[
            ("iostat -y -c 1 2", &[], &["[layers]"]),
            ("iostat -y -x -c sda 1 2", &["[utilisation]"], &["[layers]"]),
            (
                "iostat -y -p sda,sdb,md0 5",
                &["in a disk and its partitions, in md0 and the disks beneath"],
                &[],
            ),
            ("iostat -y sda md0 1", &["in md0 and the disks beneath"], &["partitions"]),
            (
                "iostat -x 5 1",
                &["The only report counts since the machine started, not over 5 s"],
                &["mean over"],
            ),
            ("iostat -y", &["Without an interval it shows averages since"], &[]),
        ],
    );
}

#[test]
fn the_targets_data_and_rates_of_diskspd_are_said() {
    says(
        asks,
        &[
            (
                "diskspd -b8K -o32 -Sh -t4 -r -w40 -Zr A.dat B.dat",
                &[
                    "on each of A.dat and B.dat, by 4 threads with 32 I/Os in flight each.",
                    "new random data (-Zr)",
                ],
                &[],
            ),
            ("diskspd -F4 -o8 t.dat", &["by 4 threads with 8 I/Os in flight each"], &[]),
            ("diskspd -w100 -Z20M t.dat", &["Writes are parts of 20 MiB of random data (-Z)."], &[]),
            ("diskspd -W0 -d60 t.dat", &["No warm-up, then 60 s that are measured."], &["0 s of load"]),
            ("diskspd -p -o4 t.dat", &["it does each place 4 times"], &[]),
            ("diskspd -rs50 -w50 t.dat", &["in runs that only read or only write"], &[]),
            ("diskspd -t2 -g100i -b4K t.dat", &["held to 100 I/Os a second, 200 in all."], &[]),
            ("diskspd -F2 -O8 a.dat b.dat", &["Chance decides to which of them"], &["weight"]),
            ("diskspd -t4 -o1 t.dat", &["by 4 threads with one I/O in flight each"], &["1 I/Os"]),
            ("diskspd -c1G #1", &["-c (1 GiB) has no effect"], &[]),
        ],
    );
    says(
        risks,
        &[
            (
                "diskspd -c1M -b8K -r -w40 a b",
                &["All I/O stays within 1 MiB of each target, 128 blocks: any cache"],
                &[],
            ),
            ("diskspd -c256M -Sh t.dat", &["writing them takes 1.3 s", "may hold that"], &["[host-cache]"]),
            ("diskspd -f1G -B512M -Sh t.dat", &["stays within 512 MiB, 8,192 blocks"], &[]),
            ("diskspd -c100G -Sh t.dat", &["[host-cache]"], &["[small-working-set]"]),
            ("diskspd -c1G -w100 #1", &["What is in #1 is overwritten."], &["[makes-anew]"]),
            (
                "diskspd -c1G -w100 t.dat",
                &["There is no -Sh: writes end in the cache,"],
                &["reads may", "reserved"],
            ),
            ("diskspd -W0 -d60 t.dat", &["60 s of measuring fit into the burst"], &["0 s of warm-up"]),
            ("diskspd -w100 -Z t.dat", &["-Z writes zeros"], &["Without -Z"]),
            ("diskspd -w100 -B1G:2G /dev/sdz", &["/dev/sdz (from 1 GiB to 3 GiB) is overwritten"], &[]),
        ],
    );
}

/// Measured with dd of coreutils 9.1.
#[test]
fn the_blocks_flags_and_losses_of_dd_are_said() {
    says(
        asks,
        &[
            (
                "dd if=/dev/zero of=t ibs=1M obs=4k count=3",
                &["Copies 3 MiB", "3 blocks of 1 MiB (written as 4 KiB)"],
                &[],
            ),
            ("dd if=/dev/zero of=t obs=4k bs=1M count=3", &["3 blocks of 1 MiB, one"], &["written as"]),
            ("dd if=/dev/zero of=t bs=1M count=3M iflag=count_bytes", &["Copies 3 MiB"], &[]),
            ("dd if=/dev/zero of=t bs=1M count=2kB", &["Copies 2,000 bytes"], &[]),
            ("dd if=/dev/sdz of=/dev/null bs=1M count=9 skip=1k", &["from /dev/sdz (from 1 GiB on)"], &[]),
            ("dd if=/dev/zero of=t bs=1M count=9 oflag=direct", &["past the page cache (oflag=direct)"], &[]),
            (
                "dd if=/dev/zero of=t bs=4k count=9 oflag=direct,dsync",
                &["each block waits until it is on"],
                &[],
            ),
            ("dd if=/dev/zero of=t bs=1M count=9 conv=fdatasync", &["waits once, at the end"], &[]),
            ("dd if=/dev/zero of=t bs=1M count=9 conv=notrunc", &["Leaves the rest of the output"], &[]),
            ("dd if=/dev/zero of=t bs=1M count=9 oflag=append", &["Empties the output first"], &[]),
            ("dd if=t of=/dev/null bs=1M iflag=direct", &["Reads past the page cache"], &["front to back"]),
        ],
    );
    says(
        risks,
        &[
            (
                "dd if=a.img of=/dev/sdz bs=4M",
                &["/dev/sdz is lost: as much as the input has"],
                &["Everything"],
            ),
            ("dd if=/dev/zero of=/dev/sdz bs=4M", &["Everything on /dev/sdz is lost."], &[]),
            ("dd if=/dev/zero of=/dev/sdz bs=1M count=9", &["as dd closes the device"], &["in memory"]),
            ("dd if=/dev/zero of=t bs=1M count=9 oflag=append conv=notrunc", &[], &["[overwrites-file]"]),
            ("dd if=/dev/zero of=/dev/sdz bs=1M count=9 seek=4kB", &["9 MiB from 4,000 bytes on"], &[]),
            ("dd if=/dev/zero of=t bs=1M count=9 conv=sparse", &["nothing is written"], &["[zeros]"]),
            ("dd if=/dev/zero of=t bs=1m count=9", &["GNU dd takes no small letter as in bs=1m"], &[]),
        ],
    );
}

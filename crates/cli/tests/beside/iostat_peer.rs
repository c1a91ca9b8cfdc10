//! Beside the real iostat under the same counters: both run in a mount namespace of their own, in which files of the
//! test hide the kernel's counters and change half a second after the start. Needs root and iostat of sysstat 12.6.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use crate::machine::*;

/// Runs both at once on the counters in `$1/before`, then `$1/after`.
const SCRIPT: &str = r#"
set -e
dir=$1 ours=$2
shift 2
mount --make-rprivate /
for file in stat uptime diskstats; do
    cp "$dir/before/$file" "$dir/$file"
    mount --bind "$dir/$file" "/proc/$file"
done
mount -t tmpfs tmpfs /sys/block
cp -r "$dir/before/block/." /sys/block/
(rc=0; iostat "$@" >"$dir/real.out" 2>"$dir/real.err" || rc=$?; echo $rc >"$dir/real.code") &
(rc=0; "$ours" iostat "$@" >"$dir/ours.out" 2>"$dir/ours.err" || rc=$?; echo $rc >"$dir/ours.code") &
sleep 0.5
for file in stat uptime diskstats; do cat "$dir/after/$file" >"$dir/$file"; done
for name in $(ls /sys/block); do [ -e "$dir/after/block/$name" ] || rm -r "/sys/block/$name"; done
cp -r "$dir/after/block/." /sys/block/
wait
"#;

const BEFORE: &[&str] = &[
    "252 0 vda 1000 100 20000 3000 2000 300 80000 9000 0 5000 12000 50 5 4000 60 70 80",
    "252 1 vda1 900 100 18000 2900 1900 300 70000 8900 0 4900 11800 50 5 4000 60 0 0",
    "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    "8 0 sda 5000 0 100000 9000 0 0 0 0 0 5000 9000 0 0 0 0 0 0",
];

const AFTER: &[&str] = &[
    "252 0 vda 1150 110 23000 3450 2400 380 96000 10600 3 5700 14050 60 7 4800 75 90 120",
    "252 1 vda1 1050 110 21000 3350 2300 380 86000 10500 0 5600 13850 60 7 4800 75 0 0",
    "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    "8 0 sda 5000 0 100000 9000 0 0 0 0 0 5000 9000 0 0 0 0 0 0",
];

/// Milliseconds that pass 2^32, and flushes where there were none before.
const WRAPPED: [&[&str]; 2] = [
    &[
        "252 0 vda 1000 100 20000 4294967000 2000 300 80000 4294967290 0 4294967000 4294960000 50 5 4000 4294967290 70 4294967200",
    ],
    &["252 0 vda 1100 120 21000 204 2100 350 90000 300 2 204 4000 60 5 4100 40 75 60"],
];

/// A device that vanishes, one that appears, and one of an old kernel with eleven fields.
const PLUGGED: [&[&str]; 2] = [
    &[
        "252 0 vda 1000 100 20000 3000 2000 300 80000 9000 0 5000 12000 50 5 4000 60 70 80",
        "8 0 sda 5000 0 100000 9000 0 0 0 0 0 5000 9000",
        "8 16 sdb 50 1 400 30 20 0 160 10 0 30 40 0 0 0 0 0 0",
    ],
    &[
        "252 0 vda 1150 110 23000 3450 2400 380 96000 10600 3 5700 14050 60 7 4800 75 90 120",
        "8 0 sda 5100 0 101000 9100 0 0 0 0 0 5050 9100",
        "8 32 sdc 7 1 400 30 20 0 160 10 0 30 40 0 0 0 0 3 3",
    ],
];

/// Unplugged and plugged in again: every counter falls.
const AGAIN: [&[&str]; 2] = [BEFORE, &["252 0 vda 10 1 200 30 20 3 800 90 0 50 120 0 0 0 0 0 0"]];

/// Reads fall while writes rise: no current kernel does so, but mapped devices of old ones did.
const RESET: [&[&str]; 2] = [
    &["252 0 vda 1000 100 20000 3000 2000 300 80000 9000 0 5000 12000 50 5 4000 60 70 80"],
    &["252 0 vda 900 100 20000 3000 3000 300 90000 9500 0 5500 13000 50 5 4000 60 70 80"],
];

/// Command lines whose output agrees to the last byte.
const SAME: &[&str] = &[
    "1 2",
    "-c 1 2",
    "-d 1 2",
    "-x 1 2",
    "-x -d 1 2",
    "-s 1 2",
    "-s -x 1 2",
    "-s -d -x -m 1 2",
    "-h 1 2",
    "-h -x 1 2",
    "-h -x --compact 1 2",
    "-h -s 1 2",
    "-h -s -x 1 2",
    "--human 1 2",
    "--human -x 1 2",
    "--pretty -x 1 2",
    "--pretty 1 2",
    "--dec=0 1 2",
    "--dec=1 -x 1 2",
    "--dec=2 -x 1 2",
    "--dec=0 -h 1 2",
    "--dec=0 --human -x 1 2",
    "--dec=0 -c 1 2",
    "-k 1 2",
    "-m 1 2",
    "-m -x 1 2",
    "-m -s 1 2",
    "-m -h 1 2",
    "-t 1 2",
    "-t -x -d 1 2",
    "-y 1 1",
    "-y -x 1 1",
    "-y -d -z 1 1",
    "-z 1 2",
    "-z -x 1 2",
    "-xtz 1 2",
    "-cdxk 1 2",
    "-d vda 1 2",
    "-d vda sda 1 2",
    "-d sda vda vda 1 2",
    "-d /dev/vda 1 2",
    "-c vda 1 2",
    "-d nosuch 1 2",
    "-d ALL 1 2",
    "-p 1 2",
    "-p ALL 1 2",
    "-p vda 1 2",
    "-p vda,sda 1 2",
    "-x -p 1 2",
    "-x -p vda 1 2",
    "-p vda sda 1 2",
    "-xp 1 2",
    "-xp vda 1 2",
    "-px vda 1 2",
    "-dp sda vda 1 2",
    "-xp ALL 1 2",
    "-xzp ALL 1 2",
    "vda -p 1 2",
    "+f /proc 1 2",
    "+f /proc -p -d 1 2",
    "-y",
    "-x -y -k",
    "-N 1 2",
    "-g grp vda sda 1 2",
    "-g grp vda sda -H 1 2",
    "-g g1 vda -g g2 sda -d 1 2",
    "-g g1 vda sda -g g2 vda -d 1 2",
    "-g g1 -d 1 2",
    "-g all ALL -d 1 2",
    "-g g1 -g g2 vda -d 1 2",
    "-g g1 -g g2 -d 1 2",
    "-g g1 -g g2 vda -x -d 1 1",
    "-H -g g1 -g g2 vda -d 1 2",
    "-g g1 vda -g g1 sda -d 1 2",
    "-g g1 vda -p -d 1 2",
    "-g g1 -p vda -d 1 2",
    "-g g1 vda ALL -d 1 2",
    "-z -g g1 nosuch -g g2 vda -d 1 2",
    "vda -g g1 sda -d 1 2",
    "-x vda -g g1 1 2",
    "vda ALL -x 1 2",
    "-p , -d 1 2",
    "-f /sys -d 1 2",
    "-f /sys -x vda 1 2",
    "-g grp vda sda -x 1 1",
    "-o JSON 1 2",
    "-o JSON -x 1 2",
    "-o JSON -x -t 1 2",
    "-o JSON -c 1 2",
    "-o JSON -d 1 2",
    "-o JSON -s 1 2",
    "-o JSON -s -x -d 1 2",
    "-o JSON -m -x 1 2",
    "-o JSON -y 1 1",
    "-o JSON -z -d 1 2",
    "-o JSON -g grp vda sda -d 1 2",
    "-o JSON -p -x 1 2",
    "-o JSON -h --dec=0 1 2",
    "-o JSON -d nosuch 1 2",
    "-dx vda 1 2",
    "",
    "-d",
    "-x",
    "-o JSON",
];

/// Command lines that are also run on unusual counters.
const OFTEN: &[&str] = &["1 2", "-x 1 2", "-o JSON -x 1 2", "-s -x -d 1 2", "-h -x 1 2", "-p ALL -d 1 2"];

struct Case {
    words: &'static str,
    counters: [&'static [&'static str]; 2],
    variables: &'static [(&'static str, &'static str)],
}

fn case(words: &'static str, counters: [&'static [&'static str]; 2]) -> Case {
    Case { words, counters, variables: &[] }
}

fn write_counters(folder: &Path, moment: usize, lines: &[&str]) {
    let (stat, uptime) = match moment {
        0 => ("cpu  10000 200 3000 500000 800 10 20 5 0 0\n", "5000.00 9000.00\n"),
        _ => ("cpu  10100 210 3050 500120 790 11 22 7 0 0\n", "5001.00 9001.20\n"),
    };
    std::fs::create_dir_all(folder.join("block")).unwrap();
    std::fs::write(folder.join("stat"), stat).unwrap();
    std::fs::write(folder.join("uptime"), uptime).unwrap();
    std::fs::write(folder.join("diskstats"), lines.join("\n") + "\n").unwrap();
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let disk = words[2].strip_suffix('1').filter(|disk| disk.starts_with("vd"));
        let place = disk.map_or(words[2].to_owned(), |disk| format!("{disk}/{}", words[2]));
        std::fs::create_dir_all(folder.join("block").join(&place)).unwrap();
        std::fs::write(folder.join("block").join(&place).join("stat"), words[3..].join(" ") + "\n").unwrap();
    }
}

/// Returns what both print, and how they end.
fn both(case: &Case) -> [(String, String); 2] {
    let folder = Folder::in_memory();
    for (moment, name) in ["before", "after"].iter().enumerate() {
        write_counters(&folder.make_dir(name), moment, case.counters[moment]);
    }
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", SCRIPT, "sh"]);
    command.arg(folder.path("before").parent().unwrap()).arg(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(case.words.split_whitespace()).env("LC_ALL", "C").env("TZ", "UTC");
    command.envs(case.variables.iter().copied());
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}: {}", case.words, String::from_utf8_lossy(&ran.stderr));
    let read = |name: String| std::fs::read_to_string(folder.path(&name)).unwrap();
    ["real", "ours"].map(|who| (read(format!("{who}.out")), read(format!("{who}.code"))))
}

/// Returns the difference if it persists in three tries: the second on the clock, or the change of counters, may fall
/// between the two.
fn differs(case: &Case) -> Option<String> {
    let mut last = None;
    for _ in 0..3 {
        let [real, ours] = both(case);
        if real == ours {
            return None;
        }
        last = Some(format!(
            "iostat {}\n--- real, {}{}--- ours, {}{}",
            case.words, real.1, real.0, ours.1, ours.0
        ));
    }
    last
}

/// Returns all differences; several namespaces run at a time, because each mostly waits.
fn all_differences(cases: &[Case]) -> Vec<String> {
    let (next, found) = (Mutex::new(cases.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while let Some(case) = { next.lock().unwrap().next() } {
                    let difference = differs(case);
                    found.lock().unwrap().extend(difference);
                }
            });
        }
    });
    found.into_inner().unwrap()
}

fn can_compare() -> bool {
    let version = Command::new("iostat").arg("-V").output();
    let right = version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains("12.6."));
    if !is_root() || !right {
        skipped(Lack::Root, "needs root, and iostat of sysstat 12.6");
        return false;
    }
    true
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status")
        .is_ok_and(|status| status.lines().any(|line| line.starts_with("Uid:\t0\t0")))
}

#[test]
fn every_form_of_report_is_the_real_ones_to_the_byte() {
    if !can_compare() {
        return;
    }
    let mut cases: Vec<Case> = SAME.iter().map(|&words| case(words, [BEFORE, AFTER])).collect();
    for counters in [WRAPPED, PLUGGED, AGAIN] {
        cases.extend(OFTEN.iter().filter(|words| !words.contains("-s")).map(|&words| case(words, counters)));
    }
    for words in ["-d 1 2", "-d -x 1 2", "-d -x -o JSON 1 2", "-k -d 1 2", "-h 1 2"] {
        cases.push(Case { words, counters: [BEFORE, AFTER], variables: &[("POSIXLY_CORRECT", "1")] });
    }
    for words in ["-t 1 2", "-t -o JSON 1 2"] {
        cases.push(Case { words, counters: [BEFORE, AFTER], variables: &[("S_TIME_FORMAT", "ISO")] });
    }
    for words in [
        "1 2",
        "-x 1 2",
        "-h -x 1 2",
        "-s 1 2",
        "--dec=0 -x 1 2",
        "--dec=1 1 2",
        "-o JSON -x 1 2",
        "-m --pretty 1 2",
    ] {
        cases.push(Case { words, counters: [BEFORE, AFTER], variables: &[("S_COLORS", "always")] });
        let chosen = &[("S_COLORS", "always"), ("S_COLORS_SGR", "H=33;1:N=36:Z=x")];
        cases.push(Case { words, counters: [BEFORE, AFTER], variables: chosen });
    }
    let different = all_differences(&cases);
    assert!(different.is_empty(), "{} of {} differ\n{}", different.len(), cases.len(), different.join("\n"));
}

#[test]
fn a_counter_that_was_reset_is_left_blank_and_nothing_else() {
    if !can_compare() {
        return;
    }
    let [real, ours] = both(&case("-x -d -o JSON 1 2", RESET)).map(|(text, _)| text);
    assert!(real.contains("18446744073709551616.00"), "the real one reads the fall as a rise: {real}");
    let cells = |text: &str| -> Vec<(String, String)> {
        let last = text.lines().rfind(|line| line.contains("disk_device")).unwrap().trim_end_matches('}');
        last.split(", ")
            .map(|cell| cell.rsplit_once(": ").unwrap())
            .map(|(k, v)| (k.into(), v.into()))
            .collect()
    };
    for ((key, theirs), (ours_key, mine)) in cells(&real).into_iter().zip(cells(&ours)) {
        assert_eq!(key, ours_key);
        let of_reads = ["\"r/s\"", "\"rrqm\"", "\"r_await\"", "\"rareq-sz\""].contains(&key.as_str());
        let expected = if of_reads { "null".to_owned() } else { theirs };
        assert_eq!(mine, expected, "{key}");
    }
}

#[test]
fn wrong_words_end_as_with_the_real_one_and_say_which_word_it_was() {
    for (words, told) in [
        ("-q", "word 1: '-q' is no option"),
        ("-d -o XML", "word 3: 'XML' is no form of output"),
        ("2 0", "'0' reports would be none"),
        ("-H", "needs -g NAME"),
        ("-k -m", "exclude each other"),
        ("--dec=3", "'--dec=3' is not 0, 1 or 2"),
        ("-d 1 2 3", "'3' is a third number"),
        ("-d -1", "'-1' is no option"),
        ("--hunam", "did you mean --human?"),
        ("-g", "'-g' needs a word"),
        ("-xg", "must stand by itself"),
        ("-xf /proc", "must stand by itself"),
        ("-f /nonexistent", "there is no folder /nonexistent"),
        ("+f /nonexistent -p 1 1", "there is no folder /nonexistent"),
        ("0 1", "takes no count"),
        ("-j nosuch 1 1", "Invalid type of persistent device name"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        let output = command.arg("iostat").args(words.split_whitespace()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && text.contains(told), "{words}: {text}");
        assert!(output.stdout.is_empty(), "{words}");
    }
}

#[test]
fn it_ends_when_nobody_reads_any_more() {
    let words = "\"$0\" iostat -d 1 | head -1";
    let output = Command::new("timeout")
        .args(["20", "sh", "-c", words, env!("CARGO_BIN_EXE_plimsoll")])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "it went on for ever");
}

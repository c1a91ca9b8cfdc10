//! Results of other tools, altered as no tool would print them.

use super::browser::SCRIPT;
use super::judge::Random;

const FIXTURES: [&str; 6] = [
    include_str!("../../../../import/tests/all/fixtures/fio-3.33.json"),
    include_str!("../../../../import/tests/all/fixtures/fio-3.33.txt"),
    include_str!("../../../../import/tests/all/fixtures/fio-3.33.terse"),
    include_str!("../../../../import/tests/all/fixtures/iostat/extended.json"),
    include_str!("../../../../import/tests/all/fixtures/page-of-two-providers.txt"),
    "Linux 5.10 (h) 11/22/2026 _x86_64_ (2 CPU)\n\nDevice r/s w/s rkB/s\nvda 1 2 3\n\nDevice r/s w/s rkB/s\nvda 1 2 3\n",
];

/// Pieces that are put in: numbers beyond reason, brackets, quotes, escapes, and words of every kind of result.
const PIECES: [&str; 26] = [
    "1e308",
    "-1",
    "18446744073709551615",
    "NaN",
    "inf",
    "1e-308",
    "0x10",
    "\u{1b}[2J",
    "\u{9b}31m",
    "\u{202e}",
    "\0",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    "\n",
    "\r",
    "<pre>",
    "&amp;",
    "</script><script>document.title=1</script>",
    "<img src=x onerror=alert(1)>",
    "{\"sysstat\":",
    "{\"disk_device\":\"\":\n",
    "a: (groupid=0, jobs=1): err= 0: pid=1\n",
];

/// Returns a fixture with pieces put in, taken out and repeated.
pub fn made(random: &mut Random) -> Vec<u8> {
    let mut bytes = random.one(&FIXTURES).as_bytes().to_vec();
    for _ in 0..1 + random.below(40) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] = random.next() as u8,
            1 => drop(bytes.drain(at..(at + random.below(60)).min(bytes.len()))),
            2 => {
                let again = bytes[at..(at + random.below(600)).min(bytes.len())].to_vec();
                drop(bytes.splice(at..at, again.repeat(1 + random.below(20))));
            }
            3 => {
                let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                drop(bytes.splice(at..at + digits, random.one(&PIECES[..7]).bytes()));
            }
            _ => drop(bytes.splice(at..at, random.one(&PIECES).bytes())),
        }
        if bytes.is_empty() {
            bytes.push(b'{');
        }
    }
    bytes
}

/// Returns iostat's JSON with scripts for names.
pub fn of_scripts() -> String {
    let script = format!("\"><img src=x onerror=\"{SCRIPT}\"></script><script>{SCRIPT}</script>");
    FIXTURES[3].replace("\"vda\"", &serde_json::to_string(&script).unwrap())
}

/// A name, the beginning, the part that is repeated (`#` is a running number), and the end.
type Shape = (&'static str, &'static str, &'static str, &'static str);

const JOB: &str = "a: (groupid=0, jobs=1): err= 0: pid=1\n";
const REPORTS: &str = "{\"sysstat\":{\"hosts\":[{\"nodename\":\"h\",\"statistics\":[";
const HOST: &str = "Linux 5.10 (h) 11/22/2026 _x86_64_ (2 CPU)\n\n";

/// Inputs on which time was once quadratic, or memory a multiple of their length, and similar ones.
const SHAPES: [Shape; 52] = [
    ("amp.html", "<html>", "&", ""),
    ("tags.html", "<html>", "<a ", ""),
    ("scripts.html", "<html>", "<script>", ""),
    ("breaks.html", "<html>", "<p>", ""),
    ("lines.txt", "", "\n", ""),
    ("brackets.txt", "", "{\n", ""),
    ("lists.txt", "", "[\n", ""),
    ("deep.json", "", "[", ""),
    ("documents.txt", "", "{\"jobs\":[{}]}\n", ""),
    ("broken.txt", "", "{\"jobs\":[{\"jobname\":\"a\",x\n", ""),
    ("open.txt", "", "{\"a\":1,\n", ""),
    (
        "results.txt",
        "",
        "{\"fio version\":\"fio-3.33\",\"jobs\":[{\"jobname\":\"a\",\"read\":{\"iops\":1}}]}\n",
        "",
    ),
    (
        "jobs.json",
        "{\"fio version\":\"fio-3.33\",\"jobs\":[{}",
        ",{\"jobname\":\"a#\",\"groupid\":\"x\",\"read\":{\"iops\":\"y\"}}",
        "]}",
    ),
    (
        "jobs.txt",
        "fio-3.33\n",
        "a: (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=77.1k, BW=301MiB/s (316MB/s)(603MiB/2001msec)\n",
        "",
    ),
    ("names.txt", "", "fio -name=n# \n", "xn1: (groupid=0, jobs=1): err= 0: pid=1\n"),
    ("options.txt", "fio --a=1", " --o#=1", "\na: (groupid=0, jobs=1): err= 0: pid=1\n"),
    (
        "starts.txt",
        "",
        "j#: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=64\n",
        "j1: (groupid=0, jobs=1): err= 0: pid=1\n",
    ),
    ("colons.txt", "", "a:", ""),
    ("entries.txt", JOB, "  lat (usec): min=1, foo=2\n", ""),
    ("depths.txt", "a: (groupid=0, jobs=1): err= 0: pid=1\n IO depths : 0=1%", ", #=0.1%", ""),
    ("labels.txt", JOB, "lat (usec ", ""),
    ("priorities.txt", JOB, "clat prio ", ""),
    ("syncs.txt", JOB, "fsync/fdatasync/sync_file_range", ""),
    ("descriptions.txt", JOB, "Description : ", ""),
    ("eta.txt", "", "Jobs: ", ""),
    ("brackets-eta.txt", "", "Jobs: 1 [r][", ""),
    (
        "disks.txt",
        JOB,
        "  sd#: ios=1/2, merge=0/0, ticks=1/2, in_queue=3, util=1.0%\n lat (usec): min=1, max=2\n",
        "",
    ),
    ("errors.txt", "", "a: (groupid=0, jobs=1): err= 2 (", ""),
    ("terse.txt", "3;fio-3.33;", "x;", "\n"),
    ("terse-shares.txt", "3;fio-3.33;a;0;0;", "1%;", "\n"),
    ("rows_bw.1.log", "1,1,0,1\n1,1,0,1\n1,1,0,1\n", "1,,\n", ""),
    ("requests.txt", "", "4 KiB <<< . (ext4): request=# time=1 us ", ""),
    ("statistics.txt", "", "--- . (ext4) ioping statistics ---\n", ""),
    ("statistics-line.txt", "", "ioping statistics", ""),
    (
        "threads.txt",
        "Results for timespan 1:\nactual test time: 30.00s\nTotal IO\nthread | bytes | I/Os | MiB/s | I/O per s | file\n",
        " # | 1 | 1 | 1 | 1 | f# (1GiB)\n",
        "",
    ),
    ("targets.txt", "Results for timespan 1:\n", "Latency distribution: f#\n 50th | 1 | 1 | 1\n", ""),
    ("spans.txt", "Command Line: x\nInput parameters:\np1: 1\np2: 2\n", "Results for timespan #:\n", ""),
    ("deep.xml", "<Results>", "<a>", ""),
    ("spans.xml", "<Results>", "<TimeSpan><TestTimeSeconds>1</TestTimeSeconds></TimeSpan>", "</Results>"),
    ("devices.json", REPORTS, "{\"disk\":[{\"disk_device\":\"d#\",\"r/s\":1}]},", "{}]}]}}"),
    ("keys.json", REPORTS, "{\"disk\":[{\"disk_device\":\"d#\",\"k#\":1}]},", "{}]}]}}"),
    (
        "wide.json",
        "{\"sysstat\":{\"hosts\":[{\"statistics\":[{\"disk\":[{\"disk_device\":\"a\"",
        ",\"k#\":1",
        "}]}]}]}}",
    ),
    ("reports.json", REPORTS, "{},", "{\"disk\":[{\"disk_device\":\"a\",\"r/s\":1}]}]}]}}"),
    (
        "hosts.json",
        "{\"sysstat\":{\"hosts\":[",
        "{\"nodename\":\"h#\",\"statistics\":[{\"disk\":[{\"disk_device\":\"a\",\"r/s\":1}]}]},",
        "{}]}}",
    ),
    ("opened.json", REPORTS, "{\"disk\":[{\"a\":{\n", ""),
    ("commas.json", "{\"sysstat\":{\"hosts\":[", ", ", ""),
    ("devices.txt", HOST, "Device r/s w/s\nd# 1 2\n\n", ""),
    ("columns.txt", HOST, "Device r/s w/s k#\nd 1 2 3\n\n", ""),
    ("rows.txt", "Linux 5.10 (h) 11/22/2026 _x86_64_ (2 CPU)\n\nDevice r/s w/s\n", "d# 1 2\n", ""),
    ("wide.txt", "Linux 5.10 (h) 11/22/2026 _x86_64_ (2 CPU)\n\nDevice r/s w/s", " k#", "\nd 1 2\n"),
    ("commands.txt", "", "fio --name=a --rw=read\n", ""),
    ("files.txt", "", "[a]\nrw=read\n\nfio a.ini\n", ""),
];

/// Returns inputs of about `length` bytes.
pub fn shapes(length: usize) -> impl Iterator<Item = (&'static str, String)> {
    SHAPES.into_iter().map(move |(name, before, again, behind)| {
        let mut text = before.to_owned();
        let mut number = 0;
        while text.len() < length {
            number += 1;
            text += &again.replace('#', &number.to_string());
        }
        (name, text + behind)
    })
}

//! Commands over several lines, above the results of every tool.

use crate::vocabulary::*;

const RESULT: &str = "writefile: (groupid=0, jobs=1): err= 0: pid=2280: Fri Sep 16 10:20:00 2016
  write: io=5120.0MB, bw=724055KB/s, iops=707, runt=  7241msec
";

#[test]
fn every_line_of_a_command_of_fio_is_what_was_asked() {
    for command in [
        "$ fio --name=writefile --size=5G \\\n> --direct=1 --bs=1M \\\n> --rw=write\n",
        "$ fio \\\n  --name=writefile --size=5G \\\n  --direct=1 \\\n  --bs=1M --rw=write\n",
        "fio --name=writefile --size=5G\\\n    --direct=1 \\  \n\t--bs=1M --rw=write\n\n",
        "fio --name=writefile --size=5G \\\r\n--direct=1 --bs=1M --rw=write\r\n",
        "C:\\> fio --name=writefile --size=5G ^\n  --direct=1 --bs=1M --rw=write\n",
        "PS C:\\> fio --name=writefile --size=5G `\n  --direct=1 --bs=1M --rw=write\n",
        // A mail or a page has wrapped the line.
        "fio --name=writefile --size=5G --direct=1\n--bs=1M --rw=write\n",
        "$ fio --name=writefile --size=5G --direct=1 --bs=1M --rw=write \\\n\n",
    ] {
        let import = imported(&format!("{command}{RESULT}"));
        assert_eq!((import.runs.len(), &import.troubles), (1, &vec![]), "{command}");
        let job = part(&import.runs[0], "writefile");
        let asked = ["size", "direct", "bs", "rw"].map(|option| job.asked_for(option));
        assert_eq!(
            (asked, job.asked.len()),
            ([Some("5G"), Some("1"), Some("1M"), Some("write")], 5),
            "{command}"
        );
    }
}

#[test]
fn what_follows_a_command_is_none_of_its_options() {
    for below in ["-rw-r--r-- 1 root root 5368709120 test.0", "--", "----", "- a point", "direct=1", "--5"] {
        let import = imported(&format!("fio --name=writefile --bs=1M\n{below}\n{RESULT}"));
        assert_eq!(part(&import.runs[0], "writefile").asked.len(), 2, "{below}");
    }
}

#[test]
fn a_value_in_quotes_has_its_blanks_and_the_options_after_it_are_read() {
    for quoted in [
        "--name='rand write' --filename=\"/mnt/a b/f\"",
        "--name=\"rand write\" \\\n  --filename='/mnt/a b/f'",
    ] {
        let import = imported(&format!(
            "fio --size=5G {quoted} --direct=1\n{}",
            RESULT.replace("writefile", "rand write")
        ));
        let job = part(&import.runs[0], "rand write");
        let asked = ["filename", "direct", "size"].map(|option| job.asked_for(option));
        assert_eq!(asked, [Some("/mnt/a b/f"), Some("1"), Some("5G")], "{quoted}");
    }
    let open = imported(&format!("fio --name=\"rand --direct=1\n{}", RESULT.replace("writefile", "rand")));
    assert_eq!(part(&open.runs[0], "rand").asked_for("direct"), Some("1"), "a quote without its end");
}

#[test]
fn line_breaks_of_markdown_are_no_part_of_a_figure() {
    let import = imported(&RESULT.replace('\n', "\\\n"));
    assert_eq!(import.troubles, []);
    holds(&import.runs[0], &[("writefile", "write runtime", 7241.0, "ms")]);
}

#[test]
fn a_result_below_the_lines_of_a_command_has_its_name() {
    let import = imported(
        "$ fio \\\n  --name=test1 --rw=randread --bs=4k \\\n  --direct=1 --filename=/dev/sdb\n  \
         read: IOPS=3697, BW=14.4MiB/s (15.1MB/s)(867MiB/60015msec)\n",
    );
    let job = part(&import.runs[0], "test1");
    assert_eq!((job.line, job.asked_for("filename")), (4, Some("/dev/sdb")));
}

#[test]
fn lines_of_other_commands_are_joined_too_and_lines_keep_their_numbers() {
    let import = imported(
        "$ dd if=/dev/zero of=file \\\n> bs=1M count=16 \\\n> oflag=direct\n16+0 records in\n16+0 records out\n\
         16777216 bytes (17 MB, 16 MiB) copied, 0.0183 s, 915 MB/s\n",
    );
    let copy = part(&import.runs[0], "file");
    assert_eq!((copy.line, copy.asked_for("oflag"), copy.asked.len()), (6, Some("direct"), 5));
}

//! Which result a command line of fio belongs to.

use crate::vocabulary::*;

const COMMAND: &str = "fio --rw=write --ioengine=sync --bs=4k --name=mytest --filename=/dev/sdl\n";

fn start(rest: &str) -> String {
    format!("mytest: (g=0): {rest}, iodepth=1\n")
}

/// Returns a result of fio of this version, with its group.
fn result(version: &str, pid: u32) -> String {
    start("rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=sync")
        + &format!(
            "fio-{version}\nStarting 1 process\n\nmytest: (groupid=0, jobs=1): err= 0: pid={pid}: Tue Jul  4 14:45:36 2023\n  \
             write: IOPS=6055, BW=23.7MiB/s (24.8MB/s)(22.0MiB/930msec)\n\nRun status group 0 (all jobs):\n  WRITE: \
             bw=23.7MiB/s (24.8MB/s), 23.7MiB/s-23.7MiB/s (24.8MB/s-24.8MB/s), io=22.0MiB (23.1MB), run=930-930msec\n\n"
        )
}

/// Returns the file that each result's job was asked for.
fn files(text: &str) -> Vec<Option<String>> {
    let import = imported(text);
    assert_eq!(import.troubles, []);
    let file = |run| part(run, "mytest").asked_for("filename").map(str::to_owned);
    import.runs.iter().map(file).collect()
}

fn notes(text: &str) -> Vec<String> {
    imported(text).runs.iter().flat_map(|run| &run.events).map(|event| event.text.clone()).collect()
}

#[test]
fn a_command_is_not_that_of_a_result_below_other_words_or_of_another_fio() {
    let own = Some("/dev/sdl".to_owned());
    let (first, next) = (format!("$ {COMMAND}{}", result("3.25", 11)), result("3.25", 22));
    for between in
        ["And on my other machine, into a file:\n\n", "$ ./test.sh\n", "# Other\n", "```\n\n# Other\n```\n"]
    {
        assert_eq!(files(&format!("{first}{between}{next}")), [own.clone(), None], "{between}");
    }
    assert_eq!(files(&format!("{first}{}", result("3.35", 22))), [own.clone(), None]);
    assert_eq!(
        files(&format!("{first}{next}{}", result("3.25", 33))),
        [own.clone(), own.clone(), own.clone()],
        "a loop's"
    );
    assert_eq!(files(&format!("{first}$ {COMMAND}{next}")), [own.clone(), own.clone()], "run twice");
    let chatter = "fio: this platform does not support process shared mutexes, forcing use of threads.\n";
    assert_eq!(files(&format!("{COMMAND}{chatter}{next}")), [own], "it stands above the result");
}

#[test]
fn a_command_goes_on_for_its_names_that_have_no_result_yet() {
    let text = format!(
        "fio --direct=1 --name=mytest --size=1g --name=later --size=2g\n{}The other job:\n\n{}",
        result("3.25", 11),
        result("3.25", 22).replace("mytest:", "later:")
    );
    let import = imported(&text);
    let asked =
        |run, name| ["direct", "size"].map(|option| part(run, name).asked_for(option).map(str::to_owned));
    let found = [asked(&import.runs[0], "mytest"), asked(&import.runs[1], "later")];
    assert_eq!(
        found,
        [["1", "1g"], ["1", "2g"]].map(|options| options.map(|option| Some(option.to_owned())))
    );
}

#[test]
fn prompts_of_cmd_exe_and_paths_begin_a_command() {
    let first = format!("root@nas:~# {COMMAND}{}", result("3.25", 11));
    for prompt in
        ["D:\\>fio", "C:\\Users\\x>fio.exe", "D:\\> fio.exe", "$ ./fio", "# /usr/bin/fio", "$ sudo ./fio"]
    {
        let text =
            format!("{first}{prompt} --rw=write --name=mytest --filename=other\n{}", result("3.25", 22));
        assert_eq!(files(&text), [Some("/dev/sdl".to_owned()), Some("other".to_owned())], "{prompt}");
    }
}

#[test]
fn a_command_that_a_start_line_contradicts_is_left_out_and_named() {
    for (option, other) in [("rw", "randread"), ("bs", "1M"), ("ioengine", "libaio")] {
        let is_option = |word: &str| word.starts_with(&format!("--{option}="));
        let words = COMMAND.split(' ').map(|word| match is_option(word) {
            true => format!("--{option}={other}"),
            false => word.to_owned(),
        });
        let text = format!("{}{}", words.collect::<Vec<_>>().join(" "), result("3.25", 11));
        assert_eq!(files(&text), [None], "{option}");
        let note = &notes(&text)[0];
        assert!(
            note.contains("'mytest' is not its own") && note.contains(&format!("{option}={other} there")),
            "{note}"
        );
    }
    for same in
        ["--rw=write:8 --ioengine=sync --bs=4096", "--readwrite=write --bs=4KiB", "--rw=$rw --bs=${bs}k"]
    {
        let text = format!("fio {same} --name=mytest --filename=/dev/sdl\n{}", result("3.25", 11));
        assert_eq!((files(&text), notes(&text)), (vec![Some("/dev/sdl".to_owned())], vec![]), "{same}");
    }
}

#[test]
fn of_two_commands_above_one_result_a_note_names_the_one_that_is_not_taken() {
    let text = format!(
        "# test on a filesystem\n{}# test raw device\n{COMMAND}\n# Main array\n\n{}",
        COMMAND.replace("/dev/sdl", "test-data"),
        result("3.25", 11)
    );
    assert_eq!(files(&text), [Some("/dev/sdl".to_owned())]);
    assert_eq!(
        notes(&text),
        [
            "two command lines of 'mytest' stand above its result: that of line 4 is taken (filename=/dev/sdl), that of line 2 \
          is not (filename=test-data)"
        ]
    );
    for other in [COMMAND.to_owned(), COMMAND.replace("mytest", "another")] {
        assert_eq!(notes(&format!("{other}{COMMAND}{}", result("3.25", 11))), [""; 0], "{other}");
    }
}

#[test]
fn a_terse_line_below_other_words_has_not_the_command_of_the_one_before() {
    let terse = include_str!("fixtures/fio-3.33.terse").lines().find(|line| line.starts_with('3')).unwrap();
    let name = terse.split(';').nth(2).unwrap();
    let command = format!("$ fio --minimal --name={name} --filename=/dev/sdl\n");
    let import = imported(&format!("{command}{terse}\n\nOn my other machine:\n\n{terse}\n"));
    let file = |run| part(run, name).asked_for("filename");
    assert_eq!(import.runs.iter().map(file).collect::<Vec<_>>(), [Some("/dev/sdl"), None]);
}

#[test]
fn a_sentence_that_cites_a_jobs_line_is_no_job() {
    let line = "mytest: (groupid=0, jobs=10): err= 0: pid=12832: Sun Jul 25 23:13:55 2021";
    let first = format!("{COMMAND}{}", result("3.25", 11));
    for sentence in
        [format!("**Line (1) (from the above): \"{line}\"**"), format!("The line `{line}` names the job.")]
    {
        let import = imported(&format!(
            "{first}{sentence}\n\nIO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.2%, 16=99.7%\n"
        ));
        assert_eq!((import.runs.len(), import.runs[0].reported.len()), (1, 2), "{sentence}");
    }
    for marked in [format!("`{line}`"), format!("**{line}**"), format!("\"{line}\"")] {
        let import =
            imported(&format!("{marked}\n  write: IOPS=6055, BW=23.7MiB/s (24.8MB/s)(22.0MiB/930msec)\n"));
        assert_eq!(part(&import.runs[0], "mytest").clones, Some(10), "{marked}");
    }
}

#[test]
fn commands_of_sysbench_and_ioping_are_those_of_the_results_below() {
    let throughput =
        "Throughput:\n    read, MiB/s:                  6.92\n    written, MiB/s:               4.61\n";
    let command = "sysbench fileio --file-total-size=8G --file-test-mode=rndrw run";
    let prepared = "$ sysbench fileio --file-total-size=8G prepare\n";
    let import = imported(&format!("{prepared}\n$ {command}\n…\n{throughput}\n$ sysbench fileio cleanup\n"));
    assert_eq!(part(&import.runs[0], "fileio").asked_for("command"), Some(command));
    assert!(!lacks(&import.runs[0]).contains(&"what was asked"));
    assert_eq!(part(&imported(&format!("{prepared}{throughput}")).runs[0], "fileio").asked, []);
    let closing = "10 requests completed in 9.01 s, 1.22 k iops, 4.76 MiB/s\n";
    let asked = |above: &str| {
        let import = imported(&format!("{above}\n{closing}"));
        part(&import.runs[0], "unnamed").asked_for("command").map(str::to_owned)
    };
    assert_eq!(asked("> ioping . -c 10").as_deref(), Some("ioping . -c 10"));
    assert_eq!(asked("I ran ioping . with -c 10"), None);
}

#[test]
fn closing_lines_of_ioping_that_are_glued_or_bold_are_read_and_a_broken_figure_is_the_one_shown() {
    let head = "--- . (simfs /dev/simfs) ioping statistics ---";
    let glued = imported(&format!("{head}10 requests completed in 9009.6 ms, 2626 iops, 10.3 mb/s\n"));
    let bold = imported(&format!("{head}\n10 requests completed in 9009.6 ms, **2626 iops**, 10.3 mb/s\n"));
    for import in [glued, bold] {
        assert_eq!(import.troubles, []);
        holds(&import.runs[0], &[(".", "all ops", 10.0, ""), (".", "all iops", 2626.0, "")]);
    }
    let broken =
        imported(&format!("{head}\n10 requests completed in 9.0 s, 36 KiB read, ?? ips, 10.3 mb/s\n"));
    assert_eq!((broken.troubles.len(), broken.troubles[0].column), (1, 46));
    holds(&broken.runs[0], &[(".", "read bytes", 36.0, "KiB")]);
}

#[test]
fn percentiles_of_diskspd_under_heads_that_a_page_has_rewritten_are_read_and_prose_is_no_table() {
    let table = "Total IO\nthread | bytes | I/Os | MiB/s | I/O per s | AvgLat | file\n     0 | 165126144 | 20157 | 7.87 | 1007.33 | 1.982 | \
                 c:\\io.dat (50MiB)\ntotal: 165126144 | 20157 | 7.87 | 1007.33 | 1.982\n\n";
    let import = imported(&format!(
        "{table}| Percentile | Read (ms) | Write (ms) | Total (ms) |\n|---|---|---|---|\n| **Min** | 0.029 | 0.760 | 0.029 |\n\
         | **50th** | 0.221 | 0.965 | 0.252 |\n"
    ));
    assert_eq!(import.troubles, []);
    holds(
        &import.runs[0],
        &[("timespan 1", "all lat p50", 0.252, "ms"), ("timespan 1", "write lat p50", 0.965, "ms")],
    );
    assert_eq!(
        imported(&format!("{table}- Result: The disk handles ~4,000 small I/Os every second\n")).troubles,
        []
    );
}

#[test]
fn short_reads_of_a_job_that_reads_nothing_are_in_a_note() {
    let counts = "     issued rwts: total=0,5632,0,0 short=5631,0,0,0 dropped=0,0,0,0\n";
    let text = result("3.25", 11).replace("\n\nRun", &format!("\n{counts}\nRun"));
    assert_eq!(
        notes(&text),
        ["'mytest' has no line 'read', but fio counts 5631 of its I/Os as short; they are left out"]
    );
}

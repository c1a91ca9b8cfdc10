//! What is said of command lines: every row of risks applies where it should and is silent where it should not, pasted
//! words are understood, and what is not understood is reported with its place.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod alone;
mod asks;
mod computed;
mod law;
mod law_others;
mod risks;
mod runs;
mod scripts;
mod several;

use std::collections::BTreeSet;

use explain::{
    Around, Correction, Detail, ExplainError, ExplainedText, Explanation, Style, explain_all, find, of_words,
    pages,
};
use proptest::prelude::*;

fn around() -> Around<'static> {
    Around { read: &|_| Err(std::io::ErrorKind::NotFound.into()) }
}

fn all(pasted: &str) -> Result<ExplainedText, ExplainError> {
    explain_all(&find(pasted), &around())
}

fn json(explained: &ExplainedText) -> serde_json::Value {
    serde_json::to_value(explained).unwrap()
}

fn one(pasted: &str) -> Explanation {
    let mut all = all(pasted).unwrap_or_else(|error| panic!("{pasted}: {error}")).told;
    assert_eq!(all.len(), 1, "{pasted}");
    all.remove(0)
}

fn risks(pasted: &str) -> BTreeSet<&'static str> {
    one(pasted).risks.iter().map(|told| told.id).collect()
}

#[test]
fn what_a_command_asks_for_is_told_with_its_figures() {
    for (pasted, told) in [
        (
            "fio --name=a --rw=randwrite --size=30g --numjobs=4 --iodepth=256 --ioengine=libaio --direct=1",
            "1,024 in all",
        ),
        ("fio --name=a --rw=randwrite --size=30g --numjobs=4 --directory=/d", "120 GiB in all"),
        (
            "fio --name=a --rw=read --size=1g --runtime=60 --time_based",
            "For 60 s, starting over when all of it is done.",
        ),
        (
            "fio --name=a --rw=randrw --rwmixread=70 --size=1g",
            "reads (70 %) and writes (30 %) blocks of 4 KiB",
        ),
        ("fio --name=a --rw=read --size=1g --rate=10m", "held to 10 MiB a second"),
        (
            "fio --name=a --rw=read --size=1g --rate_iops=100 --rate_process=poisson",
            "held to 100 I/Os a second on average, at random intervals.",
        ),
        ("fio --name=a --rw=read --filename=/dev/sdz", "On /dev/sdz: the whole device."),
        (
            "fio --name=a --rw=read --filename=/dev/sdz --loops=3",
            "Until the whole device has been done 3 times, however long",
        ),
        // Holes are no part of the amount: of a file that ends with one fio goes round until all is done.
        ("fio --name=a --rw=read:12k --size=1g", "Until 1 GiB is done, which is 262,144 I/Os"),
        ("fio --name=a --rw=write:8k --size=1m --loops=2", "Until 688 KiB is done, which is 172 I/Os"),
        (
            "fio --name=a --rw=read:12k --size=1g --filename=/dev/sdz",
            "Until 256 MiB is done, which is 65,536 I/Os",
        ),
        (
            "fio --name=a --rw=randrw --bs=4k,16k --size=4m",
            "Blocks all over it are overwritten, and not checked. Until 4 MiB is done (in fio often less",
        ),
        (
            "fio --name=a --rw=randread:8 --size=1m",
            "8 one after the other from each, so that some come again",
        ),
        // Each block is trimmed, then written.
        ("fio --name=a --rw=trimwrite --size=1m", "Until 2 MiB is done, which is 512 I/Os"),
        ("fio --name=a --rw=randrw --rwmixread=100 --size=1m", "a, reads blocks of 4 KiB at random places"),
        ("fio --name=a --rw=randrw --rwmixread=0 --size=1m", "a, writes blocks of 4 KiB at random places"),
        ("diskspd -w30 -b8K -t2 -o4 -d60 t.dat", "Reads (70 %) and writes (30 %) blocks of 8 KiB"),
        (
            "diskspd -w30 -b8K -t2 -o4 -d60 t.dat",
            "2 threads with up to 8 I/Os in flight in all, kept on the CPUs in turn.",
        ),
        ("ioping -R /mnt", "for 3 s, without a pause"),
        ("ioping -W -c 5 -i 10ms .", "5 times, every 10 ms"),
        ("iostat -x -t -o JSON 10 30", "30 reports, one every 10 s"),
        ("dd if=/dev/zero of=t bs=1M count=1k oflag=direct", "1,024 blocks of 1 MiB"),
        ("dd if=t of=/dev/null bs=1M", "until the input ends"),
    ] {
        let asks = one(pasted).asks.join(" ");
        assert!(asks.contains(told), "{pasted}: {asks}");
    }
}

#[test]
fn the_corrected_command_has_what_was_missing() {
    let explanation = one("fio --filename=/mnt/f --rw=randread --name=a --runtime=120s");
    let Correction { why, command } = explanation.corrected.unwrap();
    assert_eq!(command, "fio --filename=/mnt/f --size=4G --rw=randread --name=a --runtime=120s --time_based");
    assert!(why.contains("time_based"), "{why}");
    assert_eq!(explanation.native[0].command, format!("plimsoll {command}"));
    assert!(!risks(&command).contains("no-size") && !risks(&command).contains("runtime-is-a-cap"));
    assert_eq!(one("fio --name=a --rw=read --size=1g").corrected, None);
}

#[test]
fn the_command_is_printed_so_that_it_can_be_run_again() {
    for pasted in [
        "  1. fio --filename=/mnt/f \\\n  2. --name=a \\\n  3. --rw=read \\\n",
        "1. fio --filename=/mnt/f \\ 2. --name=a \\ 3. --rw=read \\",
        "$ fio –filename=/mnt/f –name=a –rw=read",
        "fio —filename=/mnt/f —name=a —rw=read",
        "fio &#8211;filename=/mnt/f &ndash;name=a -rw=read".replace("-rw", "–rw").as_str(),
        "user@host:~# sudo fio --filename=“/mnt/f” --name=a --rw=read | tee log",
        "fio --filename=/mnt/f\n--name=a\n--rw=read",
        "fio\u{a0}--filename=/mnt/f\u{a0}--name=a --rw=read",
        "FIO.EXE --filename=/mnt/f ^\n--name=a --rw=read",
        "--filename=/mnt/f --name=a --rw=read",
    ] {
        let explanation = one(pasted);
        assert_eq!(explanation.command, "fio --filename=/mnt/f --name=a --rw=read", "{pasted}");
        assert!(!explanation.repairs.is_empty(), "{pasted}: it was put right, and that is said");
        assert_eq!(one(&explanation.command).asks, explanation.asks);
    }
    assert_eq!(one("fio --name='a b' --rw=read --size=1g").command, "fio '--name=a b' --rw=read --size=1g");
}

#[test]
fn a_job_file_without_its_line_breaks_is_the_same_job_file() {
    let whole = one("[global]\nsize=30g\ndirect=1\n[w]\nrw=randwrite\ntime_based\nruntime=30\n");
    let lost = one("[global] size=30g direct=1 [w] rw=randwrite time_based runtime=30");
    let listed =
        one("1. [global]\n2. size=30g\n3. direct=1\n4. [w]\n5. rw=randwrite\n6. time_based\n7. runtime=30\n");
    assert_eq!((&whole.command, &whole.asks), (&lost.command, &lost.asks));
    assert_eq!((&whole.command, &whole.asks), (&listed.command, &listed.asks));
    assert!(whole.repairs.is_empty() && !lost.repairs.is_empty() && !listed.repairs.is_empty());
}

#[test]
fn what_is_not_understood_is_named_with_its_place() {
    let place = |pasted: &str| {
        let error = all(pasted).unwrap_err();
        (error.line, error.column, error.word.clone())
    };
    assert_eq!(place("fio --name=a --iodepht=3 --size=1g"), (1, 14, "--iodepht=3".to_owned()));
    assert_eq!(place("fio --name=a \\\n  --rw=sideways \\\n"), (2, 3, "--rw=sideways".to_owned()));
    assert_eq!(place("fio --name=sideways --rw sideways"), (1, 21, "--rw".to_owned()));
    assert_eq!(place("fio --name=a jobs.fio --bs=4q"), (1, 23, "--bs=4q".to_owned()));
    assert_eq!(place("[rw]\nsize=1g\nbs=4k\nrw=sideways\n"), (4, 1, "rw=sideways".to_owned()));
    assert_eq!(place("ioping -c ten ."), (1, 11, "ten".to_owned()));
    assert_eq!(place("ioping -c 10x ."), (1, 11, "10x".to_owned()));
    assert_eq!(place("diskspd -r -si t.dat"), (1, 12, "-si".to_owned()));
    assert_eq!(place("diskspd t.dat -b4k"), (1, 15, "-b4k".to_owned()));
    assert_eq!(place("dd if=a of=b bs=1Q"), (1, 14, "bs=1Q".to_owned()));
    assert_eq!(place("iostat -x -Q 1"), (1, 11, "-Q".to_owned()));
    assert_eq!(place("diskspd -b4Q t.dat"), (1, 9, "-b4Q".to_owned()));
    let error = all("fio --name=a --iodepht=3 --size=1g").unwrap_err().to_string();
    assert!(error.contains("line 1, column 14") && error.contains("iodepth"), "{error}");
    let lost = one("fio --filename= \\\n--name=a --rw=read --bs= --size=1g");
    assert!(lost.gaps[0].starts_with("line 1, column 5: --filename= has lost its value"), "{:?}", lost.gaps);
    assert!(lost.gaps[1].starts_with("line 2, column 20: --bs="), "{:?}", lost.gaps);
    assert!(one("fio --runtime=$t --time_based --name=a --rw=read --size=1g").gaps[0].contains("$t"));
}

#[test]
fn what_plimsoll_refuses_is_told_apart_and_the_whole_load_is_told() {
    let refused = one(
        "fio --name=a --rw=read --size=1g --uid=5 --flow_sleep=3 --iodepth=4 --ioengine=libaio --direct=1",
    );
    assert!(refused.gaps.is_empty(), "{:?}", refused.gaps);
    let apart = refused.apart.join(" ");
    assert!(apart.contains("line 1, column 34: plimsoll fio does not take uid=5: "), "{apart}");
    let asks = refused.asks.join(" ");
    for told in ["reads blocks of 4 KiB", "Up to 4 I/Os", "Up to 4 I/Os"] {
        assert!(asks.contains(told), "{told}: {asks}");
    }
    assert!(refused.native.iter().all(|native| !native.command.contains("--uid")));
    let nameless = one("fio --rw=read --size=1g");
    assert!(nameless.gaps[0].contains("no --name"), "{:?}", nameless.gaps);
    let elsewhere = one("fio --runtime 30 jobs.ini");
    assert!(elsewhere.gaps[0].contains("jobs.ini"), "{:?}", elsewhere.gaps);
}

#[test]
fn an_engine_that_plimsoll_lacks_is_told_as_fios_and_what_stands_for_it_apart() {
    let rows: [(&str, &[&str], &str); 6] = [
        (
            "fio --ioengine=rbd --clientname=admin --pool=vols --rbdname=i --rw=randwrite --bs=4k --iodepth=32 --name=t",
            &["writes blocks of 4 KiB", "Up to 32 I/Os", "through rbd", "pool=vols"],
            "remote stores are not spoken to",
        ),
        (
            "[t]\nioengine=rbd\npool=vols\nrbdname=i\nrw=randread\niodepth=16\n",
            &["reads blocks of 4 KiB", "Up to 16 I/Os", "rbdname=i"],
            "line 2: plimsoll fio does not take ioengine=rbd",
        ),
        (
            "fio --ioengine=posixaio --rw=randwrite --bs=4k --iodepth=16 --name=t --size=1g",
            &["Up to 16 I/Os at a time, through posixaio"],
            "io_uring",
        ),
        (
            "fio --ioengine=mmap --rw=write --direct=1 --iodepth=4 --name=t --size=1g",
            &["One I/O at a time, through mmap", "Through the page cache, whatever direct says"],
            "pread and pwrite",
        ),
        (
            "fio --ioengine=windowsaio --rw=randread --iodepth=8 --name=t --size=1g",
            &["Up to 8 I/Os at a time, through windowsaio"],
            "take libaio or io_uring",
        ),
        (
            "fio --ioengine=cpuio --cpuload=50 --runtime=5 --name=t",
            &["reads and writes no blocks of storage (ioengine=cpuio)"],
            "leave this job out",
        ),
    ];
    for (line, told, apart) in rows {
        let explanation = one(line);
        let asks = explanation.asks.join(" ");
        told.iter().for_each(|told| assert!(asks.contains(told), "{line}: lacks '{told}': {asks}"));
        let said = explanation.apart.join(" ");
        assert!(said.contains(apart), "{line}: lacks '{apart}': {said}");
    }
    let image = one("fio --ioengine=rbd --pool=p --rbdname=i --rw=randwrite --name=t").risks;
    assert!(image.iter().any(|told| told.id == "overwrites-store"));
    let of_files = ["no-direct", "no-size", "unwritten-writes", "overwrites-file"];
    assert!(image.iter().all(|told| !of_files.contains(&told.id)), "{image:?}");
}

#[test]
fn mixed_lengths_are_counted_by_their_mean() {
    let asks = |line: &str| one(line).asks.join(" ");
    // Half of the I/Os have 4 KiB, half 1 MiB: 1 GiB is 2,040 of 514 KiB on average.
    let mixed = asks("fio --name=a --rw=rw --bs=4k,1m --size=1g");
    assert!(mixed.contains("which is about 2,040 I/Os,"), "{mixed}");
    let split = asks("fio --name=a --rw=randread --norandommap --bssplit=4k/50:12k/50 --size=8m");
    assert!(split.contains("which is about 1,024 I/Os,"), "{split}");
    let random = asks("fio --name=a --rw=randread --bs=4k,64k --bs_is_seq_rand=1 --size=1m");
    // fio 3.33 does 21, some of them shorter.
    assert!(random.contains("reads blocks of 64 KiB") && !random.contains("16 I/Os"), "{random}");
    let told = one("fio --name=a --rw=rw --bs=4k,1m --size=1g").risks;
    let time = told.iter().find(|told| told.id == "no-set-time").map(|told| told.text.clone()).unwrap();
    assert!(time.contains("about 2,040 I/Os of 514 KiB on average are 10 s at 100 MiB/s"), "{time}");
    let long = one("diskspd -b1M -o8 -t4 -d60 -Sh -L t.dat").risks;
    assert!(long.iter().any(|told| told.text.contains("168 ms at 200 MB/s")), "{long:?}");
}

#[test]
fn what_is_switched_off_is_not_told_as_if_it_were_on() {
    let words = |line: &str| {
        let words = one(line).words.into_iter().map(|word| format!("{}: {}", word.word, word.meaning));
        words.collect::<Vec<_>>().join(" ")
    };
    let asks = |line: &str| one(line).asks.join(" ");
    let off = words("fio --name=a --rw=randread --size=1g --randrepeat=0 --invalidate=0");
    assert!(off.contains("randrepeat=0: Off. With 1: the same places"), "{off}");
    assert!(off.contains("invalidate=0: Off. With 1: drops the files"), "{off}");
    let other = words("fio --name=a --rw=randread --size=1g --disk_util=0");
    assert!(other.contains("disk_util=0: Off. With 1: reports the disks' counters."), "{other}");
    let chosen = words("fio --name=a --rw=randread --size=1g --cpus_allowed=0-3 --cpus_allowed_policy=split");
    assert!(chosen.contains("cpus_allowed=0-3: CPUs that the job may run on."), "{chosen}");
    assert!(chosen.contains("How clones share the CPUs: each clone gets one CPU."), "{chosen}");
    let few = asks("fio --name=a --rw=randread --size=1g --number_ios=40");
    assert!(few.contains("Until 40 I/Os are done, 1 GiB at most, however long"), "{few}");
    let apart =
        asks("fio --name=a --filename=/dev/sdz --rw=read --size=2g --numjobs=4 --offset_increment=500m");
    assert!(
        apart.contains(
            "for all copies: 2 GiB, each further copy 500 MiB after the one before, up to 3,548 MiB."
        ),
        "{apart}"
    );
}

#[test]
fn a_flush_says_where_to_look() {
    let etcd =
        one("fio --rw=write --ioengine=sync --fdatasync=1 --directory=d --size=22m --bs=2300 --name=t");
    let said =
        etcd.risks.iter().find(|told| told.id == "flush-figures").map(|told| told.text.clone()).unwrap();
    assert!(said.contains("99th percentile") && said.contains("below 10 ms"), "{said}");
}

#[test]
fn a_device_is_not_made_anew() {
    let device = one("diskspd -c1G -d10 /dev/sdz").asks.join(" ");
    assert!(device.contains("-c (1 GiB) has no effect") && !device.contains("made anew"), "{device}");
    let file = one("diskspd -c1G -d10 t.dat").asks.join(" ");
    assert!(!file.contains("has no effect"), "{file}");
}

#[test]
fn a_job_file_ends_where_the_text_goes_on_with_something_else() {
    let found = all(
        "jobs.cfg\n\n[a]\nrw=read\n\nsize=1g\n\nscript.sh\n\n#!/bin/sh\nrepeat=${repeat:-1}\nfio --runtime=5 jobs.cfg\n",
    );
    let found = found.unwrap().told;
    assert_eq!((found.len(), found[0].job_file.as_deref()), (1, Some("[a]\nrw=read\nsize=1g\n")));
    assert!(found[0].asks[0].contains("at most for 5 s"), "{:?}", found[0].asks);
}

/// Lines of a published page: commands, a table, a commented command, a job file, and scripts around all of it.
const PAGE: &str = "Run it\n\ncat ./runfio.cfg\n./runfio.sh    --repeat 2 --time  60 >> runfio.sh.log     &\n\n\
                    \x20       | 1 | 2 |\n--------|---|---|\niostat  | + | + |\n--------|---|---|\nfio     |   | + |\n\n\
                    runfio.sh\n\n#!/usr/bin/env bash\n# https://host.example/named-parameters/\nrepeat=${repeat:-1}\n\
                    while [ $# -gt 0 ]; do\nif [[ * ]]; then\n        param=\"\" class=\"inline\">{1/--/}\"\nfi\nshift\n\
                    done\nsleep $time\n\n# fio   --bs=4k --rw=randrw --rwmixread=70 --direct=1 --time_based --name=typed \
                    --filename=t --runtime=$time --size=1GB --rate_iops=700,300,\n\nfio --runtime=$time --eta-newline=1 \
                    runfio.cfg\n\ndone\n\nrunfio.cfg\n\n[c4y]\nbs=4k\nrw=randrw\ntime_based\nfilename=t\nsize=1GB\n\
                    rate_iops=700,300,\n\nrunother.sh\n\n#!/usr/bin/env bash\n# https://host.example/named/\n\
                    repeat=${repeat:-1}\ncount=${count:-1}\ndone\n\n./sysstat/iostat -x -t -o JSON 10 $count > \"./a.json\"\n\n\
                    conf.py\n\nmask = '*.json'\nexclude = [\n'sr0',\n]\n";

#[test]
fn a_whole_page_with_scripts_gives_its_commands_and_its_job_file_once() {
    let page = all(PAGE).unwrap();
    assert_eq!(page.not_understood, []);
    let told: Vec<(&str, usize)> = page.told.iter().map(|one| (one.tool.name(), one.line)).collect();
    assert_eq!(told, [("fio", 27), ("iostat", 49)], "the commented one is not run: {told:?}");
    let job = page.told[0].job_file.as_deref().unwrap();
    assert!(job.starts_with("[c4y]\nbs=4k\n") && job.trim_end().ends_with("rate_iops=700,300,"), "{job}");
    let asks = page.told[0].asks.join(" ");
    assert!(asks.contains("held to 700 I/Os a second") && asks.contains("For 60 s"), "{asks}");
}

#[test]
fn what_is_not_understood_does_not_hide_the_rest_and_is_named_with_its_line() {
    let page = all("Text.\n\n[a]\nrw=read\n\nsiez=1g\n\nioping -c 10 .\nfio --name=a --iodepht=3\n").unwrap();
    assert_eq!(page.told.iter().map(|one| one.line).collect::<Vec<_>>(), [8]);
    let places: Vec<(usize, &str)> =
        page.not_understood.iter().map(|error| (error.line, error.word.as_str())).collect();
    assert_eq!(places, [(6, "siez=1g"), (9, "--iodepht=3")], "{:?}", page.not_understood);
    let page = all("Text.\n\n[a]\nrw=read\nsiez=1g\n\nioping -c 10 .\n").unwrap();
    let places: Vec<(usize, &str)> =
        page.not_understood.iter().map(|error| (error.line, error.word.as_str())).collect();
    assert_eq!((places, page.told.len()), (vec![(5, "siez=1g")], 1));
    assert_eq!(json(&page)["not_understood"][0]["line"], 5);
}

#[test]
fn a_job_without_a_time_takes_as_long_as_its_rates_say() {
    let told = |pasted: &str| {
        let said = one(pasted);
        said.risks.iter().find(|told| told.id == "no-set-time").map(|told| told.text.clone()).unwrap()
    };
    let held = told("[c]\nrw=randrw\nbs=4k\nrwmixread=70\ntime_based\nsize=1GB\nrate_iops=700,300,\n");
    for words in
        ["262,144 I/Os take 262 s on a volume that bears them", "time_based has no effect without runtime"]
    {
        assert!(held.contains(words), "{held}");
    }
    assert!(!held.contains("3,000 IOPS") && !held.contains("Give runtime and time_based"), "{held}");
    // The two rates decide the mix, whatever its shares are.
    let uneven = told("fio --name=a --rw=randrw --size=1g --rate_iops=128,4096");
    assert!(uneven.contains("take 62 s") && uneven.contains("Give runtime and time_based"), "{uneven}");
    let by_bytes = told("fio --name=a --rw=read --size=1g --rate=4m");
    assert!(by_bytes.contains("take 256 s"), "{by_bytes}");
    let half_held = told("fio --name=a --rw=randrw --size=1g --rate_iops=128,");
    assert!(half_held.contains("at 3,000 IOPS"), "{half_held}");
}

#[test]
fn a_job_that_may_make_no_file_is_not_said_to_lay_one_out() {
    for words in ["--allow_file_create=0", "--readonly"] {
        let said = one(&format!("fio --name=a --rw=randread --size=1g {words}")).risks;
        let reads =
            said.iter().find(|told| told.id == "unwritten-reads").map(|told| told.text.as_str()).unwrap();
        assert!(reads.starts_with("No file is made") && !reads.contains("is written whole"), "{reads}");
    }
}

#[test]
fn a_list_of_many_files_takes_no_time() {
    let names: Vec<String> = (0..30_000).map(|number| format!("f{number}")).collect();
    let told = one(&format!("fio --name=a --rw=read --size=1g --filename={}", names.join(":")));
    assert!(told.asks[0].contains("On f0:f1:"), "{}", &told.asks[0][..200]);
    assert!(
        one("fio --name=a --rw=read --size=1g --nrfiles=900000").asks[0].contains("900000 files of its own")
    );
}

#[test]
fn requests_of_ioping_are_counted_as_each_generation_counts_them() {
    let tail = |pasted: &str| {
        let said = one(pasted);
        said.risks.iter().find(|told| told.id == "no-tail").map(|told| told.text.clone()).unwrap()
    };
    assert!(tail("ioping -c 10 .").starts_with("10 requests, of which ioping 1.0 and later count 9, show"));
    assert!(tail("ioping -c 10 -a 0 .").starts_with("10 requests show"));
}

#[test]
fn words_of_a_command_line_are_as_good_as_text() {
    let words: Vec<String> = ["sudo", "fio", "–name=a b", "--rw=read", "--size=1g"].map(str::to_owned).into();
    let explained = explain_all(&[of_words(&words).unwrap()], &around()).unwrap().told.remove(0);
    assert_eq!(explained.command, "fio '--name=a b' --rw=read --size=1g");
    assert_eq!(of_words(&["ls".to_owned()]), None);
}

#[test]
fn json_holds_everything_and_text_fits() {
    let pasted = "fio --name=a --rw=randread --filename=/a/path/that/is/long/enough/to/be/broken/somewhere --iodepth=4";
    let document = json(&all(pasted).unwrap());
    let explained = &document["explained"][0];
    assert_eq!(explained["tool"], "fio");
    for key in ["command", "repairs", "gaps", "asks", "words", "risks", "corrected", "native"] {
        assert!(!explained[key].is_null(), "{key}");
    }
    let style = |detail| Style { detail, wrap: &|first, words| format!("{first}{words}\n") };
    let brief = pages(&[one(pasted)], style(Detail::Brief));
    assert!(
        brief[0].contains("What is risky or misleading\n") && !brief[0].contains("Word by word"),
        "{}",
        brief[0]
    );
    assert!(pages(&[one(pasted)], style(Detail::Whole))[0].contains("Word by word\n"));
}

#[test]
fn what_ends_a_job_and_what_plimsoll_does_in_another_way_is_said() {
    let asks = |pasted: &str| one(pasted).asks.join(" ");
    let verified =
        "fio --name=a --filename=f --size=1M --bs=8k --rw=write --verify=crc32c --time_based --runtime=2";
    assert!(
        asks(&format!("{verified} --ioengine=libaio")).contains("fio reads each pass back when it is done")
    );
    assert!(asks(&format!("{verified} --ioengine=sync")).contains("fio reads nothing back with this engine"));
    let searched = asks(
        "fio --name=a --filename=f --size=8m --rw=randread --iodepth=8 --ioengine=libaio --latency_target=1ms --latency_window=1s",
    );
    assert!(searched.contains("keeps to latency_target, or until"), "{searched}");
    let zones = asks(
        "fio --name=a --filename=f --filesize=40m --size=1m --rw=read --zonemode=strided --zonesize=128k --zoneskip=2m",
    );
    assert!(zones.contains("plimsoll stays within size"), "{zones}");
    let opened = one("fio --name=a --opendir=/pnfs/data --rw=randread --size=1m").native;
    assert!(opened.iter().any(|native| native.command == "plimsoll check /pnfs/data"), "{opened:?}");
    let risks =
        |pasted: &str| one(pasted).risks.iter().map(|risk| risk.text.as_str()).collect::<Vec<_>>().join(" ");
    let checked =
        risks("fio --name=a --filename=f --size=1m --rw=randread --verify=md5 --verify_state_load=1");
    assert!(!checked.contains("randrepeat"), "an order that the writer did not have: {checked}");
    let verified = risks("fio --name=a --filename=f --size=1m --rw=write --ioengine=psync --verify=md5");
    assert!(
        verified.contains("fio may end before it has read back what was written")
            && !verified.contains("Give runtime"),
        "{verified}"
    );
    let made = risks("diskspd -c1M -d10 a.dat b.dat");
    assert!(made.contains("makes a.dat and b.dat anew") && made.contains("2 MiB of space"), "{made}");
    let flushed = one("fio --name=a --filename=f --size=1g --rw=write --fsync=1 --numjobs=24");
    assert!(flushed.risks.iter().all(|risk| !risk.text.contains("waiting in line")), "{:?}", flushed.risks);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(pasted in "(\\PC|[\\n\\\\\"'&;#>|–—\\[\\]= 0-9]|fio |dd |iostat |ioping |diskspd |--name=a |--rw=|--size=|of=|bs=|-c|1\\. ){0,30}") {
        if let Ok(explained) = all(&pasted) {
            let _ = json(&explained);
        }
    }
}

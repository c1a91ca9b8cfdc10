//! Profiles made from recordings and traces: what is written, what is said not to be known, and whether it is the load.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;

use crate::machine::*;

/// A trace of reads and writes by turns, as fio writes one: even, of these sizes, half of them in a tenth of the file.
fn trace(sizes: [u32; 2]) -> String {
    let rows = (0..8000u64).map(|number| {
        let way = if number % 4 == 0 { "write" } else { "read" };
        let size = sizes[usize::from(number / 4 % 10 >= 7)];
        let place = if number % 2 == 0 { number * 7919 % 1000 } else { number * 7919 % 10_000 };
        format!("{} /mnt/app {way} {} {size}\n", number * 500, place * 65536)
    });
    format!("fio version 3 iolog\n0 /mnt/app add\n0 /mnt/app open\n{}", rows.collect::<String>())
}

#[test]
fn a_trace_becomes_a_profile_that_differs_in_nothing_from_its_replay() {
    let folder = Folder::new();
    fs::write(folder.path("app.log"), trace([4096, 65536])).unwrap();
    let made = ended(&mut folder.plimsoll(&["profile", "from", "@/app.log"]));
    assert_eq!(made.code, Some(0), "{}", made.err);
    for words in [
        "block = \"4KiB/70, 64KiB/30\"",
        "rate = 1500\n",
        "rate = 500\n",
        "zones = \"10/",
        "without completions",
    ] {
        assert!(made.out.contains(words), "'{words}' is missing: {}", made.out);
    }
    // With one size no byte is drawn by chance.
    fs::write(folder.path("app.log"), trace([8192, 8192])).unwrap();
    let verified = ended(&mut folder.plimsoll(&["profile", "from", "@/app.log", "--verify"]));
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    assert!(verified.out.contains("THE SAME"), "{}", verified.out);
}

#[test]
fn the_counters_of_a_watch_become_the_closed_loop_that_ran() {
    let folder = Folder::new();
    fs::write(folder.path("job.fio"), "[app]\nrw=randread\nbs=8k\nioengine=libaio\niodepth=8\nsize=1g\n")
        .unwrap();
    let watch = [
        "watch",
        "--load",
        "@/job.fio",
        "--on",
        "sim:custom,iops=1000000,latency=1ms",
        "--cycle",
        "60s",
        "--repeat",
        "1",
        "--out",
        "@/watched",
    ];
    let watched = ended(&mut folder.plimsoll(&watch));
    assert_eq!(watched.code, Some(0), "{}", watched.err);
    let run = run_file(&folder.path("watched"));
    let made = ended(&mut folder.plimsoll(&["profile", "from", &run, "--out", "@/app.toml"]));
    assert_eq!((made.code, made.out.as_str()), (Some(0), ""), "{}", made.err);
    let text = fs::read_to_string(folder.path("app.toml")).unwrap();
    for words in ["depth = 8\n", "block = \"8KiB\"", "where on the volume is not known"] {
        assert!(text.contains(words), "'{words}' is missing: {text}");
    }
    let verified = ended(&mut folder.plimsoll(&["profile", "from", &run, "--verify"]));
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
}

#[test]
fn what_cannot_become_a_profile_is_refused_with_cause_and_remedy() {
    let folder = Folder::new();
    fs::write(folder.path("cut.log"), "fio version 3 iolog\n0 /mnt/app add\n5 /mnt/app raed 0 4096\n")
        .unwrap();
    fs::write(folder.path("none.log"), "fio version 3 iolog\n0 /mnt/app add\n").unwrap();
    fs::write(folder.path("app.log"), trace([4096, 4096])).unwrap();
    fs::write(folder.path("mine.toml"), "title = \"by hand\"\n").unwrap();
    let rows: [(&[&str], &[&str]); 6] = [
        (&["@/nowhere"], &["nowhere"]),
        (&["@/cut.log"], &["cut.log, line 3, column 12", "Did you mean read?"]),
        (&["@/none.log"], &["no read or write"]),
        (&["@/app.log", "--device", "vda"], &["--device vda", "taken whole"]),
        (&["@/app.log", "--out", "@/mine.toml"], &["is there already", "--out"]),
        (&["@/app.log", "@/app.log", "--verify"], &["--verify compares one", "name one"]),
    ];
    for (words, wanted) in rows {
        let told = ended(&mut folder.plimsoll(&[&["profile", "from"][..], words].concat()));
        assert_eq!((told.code, told.out.as_str()), (Some(2), ""), "{words:?}: {}", told.err);
        let said = told.complained();
        wanted.iter().for_each(|word| assert!(said.contains(word), "{words:?}: {said}, without '{word}'"));
    }
}

//! Pages whose commands have no test of their own: each block is run as printed, on simulated volumes and small files.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;

/// Three samples of two devices, as iostat printed them.
const EXTENDED: &str = include_str!("../../../import/tests/all/fixtures/iostat/extended.json");

/// Returns the shell blocks of a page.
fn blocks(page: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = fs::read_to_string(path).unwrap();
    text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Runs a block in the folder `here`, with plimsoll on the path.
fn typed(folder: &Folder, block: &str) -> ProgramOutput {
    let here = folder.make_dir("here");
    let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    ended(folder.through("sh", &["-e", "-c", block]).current_dir(here).env("PATH", path))
}

/// Runs every block of `page`, with words that depend on the machine or take long exchanged; returns what each
/// printed, in order.
fn run(folder: &Folder, page: &str, exchange: &[(&str, &str)]) -> Vec<String> {
    let blocks = blocks(page);
    assert!(!blocks.is_empty(), "{page} has no commands");
    for (words, _) in exchange {
        assert!(blocks.iter().any(|block| block.contains(words)), "{page} has no '{words}' any more");
    }
    let each = blocks.into_iter().map(|mut block| {
        exchange.iter().for_each(|(from, to)| block = block.replace(from, to));
        let ended = typed(folder, &block);
        assert_eq!(ended.code, Some(0), "{page}: {block}\n{}{}", ended.out, ended.err);
        ended.out
    });
    each.collect()
}

#[test]
fn the_readme() {
    let exchange = [
        ("check /mnt/vol", "check sim:aws-gp3"),
        ("--for 10s", "--for 1s"),
        ("/mnt/old /mnt/new", "sim:custom,iops=3000 sim:custom,iops=2850"),
        ("--size=64m", "--size=1m"),
    ];
    let said = run(&Folder::new(), "README.md", &exchange).concat();
    for words in ["MEETS aws-gp3", "bucket ", "DIFFERENT", "read: IOPS="] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn installing_checks_the_sums_and_measures() {
    let folder = Folder::new();
    let here = folder.make_dir("here");
    fs::write(here.join("plimsoll.deb"), "what was downloaded").unwrap();
    assert_eq!(typed(&folder, "sha256sum * >SHA256SUMS; echo 0123 not-taken >>SHA256SUMS").code, Some(0));
    // An image needs a container program; instead, ./dev release runs the binary in an empty root.
    let exchange = [
        ("podman build -t plimsoll .", "mkdir state"),
        (
            "podman run --rm -v /mnt/vol:/mnt/vol -v \"$PWD\":/state plimsoll check /mnt/vol",
            "plimsoll check sim:aws-gp3",
        ),
    ];
    let said = run(&folder, "docs/guide/install.md", &exchange);
    assert!(said[0].contains("plimsoll.deb: OK"), "{}", said[0]);
    assert!(said[1].contains("MEETS aws-gp3"), "{}", said[1]);
}

#[test]
fn progress_and_result_come_apart_as_the_page_says() {
    let folder = Folder::new();
    run(&folder, "docs/reference/progress.md", &[]);
    let lines = fs::read_to_string(folder.path("here/progress.ndjson")).unwrap();
    assert!(lines.lines().count() > 10, "{lines}");
    for line in lines.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["schema"], "plimsoll-progress", "{line}");
    }
    let result = fs::read_to_string(folder.path("here/result.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&result).unwrap()["verdict"]["answer"], "meets");
}

#[test]
fn tables_of_a_run_lie_where_the_page_reads_them() {
    let folder = Folder::new();
    let here = folder.make_dir("here");
    assert_eq!(typed(&folder, "plimsoll check sim:aws-gp3 --out made").code, Some(0));
    let made = fs::read_dir(here.join("made")).unwrap().map(|entry| entry.unwrap().path());
    let run_file = made.into_iter().find(|path| path.extension().is_some_and(|end| end == "plimsoll"));
    fs::rename(run_file.unwrap(), here.join("vol-check-2026-11-21-2345.plimsoll")).unwrap();
    // Another test compares the sums of the tables with the run file, using whichever reader is installed.
    let exchange =
        [("duckdb -c \"SELECT name, direction, iops FROM 'tables/step_directions.parquet'\"", "ls tables")];
    let said = run(&folder, "docs/reference/parquet.md", &exchange).concat();
    assert!(said.contains("step_directions.parquet\n") && said.contains("per_second.parquet\n"), "{said}");
}

#[test]
fn a_gate_in_a_pipeline_passes_and_fails_where_it_says() {
    if !has("jq") {
        return;
    }
    let folder = Folder::new();
    let said = run(&folder, "docs/guide/gate-in-ci.md", &[]);
    assert!(said[0].contains("true"), "{}", said[0]);
    assert!(said[1].starts_with("less than promised\n") && said[1].lines().count() > 1, "{}", said[1]);
    assert!(said[2].contains("MEETS"), "{}", said[2]);
    assert!(said[3].ends_with("true\n"), "{}", said[3]);
    assert!(said[4].ends_with("true\n"), "{}", said[4]);
    assert!(said[5].contains("NOT WORSE by 3 %"), "{}", said[5]);
    assert!(said[6].starts_with("**WORSE** by "), "{}", said[6]);
    // A gate whose condition is not met fails.
    let last = blocks("docs/guide/gate-in-ci.md")
        .remove(3)
        .replace("new=sim:custom,iops=3000", "new=sim:custom,iops=2700");
    let failed = typed(&folder, &last);
    assert!(failed.code == Some(1) && failed.out.ends_with("false\n"), "{:?} {}", failed.code, failed.out);
}

#[test]
fn troubleshooting_types_what_helps_and_quotes_what_is_said() {
    let folder = Folder::new();
    let exchange = [("doctor .", "doctor . || true"), ("check . --dry-run", "check sim:aws-gp3 --dry-run")];
    let said = run(&folder, "docs/guide/troubleshooting.md", &exchange).concat();
    for words in
        ["aws-gp3-2023", "beyond the burst", "bucket ", "MEETS custom", "no effect", "cache", "RND    4KiB"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let here = folder.make_dir("here");
    fs::File::create(here.join("holes.dat")).unwrap().set_len(200 << 20).unwrap();
    for (line, quoted) in [
        ("plimsoll check /mnt/nothing-there", "does not exist; name a directory on the volume"),
        ("plimsoll check holes.dat", "100 % of the 200 MiB that would be read was never written"),
        ("plimsoll check /proc", "only 0 B are free"),
        ("plimsoll check sim:aws-gp33", "no policy is called 'aws-gp33'; did you mean"),
    ] {
        let told = typed(&folder, line);
        let flat = told.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.code == Some(2) && flat.contains(quoted), "{line}: {:?} {flat}", told.code);
        let page = fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/troubleshooting.md"),
        );
        assert!(page.unwrap().contains(quoted), "the page does not quote: {quoted}");
    }
}

#[test]
fn the_first_check() {
    let exchange = [
        ("check /mnt/vol --policy aws-gp3,size=100GiB", "check sim:aws-gp3 --policy aws-gp3"),
        ("instance=m5.large --all", "instance=m5.large --all || test $? = 4"),
    ];
    let said = run(&Folder::new(), "docs/guide/first-check.md", &exchange);
    assert!(said[0].contains("MEETS aws-gp3"), "{}", said[0]);
    assert!(said[1].contains("3,600 IOPS, bursts to") && said[1].contains("CANNOT TELL"), "{}", said[1]);
}

#[test]
fn what_a_command_asks_for() {
    let folder = Folder::new();
    let here = folder.make_dir("here");
    fs::write(here.join("jobs.fio"), "[a]\nrw=randread\nsize=1g\n").unwrap();
    fs::write(here.join("pasted.txt"), "1. fio --name=a --rw=write --size=1g\n").unwrap();
    let said = run(&folder, "docs/guide/explain.md", &[]);
    assert!(said[0].contains("iodepth=32") && said[1].contains("1 GiB"), "{said:?}");
}

#[test]
fn profiles_run_and_one_of_your_own() {
    let folder = Folder::new();
    let exchange = [
        ("run database /mnt/vol", "run database sim:aws-gp3"),
        ("lab:do-volumes-pre-burst", "sim:do-volumes-pre-burst"),
        ("run web-server null:", "run web-server null: --time 200ms"),
        ("run mine.toml /mnt/vol", "run mine.toml sim:aws-gp3"),
    ];
    let rows = (0..6000).map(|number| {
        let way = if number % 4 == 0 { "write" } else { "read" };
        format!("{} /mnt/app {way} {} 8192\n", number * 1000, number * 7919 % 5000 * 8192)
    });
    let trace = format!("fio version 3 iolog\n0 /mnt/app add\n0 /mnt/app open\n{}", rows.collect::<String>());
    fs::write(folder.make_dir("here").join("app.log"), trace).unwrap();
    let said = run(&folder, "docs/guide/profiles.md", &exchange).concat();
    assert!(said.contains("SEQ    1MiB (Q=  8, T= 1)"), "{said}");
    let made = |name: &str| fs::read_to_string(folder.path("here").join(name)).unwrap();
    for (name, words) in
        [("app.toml", "block = \"8KiB\""), ("app.toml", "rate = 750"), ("app.fio", "rate_iops=250")]
    {
        assert!(made(name).contains(words), "{name} has no '{words}': {}", made(name));
    }
}

#[test]
fn a_quick_look() {
    let exchange = [("stream /mnt/vol", "stream . --time 500ms --size 64M --busy")];
    let said = run(&Folder::new(), "docs/guide/quick.md", &exchange).concat();
    assert!(said.contains("write, past the cache") && said.contains("One stream"), "{said}");
}

#[test]
fn codes_in_a_script_and_patience() {
    let folder = Folder::new();
    let said = run(&folder, "docs/reference/exit-codes.md", &[("check /mnt/vol", "check sim:aws-gp3")]);
    assert!(said[0].contains("as promised"), "{said:?}");
    let exchange = [("check /mnt/vol", "check sim:aws-gp3"), ("--size=1g", "--size=1m")];
    run(&folder, "docs/reference/silence.md", &exchange);
}

#[test]
fn results_as_a_document_pictures_and_imports() {
    let folder = Folder::new();
    let here = folder.make_dir("here");
    let made = typed(
        &folder,
        "plimsoll check sim:aws-gp3 --out made && mv made/*.plimsoll vol.plimsoll
         printf '[a]\nioengine=null\nrw=read\nsize=64m\nwrite_bw_log=job\nlog_avg_msec=1\n' > job.fio
         plimsoll fio --output-format=json --output=job.json job.fio
         plimsoll fio --output-format=json job.fio > fio.json
         plimsoll fio job.fio > page.txt
         test -e job_bw.1.log",
    );
    assert_eq!(made.code, Some(0), "{}", made.err);
    fs::create_dir(here.join("logs")).unwrap();
    for name in ["logs/a.json", "iostat.json"] {
        fs::write(here.join(name), EXTENDED).unwrap();
    }
    run(&folder, "docs/reference/pictures.md", &[("--describe sda", "--describe vda")]);
    assert!(here.join("pictures").is_dir());
    run(&folder, "docs/reference/import.md", &[("\nfio --output", "\nplimsoll fio --output")]);
    if has("jq") {
        let said = run(&folder, "docs/reference/report-json.md", &[("check . ", "check sim:aws-gp3 ")]);
        assert!(said[0].contains("\"meets\""), "{said:?}");
    }
}

#[test]
fn sizing_a_recorded_load() {
    let said = run(&Folder::new(), "docs/guide/size.md", &[]);
    assert_eq!(said.len(), 4);
    assert!(said[1].contains("\nCHEAPEST: aws-gp3,size=100GiB,iops=3000"), "{}", said[1]);
    assert!(said[2].contains("CARRIES: m5.large carries"), "{}", said[2]);
    assert!(said[3].contains("MEETS"), "{}", said[3]);
}

//! `plimsoll compare` of targets loaded in turns: simulated volumes, whose truth is known.

use std::fs;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;

const ONE_LOAD: &str = "title = \"x\"\n[[step]]\nname = \"reads\"\ntime = \"2s\"\n[[step.job]]\norder = \"random\"\nread = 100\nblock = \"4KiB\"\ndepth = 32\n";

fn compared(folder: &Folder, words: &[&str]) -> Value {
    fs::write(folder.path("one.toml"), ONE_LOAD).unwrap();
    let all = [&["compare"], words, &["@/one.toml", "--out=@/runs", "--format=json"]].concat();
    let ended = ended(&mut folder.plimsoll(&all));
    let document = ended.json();
    assert_eq!(ended.code.map(i64::from), document["exit_code"].as_i64(), "{}", ended.err);
    document
}

fn run_files(folder: &Folder) -> Vec<String> {
    let all = fs::read_dir(folder.path("runs")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<String> = all
        .filter(|path| path.extension().is_some_and(|end| end == "plimsoll"))
        .map(|path| text(&path))
        .collect();
    found.sort();
    found
}

/// Returns the ratio of the second side's rate under the deepest load.
fn rate(document: &Value) -> &Value {
    let rates = document["rows"].as_array().unwrap().iter().filter(|row| row["measure"] == "iops");
    let deepest = rates.max_by_key(|row| row["work"]["depth"].as_u64()).unwrap();
    &deepest["ratios"][1]
}

#[test]
fn five_per_cent_is_found_at_two_per_cent_of_noise_in_ten_blocks() {
    let folder = Folder::new();
    let side = |iops: u32, seed: u32| format!("sim:custom,iops={iops},noise=2%,noise_every=2s,seed={seed}");
    let document = compared(&folder, &[&side(3000, 1), &side(2850, 2)]);
    let found = rate(&document);
    assert_eq!(found["answer"], "differs", "{found}");
    let (low, high) = (found["interval"][0].as_f64().unwrap(), found["interval"][1].as_f64().unwrap());
    assert!(low < 0.95 && 0.95 < high && high < 1.0, "{low} {high}");
    assert_eq!(found["basis"]["pairs"]["blocks"], 10);
    assert!(document["verdict"].as_str().unwrap().starts_with("DIFFERENT"), "{}", document["verdict"]);
}

/// Five loads, of which two cost the same.
#[test]
fn what_depends_on_the_load_is_counted_in_all_loads_and_prices_are_named_where_they_are_the_question() {
    let folder = Folder::new();
    let sides = ["a=sim:aws-gp3,size=100GiB", "b=sim:gcp-pd-balanced,size=100GiB"];
    let told = |more: &[&str]| {
        let words = [&["compare"], &sides[..], more, &["--out=@/runs"]].concat();
        ended(&mut folder.plimsoll(&words))
    };
    let priced = told(&["--price=a=8/month", "--price=b=10/month"]);
    let wanted = "DEPENDS ON THE LOAD: of 5 the cheaper by the unit is a in 2 loads (1.25 times), b in 1 load (1.07 times); \
                  in 2 they cost the same within 5 %.";
    assert!(priced.told().contains(wanted), "{}", priced.out);
    let hint = "With a --price for each side, in their order, it says which is the better buy.";
    assert_eq!([&priced, &told(&[])].map(|ended| ended.err.contains(hint)), [false, true]);
    // A folder is as many sides as it has runs.
    let runs = ended(&mut folder.plimsoll(&["compare", "@/runs", "--format=json"])).json();
    assert_eq!(runs["sides"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_job_file_of_fio_is_the_load_and_each_stonewall_another() {
    let folder = Folder::new();
    let job = "[global]\nioengine=libaio\ndirect=1\nbs=4k\nsize=1g\nruntime=1\ntime_based\n[reads]\nrw=randread\niodepth=16\n[one]\nstonewall\nrw=randread\niodepth=1\n";
    fs::write(folder.path("job.fio"), job).unwrap();
    let sides = ["sim:custom,iops=3000,noise=2%,seed=1", "sim:custom,iops=1500,noise=2%,seed=2"];
    let words = [&["compare"], &sides[..], &["@/job.fio", "--out=@/runs", "--format=json"]].concat();
    let document = ended(&mut folder.plimsoll(&words)).json();
    assert_eq!(document["in_turns"]["loads"], serde_json::json!(["reads", "one"]));
    let found = rate(&document);
    assert_eq!((&found["answer"], &found["basis"]["pairs"]["blocks"]), (&"differs".into(), &10.into()));
    assert!((found["value"].as_f64().unwrap() / 0.5 - 1.0).abs() < 0.05, "{found}");
}

#[test]
fn comparing_the_two_run_files_says_what_the_comparison_said() {
    let folder = Folder::new();
    let live = compared(
        &folder,
        &["old=sim:custom,iops=3000,noise=3%,seed=3", "new=sim:custom,iops=3000,noise=3%,seed=4"],
    );
    let files = run_files(&folder);
    let words = ["compare", &format!("old={}", files[0]), &format!("new={}", files[1]), "--format=json"];
    let again = ended(&mut folder.plimsoll(&words)).json();
    for part in ["rows", "verdict", "in_turns", "notes"] {
        assert_eq!(live[part], again[part], "{part}");
    }
    // With the sides swapped, every ratio is inverted.
    let words = ["compare", &files[1], &files[0], "--format=json"];
    let turned = ended(&mut folder.plimsoll(&words)).json();
    let product = rate(&live)["value"].as_f64().unwrap() * rate(&turned)["value"].as_f64().unwrap();
    assert!((product - 1.0).abs() < 1e-9, "{product}");
    // The sides are paired only by a common comparison, of which a third run is no part.
    let profile = ["run", "@/one.toml", "sim:custom,iops=3000", "--out=@/other"];
    assert_eq!(ended(&mut folder.plimsoll(&profile)).code, Some(0));
    let other = run_file(&folder.path("other"));
    let strangers = ended(&mut folder.plimsoll(&["compare", &files[0], &other, "--format=json"])).json();
    assert_eq!(strangers["in_turns"], Value::Null);
}

#[test]
fn equal_volumes_are_the_same_and_time_that_is_left_is_not_used() {
    let folder = Folder::new();
    let side = |seed: u32| format!("sim:custom,iops=3000,noise=1%,noise_every=2s,seed={seed}");
    let document = compared(&folder, &[&side(5), &side(6), "--time=10m"]);
    let found = rate(&document);
    assert_eq!(found["answer"], "same", "{found}");
    let looks: Vec<u64> = document["in_turns"]["look_at"]
        .as_array()
        .unwrap()
        .iter()
        .map(|look| look.as_u64().unwrap())
        .collect();
    assert_eq!(looks, [10, 20, 40, 80, 120]);
    assert_eq!(found["basis"]["pairs"]["blocks"], 10, "certain at the first look");
}

#[test]
fn the_text_ends_with_the_answer_and_fits_80_columns_and_the_page_has_a_dot_a_block() {
    let folder = Folder::new();
    let words = ["compare", "a=sim:aws-gp3", "b=sim:do-volumes-pre-burst", "--turn=1s", "--out=@/runs"];
    let ended = ended(&mut folder.plimsoll(&words));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(last(&ended.out).starts_with("DIFFERENT in "), "{}", ended.out);
    for text in [&ended.out, &ended.err] {
        // Lines with a path may be longer.
        let mut own =
            text.lines().filter(|line| !(line.starts_with("report  ") || line.starts_with("run     ")));
        assert!(own.all(|line| line.chars().count() <= 80), "{text}");
    }
    assert!(ended.err.contains("10 blocks of 5 loads"), "{}", ended.err);
    let page = fs::read_to_string(folder.path("runs").join(page_of(&folder))).unwrap();
    // One picture and its narrow form: in each a point for every figure, and a dot for each of its blocks.
    assert_eq!(page.matches("<svg").count(), 2);
    let circles = page.matches("<circle").count();
    assert!(circles >= 2 * 15 * 11 && circles.is_multiple_of(2 * 11), "{circles}");
}

/// The last section of the text: the verdict.
fn last(text: &str) -> &str {
    text.split("\n\n").last().unwrap()
}

#[test]
fn burst_credits_are_in_the_verdict_and_the_exit_code() {
    let folder = Folder::new();
    let words = ["compare", "sim:aws-gp3", "sim:aws-gp2,size=100GiB", "--turn=1s", "--out=@/runs"];
    let found = ended(&mut folder.plimsoll(&words));
    assert_eq!(found.code, Some(4), "{}", found.err);
    let told = found.told();
    assert!(told.contains("THE SAME FOR NOW ("), "{told}");
    assert!(
        told.contains("B is on burst credits: in 3")
            && told.contains(" min it falls from 3,000 to 300 IOPS."),
        "{told}"
    );
    // Two on the same credits stay the same.
    let both = ["compare", "sim:aws-gp2,size=100GiB,seed=1", "sim:aws-gp2,size=100GiB,seed=2"];
    let both = ended(&mut folder.plimsoll(&[&both[..], &["--turn=1s", "--out=@/both"]].concat()));
    assert_eq!(both.code, Some(0), "{}", both.err);
    assert!(both.told().contains("THE SAME within 5 %"), "{}", both.out);
}

fn page_of(folder: &Folder) -> String {
    let names = fs::read_dir(folder.path("runs"))
        .unwrap()
        .map(|entry| text(entry.unwrap().path().file_name().unwrap().as_ref()));
    names.into_iter().find(|name| name.starts_with("a-against-b") && name.ends_with(".html")).unwrap()
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_remedy() {
    let folder = Folder::new();
    folder.make_dir("empty");
    for (words, told) in [
        (
            &["sim:aws-gp3", "sim:do-volumes-pre-burst", "--blocks=3"][..],
            &["--blocks 3", "take 6 or more"][..],
        ),
        (&["sim:aws-gp3", "sim:do-volumes-pre-burst", "--time=10s"], &["--time 10s", "give it", "--turn"]),
        (&["sim:aws-gp3", "sim:do-volumes-pre-burst", "--margin=5"], &["--margin 5", "--margin 5%"]),
        (&["a=sim:aws-gp3", "a=sim:do-volumes-pre-burst"], &["two sides are called 'a'", "NAME=TARGET"]),
        (
            &["sim:aws-gp3", "sim:do-volumes-pre-burst", "databse"],
            &["no profile is called 'databse'", "database"],
        ),
        (
            &["sim:aws-gp3", "sim:do-volumes-pre-burst", "database", "sim:aws-gp3"],
            &["two targets", "of their own"],
        ),
        (&["sim:aws-gp3", "null:", "--live"], &["null:", "nothing to compare"]),
    ] {
        let ended = ended(&mut folder.plimsoll(&[&["compare"], words].concat()));
        assert_eq!(ended.code, Some(2), "{words:?}: {}", ended.err);
        for part in told {
            assert!(ended.complained().contains(part), "{words:?}: {}", ended.err);
        }
    }
}

#[test]
fn the_guides_commands_do_what_it_says() {
    let folder = Folder::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/compare-live.md");
    let guide = fs::read_to_string(path).unwrap();
    let blocks = guide.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    for line in blocks.flat_map(str::lines) {
        let mut shell = folder.through("sh", &["-c", line]);
        let ended = ended(shell.current_dir(folder.path(".")).env("PATH", &path));
        assert!(matches!(ended.code, Some(0 | 4)), "{line}: {}", ended.err);
        if line.contains("iops=2850") {
            let told = ended.complained();
            assert!(
                guide.contains("10 blocks of 5 loads") && told.contains("10 blocks of 5 loads"),
                "{told}"
            );
            assert!(last(&ended.out).starts_with("DIFFERENT in "), "{}", ended.out);
        }
    }
    assert!(folder.path("again.html").exists());
}

/// Three pairs of volumes of two kinds, each pair differing by more than its own noise, in different directions. A
/// single pair gives a sure answer; all three together show that volumes of the same kind differ.
#[test]
fn several_comparisons_speak_for_the_kind_of_volume() {
    let folder = Folder::new();
    let side = |iops: u32, seed: u32| format!("sim:custom,iops={iops},noise=1%,noise_every=2s,seed={seed}");
    for (pair, (old, new)) in [(3000, 2700), (2800, 3100), (3000, 2950)].into_iter().enumerate() {
        let (seed, pair) = (pair as u32 * 2, format!("--out=@/runs/{pair}"));
        fs::write(folder.path("one.toml"), ONE_LOAD).unwrap();
        let words =
            ["compare", &side(old, seed + 1), &side(new, seed + 2), "@/one.toml", "--blocks=6", &pair];
        assert_eq!(ended(&mut folder.plimsoll(&words)).code, Some(0));
    }
    let files = |pair: &str| {
        let all = fs::read_dir(folder.path("runs").join(pair)).unwrap().map(|entry| entry.unwrap().path());
        let mut runs: Vec<String> = all
            .filter(|path| path.extension().is_some_and(|end| end == "plimsoll"))
            .map(|path| text(&path))
            .collect();
        // The second side of each pair has the even seed.
        runs.sort_by_key(|name| ["seed-2-", "seed-4-", "seed-6-"].iter().any(|seed| name.contains(seed)));
        runs
    };
    let pairs: Vec<Vec<String>> = ["0", "1", "2"].map(files).to_vec();
    let of = |side: usize| pairs.iter().map(|pair| pair[side].clone()).collect::<Vec<_>>().join(",");
    let one = ended(&mut folder.plimsoll(&["compare", &pairs[0][0], &pairs[0][1], "--format=json"])).json();
    assert_eq!(rate(&one)["answer"], "differs", "{}", rate(&one));
    let words = ["compare", &format!("old={}", of(0)), &format!("new={}", of(1)), "--format=json"];
    let all = ended(&mut folder.plimsoll(&words)).json();
    let found = rate(&all);
    assert_eq!(found["basis"]["pairs"]["comparisons"], 3, "{found}");
    assert_eq!(found["answer"]["undecided"]["runs"].as_u64().map(|_| ()), Some(()), "{found}");
    let (low, high) = (found["interval"][0].as_f64().unwrap(), found["interval"][1].as_f64().unwrap());
    assert!(low < 0.85 && high > 1.15, "{low} to {high}: volumes of a kind differ by a tenth");
}

#[test]
fn a_price_counts_at_the_latency_that_is_required() {
    let folder = Folder::new();
    let profile = [8, 1].map(|depth| {
        format!("[[step]]\nname = \"at {depth}\"\ntime = \"2s\"\n[[step.job]]\norder = \"random\"\nread = 100\nblock = \"4KiB\"\ndepth = {depth}\n")
    });
    fs::write(folder.path("two.toml"), format!("title = \"x\"\n{}", profile.concat())).unwrap();
    // The first needs 8 ms at depth 8 and a millisecond at depth 1; the second never needs more than 1.5 ms.
    let words = [
        "compare",
        "sim:custom,iops=1000,latency=1ms,jitter=0",
        "sim:custom,iops=6000,latency=1ms,jitter=0",
        "@/two.toml",
        "--blocks=6",
        "--out=@/runs",
        "--price=10/month",
        "--price=60/month",
        "--within=2ms",
        "--format=json",
    ];
    let document = ended(&mut folder.plimsoll(&words)).json();
    let row = &document["prices"][0];
    assert_eq!(row["within"]["latency_ns_p99"], 2_000_000);
    let reached = |side: usize| {
        (row["within"]["reached"][side]["depth"].as_u64(), row["within"]["reached"][side]["rate"].as_f64())
    };
    assert_eq!((reached(0).0, reached(1).0), (Some(1), Some(8)), "{row}");
    let (slow, fast) = (reached(0).1.unwrap(), reached(1).1.unwrap());
    assert!((row["prices"][0].as_f64().unwrap() - 10.0 / slow).abs() < 1e-9);
    assert!((row["prices"][1].as_f64().unwrap() - 60.0 / fast).abs() < 1e-9);
    let told = document["price_sentences"][0].as_str().unwrap();
    assert!(told.contains("p99 within 2.0 ms") || told.contains("p99 within 2 ms"), "{told}");
}

/// A job that would touch what was not named for it is not run at all.
#[test]
fn a_job_held_against_fio_stays_on_the_target_that_was_named() {
    let folder = Folder::new();
    folder.make_file("data", 64);
    folder.make_file("other", 1);
    folder.make_dir("empty");
    let job = |text: &str| fs::write(folder.path("job.fio"), format!("[a]\nsize=1m\n{text}\n")).unwrap();
    let other = folder.text("other");
    for (text, target, told) in [
        (format!("rw=randwrite\nfilename={other}"), "@/data", ["names", "take filename and directory out"]),
        ("rw=randwrite".to_owned(), "@/data", ["is only read", "--allow-destroy"]),
        ("rw=randread\ndirectory=/tmp".to_owned(), "@/empty", ["names", "take filename and directory out"]),
        ("rw=randread\nexec_prerun=true".to_owned(), "@/data", ["exec_prerun", ""]),
    ] {
        job(&text);
        let ended = ended(&mut folder.plimsoll(&["compare", target, "@/job.fio", "--against=fio"]));
        assert_eq!(ended.code, Some(2), "{text}: {}", ended.err);
        assert!(told.iter().all(|part| ended.complained().contains(part)), "{text}: {}", ended.err);
    }
    job("rw=randread");
    let simulated = ended(&mut folder.plimsoll(&["compare", "sim:aws-gp3", "@/job.fio", "--against=fio"]));
    assert!(simulated.complained().contains("fio cannot load that"), "{}", simulated.err);
    let few = ended(&mut folder.plimsoll(&["compare", "@/data", "@/job.fio", "--against=fio", "--blocks=2"]));
    assert!(few.complained().contains("take 6 or more"), "{}", few.err);
    let names = ["data", "other", "empty", "job.fio"];
    assert!(
        folder.listing().iter().all(|name| names.iter().any(|known| name.contains(known))),
        "{:?}",
        folder.listing()
    );
}

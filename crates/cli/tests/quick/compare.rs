//! `plimsoll compare` on the command line: results that two providers' customers published, runs of plimsoll, and bad input.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;

/// Copies what fio 1.59, fio 2.1.3 and ioping 0.6 and 0.7 printed on two providers' volumes, as pasted on the web: a
/// mix with 75 % reads, reads, and writes, all of 4 KiB at random and depth 64, and ten single requests.
fn pasted(folder: &Folder) {
    for side in ["do", "aws"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/providers").join(side);
        folder.make_dir(side);
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, folder.path(side).join(path.file_name().unwrap())).unwrap();
        }
    }
}

const TEN_SECONDS: &str = "title = \"x\"\n[[step]]\nname = \"reads\"\ntime = \"10s\"\n[[step.job]]\norder = \"random\"\nread = 100\nblock = \"4KiB\"\ndepth = 32\n";

const PROVIDERS: [&str; 8] = [
    "compare",
    "do=@/do",
    "aws=@/aws",
    "--policy",
    "aws=aws-gp2-2018-02,size=50GiB",
    "--machine=aws=t2.small",
    "--price=do=5.00/month",
    "--price=aws=USD 5.00/month",
];

fn reading<'a>(document: &'a Value, side: u64, kind: &str) -> &'a Value {
    let all = document["readings"].as_array().unwrap();
    let found = all.iter().find(|reading| reading["side"] == side && reading["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind} of side {side}: {all:#?}"))
}

#[test]
fn printed_outputs_of_two_providers_are_matched_by_their_work() {
    let folder = Folder::new();
    pasted(&folder);
    let ended = ended(&mut folder.plimsoll(&[&PROVIDERS[..], &["--format=json"]].concat()));
    // Two prices without an exchange rate, and one run each without an interval: nothing is told.
    assert_eq!(ended.code, Some(4), "{}", ended.err);
    let document = ended.json();
    assert_eq!((&document["outcome"], &document["exit_code"]), (&"cannot_tell".into(), &4.into()));
    let rows = document["rows"].as_array().unwrap();
    let figures: Vec<(f64, f64)> = rows
        .iter()
        .map(|row| {
            assert_eq!(row["ratios"][1]["basis"], "one_each");
            assert_eq!(row["ratios"][1]["interval"], Value::Null);
            let value = |side: usize| row["figures"][side]["value"].as_f64().unwrap();
            (value(0), value(1))
        })
        .collect();
    let printed =
        [(33215.0, 2257.0), (11093.0, 752.0), (86630.0, 3016.0), (8850.0, 2943.0), (300_000.0, 365_000.0)];
    assert_eq!(figures, printed);
    // One of the latencies was printed with one digit, so the ratio is known only to lie between 365/350 and 365/250.
    let by_rounding = rows[4]["ratios"][1]["by_rounding"].as_array().unwrap();
    let ends: Vec<f64> = by_rounding.iter().map(|end| end.as_f64().unwrap()).collect();
    assert!((ends[0] - 1.04).abs() < 0.01 && (ends[1] - 1.46).abs() < 0.01, "{ends:?}");
    let differs: Vec<&str> =
        document["differing"].as_array().unwrap().iter().map(|row| row["what"].as_str().unwrap()).collect();
    assert_eq!(differs, ["tool", "runtime", "machine"]);
}

/// The arithmetic: the baseline is 3 × 50 = 150 IOPS, and 3,000 on credits. 3 × 1,048,576 operations in 1,052 s spend
/// 3,145,728 credits less the 157,842 earned meanwhile, 2,987,886; the other 2,412,114 of 5.4 million last 2,412,114
/// / 2,850 = 846 s.
#[test]
fn credits_are_reckoned_from_the_declared_type_and_what_is_not_shown_is_said() {
    let folder = Folder::new();
    pasted(&folder);
    let ended = ended(&mut folder.plimsoll(&[&PROVIDERS[..], &["--format=json"]].concat()));
    let document = ended.json();
    let credits = reading(&document, 1, "on_credits");
    for (name, wanted, within) in [
        ("baseline", 150.0, 0.0),
        ("burst", 3000.0, 0.0),
        ("bucket", 5.4e6, 0.0),
        ("spent_most", 2_987_886.0, 100.0),
        ("left_s", 846.4, 0.2),
        ("tested_s", 1052.28, 0.01),
        ("at_burst", 3.0, 0.0),
        ("loads", 3.0, 0.0),
    ] {
        let found = credits[name].as_f64().unwrap();
        assert!((found - wanted).abs() <= within, "{name}: {found}, not {wanted}");
    }
    assert_eq!(credits["baseline_seen"], false);
    assert!(credits["unless"].as_str().unwrap().contains("follows from what was declared"));
    let told = credits["details"].as_str().unwrap();
    for words in ["No baseline was ever seen", "at most 3.0 million", "another 14 min", "is not known"] {
        assert!(told.contains(words), "{told}");
    }
    let no_cap = reading(&document, 0, "no_cap_seen");
    assert!(no_cap["sentence"].as_str().unwrap().contains("no cap seen at the rates tested"));
    let faster = reading(&document, 0, "reads_much_faster");
    assert!((faster["times"].as_f64().unwrap() - 86630.0 / 8850.0).abs() < 1e-9);
    assert!(faster["sentence"].as_str().unwrap().contains("a cache may have served the reads"));
    let machine = reading(&document, 1, "machine_credits");
    assert!(machine["sentence"].as_str().unwrap().contains("CPU credits of its own"));
}

#[test]
fn undeclared_the_same_figures_are_one_level_that_something_meters() {
    let folder = Folder::new();
    pasted(&folder);
    let ended = ended(&mut folder.plimsoll(&["compare", "do=@/do", "aws=@/aws", "--format=json"]));
    let document = ended.json();
    let level = reading(&document, 1, "one_level");
    assert!((level["level"].as_f64().unwrap() - 2989.3).abs() < 1.0, "{level}");
    assert!(level["next"].as_str().unwrap().contains("--policy"));
}

#[test]
fn the_text_ends_with_prices_and_the_answer_fits_80_columns_and_currencies_stay_apart() {
    let folder = Folder::new();
    pasted(&folder);
    let ended = ended(&mut folder.plimsoll(&[&PROVIDERS[..], &["--html=@/page.html"]].concat()));
    assert!(ended.out.lines().all(|line| line.chars().count() <= 80), "{}", ended.out);
    let at = |words: &str| ended.out.find(words).unwrap_or_else(|| panic!("{words}: {}", ended.out));
    let verdict = at("CANNOT TELL which is the better buy: their prices are in different");
    assert!(at("What differs between them") < at("unknown") && at("unknown") < at("price a month of"));
    assert!(at("price a month of") < verdict && ended.out[verdict..].lines().count() < 8, "{}", ended.out);
    assert!(ended.told().contains("aws is on burst credits: in 14 min it falls from 3,000 to 150 IOPS."));
    // 5 / 3016 a month, and 5 / 150 once the credits are spent.
    assert!(ended.told().contains("USD 1.66*"), "{}", ended.out);
    assert!(
        ended.told().contains("* aws in a burst: at its baseline 19.6 to 20.1 times as much."),
        "{}",
        ended.out
    );
    // The prices are in two currencies, without an exchange rate.
    assert!(!ended.told().contains("BETTER BUY"), "{}", ended.out);
    let page = fs::read_to_string(folder.path("page.html")).unwrap();
    assert!(page.contains("USD 1.66 (in a burst; USD 33.3 at its baseline)"), "{page}");
    // One picture of all figures, not one for each.
    assert_eq!(page.matches("chart whole").count(), 1);
    let words = page.replace('\u{a0}', " ");
    assert!(words.contains("86,630 IOPS") && words.contains("no cap seen at the rates tested"));
    // The XML namespace of the drawings is an address that nothing fetches.
    assert_eq!(page.matches("http://").count(), page.matches("http://www.w3.org/2000/svg").count());
}

#[test]
fn prices_say_which_unit_is_cheaper_and_by_what_factor() {
    let folder = Folder::new();
    pasted(&folder);
    let words = ["compare", "do=@/do", "aws=@/aws", "--price=5.00/month", "--price=10.00/month"];
    let sized = ["--size=20GB", "--size=aws=50GB"];
    let ended = ended(&mut folder.plimsoll(&[&words[..], &sized].concat()));
    let told = ended.told();
    // 10/3016 over 5/86630 is 57.4; a gigabyte costs 0.25 here and 0.20 there.
    assert!(
        told.contains(
            "BETTER BUY: do. The same rate costs 6.01 to 57.4 times as much on aws, in all 4 loads"
        ),
        "{told}"
    );
    assert!(told.contains("do, 57.4 times"), "{told}");
    assert!(told.contains("1 GB of space 0.250 0.200 aws, 1.25 times"), "{told}");
}

#[test]
fn repeats_on_simulated_volumes_have_intervals_and_a_volume_is_the_same_as_itself() {
    let folder = Folder::new();
    fs::write(folder.path("x.toml"), TEN_SECONDS).unwrap();
    for (name, target) in [("a", "sim:aws-gp3"), ("b", "sim:aws-gp3"), ("c", "sim:do-volumes-pre-burst")] {
        for seed in ["1", "2", "3", "4"] {
            let seed = if name == "b" { format!("{seed}0") } else { seed.to_owned() };
            let words = ["run", "@/x.toml", target, "--seed", &seed, "--out", &format!("@/{name}")];
            assert_eq!(ended(&mut folder.plimsoll(&words)).code, Some(0));
        }
    }
    let run = ended(&mut folder.plimsoll(&["compare", "a=@/a", "b=@/b", "c=@/c", "--format=json"]));
    let document = run.json();
    let ratios = &document["rows"][0]["ratios"];
    assert_eq!(ratios[1]["answer"], "same", "{ratios}");
    assert_eq!(ratios[2]["answer"], "differs", "{ratios}");
    assert!((ratios[2]["value"].as_f64().unwrap() - 5000.0 / 3000.0).abs() < 0.01, "{ratios}");
    assert!(ratios[2]["basis"]["runs"]["first"] == 4, "{ratios}");
    let text = ended(&mut folder.plimsoll(&["compare", "a=@/a", "b=@/b", "c=@/c"]));
    assert!(
        text.told().contains("c is the odd one: 5,000 IOPS, the median of the three is 3,000 IOPS (+67 %)."),
        "{}",
        text.out
    );
    let all = ended(&mut folder.plimsoll(&["compare", "a=@/a", "b=@/b", "c=@/c", "--all"]));
    assert!(all.told().contains("c is 1.67 (1.67 to 1.67) of a: differs"), "{}", all.out);
    let one = run_files(&folder, "a").remove(0);
    let other = run_files(&folder, "c").remove(0);
    let pair = ended(&mut folder.plimsoll(&["compare", &one, &other, "--format=json"]));
    let ratio = &pair.json()["rows"][0]["ratios"][1];
    assert!(ratio["interval"].is_array() && ratio["answer"] == "repeat", "{ratio}");
    assert_eq!(ratio["basis"], "own_intervals", "{ratio}");
}

fn run_files(folder: &Folder, name: &str) -> Vec<String> {
    let all = fs::read_dir(folder.path(name)).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<String> = all
        .filter(|path| path.extension().is_some_and(|end| end == "plimsoll"))
        .map(|path| text(&path))
        .collect();
    found.sort();
    found
}

/// The words after `compare`, and parts of the message: the cause first, the remedy last.
type Row = (&'static [&'static str], &'static [&'static str]);

const WRONG: &[Row] = &[
    (&[], &["required arguments were not provided: <SIDE>", "compare --help"]),
    (&["@/aws/read.txt"], &["needs two sides", "NAME=FILE,FILE"]),
    (&["@/aws/read.txt", "@/nowhere"], &["nowhere", "cannot be read", "name a run file"]),
    (&["@/aws/read.txt", "@/prose.txt"], &["prose.txt is no run file", "no result of a known tool"]),
    (&["@/aws/read.txt", "@/nothing.txt"], &["nothing.txt is no run file", "empty"]),
    (&["@/aws/read.txt", "@/binary"], &["binary is no run file"]),
    (&["@/aws/read.txt", "@/broken.plimsoll"], &["broken.plimsoll"]),
    (&["@/aws/read.txt", "@/hollow"], &["no file in it is a run file", "known tool"]),
    (&["a=@/aws", "a=@/do"], &["two sides are called 'a'", "NAME=FILE"]),
    (&["a=@/aws,@/nowhere", "b=@/do"], &["nowhere", "cannot be read"]),
    (&["@/aws", "@/do", "--price", "5.00"], &["no period", "5.00/month"]),
    (&["@/aws", "@/do", "--price", "cheap/month"], &["'cheap/month' is no price", "5.00/month"]),
    (&["@/aws", "@/do", "--price", "0/month"], &["no price to compare by", "leave --price out"]),
    (
        &["@/aws", "@/do", "--price=1/month", "--price=2/month", "--price=3/month"],
        &["there are 2 sides", "NAME="],
    ),
    (&["@/aws", "@/do", "--price=A=1/month", "--price=A=2/month"], &["given twice for 'A'", "keep one"]),
    (&["@/aws", "@/do", "--price=nope=5/month"], &["no side is called 'nope'", "'A', 'B'", "--price A="]),
    (&["@/aws", "b=@/do", "--size=B=60GB"], &["no side is called 'B'", "'A', 'b'"]),
    (&["@/aws", "@/do", "--policy=nope=aws-gp2,size=50GiB"], &["no side is called 'nope'", "'A', 'B'"]),
    (&["@/aws", "@/do", "--machine=nope=t2.small"], &["no side is called 'nope'", "'A', 'B'"]),
    (&["@/aws", "do=@/do", "--size=do=60"], &["--size 60 has no unit", "60GiB"]),
    (&["@/aws", "@/do", "--size", "12q"], &["'12q' is not a size"]),
    (
        &["@/aws", "@/do", "--policy", "aws-gp22,size=50GiB"],
        &["no policy is called 'aws-gp22'", "did you mean"],
    ),
    (&["@/aws", "@/do", "--policy", "aws-gp2"], &["aws-gp2 needs 'size'", "aws-gp2,size=100GiB"]),
    (
        &["@/aws", "@/do", "--policy", "B=aws-gp2,size=50GiB,siz=1GiB"],
        &["no parameter 'siz'", "did you mean 'size'?"],
    ),
    (&["@/aws", "@/do", "--prise", "1/month"], &["unexpected argument '--prise'", "'--price'"]),
    (&["@/aws", "@/do", "--format", "xml"], &["invalid value 'xml'", "text, json"]),
    (&["@/aws", "@/do", "--html"], &["a value is required for '--html", "--help"]),
];

#[test]
fn wrong_words_are_told_with_cause_and_remedy() {
    let folder = Folder::new();
    pasted(&folder);
    folder.make_dir("hollow");
    fs::write(folder.path("nothing.txt"), "").unwrap();
    fs::write(folder.path("prose.txt"), "Dear provider, it is slow.\n").unwrap();
    fs::write(folder.path("binary"), [0u8, 159, 146, 150, 0, 1, 2, 255]).unwrap();
    fs::write(folder.path("broken.plimsoll"), b"SQLite format 3\0 and then nothing").unwrap();
    let before = folder.listing();
    for (words, wanted) in WRONG {
        let ended = ended(&mut folder.plimsoll(&[&["compare"], *words].concat()));
        let told = ended.complained();
        assert_eq!(ended.code, Some(2), "{words:?}: {told}");
        assert_eq!(ended.out, "", "{words:?}");
        for word in *wanted {
            assert!(told.contains(word), "{words:?}: {told}, without '{word}'");
        }
    }
    assert_eq!(folder.listing(), before);
}

#[test]
fn a_page_that_cannot_be_written_fails() {
    let folder = Folder::new();
    pasted(&folder);
    let ended = ended(&mut folder.plimsoll(&["compare", "@/aws", "@/do", "--html", "@/no/such/page.html"]));
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.complained().contains("cannot be written"), "{}", ended.err);
}

#[test]
fn work_that_has_nothing_in_common_is_said() {
    let folder = Folder::new();
    pasted(&folder);
    let ended = ended(&mut folder.plimsoll(&["compare", "@/aws/read.txt", "@/do/write.txt"]));
    assert_eq!(ended.code, Some(4), "{}", ended.err);
    assert!(ended.told().contains("no work in common"), "{}", ended.out);
    assert!(ended.told().contains("Only A was measured at: 4 KiB random reads, depth 64."), "{}", ended.out);
}

#[test]
fn a_line_without_options_is_compared_with_the_flag_that_its_work_is_not_recorded() {
    let folder = Folder::new();
    pasted(&folder);
    let text = fs::read_to_string(folder.path("aws/read.txt")).unwrap();
    let bare: String = text
        .lines()
        .filter(|line| !line.contains("rw=") && !line.contains("readwrite="))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(folder.path("bare.txt"), bare).unwrap();
    let words = ["compare", "@/do/read.txt", "@/bare.txt", "--html=@/page.html"];
    let ended = ended(&mut folder.plimsoll(&words));
    let flag = "of B are not recorded: it may be other work.";
    assert!(ended.told().contains(flag), "{}{}", ended.out, ended.err);
    assert!(fs::read_to_string(folder.path("page.html")).unwrap().contains(flag));
    let other = ended_of(&folder, &["compare", "@/do/write.txt", "@/bare.txt"]);
    assert!(other.contains("reads (not recorded: depth,"), "{other}");
}

fn ended_of(folder: &Folder, words: &[&str]) -> String {
    ended(&mut folder.plimsoll(words)).told()
}

/// Returns fio's JSON for one job with these options, as far as a comparison reads it.
fn fio_json(options: &Value) -> String {
    let read =
        serde_json::json!({"io_bytes": 40_960_000, "total_ios": 10_000, "runtime": 10_000, "iops": 1000.0});
    let job =
        serde_json::json!({"jobname": "r", "groupid": 0, "error": 0, "job options": options, "read": read});
    serde_json::json!({"fio version": "fio-3.33", "global options": {}, "jobs": [job]}).to_string()
}

#[test]
fn options_of_every_length_stand_in_the_table_of_what_differs() {
    let folder = Folder::new();
    let base = serde_json::json!({"rw": "randread", "bs": "4k", "iodepth": "8", "rate_iops": "1000", "numjobs": "1"});
    let mut other = base.clone();
    for name in [
        "sync",
        "fdatasync_",
        "thinktime_blocks",
        "a_name_longer_than_any_column_could_hold",
        "time_based",
        "ramp_time",
        "invalidate",
    ] {
        other[name] = "1".into();
    }
    other["numjobs"] = "2".into();
    fs::write(folder.path("a.json"), fio_json(&base)).unwrap();
    fs::write(folder.path("b.json"), fio_json(&other)).unwrap();
    let ended = ended(&mut folder.plimsoll(&["compare", "@/a.json", "@/b.json"]));
    assert!(ended.out.lines().all(|line| line.chars().count() <= 80), "{}", ended.out);
    for words in ["numjobs", "sync=1", "thinktime_blocks=1", "invalidate=1", "not said", "1,000 IOPS offered"]
    {
        assert!(ended.told().contains(words), "{words}: {}", ended.out);
    }
    assert!(!ended.out.contains("Nothing that is recorded differs"), "{}", ended.out);
}

#[test]
fn a_copy_of_a_run_is_no_repeat() {
    let folder = Folder::new();
    pasted(&folder);
    let json = |words: &[&str]| {
        let ended = ended(&mut folder.plimsoll(&[&["compare"], words, &["--format=json"]].concat()));
        let runs = |side: usize| ended.json()["sides"][side]["runs"].as_u64().unwrap();
        (runs(0), runs(1), ended.json()["rows"][0]["ratios"][1]["basis"].clone(), ended.complained())
    };
    let own = fs::read_to_string(folder.path("do/read.txt")).unwrap();
    fs::write(folder.path("twice.txt"), format!("{own}\n\n{own}")).unwrap();
    let six = "@/aws/read.txt,".repeat(6);
    let first = format!("aws={}", six.trim_end_matches(','));
    let (a, b, basis, told) = json(&[&first, "do=@/do/read.txt,@/do/read.txt,@/twice.txt"]);
    assert_eq!((a, b), (1, 1), "{told}");
    assert_eq!(basis, "one_each");
    assert!(told.contains("aws: 5 of 6 results hold the same figures as another, and count once."), "{told}");
    let (.., told) = json(&["@/aws/read.txt", "@/aws/read.txt"]);
    assert!(told.contains("B holds the same results as A: it says nothing about another volume."), "{told}");
    // A result in which a figure differs is another run.
    fs::write(folder.path("other.txt"), own.replace("346522KB/s", "346521KB/s")).unwrap();
    let (_, b, _, told) = json(&["@/aws/read.txt", "do=@/do/read.txt,@/other.txt"]);
    assert_eq!(b, 2, "{told}");
    assert!(!told.contains("holds the same results"), "{told}");
}

#[test]
fn a_document_with_the_results_of_two_volumes_is_warned_of() {
    let folder = Folder::new();
    pasted(&folder);
    let both = ["do/read.txt", "aws/read.txt"].map(|name| fs::read_to_string(folder.path(name)).unwrap());
    fs::write(folder.path("both.txt"), both.join("\n\n")).unwrap();
    let told = |words: &[&str]| ended(&mut folder.plimsoll(&[&["compare"], words].concat())).complained();
    let warned = told(&["@/both.txt", "@/do/read.txt"]);
    for words in [
        "holds 2 results (fio 1.59 text, fio 2.1.3 text)",
        "of one volume",
        "speak for two machines",
        "a file of its own",
    ] {
        assert!(warned.contains(words), "{words}: {warned}");
    }
    assert!(!told(&["@/aws/read.txt", "@/do/read.txt"]).contains("of one volume"));
}

/// Checks `target` and returns the folder of its run.
fn checked(folder: &Folder, target: &str, name: &str) -> String {
    let out = format!("@/{name}");
    assert_eq!(ended(&mut folder.plimsoll(&["check", target, "--out", &out])).code, Some(0), "{target}");
    format!("{name}={out}")
}

#[test]
fn one_check_a_side_tells_the_change_of_the_limit_and_what_it_cannot_exclude() {
    let folder = Folder::new();
    let old = checked(&folder, "sim:custom,iops=3000", "old");
    let new = checked(&folder, "sim:custom,iops=2400", "new");
    let found = ended(&mut folder.plimsoll(&["compare", &old, &new]));
    assert_eq!(found.code, Some(0), "{}", found.err);
    let wanted = "new is 20 % slower at its limit: 2,400 IOPS, old had 3,000 (4 KiB reads and writes alike). One run each, and \
                  the same volume may be faster or slower at another hour: repeat to be sure.";
    assert!(found.told().trim_end().ends_with(wanted), "{}", found.out);
    assert!(!found.told().contains("unknown"), "every figure of a check has one: {}", found.out);
    let document = ended(&mut folder.plimsoll(&["compare", &old, &new, "--format=json"])).json();
    let (low, high) = (
        &document["limits"][0]["ratios"][1]["interval"][0],
        &document["limits"][0]["ratios"][1]["interval"][1],
    );
    assert!(low.as_f64().unwrap() > 0.798 && high.as_f64().unwrap() < 0.802, "{document}");
    let again = checked(&folder, "sim:custom,iops=3000,seed=5", "again");
    let same = ended(&mut folder.plimsoll(&["compare", &old, &again]));
    assert!(same.told().contains("THE SAME within 5 % in all 6 figures. One run each"), "{}", same.out);
}

#[test]
fn the_odd_one_of_twenty_is_named_in_80_columns() {
    let folder = Folder::new();
    fs::write(folder.path("x.toml"), TEN_SECONDS).unwrap();
    let mut words = vec!["compare".to_owned()];
    for host in 1..=20 {
        let iops = if host == 7 { 2000 } else { 3000 };
        let load = format!("sim:custom,iops={iops},noise=2%,seed={host}");
        let out = format!("@/h{host}");
        assert_eq!(ended(&mut folder.plimsoll(&["run", "@/x.toml", &load, "--out", &out])).code, Some(0));
        words.push(format!("h{host}={out}"));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let found = ended(&mut folder.plimsoll(&words));
    assert_eq!(found.code, Some(0), "{}", found.err);
    assert!(found.out.lines().all(|line| line.chars().count() <= 80), "{}", found.out);
    assert!(found.out.lines().nth(1).unwrap().starts_with("h7"), "the odd one is on top: {}", found.out);
    assert!(found.out.lines().count() < 32, "{}", found.out);
    assert!(found.told().contains("h7 is the odd one: "), "{}", found.out);
}

#[test]
fn sides_without_names_are_their_files_with_as_many_folders_as_tell_them_apart() {
    let folder = Folder::new();
    for (name, iops) in [("old", 3000), ("new", 2400)] {
        let target = format!("sim:custom,iops={iops}");
        checked(&folder, &target, name);
        fs::rename(run_files(&folder, name).remove(0), folder.path(&format!("{name}/vol.plimsoll"))).unwrap();
    }
    let found = ended(&mut folder.plimsoll(&["compare", "@/old/vol.plimsoll", "@/new/vol.plimsoll"]));
    let wanted =
        "B (new/vol.plimsoll) is 20 % slower at its limit: 2,400 IOPS, A (old/vol.plimsoll) had 3,000 ";
    assert!(found.told().contains(wanted), "{}", found.out);
}

#[test]
fn a_side_that_is_cheaper_in_its_burst_alone_is_the_better_buy_for_now() {
    let folder = Folder::new();
    let gp3 = checked(&folder, "sim:aws-gp3", "gp3");
    // A check of a burst cannot tell what lasts.
    let burst = ["check", "sim:aws-gp2,size=100GiB", "--out=@/gp2"];
    assert_eq!(ended(&mut folder.plimsoll(&burst)).code, Some(4));
    let priced = ["--price=gp3=8/month", "--price=gp2=3/month"];
    let found = ended(&mut folder.plimsoll(&[&["compare", &gp3, "gp2=@/gp2"][..], &priced].concat()));
    let wanted = "BETTER BUY FOR NOW: gp2. The same rate costs 2.67 to 2.75 times as much on gp3, in all 27 loads that were priced. \
                  At the rates that last, without bursts, the cheaper is gp3 in 16 loads (1.56 to 3.75 times), gp2 in 11 loads \
                  (1.28 to 2.67 times). One run each, ";
    assert!(found.told().contains(wanted), "{}", found.out);
    assert_eq!(found.code, Some(4));
    // In turns the speed is a figure of its own, and does not contradict the price.
    let live = [
        "compare",
        "sim:aws-gp3",
        "sim:aws-gp3,seed=2",
        "--price=8/month",
        "--price=10/month",
        "--out=@/live",
    ];
    let told = ended(&mut folder.plimsoll(&live)).told();
    let wanted =
        "BETTER BUY: A (sim:aws-gp3). The same rate costs 1.25 times as much on B (sim:aws-gp3,seed=2), ";
    assert!(told.contains(wanted) && told.contains(" They are equally fast: all "), "{told}");
    assert!(!told.contains("THE SAME"), "{told}");
}

//! `plimsoll size`: recordings of several kinds, what is asked about them, and what is refused.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fmt::Write as _;
use std::fs;

use crate::machine::*;

/// What iostat prints of a disk that reads at these rates of 8 KiB, a second each.
fn iostat(rates: &[u32]) -> String {
    let mut text = "Linux 6.1.0 (host) \t11/20/2026 \t_x86_64_\t(2 CPU)\n\n".to_owned();
    for (at, rate) in rates.iter().enumerate() {
        write!(
            text,
            "11/20/2026 10:{:02}:{:02} AM\nDevice            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util\n\
             vdb          {rate}.00  {}.00    0.00      0.00    0.50  40.00\n\n",
            at / 60,
            at % 60,
            rate * 8
        )
        .unwrap();
    }
    text
}

fn recorded(rates: &[u32]) -> Folder {
    let folder = Folder::new();
    fs::write(folder.path("load.txt"), iostat(rates)).unwrap();
    folder
}

/// Runs plimsoll in the folder.
fn run(folder: &Folder, words: &[&str]) -> ProgramOutput {
    ended(folder.plimsoll(words).current_dir(folder))
}

/// Returns a text without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_load_gets_the_cheapest_setting_that_carries_it() {
    let folder = recorded(&[4000; 30]);
    let words = ["size", "load.txt", "--provider", "aws", "--capacity", "100GiB", "--region", "us-east-1"];
    let ended = run(&folder, &words);
    assert_eq!(ended.code, Some(0), "{} {}", ended.out, ended.err);
    // 4,000 and 3 % more, in steps of 100.
    for words in ["CHEAPEST: aws-gp3,size=100GiB,iops=4", "a month in us-east-1", "vdb", "The next cheaper, "]
    {
        assert!(flat(&ended.out).contains(words), "{words}: {}", ended.out);
    }
    assert!(ended.out.lines().all(|line| line.chars().count() <= 80), "{}", ended.out);
    let json = run(&folder, &[&words[..], &["--format", "json"]].concat());
    let document: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let device = &document["devices"][0];
    let cheapest = &device["settings"][device["cheapest"].as_u64().unwrap() as usize];
    assert_eq!(document["schema"], "plimsoll-size");
    assert_eq!(cheapest["carries"], "yes");
    assert!((4000.0..4300.0).contains(&device["load"]["iops_peak"].as_f64().unwrap()), "{}", device["load"]);
}

#[test]
fn what_a_volume_has_now_is_judged_and_its_waste_named() {
    let folder = recorded(&[900; 30]);
    let with = |present: &str| {
        run(&folder, &["size", "load.txt", "--provider", "aws", "--capacity", "500GiB", "--present", present])
    };
    let ample = with("aws-gp3,size=500GiB,iops=9000");
    assert_eq!(ample.code, Some(0), "{} {}", ample.out, ample.err);
    assert!(flat(&ample.out).contains("a month less would do"), "{}", ample.out);
    let scarce = with("aws-st1,size=500GiB");
    assert_eq!(scarce.code, Some(3), "{} {}", scarce.out, scarce.err);
    assert!(flat(&scarce.out).contains("What it has now, aws-st1,size=500GiB"), "{}", scarce.out);
}

#[test]
fn waiting_that_is_allowed_makes_a_cheaper_setting_do() {
    // One second in thirty asks for 6,000.
    let rates: Vec<u32> = (0..60).map(|at| if at % 30 == 7 { 6000 } else { 500 }).collect();
    let folder = recorded(&rates);
    let words = ["size", "load.txt", "--policy", "aws-gp3", "--capacity", "100GiB", "--format", "json"];
    let price = |more: &[&str]| {
        let ended = run(&folder, &[&words[..], more].concat());
        let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        let device = &document["devices"][0];
        device["settings"][device["cheapest"].as_u64().unwrap() as usize]["price"]["amount"].as_f64().unwrap()
    };
    let (never, seconds) = (price(&[]), price(&["--allow", "longest +10s"]));
    assert!(seconds < never, "{seconds} {never}");
}

#[test]
fn own_prices_stand_before_the_built_in_ones() {
    let folder = recorded(&[500; 20]);
    let prices = "[[price]]\npolicies = [\"hetzner-volumes\"]\nregion = \"fsn1\"\ncurrency = \"EUR\"\nas_of = \"2026-11-01\"\n\
                  source = \"our contract\"\nparts = [{ count = { param = \"size\" }, price = 0.01 }]\n";
    fs::write(folder.path("prices.toml"), prices).unwrap();
    let words = "size load.txt --policy hetzner-volumes --capacity 100GiB --prices prices.toml --region fsn1";
    let ended = run(&folder, &words.split(' ').collect::<Vec<_>>());
    assert!(flat(&ended.out).contains("1.00 EUR a month in fsn1"), "{} {}", ended.out, ended.err);
}

#[test]
fn several_recordings_make_one_table() {
    let folder = Folder::new();
    for (name, rate) in [("web", 300), ("db", 5000), ("cron", 10)] {
        fs::write(folder.path(&format!("{name}.txt")), iostat(&[rate; 30])).unwrap();
    }
    let words = ["size", "web.txt", "db.txt", "cron.txt", "--provider", "aws", "--capacity", "100GiB"];
    let present = ["--present", "aws-gp3,size=100GiB,iops=6000"];
    let ended = run(&folder, &[&words[..], &present].concat());
    assert_eq!(ended.code, Some(0), "{} {}", ended.out, ended.err);
    assert!(flat(&ended.out).contains(" 3 volumes: 3 paid for more than they can use, "), "{}", ended.out);
    for words in ["vdb of web  ", "vdb of db  ", "vdb of cron  ", "23.00 USD"] {
        assert!(ended.out.contains(words), "{words}: {}", ended.out);
    }
    let all = run(&folder, &[&words[..], &["--all"]].concat());
    assert_eq!(all.out.matches("CHEAPEST: ").count(), 3, "{}", all.out);
}

#[test]
fn mistakes_are_refused_with_what_to_write() {
    let folder = recorded(&[500; 20]);
    for (words, said) in [
        (&["--provider", "amazon"][..], "it has alibaba, aws, azure"),
        (&["--policy", "aws-gp3,size=1GiB"], "name the policy alone"),
        (&["--policy", "aws-gp9"], "did you mean 'aws-gp2'?"),
        (&["--allow", "p98 +1ms"], "p99 +2ms"),
        (&["--region", "us-east-9"], "us-east-1"),
        (&["--instance", "m5.larg"], "m5.large"),
        (&["--device", "sdx"], "the recording has vdb"),
        (&["--capacity", "much"], "much"),
        (&["--prices", "none.toml"], "none.toml: cannot be read"),
    ] {
        let ended = run(&folder, &[&["size", "load.txt"], words].concat());
        assert_eq!(ended.code, Some(2), "{words:?}: {} {}", ended.out, ended.err);
        let err = flat(&ended.err);
        assert!(err.contains(said) && ended.out.is_empty(), "{words:?}: {err}");
    }
    fs::write(folder.path("idle.txt"), iostat(&[0; 20])).unwrap();
    let ended = run(&folder, &["size", "idle.txt"]);
    assert_eq!(ended.code, Some(2), "{} {}", ended.out, ended.err);
    assert!(ended.err.contains("no disk did any I/O"), "{}", ended.err);
}

#[test]
fn credits_that_do_not_return_carry_a_load_for_now() {
    // 2,000 a second from credits that return at 300.
    let folder = recorded(&[2000; 60]);
    let ended = run(&folder, &["size", "load.txt", "--policy", "aws-gp2", "--capacity", "100GiB", "--all"]);
    assert_eq!(ended.code, Some(0), "{} {}", ended.out, ended.err);
    let row = ended.out.lines().find(|line| line.contains("aws-gp2 100GiB")).unwrap();
    assert!(row.contains("once"), "{}", ended.out);
    let all = run(&folder, &["size", "load.txt", "--capacity", "100GiB", "--all"]);
    assert!(!all.out.contains("vmware"), "what an administrator sets is not sold: {}", all.out);
}

/// What iostat prints of disks that read at these rates of 8 KiB for half a minute.
fn of_disks(disks: &[(&str, u32)]) -> String {
    let mut text = "Linux 6.1.0 (host) \t11/20/2026 \t_x86_64_\t(2 CPU)\n\n".to_owned();
    for at in 0..30 {
        let head = "Device            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util";
        writeln!(text, "11/20/2026 10:00:{at:02} AM\n{head}").unwrap();
        for (name, rate) in disks {
            let row = format!("{rate}.00  {}.00    0.00      0.00    0.50  40.00", rate * 8);
            writeln!(text, "{name}          {row}").unwrap();
        }
        text.push('\n');
    }
    text
}

#[test]
fn a_machine_is_judged_by_the_sum_of_its_volumes_and_each_recording_is_a_machine() {
    let folder = Folder::new();
    // Of an m5.large 3,600 operations a second last: each volume alone is within.
    fs::write(folder.path("db.txt"), of_disks(&[("vdb", 2500), ("vdc", 2500)])).unwrap();
    fs::write(folder.path("web.txt"), of_disks(&[("vdb", 900)])).unwrap();
    let asked = ["--provider", "aws", "--capacity", "100GiB", "--instance", "m5.large", "--format", "json"];
    let machines = |recordings: &[&str]| {
        let ended = run(&folder, &[&["size"], recordings, &asked[..]].concat());
        let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        (ended.code, document["machines"].as_array().unwrap().clone(), document)
    };
    let (code, of_db, document) = machines(&["db.txt"]);
    assert_eq!((code, of_db.len()), (Some(4), 1));
    assert_eq!((&of_db[0]["devices"][1], &of_db[0]["machine"]["meets"]), (&"vdc".into(), &"once".into()));
    assert_eq!(of_db[0]["iops_peak"], 5000.0);
    let settings = document["devices"][0]["settings"].as_array().unwrap();
    assert!(settings.iter().all(|setting| !setting["policy"].to_string().contains("m5.large")));
    let (code, of_both, _) = machines(&["db.txt", "web.txt"]);
    let meets: Vec<&serde_json::Value> = of_both.iter().map(|one| &one["machine"]["meets"]).collect();
    assert_eq!((code, meets), (Some(4), vec![&"once".into(), &"yes".into()]));
    let text = run(&folder, &["size", "web.txt", "--provider", "aws", "--instance", "m5.large"]).out;
    assert!(flat(&text).contains("CARRIES: m5.large carries vdb"), "{text}");
}

#[test]
fn settings_come_as_comma_separated_values_too() {
    let folder = recorded(&[4000; 30]);
    let words = ["size", "load.txt", "--policy", "aws-gp3", "--capacity", "100GiB", "--instance", "m5.large"];
    let ended = run(&folder, &[&words[..], &["--format", "csv"]].concat());
    let lines: Vec<&str> = ended.out.lines().collect();
    assert!(lines[0].starts_with("recording,devices,what,setting,provider,carries,meets,price_a_month,"));
    let of = |what: &str| lines.iter().filter(|line| line.starts_with(&format!(",vdb,{what},"))).count();
    assert_eq!((of("cheapest"), of("machine"), of("setting")), (1, 1, lines.len() - 3), "{}", ended.out);
    // The same as Parquet, in a folder that then holds that table; a file of somebody else stays.
    let parquet = run(&folder, &[&words[..], &["--parquet", "@/tables"]].concat());
    assert!(parquet.err.contains(&format!("{} rows", lines.len() - 1)), "{}", parquet.err);
    assert!(export::is_ours(&fs::read(folder.path("tables/settings.parquet")).unwrap()));
    fs::write(folder.path("tables/settings.parquet"), "mine").unwrap();
    assert_eq!(run(&folder, &[&words[..], &["--parquet", "@/tables"]].concat()).code, Some(2));
    assert_eq!(fs::read(folder.path("tables/settings.parquet")).unwrap(), b"mine");
}

#[test]
fn what_sar_prints_is_sized_though_it_does_not_divide_operations() {
    let old = "Linux 2.6.32-431.el6.x86_64 (db1) \t20.11.2026 \t_x86_64_\t(4 CPU)\n\n\
        00:00:01          DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n\
        00:10:01       dev8-0     12,40    240,00    160,00     32,26      0,02      1,50      0,50      0,62\n\
        00:20:01       dev8-0    512,40   8240,00   4160,00     24,20      0,52      1,01      0,50     25,62\n";
    let new = "Linux 6.8.0 (db1) \t2026-11-20 \t_x86_64_\t(4 CPU)\n\n\
        11:50:01 AM       DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util\n\
        12:00:01 PM   nvme0n1     12.40    120.00     80.00      0.00     16.13      0.02      1.50      0.62\n\
        12:10:01 PM   nvme0n1    512.40   4120.00   2080.00      0.00     12.10      0.52      1.01     25.62\n";
    let csv = "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util\n\
        db1;600;2026-11-20 00:10:01 UTC;sda;12.40;120.00;80.00;0.00;16.13;0.02;1.50;0.62\n\
        db1;600;2026-11-20 00:20:01 UTC;sda;512.40;4120.00;2080.00;0.00;12.10;0.52;1.01;25.62\n";
    let folder = Folder::new();
    for (name, text) in [("old.txt", old), ("new.txt", new), ("sadf.csv", csv)] {
        fs::write(folder.path(name), text).unwrap();
        let ended = run(&folder, &["size", name, "--provider", "aws"]);
        assert_eq!(ended.code, Some(0), "{name}: {} {}", ended.out, ended.err);
        let out = flat(&ended.out);
        assert!(out.contains("512 IOPS at the peak"), "{name}: {out}");
        assert!(out.contains("has reads and writes as one sum"), "{name}: {out}");
    }
}

#[test]
fn hostile_recordings_are_answered_or_refused_by_name() {
    let report = |second: usize, figures: &str| {
        format!("11/20/2026 10:00:{second:02} AM\nDevice r/s rkB/s w/s wkB/s aqu-sz %util\n{figures}\n\n")
    };
    let text = |of: &dyn Fn(usize) -> String| {
        let head = "Linux 6.1.0 (host) \t11/20/2026 \t_x86_64_\t(2 CPU)\n\n".to_owned();
        head + &(0..20).map(of).collect::<String>()
    };
    let usual = "vdb 500.00 4000.00 0.00 0.00 0.50 40.00";
    let matrix = |values: &str| {
        let series = |name: &str| {
            format!("{{\"metric\":{{\"__name__\":\"{name}\",\"device\":\"sda\"}},\"values\":[{values}]}}")
        };
        let all = [
            "node_disk_reads_completed_total",
            "node_disk_writes_completed_total",
            "node_disk_read_bytes_total",
        ];
        let all = all.map(series).join(",");
        format!("{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{all}]}}}}")
    };
    let huge = text(&|at| report(at, "vdb 1e300 1e300 0.00 0.00 0.50 40.00"));
    let whole = text(&|at| report(at, usual));
    let cases: [(&str, String, &[i32]); 12] = [
        ("huge.txt", huge, &[0, 2, 4]),
        (
            "long.txt",
            text(&|at| report(at, &format!("vdb {}.00 9.00 0.00 0.00 0.50 40.00", "9".repeat(40)))),
            &[0, 2, 4],
        ),
        ("negative.txt", text(&|at| report(at, "vdb -500.00 -4000.00 0.00 0.00 0.50 40.00")), &[2]),
        ("nan.txt", text(&|at| report(at, "vdb nan inf 0.00 0.00 0.50 40.00")), &[2]),
        ("back.txt", text(&|at| report(59 - at, usual)), &[0, 2]),
        ("twice.txt", text(&|at| report(at, &format!("{usual}\n{usual}"))), &[0]),
        ("cut.txt", whole[..whole.len() - 20].to_owned(), &[0]),
        ("one.txt", whole[..180].to_owned(), &[2]),
        ("deep.json", format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000)), &[2]),
        ("times.json", matrix("[1e300,\"1\"],[2e300,\"2\"]"), &[2]),
        ("back.json", matrix("[1795000030,\"9000\"],[1795000015,\"5000\"],[1795000000,\"1\"]"), &[0, 2]),
        ("great.json", matrix("[1795000000,\"1\"],[1795000015,\"1e200\"],[1795000030,\"NaN\"]"), &[0, 2, 4]),
    ];
    let folder = Folder::new();
    for (name, content, codes) in cases {
        fs::write(folder.path(name), content).unwrap();
        let ended = run(&folder, &["size", name, "--provider", "aws"]);
        let code = ended.code.unwrap_or(-1);
        assert!(codes.contains(&code), "{name}: {code}, {} {}", ended.out, ended.err);
        assert_eq!(ended.out.is_empty(), code == 2, "{name}: {}", ended.out);
        assert!(!ended.out.contains("NaN") && !ended.out.contains("inf "), "{name}: {}", ended.out);
    }
}

#[test]
fn a_check_is_no_applications_load_and_the_newest_recording_of_one_is_taken() {
    let folder = Folder::new();
    let done = ended(&mut folder.plimsoll(&["check", "sim:aws-gp3", "--plan", "quick"]));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let refused = run(&folder, &["size"]);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    let err = flat(&refused.err);
    for words in
        ["plimsoll check asks for all that a volume does", "watch --for 1h", "plimsoll policy match "]
    {
        assert!(err.contains(words), "{words}: {err}");
    }
    let watch =
        ["watch", "--load", "db.fio", "--on", "sim:custom,iops=9000", "--cycle", "20s", "--repeat", "1"];
    fs::write(folder.path("db.fio"), "[a]\nfilename=d\nsize=1g\nrw=randread\nrate_iops=500\ntime_based\n")
        .unwrap();
    let done = run(&folder, &watch);
    assert_eq!(done.code, Some(0), "{}", done.err);
    ended(&mut folder.plimsoll(&["check", "sim:aws-gp3", "--plan", "quick"]));
    let sized = run(&folder, &["size", "--provider", "aws"]);
    assert_eq!(sized.code, Some(0), "{}", sized.err);
    let last: Vec<&str> = sized.out.lines().rev().take(8).collect();
    assert!(
        sized.err.contains("watch-") && last.iter().any(|line| line.starts_with("CHEAPEST: ")),
        "{last:?}"
    );
}

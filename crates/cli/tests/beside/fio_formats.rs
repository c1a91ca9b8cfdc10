//! The formats of a fio run beside those of the real fio: terse lines by position, several formats at once, and the
//! text of rarely used options.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use crate::machine::*;

/// Command lines for terse output, in which fields that do not depend on timing must agree: the amount of a
/// direction, and every field of one that did nothing.
const LINES: [&str; 9] = [
    "--name=e --rw=randread --size=1m --filename=F --continue_on_error=all --description=words",
    "--name=r --rw=randread --size=2m --bs=4k --direct=1 --ioengine=libaio --iodepth=4 --filename=F",
    "--name=w --rw=write --size=2m --bs=16k --filename=F --description=words",
    "--name=l --rw=randwrite --size=1m --filename=F --lat_percentiles=1 --percentile_list=50:99",
    "--name=g --rw=read --size=1m --bs=64k --numjobs=3 --group_reporting --directory=.",
    "--name=n --rw=randread --size=1m --gtod_reduce=1 --filename=F --disk_util=0",
    "--name=c --rw=randread --size=1m --clat_percentiles=0 --disable_slat=1 --filename=F",
    "--name=m --rw=rw --size=1m --unified_rw_reporting=mixed --filename=F",
    "--name=two --rw=read --size=1m --filename=F --name=b --rw=write --size=1m --filename=G --stonewall",
];

/// Replaces the digits of a field: a whole part of any length becomes one `#`, each decimal another.
fn form(field: &str) -> String {
    let mut form = String::new();
    let mut decimals = false;
    for letter in field.chars() {
        match letter {
            digit if digit.is_ascii_digit() && !decimals && form.ends_with('#') => {}
            digit if digit.is_ascii_digit() => form.push('#'),
            other => form.push(other),
        }
        decimals = letter == '.' || (decimals && letter.is_ascii_digit());
    }
    form
}

/// Returns the positions, from 1, at which a line must agree exactly: version, name, group, error; and all fields of
/// an idle direction, except the names of its percentiles, which are in every direction's.
fn fixed(fields: &[&str], version: &str, words: &str) -> Vec<usize> {
    let head = if version == "2" { 4 } else { 5 };
    let block = if version == "5" { 47 } else { 41 };
    let mut fixed: Vec<usize> = (1..=head).filter(|&at| version == "2" || at != 2).collect();
    let directions = match version {
        _ if words.contains("=mixed") => 1,
        "3" => 2,
        _ => 3,
    };
    for first in (0..directions).map(|number| head + 1 + number * block) {
        let idle = fields.get(first - 1).is_some_and(|amount| *amount == "0");
        let of = if idle { first..first + block } else { first..first + 1 };
        fixed.extend(of.filter(|at| *at <= fields.len()));
    }
    fixed
}

#[test]
fn a_terse_line_has_fios_fields_in_fios_places() {
    let Some(peers) = Peers::find() else { return };
    for (number, words) in LINES.iter().enumerate() {
        for version in ["2", "3", "4", "5"].into_iter().filter(|v| *v == "3" || number < 2) {
            let words = format!("--output-format=terse --terse-version={version} {words}");
            let [theirs, ours] = [Who::Real, Who::Link].map(|who| peers.run(who, &words));
            assert_eq!((ours.code, ours.err.as_str()), (Some(0), ""), "{words}");
            assert_eq!(theirs.out.lines().count(), ours.out.lines().count(), "{words}: {}", ours.out);
            for (theirs, ours) in theirs.out.lines().zip(ours.out.lines()) {
                assert_alike(theirs, ours, version, &words);
            }
        }
    }
}

fn assert_alike(theirs: &str, ours: &str, version: &str, words: &str) {
    let [theirs, ours]: [Vec<&str>; 2] = [theirs.split(';').collect(), ours.split(';').collect()];
    assert_eq!(theirs.len(), ours.len(), "{words}");
    for (at, (theirs, ours)) in theirs.iter().zip(&ours).enumerate() {
        assert_eq!(form(theirs), form(ours), "{words}: field {}", at + 1);
        let percentile = |field: &str| field.split_once("%=").map(|(percent, _)| percent.to_owned());
        assert_eq!(percentile(theirs), percentile(ours), "{words}: field {}", at + 1);
    }
    // Version 2 puts the description on a line of its own.
    if ours[0].is_empty() {
        return;
    }
    // With mixed reporting, reads and writes are one amount; here each job does only one of them.
    for at in fixed(&theirs, version, words) {
        assert_eq!(theirs[at - 1], ours[at - 1], "{words}: field {at}");
    }
}

#[test]
fn minimal_is_the_terse_format_and_a_bad_version_is_refused_in_fios_words() {
    let Some(peers) = Peers::find() else { return };
    let [theirs, ours] =
        [Who::Real, Who::Command].map(|who| peers.run(who, "--minimal --name=a --ioengine=null --size=1m"));
    assert!(ours.out.starts_with("3;fio-3."), "{}", ours.out);
    let count = |text: &str| (text.lines().count(), text.split(';').count());
    assert_eq!(count(&theirs.out), count(&ours.out), "{}", ours.out);
    let bad = "--minimal --terse-version=7 --name=a --ioengine=null --size=1m";
    let [theirs, ours] = [Who::Real, Who::Link].map(|who| peers.run(who, bad));
    assert_eq!((theirs.code, theirs.out.as_str()), (ours.code, ours.out.as_str()));
    assert!(ours.err.starts_with(&theirs.err), "{} {}", theirs.err, ours.err);
}

/// Returns the format that a line begins, by what readers look for.
fn kind_of(line: &str) -> Option<&'static str> {
    match line {
        _ if line.starts_with("3;fio-") => Some("terse"),
        "{" => Some("json"),
        _ if line.contains(": (g=0): rw=") => Some("banner"),
        _ if line.contains(": (groupid=0, jobs=") => Some("normal"),
        _ if line.starts_with("Run status group 0") => Some("status"),
        _ => None,
    }
}

#[test]
fn several_formats_come_in_fios_order() {
    let Some(peers) = Peers::find() else { return };
    let job = "--name=a --ioengine=null --size=1m --rw=randrw";
    for formats in ["normal,terse,json", "json+,terse", "terse,normal", "normal --append-terse"] {
        for output in ["", " --output=out.txt"] {
            let words = format!("--output-format={formats} {job}{output}");
            let [theirs, ours] = [Who::Real, Who::Link].map(|who| {
                let ended = peers.run(who, &words);
                assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{words}");
                let file = peers.folder.path(&format!("{who:?}/out.txt"));
                let text = std::fs::read_to_string(file).unwrap_or_default() + &ended.out;
                text.lines().filter_map(kind_of).collect::<Vec<_>>()
            });
            assert_eq!(theirs, ours, "{words}");
        }
    }
}

/// Rarely used options; each changes which lines there are, or how they read.
const RARE: [&str; 11] = [
    "--name=e --rw=randread --size=1m --filename=F --continue_on_error=all",
    "--name=m --rw=rw --size=4m --filename=F --unified_rw_reporting=mixed",
    "--name=u --rw=read --size=8m --rate=4m --filename=F --unit_base=1",
    "--name=k --rw=rw --size=8m --rate=4m,4m --filename=F --kb_base=1000 --significant_figures=6",
    "--name=s --rw=read --size=1m --filename=F --stats=0 --name=t --rw=write --size=1m --filename=G",
    "--name=p --rw=randread --size=1m --filename=F --direct=1 --ioengine=libaio --slat_percentiles=1",
    "--name=l --rw=randread --size=1m --filename=F --lat_percentiles=1 --clat_percentiles=0",
    "--name=d --rw=randread --size=1m --filename=F --disable_lat=1 --disable_slat=1 --ioengine=libaio --direct=1",
    "--name=c --rw=randread --size=1m --filename=F --disable_clat=1",
    "--name=b --rw=randread --size=1m --rate_iops=200 --filename=F --disable_bw_measurement=1",
    "--name=g --rw=randrw --size=1m --numjobs=2 --group_reporting --directory=. --description=words",
];

#[test]
#[ignore = "night: seconds of both"]
fn what_is_rarely_asked_for_reads_as_it_does_in_fio() {
    let Some(peers) = Peers::find() else { return };
    for words in RARE {
        let Some((theirs, ours)) = peers.texts(words) else { return };
        let ours = ours.split("\nNotes by plimsoll:").next().unwrap_or_default();
        let (theirs, ours) = (skeletons(&theirs), skeletons(ours));
        assert_eq!(theirs, ours, "{words}");
    }
}

/// A job that would run for a minute ends when its rate has been steady for two seconds.
#[test]
#[ignore = "night: seconds of both"]
fn a_steady_job_ends_early_and_tells_it_as_fio_does() {
    let Some(peers) = Peers::find() else { return };
    for rule in ["iops:50%", "bw_slope:40%"] {
        let words = format!(
            "--name=s --ioengine=null --size=1g --rate_iops=1000 --time_based --runtime=60 --steadystate={rule} \
             --steadystate_duration=2 --output-format=json,normal"
        );
        let [theirs, ours] = [Who::Real, Who::Command].map(|who| {
            let ended = peers.run(who, &words);
            assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{words}");
            let lines = ended.out.lines().map(str::to_owned).collect::<Vec<_>>();
            let [open, close] = ["{", "}"].map(|brace| lines.iter().position(|line| line == brace).unwrap());
            let document: serde_json::Value = serde_json::from_str(&lines[open..=close].join("\n")).unwrap();
            let told = lines.into_iter().find(|line| line.starts_with("  steadystate  :")).unwrap();
            (document["jobs"][0].clone(), told)
        });
        same_shape("", &theirs.0["steadystate"], &ours.0["steadystate"]);
        for key in ["ss", "duration", "attained"] {
            assert_eq!(theirs.0["steadystate"][key], ours.0["steadystate"][key], "{key}");
        }
        let told = |line: &str| skeletons(&line.replace("=-", "="));
        assert_eq!(told(&theirs.1), told(&ours.1));
        let runtime = ours.0["read"]["runtime"].as_u64().unwrap();
        assert!((1_500..10_000).contains(&runtime), "{runtime}");
    }
}

/// fio leaves the rates of the mixed line at zero there; ours are the sum.
#[test]
#[ignore = "night: seconds of both"]
fn both_reports_each_direction_and_all_of_them() {
    let peers = Peers::alone();
    let words = "--name=a --ioengine=null --size=1m --rw=rw --unified_rw_reporting=both --output-format=json";
    let job = &peers.run(Who::Link, words).json()["jobs"][0];
    let amount = |way: &str| job[way]["io_bytes"].as_u64().unwrap();
    assert_eq!(amount("mixed"), 1 << 20);
    assert_eq!(amount("read") + amount("write"), 1 << 20);
    let keys: Vec<&String> = job.as_object().unwrap().keys().collect();
    let at = |key: &str| keys.iter().position(|known| *known == key).unwrap();
    assert!(at("sync") < at("mixed") && at("mixed") < at("job_runtime"), "{keys:?}");
}

#[test]
#[ignore = "night: real seconds"]
fn results_in_between_are_whole_and_grow() {
    let peers = Peers::alone();
    let job = "--name=a --ioengine=null --size=1g --rate=10m --time_based --runtime=3 --status-interval=1";
    for output in ["", " --output=out.json"] {
        let ended = peers.run(Who::Link, &format!("--output-format=json {job}{output}"));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
        let filed = std::fs::read_to_string(peers.folder.path("Link/out.json")).unwrap_or_default();
        let text = if output.is_empty() { ended.out } else { filed };
        let documents = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
        let done: Vec<u64> = documents
            .map(|document| document.unwrap()["jobs"][0]["read"]["total_ios"].as_u64().unwrap())
            .collect();
        assert!(done.len() >= 3, "{done:?}");
        assert!(done.windows(2).all(|pair| pair[0] <= pair[1]) && done[0] < 6_000, "{done:?}");
        assert!(done.last().is_some_and(|last| (7_500..=7_680).contains(last)), "{done:?}");
    }
}

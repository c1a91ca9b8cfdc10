//! Outputs made here by the real fio and ioping, if installed: every form agrees with the JSON of the same run.

use std::path::Path;
use std::process::Command;

use crate::forms::{FOLDED, ONLY_TEXT};
use crate::vocabulary::*;

/// Returns the stdout of a program in `dir`; `None`, with the reason printed, if it is missing or fails.
fn real(program: &str, words: &[&str], dir: &Path) -> Option<String> {
    match Command::new(format!("/usr/bin/{program}")).args(words).current_dir(dir).output() {
        Ok(output) if output.status.success() => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            testbed::skipped(testbed::Lack::Tool, format!("{program} ended with {}: {said}", output.status));
            None
        }
        Err(error) => {
            testbed::skipped(testbed::Lack::Tool, format!("no {program} to compare with ({error})"));
            None
        }
    }
}

/// Splits an output that holds all three into terse lines, JSON and text.
fn split(output: &str) -> (String, String, String) {
    let json = output.find("\n{\n").unwrap() + 1;
    let after = json + output[json..].find("\n}\n").unwrap() + 3;
    let terse: usize = output[..json].lines().position(|line| line.split(';').count() > 50).unwrap();
    let (head, lines): (Vec<&str>, Vec<&str>) =
        (output[..json].lines().take(terse).collect(), output[..json].lines().skip(terse).collect());
    let text = format!("{}\n{}", head.join("\n"), &output[after..]);
    (lines.join("\n") + "\n", output[json..after].to_owned(), text)
}

#[test]
fn every_form_of_the_installed_fio_agrees_with_its_json() {
    let dir = tempfile::tempdir().unwrap();
    for version in ["2", "3", "4", "5"] {
        let words = format!(
            "--output-format=normal,json+,terse --terse-version={version} --filename=data --size=4m --ioengine=psync \
             --name=mixed --rw=randrw --bs=4k --number_ios=500 --fsync=100 --bwavgtime=5 --iopsavgtime=5 \
             --name=late --stonewall --rw=read --bs=64k --description=words"
        );
        let words: Vec<&str> = words.split_whitespace().collect();
        let Some(output) = real("fio", &words, dir.path()) else { return };
        let (terse, json, text) = split(&output);
        let (terse, json, text) = (imported(&terse), imported(&json), imported(&text));
        for import in [&terse, &json, &text] {
            assert_eq!(import.troubles, [], "terse v{version}");
        }
        assert!(tools(&terse)[0].ends_with(&format!("terse v{version}")));
        assert!(tools(&json)[0].ends_with("JSON+"));
        assert!(agree(&text.runs[0], &json.runs[0], ONLY_TEXT) > 120);
        assert!(agree(&terse.runs[0], &json.runs[0], FOLDED) > 100, "terse v{version}");
        assert_eq!(
            part(&terse.runs[0], "late").said,
            part(&text.runs[0], "late").said[2..],
            "the description"
        );
    }
}

#[test]
fn logs_of_the_installed_fio_become_series() {
    let dir = tempfile::tempdir().unwrap();
    let words = "--output-format=json --filename=data --size=4m --rw=randrw --name=j --runtime=1 --time_based --write_bw_log=p \
                 --write_lat_log=p --write_hist_log=p --log_hist_msec=200 --log_avg_msec=100 --per_job_logs=0";
    let words: Vec<&str> = words.split_whitespace().collect();
    let Some(json) = real("fio", &words, dir.path()) else { return };
    let log = |name: &str| {
        (name.to_owned(), named(name, &std::fs::read_to_string(dir.path().join(name)).unwrap()).runs)
    };
    let files = ["p_bw.log", "p_lat.log", "p_clat_hist.log"].map(log);
    let all = [vec![("j.json".to_owned(), imported(&json).runs)], files.to_vec()].concat();
    let joined = import::together(all);
    let job = part(&joined[0].1[0], "j");
    assert!(joined[1..].iter().all(|(_, runs)| runs.is_empty()), "every log has found its run");
    assert!(job.series.len() >= 6, "{}", job.series.len());
    let counted: u64 = job
        .series
        .iter()
        .flat_map(|series| &series.histograms)
        .flat_map(|(_, bins)| bins)
        .map(|bin| bin.1)
        .sum();
    let ended: f64 = job.directions.iter().filter_map(|way| Some(way.ops.as_ref()?.value)).sum();
    assert!(counted as f64 <= ended && counted > 0, "{counted} of {ended}");
}

#[test]
fn every_form_of_the_installed_ioping_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let read = |words: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        real("ioping", &words, dir.path()).map(|output| imported(&output))
    };
    let Some(text) = read("-c 5 -i 0 .") else { return };
    assert_eq!((tools(&text), &text.troubles), (vec!["ioping 1.2 or later text"], &vec![]));
    let way = &text.runs[0].reported[0].directions[0];
    assert_eq!(way.ops.as_ref().unwrap().value, 4.0, "the first is a warm-up");
    let (mean, time) = (way.latencies[0].mean.as_ref().unwrap(), way.runtime.as_ref().unwrap());
    assert!((mean.value * 4.0 - time.value).abs() <= 4.0 * mean.step + time.step, "{mean:?} {time:?}");

    let raw = read("-B -c 5 -i 0 .").unwrap();
    let json = read("-J -c 5 -i 0 .").unwrap();
    assert_eq!(
        (tools(&raw), tools(&json)),
        (vec!["ioping 1.0 or later raw"], vec!["ioping 1.2 or later JSON"])
    );
    assert_eq!((raw.troubles.len(), json.troubles.len()), (0, 0));
    let way = &json.runs[0].reported[0].directions[0];
    let times: Vec<f64> =
        json.runs[0].reported[0].series[0].points.iter().skip(1).map(|point| point.1).collect();
    assert_eq!(way.latencies[0].max.as_ref().unwrap().value, times.iter().copied().fold(0.0, f64::max));
    assert_eq!(way.runtime.as_ref().unwrap().value, times.iter().sum::<f64>());
}

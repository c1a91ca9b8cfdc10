//! fio-plot and its bench tool, from the registry that publishes them: our binary under fio's name does the runs, and
//! the graphs are drawn from its JSON and its logs.
//!
//! The first run fetches some 60 MB into a build folder, where later runs find it.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::machine::*;

/// Options of fio-plot for each kind of graph.
const GRAPHS: [(&str, &str); 5] = [
    ("bars in three dimensions, from JSON", "-L -t iops"),
    ("bars of rate and latency by depth, from JSON", "-l -n 1"),
    ("a histogram of latencies, from JSON", "-H -n 1 -d 4"),
    ("lines over time, from logs", "-g -t iops lat -d 1 4 -n 1"),
    ("bandwidth over time of two clones, from logs", "-g -t bw -d 4 -n 2"),
];

/// Returns the folder of fio-plot's programs; `None`, with the reason printed, if they cannot be had.
fn programs() -> Option<PathBuf> {
    if std::env::var_os("PLIMSOLL_TEST_OFFLINE").is_some() {
        skipped(Lack::Network, "PLIMSOLL_TEST_OFFLINE is set, and fio-plot would be fetched");
        return None;
    }
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fio-plot");
    let (programs, whole) = (place.join("bin"), place.join("whole"));
    if whole.exists() {
        return Some(programs);
    }
    let _ = std::fs::remove_dir_all(&place);
    let pip = text(&programs.join("pip"));
    if !run(&["python3", "-m", "venv", &text(&place)]) {
        return None;
    }
    let mut install = Command::new(pip);
    install.args(["install", "--quiet", "--retries", "1", "--timeout", "20", "fio-plot"]);
    let fetched = ended(&mut install);
    if fetched.code != Some(0) {
        let _ = std::fs::remove_dir_all(&place);
        skipped(Lack::Network, format!("fio-plot cannot be fetched: {}", fetched.err));
        return None;
    }
    std::fs::write(whole, "").unwrap();
    Some(programs)
}

/// Runs `program` with ours first in the path under the name fio.
fn with_ours(peers: &Peers, program: &Path, words: &str) -> ProgramOutput {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .args(words.split_whitespace().map(|word| word.replace('@', &peers.folder.text("."))))
        .env("PATH", format!("{}:{path}", peers.folder.text("bin")))
        .env("MPLBACKEND", "Agg")
        .env("MPLCONFIGDIR", peers.folder.path("matplotlib"))
        .current_dir(peers.folder.path("."))
        .stdin(Stdio::null());
    ended(&mut command)
}

#[test]
#[ignore = "night: half a minute of runs, and the network"]
fn the_bench_tool_runs_ours_and_fio_plot_draws_what_it_wrote() {
    let Some(programs) = programs() else { return };
    let peers = Peers::alone();
    // The bench tool writes its job file under this name into the system's temporary folder.
    let name = format!("plimsoll-plot-{}", std::process::id());
    peers.folder.make_file(&name, 4);
    let _job_file = Undo::by(&["rm", "-f", &format!("/tmp/{name}-tmpjobfile.fio")]);
    let words = format!(
        "--target @/{name} --type file --size 4m --iodepth 1 4 --numjobs 1 2 --runtime 1 --time-based \
         --mode randread --output @/out --loginterval 100 --quiet"
    );
    let bench = with_ours(&peers, &programs.join("bench-fio"), &words);
    assert_eq!(bench.code, Some(0), "{} {}", bench.out, bench.err);
    assert!(!bench.out.contains("An error occurred"), "{}", bench.out);
    let results = peers.folder.path(&format!("out/{name}/4k"));
    let written = std::fs::read_dir(&results).unwrap().count();
    // Each run leaves a JSON document, and each clone five logs.
    assert_eq!(written, 4 + 5 * (1 + 2) * 2, "{}", bench.out);
    for (number, (kind, words)) in GRAPHS.iter().enumerate() {
        let picture = peers.folder.path(&format!("{number}.png"));
        let words = format!("-i {} -T title -r randread {words} -o {}", results.display(), picture.display());
        let drawn = with_ours(&peers, &programs.join("fio-plot"), &words);
        assert_eq!(drawn.code, Some(0), "{kind}: {} {}", drawn.out, drawn.err);
        assert!(!drawn.out.contains("ERROR"), "{kind}: {}", drawn.out);
        let bytes = std::fs::read(&picture).unwrap_or_default();
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000, "{kind}: {} bytes", bytes.len());
    }
}

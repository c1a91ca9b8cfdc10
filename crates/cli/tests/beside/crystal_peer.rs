//! CrystalDiskMark's cells beside the same cells run by fio, in turns, on a volume that this kernel throttles. Needs root.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::process::Command;

use crate::machine::*;
use serde_json::Value;

/// 5,000 operations and 200 MiB a second in each direction.
const POLICY: &str = "do-volumes-pre-burst";
/// Seconds of a turn. A mix of large blocks issues only a few hundred I/Os a second, each drawn as a read or a write:
/// over two seconds their shares scatter by 2 %, and with them the total, because reads alone are at their cap. So a
/// mix gets longer turns.
const SECONDS: [(&str, &str); 3] = [("read", "2"), ("write", "2"), ("mix", "4")];
/// Largest accepted difference between the two tools, as a share.
const SHARE: f64 = 0.03;
/// Most turns of a cell: if the machine lacks CPU, the throttle loses slices of 100 ms, so medians are compared.
const TURNS: usize = 9;
/// The cells as both tools run them: name, fio's pattern, block size, depth.
const CELLS: [Cell; 4] = [
    ("SEQ1M Q8T1", "rw", "1m", 8),
    ("SEQ1M Q1T1", "rw", "1m", 1),
    ("RND4K Q32T1", "randrw", "4k", 32),
    ("RND4K Q1T1", "randrw", "4k", 1),
];
const WAYS: [(&str, u32); 3] = [("read", 100), ("write", 0), ("mix", 70)];

/// The figures of a cell over both directions: MB/s and IOPS.
type Figures = [f64; 2];

/// Returns the counted seconds of a turn of `way`.
fn seconds(way: &str) -> &'static str {
    SECONDS.iter().find(|(known, _)| *known == way).unwrap().1
}

/// Returns the figures in the cell's line of our table: `…: 209.715 MB/s [ 200.0 IOPS] <…`.
fn ours(folder: &Folder, lab: &LabUp, (name, way): (&str, &str), turn: usize) -> Figures {
    let text = ended(&mut folder.plimsoll(&["profile", "show", "crystaldiskmark", "--toml"])).out;
    let (head, _) = text.split_once("[[step]]").unwrap();
    let step = text.split("[[step]]").find(|step| step.contains(&format!("\"{name} {way}\""))).unwrap();
    fs::write(folder.path("cell.toml"), format!("{head}[[step]]{step}")).unwrap();
    let time = format!("--time={}s", seconds(way));
    let seed = format!("--seed={}", turn + 1);
    let words = ["run", "@/cell.toml", &lab.device, "--allow-destroy", &lab.device, "--busy", &time, &seed];
    let ended = ended(&mut folder.plimsoll(&[&words[..], &["--size", "64M", "--out", "@/out"]].concat()));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let line = ended.out.lines().find(|line| line.contains(" MB/s [")).unwrap();
    let (_, figures) = line.split_once("):").unwrap();
    let numbers: Vec<f64> =
        figures.split_whitespace().filter_map(|word| word.trim_matches('[').parse().ok()).collect();
    [numbers[0], numbers[1]]
}

fn fio(lab: &LabUp, (rw, block, depth): (&str, &str, u32), way: (&str, u32)) -> Option<Figures> {
    let out = Command::new("fio")
        .args([
            "--name=cell",
            "--direct=1",
            "--ioengine=libaio",
            "--size=64m",
            "--time_based",
            "--randrepeat=0",
        ])
        .args(["--ramp_time=500ms", "--output-format=json"])
        .args([format!("--filename={}", lab.device), format!("--rw={rw}"), format!("--rwmixread={}", way.1)])
        .arg(format!("--runtime={}", seconds(way.0)))
        .args([format!("--bs={block}"), format!("--iodepth={depth}")])
        .output();
    let Ok(out) = out else {
        skipped(Lack::Tool, "fio is not installed");
        return None;
    };
    let document: Value = serde_json::from_slice(&out.stdout).unwrap();
    let job = &document["jobs"][0];
    let both = |key: &str| ["read", "write"].map(|way| job[way][key].as_f64().unwrap()).iter().sum::<f64>();
    Some([both("bw_bytes") / 1e6, both("iops")])
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Returns how much the medians of a cell differ, after as many turns as it takes, nine at most; `None` without fio.
fn difference(folder: &Folder, lab: &LabUp, cell: Cell, way: (&str, u32)) -> Option<f64> {
    let (name, rw, block, depth) = cell;
    let mut turns: Vec<(Figures, Figures)> = Vec::new();
    let mut worst = f64::INFINITY;
    while worst > SHARE && turns.len() < TURNS {
        let own = ours(folder, lab, (name, way.0), turns.len());
        turns.push((own, fio(lab, (rw, block, depth), way)?));
        let of = |at: usize| {
            let own = median(turns.iter().map(|(own, _)| own[at]).collect());
            (own / median(turns.iter().map(|(_, peer)| peer[at]).collect()) - 1.0).abs()
        };
        worst = of(0).max(of(1));
    }
    eprintln!("{name} {}: {turns:?}, {:.1} % apart", way.0, worst * 100.0);
    Some(worst)
}

type Cell = (&'static str, &'static str, &'static str, u32);

fn assert_agree(ways: &[(&str, u32)], cells: &[Cell]) {
    let folder = Folder::new();
    let Some(lab) = LabUp::or_skip(&folder, POLICY, "128M") else { return };
    for way in ways {
        for cell in cells {
            let neighbours = Neighbours::watch();
            let Some(apart) = difference(&folder, &lab, *cell, *way) else { return };
            if apart > SHARE {
                neighbours.excuse_or_fail(format!("{} {}: {:.1} % apart", cell.0, way.0, apart * 100.0));
            }
        }
    }
}

#[test]
#[ignore = "night: rates beside fio's"]
fn a_cell_of_the_crystaldiskmark_table_agrees_with_fio() {
    assert_agree(&WAYS[..1], &CELLS[2..3]);
}

#[test]
#[ignore = "night: every cell in every way"]
fn the_crystaldiskmark_table_agrees_with_fio() {
    assert_agree(&WAYS, &CELLS);
}

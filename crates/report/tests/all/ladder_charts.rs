//! Charts of ladders: a line joins what was measured and never crosses what was not.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may stop at what it did not expect

use analysis::findings::{BandwidthCap, IopsCap};
use analysis::{Analysis, Meaning, Metering};
use record::Run;
use report::charts::{PictureOptions, pictures};
use workload::Direction;

/// A place in a drawing, in its own units.
type Spot = (i32, i32);

const READS: &str = "#0072B2";
const WRITES: &str = "#D55E00";
const MODEL: &str = "#444B55";
const MODEL_OF_READS: &str = "#0072B5";

fn svg((run, analysis): &(Run, Analysis), end: &str) -> Option<String> {
    let all = pictures(run, analysis, &PictureOptions::default());
    Some(all.iter().find(|picture| picture.name.ends_with(end))?.svg())
}

/// Returns the lines of an ink that move along the x axis, without its sample in the legend.
fn strokes(svg: &str, ink: &str) -> Vec<Vec<Spot>> {
    let number = |text: &str| text.parse::<i32>().unwrap();
    let place = |pair: &str| pair.split_once(',').map(|(x, y)| (number(x), number(y))).unwrap();
    let lines = svg.split("<polyline").skip(1).map(|part| part.split("/>").next().unwrap());
    let of_ink = lines.filter(|line| line.contains(&format!("stroke=\"{ink}\"")));
    let points = |line: &str| -> Vec<Spot> {
        line.split_once("points=\"").unwrap().1.split('"').next().unwrap().split(' ').map(place).collect()
    };
    let is_stroke = |line: &Vec<Spot>| {
        let (first, last) = (line[0], line[line.len() - 1]);
        let is_piece = line.len() == 2 && first.1 == last.1 && last.0 - first.0 == 44;
        first.0 != last.0 && !is_piece
    };
    of_ink.map(points).filter(is_stroke).collect()
}

/// Returns the points of reads in the first panel.
fn circles(svg: &str) -> Vec<Spot> {
    let number = |part: &str, name: &str| -> i32 {
        part.split_once(&format!(" {name}=\"")).unwrap().1.split('"').next().unwrap().parse().unwrap()
    };
    let of_reads = svg.split("<circle").skip(1).filter(|part| part.contains(&format!("fill=\"{READS}\"")));
    // The first is in the legend.
    of_reads.skip(1).take(6).map(|part| (number(part, "cx"), number(part, "cy"))).collect()
}

fn lengths(svg: &str, ink: &str) -> Vec<usize> {
    strokes(svg, ink).iter().map(Vec::len).collect()
}

#[test]
fn writes_at_three_block_sizes_are_points_and_no_line_from_four_to_256_kib() {
    let svg = svg(&crate::made_up::meets(), "-blocks").unwrap();
    assert_eq!(lengths(&svg, WRITES), [2, 2], "256 KiB to 1 MiB in each panel, and nothing before it");
    // Reads were measured at 4, 16, 32, 64, 256 and 1,024 KiB; the caps meet at 42.6 KiB. Between 4 and 16 and
    // between 64 and 256 KiB, the caps may imply something other than a straight line.
    assert_eq!(lengths(&svg, READS), [2, 2], "16 to 32 in each panel: no line over the corner or over a gap");
    assert_eq!(
        svg.matches("fill=\"#D55E00\"").count(),
        8,
        "three points and one in the legend of each panel"
    );
}

#[test]
fn between_the_points_the_caps_say_what_follows_and_are_named_as_what_they_are() {
    let svg = svg(&crate::made_up::meets(), "-blocks").unwrap();
    for name in
        [">model of reads: min(cap, bandwidth / block)<", ">model of reads: min(cap × block, bandwidth)<"]
    {
        assert!(svg.contains(name), "{name}");
    }
    assert!(!svg.contains("model of writes"), "no cap was found of writes");
    let [rate, bytes] = strokes(&svg, MODEL_OF_READS).try_into().unwrap();
    let flat = rate.iter().take_while(|spot| spot.1 == rate[0].1).count();
    let measured = circles(&svg);
    // The model is flat up to the corner: past the last block below it, but short of the next.
    assert!(rate[flat - 1].0 > measured[2].0 && rate[flat - 1].0 < measured[3].0, "{rate:?}");
    assert!((rate[0].1 - measured[0].1).abs() <= 2, "the model passes the points that it follows from");
    assert!((rate[rate.len() - 1].1 - measured[5].1).abs() <= 2);
    assert!(rate[flat].1 > rate[0].1 && bytes[bytes.len() - 1].1 < bytes[0].1);
    assert!(svg.contains("polyline[stroke=\"#0072B5\"]{stroke-dasharray:4 6}"), "it is dashed in a file");
    assert!(svg.contains("stroke=\"#0072B5\" stroke-width=\"2\""), "and thinner than what was measured");
}

/// Returns the same volume with one pair of caps for both reads and writes.
fn both_capped() -> (Run, Analysis) {
    let (run, mut analysis) = crate::made_up::meets();
    let direction = Direction::Write;
    let cap = crate::made_up::around(2998.0, 9.0);
    let operations = IopsCap { direction, cap, scales: crate::made_up::scales(Metering::Metered) };
    let cap = crate::made_up::around(124.6 * crate::made_up::MIB, 0.5 * crate::made_up::MIB);
    let bytes =
        BandwidthCap { direction, cap, from: 65_536, scales: crate::made_up::scales(Metering::Metered) };
    analysis.findings.push(crate::made_up::found(Meaning::IopsCap(operations)));
    analysis.findings.push(crate::made_up::found(Meaning::BandwidthCap(bytes)));
    (run, analysis)
}

#[test]
fn caps_that_reads_and_writes_have_alike_are_drawn_once() {
    let svg = svg(&both_capped(), "-blocks").unwrap();
    assert_eq!(strokes(&svg, MODEL).len(), 2, "one in each panel");
    assert_eq!(strokes(&svg, MODEL_OF_READS).len(), 0);
    assert!(svg.contains(">model: min(cap, bandwidth / block)<"));
}

#[test]
fn a_ladder_that_leaves_depths_out_has_no_line_over_them() {
    let (run, mut analysis) = crate::made_up::meets();
    let drawn =
        |analysis: &Analysis| lengths(&svg(&(run.clone(), analysis.clone()), "-depths").unwrap(), READS);
    assert_eq!(drawn(&analysis), [7, 7], "rate and mean latency of seven doublings");
    analysis.depths.retain(|point| ![2, 4, 8].contains(&point.depth));
    assert_eq!(drawn(&analysis), [3, 3], "1 stands alone before 16, 32 and 64");
}

#[test]
fn the_mark_of_the_depth_that_fills_a_cap_is_the_depth_that_the_words_name() {
    let case = crate::made_up::meets();
    assert!(report::verdict_words(&case.0, &case.1).stops.contains("deeper than 2 only adds waiting"));
    assert!(svg(&case, "-depths").unwrap().contains(">reads fill it at 2<"));
}

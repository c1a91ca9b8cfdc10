//! The pictures of a watched machine: what is in them, their names, and that a PNG is the same picture.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may stop at what it did not expect

use report::charts::png::Painter;
use report::charts::{DevicesIn, Picture, PictureOptions, View, pictures};

fn drawn(options: PictureOptions) -> Vec<Picture> {
    let (run, analysis) = crate::made_up::overloaded(30);
    let pictures = pictures(&run, &analysis, &options);
    if let Some(folder) = std::env::var_os("PLIMSOLL_PAGES") {
        let painter = Painter::default();
        let name = std::thread::current().name().unwrap_or("picture").replace("::", "_");
        let folder = std::path::Path::new(&folder).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for picture in &pictures {
            std::fs::write(folder.join(format!("{}.svg", picture.name)), picture.svg()).unwrap();
            std::fs::write(
                folder.join(format!("{}.png", picture.name)),
                painter.png(&picture.bare()).unwrap(),
            )
            .unwrap();
        }
    }
    pictures
}

fn named<'p>(pictures: &'p [Picture], end: &str) -> &'p Picture {
    pictures.iter().find(|picture| picture.name.ends_with(end)).unwrap_or_else(|| panic!("no {end}"))
}

#[test]
fn every_chart_of_every_device_is_a_file_with_a_plain_name() {
    let all = drawn(PictureOptions::default());
    let names: Vec<&str> = all.iter().map(|picture| picture.name.as_str()).collect();
    assert_eq!(names[..5], ["01-all-devices", "02-relations", "03-cpu", "04-sda-utilisation", "05-sda-iops"]);
    let charts = ["utilisation", "iops", "latency", "sizes", "traffic"];
    for device in ["sda", "sdb", "sda2", "sdb1", "md0", "dm-0", "dm-1"] {
        for chart in charts {
            named(&all, &format!("{device}-{chart}"));
        }
    }
    assert!(!names.iter().any(|name| name.contains("loop7")), "a loop device that did nothing");
    named(&all, "overload");
    named(&all, "overload-summary");
}

#[test]
fn nothing_that_a_run_file_says_of_a_device_steers_where_titles_are_listed_or_drawn() {
    let (mut run, analysis) = crate::made_up::overloaded(30);
    let name = "\u{1b}]0;pwn\u{7}\u{9b}31mRED\u{202e}\u{2066}\u{200f}\nFORGED";
    for node in &mut run.devices {
        node.description = name.to_owned();
    }
    run.phases[0].name = name.to_owned();
    for picture in pictures(&run, &analysis, &PictureOptions::default()) {
        assert_eq!(report::clean(&picture.title), picture.title);
        assert_eq!(report::clean_lines(&picture.svg()), picture.svg(), "{}", picture.title);
    }
    let page = report::html(&run, &analysis);
    assert!(page.contains("FORGED") && report::clean_lines(&page) == page);
}

#[test]
fn a_chart_names_its_lines_units_and_phases() {
    let all = drawn(PictureOptions::default());
    let iops = named(&all, "dm-0-iops").svg();
    for words in [">r/s<", ">wrqm/s<", ">400<", ">idle 1<", ">load 200 %<", "dm-0 (vg0-data): Disk IOPS"] {
        assert!(iops.contains(words), "{words} is missing");
    }
    let sizes = named(&all, "dm-0-sizes").svg();
    for words in ["mean size of a request", "requests waiting or being served", ">aqu-sz<", " KiB<"] {
        assert!(sizes.contains(words), "{words} is missing");
    }
    assert!(named(&all, "dm-0-latency").svg().contains(" ms<"));
}

#[test]
fn the_sheet_numbers_its_panels_by_file_device_and_chart() {
    let options = PictureOptions {
        file: 2,
        source: "day.plimsoll".to_owned(),
        described: vec![("sda".to_owned(), "physical drive".to_owned())],
        only: vec!["sd?".to_owned(), "vg0-data".to_owned()],
        excluded: vec!["sdb".to_owned()],
        devices_in: DevicesIn::Rows,
        panel: (300, 200),
        ..PictureOptions::default()
    };
    let all = drawn(options);
    let sheet = named(&all, "all-devices").svg();
    assert!(sheet.contains("Fig. 2 - &#39;day.plimsoll&#39;"));
    for words in ["#211  sda (physical drive): CPU utilisation", "#223  dm-0 (vg0-data): Disk IOPS"] {
        assert!(sheet.contains(words), "{words}");
    }
    assert!(!sheet.contains("sdb"));
    assert!(sheet.contains("viewBox=\"0 0 4200 904\""), "{}", &sheet[..200]);
}

#[test]
fn devices_stand_from_the_ground_up_with_their_relation() {
    let (run, analysis) = crate::made_up::overloaded(5);
    let view = View::of(&run, &analysis, PictureOptions::default());
    assert_eq!(view.devices(), ["sda", "sdb", "sda2", "sdb1", "md0", "dm-0", "dm-1"]);
    let words = view.relation_words();
    assert_eq!(words[4], "md0, RAID 1, on sda2 and sdb1");
    assert_eq!(words[5], "dm-0 (vg0-data), LVM volume, on md0, mounted at /srv/data");
    let drawing = String::from(view.relations().unwrap().svg());
    assert_eq!(drawing.matches("<polyline").count(), 6, "an edge for each that stands on another");
}

#[test]
fn no_relation_passes_behind_a_device_that_it_has_nothing_to_do_with() {
    // Two disks with three and two partitions in two arrays, and a third disk with a single partition on its own.
    let more: [(&str, &[&str]); 6] = [
        ("sda1", &["sda"]),
        ("sda3", &["sda"]),
        ("sdb2", &["sdb"]),
        ("md1", &["sda3", "sdb2"]),
        ("sdc", &[]),
        ("sdc1", &["sdc"]),
    ];
    let more =
        more.map(|(name, below)| crate::made_up::node(name, record::DeviceKind::Partition, ("", ""), below));
    let (run, analysis) = crate::made_up::overloaded_on([crate::made_up::stack(), more.to_vec()].concat(), 5);
    let view = View::of(&run, &analysis, PictureOptions::default());
    let drawing = String::from(view.relations().unwrap().svg());
    let numbers =
        |text: &str| -> Vec<i32> { text.split([',', ' ']).map(|number| number.parse().unwrap()).collect() };
    let attribute = |part: &str, name: &str| {
        part.split_once(&format!(" {name}=\"")).unwrap().1.split('"').next().unwrap().to_owned()
    };
    let boxes: Vec<Vec<i32>> = drawing
        .split("<rect")
        .skip(1)
        .map(|part| ["x", "y", "width", "height"].map(|name| numbers(&attribute(part, name))[0]).to_vec())
        .collect();
    assert_eq!(boxes.len(), 13);
    let edges: Vec<Vec<i32>> =
        drawing.split("<polyline").skip(1).map(|part| numbers(&attribute(part, "points"))).collect();
    assert_eq!(edges.len(), 12);
    assert_eq!(drawing.matches("<polygon").count(), 12, "each has an arrow's head");
    for edge in &edges {
        let corners: Vec<&[i32]> = edge.chunks(2).collect();
        for (from, to) in corners.iter().zip(&corners[1..]) {
            let crosses = |place: &&Vec<i32>| {
                let (left, top, right, foot) = (place[0], place[1], place[0] + place[2], place[1] + place[3]);
                from[0].max(to[0]) > left
                    && from[0].min(to[0]) < right
                    && from[1].max(to[1]) > top
                    && from[1].min(to[1]) < foot
            };
            assert!(!boxes.iter().any(|place| crosses(&place)), "{edge:?} passes behind a box");
        }
    }
    // Vertical parts in one gap belong to one device's children, or do not overlap.
    let upright = |edge: &Vec<i32>| (edge[2], edge[1].min(edge[7]), edge[1].max(edge[7]), edge[1], edge[7]);
    for (place, one) in edges.iter().map(upright).enumerate() {
        for other in edges.iter().map(upright).skip(place + 1) {
            let kin = one.3 == other.3 || one.4 == other.4;
            let clear = one.0 != other.0 || one.2 < other.1 || other.2 < one.1;
            assert!(kin || clear, "{one:?} and {other:?} read as one");
        }
    }
}

#[test]
fn the_first_and_the_last_sample_to_draw_are_counted_as_in_a_slice() {
    let whole = drawn(PictureOptions::default());
    let part = drawn(PictureOptions { first: 30, last: Some(-30), ..PictureOptions::default() });
    assert!(named(&whole, "dm-0-iops").svg().contains(">idle 1<"));
    let svg = named(&part, "dm-0-iops").svg();
    assert!(!svg.contains(">idle 1<") && !svg.contains(">idle 6<") && svg.contains(">idle 2<"));
    let (run, analysis) = crate::made_up::overloaded(5);
    let nothing = PictureOptions { first: 5_000, ..PictureOptions::default() };
    assert!(View::of(&run, &analysis, nothing).is_empty());
}

#[test]
fn nobody_looked_and_the_chart_says_so() {
    let (mut run, analysis) = crate::made_up::overloaded(30);
    run.samples.retain(|sample| sample.at.0 / 1_000_000_000 < 40 || sample.at.0 / 1_000_000_000 > 80);
    let all = pictures(&run, &analysis, &PictureOptions::default());
    let svg = named(&all, "dm-0-iops").svg();
    assert_eq!(svg.matches("fill=\"#E9E2D4\"").count(), 1, "one gap is shaded");
    let lines = |svg: &str| svg.matches("stroke=\"#0072B2\"").count();
    let (run, analysis) = crate::made_up::overloaded(30);
    let whole = named(&pictures(&run, &analysis, &PictureOptions::default()), "dm-0-iops").svg();
    assert_eq!(lines(&svg), lines(&whole) + 1, "the pen is lifted at the gap");
}

#[test]
fn a_picture_says_of_which_device_and_chart_it_is() {
    let all = drawn(PictureOptions { file: 3, ..PictureOptions::default() });
    assert!(named(&all, "dm-0-iops").svg().contains(">#363 dm-0 (vg0-data): Disk IOPS</text>"));
    assert!(named(&all, "relations").svg().contains(">How the devices stand on each other</text>"));
    let sheet = named(&all, "all-devices").svg();
    assert_eq!(sheet.matches("Fig. 3</text>").count(), 1, "one title");
}

#[test]
fn phases_are_labelled_all_alike_or_not_at_all() {
    let all = drawn(PictureOptions { panel: (384, 288), ..PictureOptions::default() });
    let sheet = named(&all, "all-devices").svg();
    let count = |words: &str| sheet.matches(words).count();
    let (first, last) = (count(">50 %<"), count(">1000 %<"));
    assert!(first == last, "{first} and {last}");
    assert_eq!(count(">idle 1<"), count(">idle 6<"));
}

#[test]
fn a_long_name_is_cut_and_the_chart_is_still_named() {
    let described =
        vec![("sda".to_owned(), "a physical drive with a very long name in the upper bay".to_owned())];
    let options = PictureOptions { described, only: vec!["sda".to_owned()], ..PictureOptions::default() };
    let sheet = named(&drawn(options), "all-devices").svg();
    assert!(sheet.contains("…: Disk utilisation and merges<"), "the chart's name is whole");
}

#[test]
fn a_png_is_a_picture_of_the_same_size() {
    let all = drawn(PictureOptions::default());
    let png = Painter::default().png(&named(&all, "overload-summary").bare()).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((number(16), number(20)), (1836, 656));
    assert!(png.len() > 8_000, "{} bytes draw nothing", png.len());
}

#[test]
fn what_is_expected_and_the_bound_are_lines_of_the_overload_and_of_our_own_load() {
    let (mut run, mut analysis) = crate::made_up::overloaded(30);
    crate::made_up::contracted(&mut run, &mut analysis);
    let all = pictures(&run, &analysis, &PictureOptions::default());
    for (name, words) in [
        ("overload-summary", &[">expected read 700<", ">expected write 300<", ">expected 30 ms<"][..]),
        ("overload", &["— expected read 700<", "— expected write 300<", "— expected 30 ms<"]),
    ] {
        let svg = named(&all, name).svg();
        for words in words {
            assert!(svg.contains(words), "{name}: {words}");
        }
    }
}

#[test]
fn the_shares_of_an_overload_series_share_their_scales() {
    let all = drawn(PictureOptions::default());
    let svg = named(&all, "overload").svg();
    for words in [">50 %: IOPS<", ">1,000 %: IOPS<", ">200 %: latency<", ">500 %: queue<"] {
        assert!(svg.contains(words), "{words}");
    }
    assert_eq!(svg.matches(">400<").count(), 5, "one scale for all five");
}

/// Returns the width of a drawing in its own units.
fn width(svg: &str) -> f64 {
    let size = svg.split_once("viewBox=\"0 0 ").unwrap().1;
    size.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn few_shares_side_by_side_are_as_wide_as_other_charts_and_cut_no_words_off() {
    for shares in [2, 3, 4, 5] {
        let (mut run, mut analysis) = crate::made_up::overloaded(30);
        crate::made_up::contracted(&mut run, &mut analysis);
        analysis.watched.as_mut().unwrap().series.truncate(shares);
        let all = pictures(&run, &analysis, &PictureOptions::default());
        let svg = named(&all, "overload").svg();
        assert!(width(&svg) >= width(&named(&all, "overload-summary").svg()) - shares as f64, "{shares}");
        let mut found = 0;
        for text in svg.split("<text x=\"").skip(1).filter(|text| text.contains(">— ")) {
            let left: f64 = text[..text.find('"').unwrap()].parse().unwrap();
            let words = text.split_once('>').unwrap().1.split('<').next().unwrap();
            // Letters of 11 pixels, two units each, are about half as wide as they are high.
            let end = left + words.chars().count() as f64 * 22.0 * 0.55;
            assert!(end <= width(&svg), "{shares} shares: '{words}' ends at {end} of {}", width(&svg));
            found += 1;
        }
        assert_eq!(found, 3, "{shares} shares");
    }
}

//! The pictures of a watched machine: what stands in them, under which names, and that a PNG is the same picture.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may stop at what it did not expect

mod made_up;

use report::charts::png::Painter;
use report::charts::{DevicesIn, Picture, PictureOptions, View, pictures};

fn drawn(options: PictureOptions) -> Vec<Picture> {
    let (run, analysis) = made_up::overloaded(30);
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
fn a_chart_names_its_lines_units_and_phases() {
    let all = drawn(PictureOptions::default());
    let iops = named(&all, "dm-0-iops").svg();
    for words in [">r/s<", ">wrqm/s<", ">500<", ">idle 1<", ">load 200 %<", "dm-0 (vg0-data): Disk IOPS"] {
        assert!(iops.contains(words), "{words} is missing");
    }
    let sizes = named(&all, "dm-0-sizes").svg();
    for words in ["mean size of a request (B)", "requests waiting or being served", ">aqu-sz<", " KiB<"] {
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
    assert!(sheet.contains("viewBox=\"0 0 4200 860\""), "{}", &sheet[..200]);
}

#[test]
fn devices_stand_from_the_ground_up_with_their_relation() {
    let (run, analysis) = made_up::overloaded(5);
    let view = View::of(&run, &analysis, PictureOptions::default());
    assert_eq!(view.devices(), ["sda", "sdb", "sda2", "sdb1", "md0", "dm-0", "dm-1"]);
    let words = view.relation_words();
    assert_eq!(words[4], "md0, RAID 1, on sda2 and sdb1");
    assert_eq!(words[5], "dm-0 (vg0-data), LVM volume, on md0, mounted at /srv/data");
    let drawing = view.relations().unwrap();
    assert_eq!(drawing.matches("<polyline").count(), 6, "an edge for each that stands on another");
}

#[test]
fn the_first_and_the_last_sample_to_draw_are_counted_as_in_a_slice() {
    let whole = drawn(PictureOptions::default());
    let part = drawn(PictureOptions { first: 30, last: Some(-30), ..PictureOptions::default() });
    assert!(named(&whole, "dm-0-iops").svg().contains(">idle 1<"));
    let svg = named(&part, "dm-0-iops").svg();
    assert!(!svg.contains(">idle 1<") && !svg.contains(">idle 6<") && svg.contains(">idle 2<"));
    let (run, analysis) = made_up::overloaded(5);
    let nothing = PictureOptions { first: 5_000, ..PictureOptions::default() };
    assert!(View::of(&run, &analysis, nothing).is_empty());
}

#[test]
fn nobody_looked_and_the_chart_says_so() {
    let (mut run, analysis) = made_up::overloaded(30);
    run.samples.retain(|sample| sample.at.0 / 1_000_000_000 < 40 || sample.at.0 / 1_000_000_000 > 80);
    let all = pictures(&run, &analysis, &PictureOptions::default());
    let svg = named(&all, "dm-0-iops").svg();
    assert_eq!(svg.matches("fill=\"#E9E2D4\"").count(), 1, "one gap is shaded");
    let lines = |svg: &str| svg.matches("stroke=\"#0072B2\"").count();
    let (run, analysis) = made_up::overloaded(30);
    let whole = named(&pictures(&run, &analysis, &PictureOptions::default()), "dm-0-iops").svg();
    assert_eq!(lines(&svg), lines(&whole) + 1, "the pen is lifted at the gap");
}

#[test]
fn a_png_is_a_picture_of_the_same_size() {
    let all = drawn(PictureOptions::default());
    let png = Painter::default().png(&named(&all, "overload-summary").bare()).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((number(16), number(20)), (1836, 560));
    assert!(png.len() > 8_000, "{} bytes draw nothing", png.len());
}

#[test]
fn the_shares_of_an_overload_series_share_their_scales() {
    let all = drawn(PictureOptions::default());
    let svg = named(&all, "overload").svg();
    for words in [">50 %: IOPS<", ">1,000 %: IOPS<", ">200 %: latency<", ">500 %: queue<"] {
        assert!(svg.contains(words), "{words}");
    }
    assert_eq!(svg.matches(">0.5 k<").count() + svg.matches(">500<").count(), 5, "one scale for all five");
}

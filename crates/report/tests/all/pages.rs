//! The HTML file: self-contained, well-formed, and right with little or far too much to show.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may stop at what it did not expect

use analysis::Analysis;
use record::Run;

const VOID: [&str; 6] = ["meta", "br", "hr", "img", "link", "input"];

/// Asserts that every tag is closed, in order, and that attributes are quoted.
pub(crate) fn well_formed(html: &str) {
    let mut open: Vec<String> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes in <{tag}>");
        let name: String =
            tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        match tag {
            _ if tag.starts_with('!') || tag.ends_with('/') || VOID.contains(&name.as_str()) => {}
            _ if tag.starts_with('/') => assert_eq!(open.pop().as_deref(), Some(name.as_str()), "</{name}>"),
            _ => open.push(name),
        }
        if tag == "style" {
            rest = &rest[rest.find("</style>").expect("a style ends")..];
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

/// Returns the page without the script of its zoom and that script's data; the page's own policy restricts what
/// may run.
fn without_zoom(html: &str) -> String {
    match html.split_once("<script type=\"application/json\" id=\"zoom-data\">") {
        Some((before, after)) => format!("{before}{}", &after[after.rfind("</script>").unwrap() + 9..]),
        None => html.to_owned(),
    }
}

fn page(case: &(Run, Analysis)) -> String {
    let html = without_zoom(&report::html(&case.0, &case.1));
    assert!(
        html.contains("Content-Security-Policy\" content=\"default-src 'none';"),
        "the page may load things"
    );
    well_formed(&html);
    assert_eq!(html.matches("<link").count(), 1, "the tab's sign alone, which lies in the page");
    assert!(html.contains("<link rel=\"icon\" href=\"data:"), "the tab's sign");
    names_are_given_once(&html);
    copies_have_the_colours_of_charts(&html);
    for fetch in ["<script", "src=\"", "url(http", "@import", "href=\"http"] {
        assert!(!html.contains(fetch), "{fetch} would fetch or run something");
    }
    let addresses = html.matches("://").count();
    assert_eq!(
        addresses,
        html.matches("http://www.w3.org/2000/svg").count(),
        "an address that is no name space"
    );
    assert!(!html.contains("NaN"));
    if let Some(folder) = std::env::var_os("PLIMSOLL_PAGES") {
        let name = std::thread::current().name().unwrap_or("page").replace("::", "_");
        std::fs::write(std::path::Path::new(&folder).join(name + ".html"), &html).unwrap();
    }
    html
}

/// Asserts that every id is unique, and that every link within the page leads to one.
pub(crate) fn names_are_given_once(html: &str) {
    let quoted = |before: &str| -> Vec<String> {
        html.split(before).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    let mut names = quoted(" id=\"");
    names.sort();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all, "a name is given twice: {names:?}");
    for target in quoted(" href=\"#") {
        assert!(names.contains(&target), "a link leads to {target}, which is not there");
    }
}

/// Asserts that every element copied by `use` carries the class that the page's style rules select: they reach a copy
/// only from the copied element downwards.
fn copies_have_the_colours_of_charts(html: &str) {
    for rest in html.split("<use href=\"#").skip(1) {
        let name = rest.split('"').next().unwrap();
        assert!(
            html.contains(&format!("<g id=\"{name}\" class=\"chart\">")),
            "{name} is copied without them"
        );
    }
}

/// Asserts that these parts are in the page in this order.
pub(crate) fn in_order(html: &str, parts: &[&str]) {
    let mut last = 0;
    for part in parts {
        let at = html[last..].find(part).unwrap_or_else(|| panic!("{part} is missing or too early"));
        last += at;
    }
}

#[test]
fn a_page_tells_verdict_tiles_chart_claims_findings_charts_method_in_this_order() {
    let html = page(&crate::made_up::meets());
    in_order(
        &html,
        &[
            "<nav class=\"column\" aria-label=\"Contents\">",
            "<a href=\"#part-findings\">Findings</a>",
            "<h1>",
            "class=\"good\">MEETS</strong> aws-gp3.",
            "<dl class=\"tiles\">",
            "<dt>IOPS</dt>",
            "<dt>Throughput</dt>",
            "<h2>The chart that decides</h2>",
            "<figure id=\"blocks\">",
            "<h2>Claims</h2>",
            "aws-gp3 (2025-09-26)",
            "<h2>Findings</h2>",
            "<figure id=\"rate\" ",
            "<figure id=\"bandwidth\" ",
            "<figure id=\"latency\" ",
            "<figure id=\"depths\">",
            "<a href=\"#blocks\">",
            "<figure id=\"percentiles\">",
            "<figure id=\"cpu\">",
            "<figure id=\"devices\">",
            "<h2>Method and exact parameters</h2>",
            "plimsoll check /mnt/data --policy aws-gp3",
            "<h3>Choices and why</h3>",
        ],
    );
}

#[test]
fn every_drawing_can_be_read_aloud_and_has_its_table() {
    let html = page(&crate::made_up::meets());
    let parts = html.matches("class=\"chart part\"").count();
    let drawings = html.matches("<svg ").count() - parts;
    assert_eq!(drawings, 8);
    for part in ["<desc>", "<details>", "<figcaption>"] {
        assert_eq!(html.matches(part).count(), drawings, "{part}");
    }
    assert_eq!(html.matches("role=\"img\"").count(), drawings + parts);
    let (wholes, pairs) =
        (html.matches("class=\"chart whole\"").count(), html.matches(", part 2 of 2\"").count());
    assert_eq!(
        parts,
        wholes + pairs,
        "panels of a pair stand by themselves too, and one alone has a narrow form"
    );
    assert!(pairs >= 2 && wholes > pairs, "{pairs} of {wholes}");
}

#[test]
fn phases_and_claims_are_labelled_in_the_drawings() {
    let html = page(&crate::made_up::meets());
    for label in [">layout<", ">depth ladder<", ">block ladder<", ">policy 3,000<", ">policy 125<"] {
        assert!(html.contains(label), "{label}");
    }
}

#[test]
fn a_page_below_its_claim() {
    let html = page(&crate::made_up::below());
    assert!(html.contains("class=\"bad\">BELOW</strong>"));
    assert!(html.contains("The source writes 125 MB/s; the measurement fits MiB/s."));
}

#[test]
fn a_claim_in_an_open_unit_is_drawn_where_it_is_read() {
    let mut case = crate::made_up::below();
    let row = &mut case.1.verdict.rows[1];
    row.claimed.reading = None;
    row.claimed.words = "200 MB/s".to_owned();
    row.claimed.value = 200.0 * crate::made_up::MIB;
    let html = page(&case);
    assert!(html.contains("which is read as 200\u{a0}MiB/s") && html.contains(">expected 200<"));
}

#[test]
fn a_page_that_cannot_tell() {
    let html = page(&crate::made_up::cannot_tell());
    in_order(&html, &["class=\"unsure\">CANNOT TELL</strong>", "33\u{a0}min", "<figure id=\"devices\">"]);
}

#[test]
fn a_page_without_claims() {
    let html = page(&crate::made_up::measured());
    in_order(&html, &["MEASURED</strong>: ", "<b>3,001\u{a0}±\u{a0}6</b>", "<h2>Measured</h2>"]);
    assert!(!html.contains("<th scope=\"col\">answer</th>"));
}

#[test]
fn a_page_of_a_run_that_was_cut_off_says_when() {
    let html = page(&crate::made_up::cut_off());
    assert!(html.contains("This run was cut off at 36 s"), "no place");
    assert!(!html.contains("<h2>Block size</h2>"), "a section of nothing");
}

#[test]
fn a_page_of_nothing_is_still_a_page() {
    page(&crate::made_up::nothing());
}

#[test]
fn names_cannot_leave_their_place() {
    let mut case = crate::made_up::meets();
    let evil = "</title><script>alert(1)</script>\"'&".to_owned();
    case.0.words.push(evil.clone());
    case.0.policy = Some(evil.clone());
    case.0.steps[3].plan.name = evil.clone();
    case.1.verdict.subject = Some(evil.clone());
    case.1.verdict.rows[0].what = evil.clone();
    if let Some(target) = case.0.target.as_mut() {
        target.words = evil;
    }
    page(&case);
}

#[test]
fn a_day_of_seconds_stays_small() {
    let mut case = crate::made_up::meets();
    case.0 = crate::made_up::a_day();
    let html = page(&case);
    assert!(html.len() < 8_000_000, "{} bytes", html.len());
    assert!(html.len() < 600_000, "a series is drawn as at most 2,000 points: {} bytes", html.len());
    assert!(html.contains("time since the start (h)"));
}

#[test]
fn a_drawing_can_stand_alone() {
    let (run, analysis) = crate::made_up::meets();
    let all = report::charts::pictures(&run, &analysis, &Default::default());
    let svg = all[0].svg();
    well_formed(&svg);
    assert!(
        svg.starts_with("<svg xmlns=")
            && svg.contains("data:font/ttf;base64,")
            && svg.contains("stroke-dasharray")
    );
}

#[test]
fn a_page_of_a_watch_has_its_series_overload_relation_and_devices() {
    let case = crate::made_up::overloaded(30);
    let (html, whole) = (page(&case), report::html(&case.0, &case.1));
    in_order(
        &html,
        &[
            "<h2>Overload</h2>",
            "<figure id=\"overload-summary\">",
            "<figure id=\"overload\">",
            "<h2>How the devices stand on each other</h2>",
            "md0, RAID 1, on sda2 and sdb1",
            "<h2>The machine</h2>",
            "data-device=\"\" data-chart=\"cpu\"",
            "<h2>Devices</h2>",
            "<details class=\"device\"><summary>sda</summary>",
            "data-device=\"sda\" data-chart=\"utilisation\"",
            "<details class=\"device\" open><summary>dm-0 (vg0-data)</summary>",
            "<figure class=\"series\" id=\"dm-0-iops\" data-device=\"dm-0\" data-chart=\"iops\">",
            "<h2>Method and exact parameters</h2>",
        ],
    );
    assert_eq!(
        html.matches("<figure class=\"series\"").count(),
        1 + 7 * 5,
        "the CPUs, and five charts a device"
    );
    assert!(html.contains("folded are not printed"), "paper says what it leaves out");
    assert!(html.contains("<span class=\"where\">#163</span> dm-0 (vg0-data): Disk IOPS"));
    if report::zoom_missing().is_none() {
        for (label, filled) in [("idle 1", "false"), ("load 50 %", "true")] {
            let at = whole.find(&format!("\"label\":\"{label}\"")).unwrap();
            let (start, end) = (whole[..at].rfind('{').unwrap(), at + whole[at..].find('}').unwrap());
            let band = &whole[start..end];
            assert!(band.contains(&format!("\"filled\":{filled}")), "shaded where a load ran: {band}");
        }
    }
    assert!(!html.contains("loop7"), "a loop device that did nothing");
    assert!(!html.contains("Against time"), "no section of nothing");
}

#[test]
fn a_finding_leads_to_its_chart_and_span_and_can_be_led_to() {
    let (run, analysis) = crate::made_up::meets();
    let html = page(&(run, analysis.clone()));
    assert_eq!(html.matches("<div class=\"finding\" id=\"finding-").count(), analysis.findings.len());
    let spans = analysis.findings.iter().flat_map(|finding| &finding.evidence);
    for span in spans.filter(|span| span.series == "rate").take(3) {
        let link = format!(
            "<a class=\"jump\" href=\"#rate\" data-from=\"{}\" data-to=\"{}\">",
            span.from.as_secs_f64(),
            span.to.as_secs_f64()
        );
        assert!(html.contains(&link), "{link}");
    }
    assert!(html.contains("class=\"jump\""), "no finding of this run has a chart");
}

#[test]
fn a_tile_holds_a_figure_against_what_is_promised() {
    let below = page(&crate::made_up::below());
    assert!(below.contains("<i class=\"bad\" style=\"width:"), "a bar that falls short");
    assert!(below.contains("<u style=\"left:100.0%\">"), "what is promised is the end of that bar");
    let open = page(&crate::made_up::measured());
    assert!(open.contains("<dl class=\"tiles\">") && !open.contains("class=\"bar\""), "a bar of no promise");
    assert!(!page(&crate::made_up::nothing()).contains("class=\"tiles\""), "a tile of nothing");
}

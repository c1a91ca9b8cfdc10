//! Tests over every row of the option table.

use std::collections::HashSet;

use fio::{JobOptions, Kind, Part, ROWS, Reader, Row, Shape, Support, TimeUnit, Value};

use crate::vocabulary::{asked, line, request};

/// Value of a row's default, if it has one.
fn default_of(row: &Row) -> Option<Value> {
    (!row.default.is_empty()).then(|| {
        Reader::default()
            .read(row.takes, row.default)
            .unwrap_or_else(|error| panic!("{}: the default {} is no value: {error}", row.name, row.default))
    })
}

#[test]
fn recording_is_not_refused_for_what_replaying_lacks() {
    let row = fio::table();
    let line = row.lines().find(|line| line.starts_with("| `write_iolog`")).unwrap();
    assert!(line.contains("| honoured |") && !line.contains("replay"), "{line}");
}

#[test]
fn no_name_stands_for_two_options() {
    let mut seen = HashSet::new();
    for name in ROWS.iter().flat_map(Row::names) {
        assert!(seen.insert(name), "{name} stands twice");
    }
    assert!(ROWS.len() > 250, "{} rows: the table must know every option of fio", ROWS.len());
}

#[test]
fn every_row_explains_itself() {
    for row in ROWS {
        assert!(row.help.ends_with('.') && row.help.len() > 5, "{}: help '{}'", row.name, row.help);
        match row.support {
            Support::Honoured => {}
            Support::Approximated(text) | Support::Accepted(text) | Support::Refused(text) => {
                assert!(text.len() > 8 && !text.ends_with('.'), "{}: '{text}'", row.name);
            }
        }
    }
}

/// No default undoes another: applying one again changes nothing.
#[test]
fn applying_a_default_changes_nothing() {
    for row in ROWS {
        let Some(value) = default_of(row) else { continue };
        let mut options = JobOptions::untyped();
        (row.apply)(&mut options, &value);
        options.rwmix_typed = false;
        options.randseed_typed = false;
        assert_eq!(options, JobOptions::untyped(), "{}={}", row.name, row.default);
    }
}

/// A valid word for the row, other than its default.
fn other_than_default(row: &Row) -> String {
    match row.takes {
        Kind::Text | Kind::Path | Kind::Prefix => "something".to_owned(),
        Kind::Flag | Kind::Bool => if row.default == "1" { "0" } else { "1" }.to_owned(),
        Kind::Int(least, most) => {
            let default = row.default.parse::<i64>().unwrap_or(least);
            if default < most { default + 1 } else { default - 1 }.to_string()
        }
        Kind::Ints(..42) => "2".to_owned(),
        Kind::Ints(_) => "42".to_owned(),
        Kind::Size(_) | Kind::Sizes(_) => "16k".to_owned(),
        Kind::Amount => "1m".to_owned(),
        Kind::Time(TimeUnit::Milliseconds) => "7000".to_owned(),
        Kind::Time(_) => "7s".to_owned(),
        Kind::Choice(words) => words
            .iter()
            .map(|(word, _)| *word)
            .find(|word| *word != row.default && !row.harmless.contains(word))
            .unwrap_or_default()
            .to_owned(),
        Kind::Floats => "42:43".to_owned(),
        Kind::Cpus => "1,3".to_owned(),
        Kind::Shape(Shape::Split) => "4k/50:8k/50".to_owned(),
        Kind::Shape(Shape::Range) => "4k-8k".to_owned(),
        Kind::Shape(Shape::Spread) => "zipf:1.2".to_owned(),
        Kind::Shape(Shape::Turn) => "random:3".to_owned(),
        Kind::Shape(Shape::Steady) => "iops:2%".to_owned(),
        Kind::Shape(Shape::Pattern | Shape::Data) => "0xbeef".to_owned(),
        Kind::Shape(Shape::Direction(_)) => "randread:8".to_owned(),
        Kind::Shape(Shape::Times) => "1s:7s".to_owned(),
        Kind::Shape(Shape::FileSize) => "16k-64k".to_owned(),
        Kind::Shape(Shape::Priorities) => "4k/30:64k/70/3/2".to_owned(),
        Kind::Shape(Shape::Pages) => "wait_before,write:8".to_owned(),
        Kind::Shape(Shape::EachTime) => "7,8".to_owned(),
        Kind::Shape(Shape::Commands(_)) => "write/60:zeroes/40".to_owned(),
        Kind::Shape(Shape::Errors) => "EIO:28,ENOSPC".to_owned(),
    }
}

/// An honoured option that set nothing would be silently ignored. Those without effect say so in their help.
#[test]
fn an_honoured_option_changes_what_is_asked() {
    const WITHOUT_EFFECT: [&str; 4] = ["no effect", "always are", "refused", "nothing to fail"];
    for row in ROWS.iter().filter(|row| row.support == Support::Honoured) {
        let word = other_than_default(row);
        let value = Reader::default().read(row.takes, &word).unwrap();
        let mut options = JobOptions::untyped();
        (row.apply)(&mut options, &value);
        let silent = WITHOUT_EFFECT.iter().any(|words| row.help.contains(words)) && row.name != "rw";
        assert_eq!(options == JobOptions::untyped(), silent, "{}={word}", row.name);
    }
}

/// An option that names the engine that the row needs.
fn engine_for(row: &Row) -> String {
    match row.own {
        Part::Engine(engines) => format!("--ioengine={}", engines[0]),
        Part::Job(_) => "--ioengine=null".to_owned(),
    }
}

#[test]
fn a_refused_option_is_refused_by_name_and_its_default_passes() {
    for row in ROWS {
        let Support::Refused(reason) = row.support else { continue };
        for name in row.names() {
            let typed = format!("--{name}={}", other_than_default(row));
            let words = line(&format!("{} --size=1m --name=a {typed}", engine_for(row)));
            let text = request(&words, "").unwrap_err().to_string();
            assert!(text.contains(name) && text.contains(reason), "{typed}: {text}");
            if !row.default.is_empty() {
                let words = line(&format!("{} --size=1m --name=a --{name}={}", engine_for(row), row.default));
                assert!(request(&words, "").is_ok(), "{words:?}: {:?}", request(&words, ""));
            }
        }
    }
}

#[test]
fn an_approximated_option_leaves_a_note_and_its_default_none() {
    for row in ROWS {
        let Support::Approximated(difference) = row.support else { continue };
        let of = |value: &str| {
            asked(&format!("{} --size=1m --name=a --{}={value}", engine_for(row), row.name)).notes
        };
        let notes = of(&other_than_default(row));
        assert!(notes.iter().any(|note| note.contains(difference)), "{}: {notes:?}", row.name);
        if !row.default.is_empty() {
            let notes = of(row.default);
            assert!(!notes.iter().any(|note| note.contains(difference)), "{}: {notes:?}", row.name);
        }
    }
}

/// The result shows an option under its canonical name, whichever name was typed.
#[test]
fn an_alias_is_shown_by_its_canonical_name() {
    for row in ROWS.iter().filter(|row| !row.is_refused()) {
        for alias in row.aliases {
            let value = other_than_default(row);
            let asked = asked(&format!("{} --size=1m --name=a --{alias}={value}", engine_for(row)));
            let echo = &asked.jobs[0].echo;
            assert!(echo.contains(&(row.name.to_owned(), value)), "{alias}: {echo:?}");
        }
    }
}

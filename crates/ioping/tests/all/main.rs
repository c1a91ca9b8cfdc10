//! The ioping dialect from outside: words in, every row of its table, and the page made from it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may unwrap")]

use std::path::PathBuf;

use ioping::{IopingError, IopingRequest, ROWS, Request, Since, Takes, parse, usage};
use options::reference::renewed;
use proptest::prelude::*;

/// With `PLIMSOLL_REGENERATE=1` the test rewrites the table.
#[test]
fn the_reference_is_fresh() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/ioping.md");
    let page = std::fs::read_to_string(&path).expect("docs/reference/ioping.md is there");
    let fresh = renewed(&page, &ioping::table()).expect("the page has its marks");
    if std::env::var_os("PLIMSOLL_REGENERATE").is_some() {
        std::fs::write(&path, fresh).expect("the reference can be written");
        return;
    }
    assert!(
        page == fresh,
        "docs/reference/ioping.md is stale; run PLIMSOLL_REGENERATE=1 cargo test --release -p ioping --test all"
    );
}

fn read(words: &str) -> Result<Request, IopingError> {
    parse(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
}

fn asked(words: &str) -> IopingRequest {
    match read(words) {
        Ok(Request::Run(asked)) => *asked,
        other => panic!("{words}: {other:?}"),
    }
}

fn refused(words: &str) -> (String, u8) {
    match read(words) {
        Err(error) => (error.to_string(), error.exit_code()),
        Ok(other) => panic!("{words}: {other:?}"),
    }
}

fn value(takes: Takes) -> &'static str {
    match takes {
        Takes::Nothing => "",
        Takes::Count | Takes::Seed => "7",
        Takes::Size => "8k",
        Takes::Time => "9ms",
        Takes::MaybeText => "%T",
    }
}

#[test]
fn every_row_is_set_by_its_letter_and_by_its_name_and_stands_in_the_help() {
    for row in ROWS {
        let value = value(row.takes);
        let by_letter = read(&format!("-{}{value} target", row.own.short)).unwrap();
        for name in [format!("-{}", row.name), format!("--{}", row.name)] {
            let glued = if value.is_empty() { name.clone() } else { format!("{name}={value}") };
            assert_eq!(read(&format!("{glued} target")).unwrap(), by_letter, "{glued}");
            if !value.is_empty() && row.takes != Takes::MaybeText {
                assert_eq!(read(&format!("{name} {value} target")).unwrap(), by_letter, "{name}");
            }
        }
        if let Request::Run(set) = by_letter {
            let plain = IopingRequest { target: "target".into(), ..IopingRequest::untyped() };
            assert_ne!(*set, plain, "-{} changes nothing", row.own.short);
        }
        assert!(usage().contains(&format!("-{}, -{}", row.own.short, row.name)));
    }
}

#[test]
fn what_is_not_typed_is_what_the_rows_state() {
    let asked = IopingRequest::untyped();
    assert_eq!((asked.warmup, asked.burst, asked.count, asked.seed), (1, 0, 0, 0));
    assert_eq!((asked.interval, asked.size, asked.work_size, asked.clock_format), (None, None, None, None));
    // The default format of the clock has blanks, at which `read` would split it.
    for row in ROWS.iter().filter(|row| !row.default.is_empty() && row.takes != Takes::MaybeText) {
        assert!(read(&format!("--{}={} target", row.name, row.default)).is_ok(), "{}", row.name);
    }
}

#[test]
fn the_rows_have_names_of_their_own() {
    for (at, row) in ROWS.iter().enumerate() {
        assert!(ROWS[..at].iter().all(|other| other.own.short != row.own.short && other.name != row.name));
    }
    assert!(usage().lines().all(|line| line.chars().count() <= 80), "{}", usage());
}

#[test]
fn a_prefix_stands_for_the_one_name_it_begins() {
    for (words, same) in [
        ("-ca .", "-cached ."),
        ("-co 2 .", "-c 2 ."),
        ("-wr .", "-W ."),
        ("-re .", "-G ."),
        ("-ti .", "-I ."),
        ("--max 1ms .", "-T 1ms ."),
        ("-work-o 4k .", "-o 4k ."),
        ("-inter 5 .", "-i 5 ."),
    ] {
        assert_eq!(asked(words), asked(same), "{words}");
    }
    for row in ROWS.iter().filter(|row| row.own.since == Since::Released) {
        for end in 2..row.name.len() {
            let prefix = &row.name[..end];
            let fits = ROWS
                .iter()
                .filter(|other| other.own.since == Since::Released && other.name.starts_with(prefix));
            let unique = fits.count() == 1 && !ROWS.iter().any(|other| other.name == prefix);
            let ambiguous = matches!(read(&format!("--{prefix} 1 .")), Err(IopingError::Ambiguous { .. }));
            assert_eq!(ambiguous, !unique, "{prefix}");
        }
    }
}

#[test]
fn letters_may_stand_together_and_words_in_any_order() {
    assert_eq!(asked("-DWq -c1 -i0 ."), asked(". -i 0 -c 1 -q -W -D"));
    assert_eq!(asked("-c5 -i.01 -qB ."), asked("-c 5 -i 0.01 -B -q ."));
    assert_eq!(asked("-WWW f").writes, 3);
    assert_eq!(asked("-- -c").target, "-c");
}

#[test]
fn nothing_at_all_is_answered_with_the_help_and_a_code() {
    assert_eq!(read(""), Ok(Request::Say(usage(), 1)));
    assert_eq!(read("-c 1 -h . ."), Ok(Request::Say(usage(), 0)));
    assert_eq!(read("-v"), Ok(Request::Say("ioping 1.3\n".to_owned(), 0)));
}

#[test]
fn wrong_words_are_told_as_ioping_tells_them() {
    for (words, message) in [
        ("-c", "option requires an argument -- 'c'"),
        ("--count", "option '--count' requires an argument"),
        ("-c x .", "invalid suffix: \"x\""),
        ("-i 1x .", "invalid suffix: \"x\""),
        ("-w -c2 .", "invalid suffix: \"-c2\""),
        ("-i -1 .", "integer overflow at parsing argument: -1"),
        ("-s 1/0 .", "division by zero in parsing argument: 1/0"),
        ("-c 1", "no destination specified"),
        ("-c 1 . .", "more than one destination specified"),
        ("-I %Y .", "more than one destination specified"),
        ("-Q .", "unrecognized option '-Q'"),
        ("--bogus .", "unrecognized option '--bogus'"),
        ("--s 4k .", "option '--s' is ambiguous; possibilities: '--sync' '--size' '--speed-limit'"),
        ("-c=2 .", "option '-c=2' is ambiguous; possibilities: '-cached' '-count'"),
        ("--quiet=1 .", "option '--quiet' doesn't allow an argument"),
        ("-Wx", "invalid option -- 'x'"),
        ("-A -N .", "-N and -H go with plain calls alone; leave -A and -U out, or them"),
        ("-c k .", "no number in \"k\""),
    ] {
        assert_eq!(refused(words), (message.to_owned(), 1), "{words}");
    }
    let Err(error) = read("--cuont 3 .") else { panic!() };
    assert!(error.hint().unwrap().contains("did you mean --count?"), "{error:?}");
}

proptest! {
    #[test]
    fn no_words_make_the_parser_panic(words in proptest::collection::vec("(-{0,2}[a-zA-Z]{0,3}|\\PC{0,6}|[-=/.0-9a-z]{0,8})", 0..5)) {
        if let Err(error) = parse(&words) {
            prop_assert_eq!(error.exit_code(), 1);
            let _ = error.hint();
        }
    }
}

//! Nothing that can be typed makes the parsers panic.

use fio::{FioError, ROWS, Request, Row, opening, steps};
use proptest::prelude::*;

use crate::oracle::JOB_FILES;
use crate::vocabulary::{disk, request};
use crate::wrong::FILES;

/// A word that looks like an option: a real name with an arbitrary value.
fn option() -> impl Strategy<Value = String> {
    let names: Vec<&'static str> = ROWS.iter().flat_map(|row| row.names()).collect();
    let value = prop_oneof![
        "[0-9]{1,4}[kmg%]?",
        "\\PC{0,8}",
        Just("randrw".to_owned()),
        Just("null".to_owned()),
        Just("1m".to_owned()),
    ];
    (proptest::sample::select(names), value, "-{0,2}")
        .prop_map(|(name, value, dashes)| format!("{dashes}{name}={value}"))
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![3 => option(), 1 => "\\PC{0,12}", 1 => Just("job.fio".to_owned()), 1 => Just("--name=j".to_owned())]
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => option(),
        1 => Just("[a]".to_owned()),
        1 => Just("[global]".to_owned()),
        1 => Just("size=1m".to_owned()),
        1 => "\\PC{0,20}",
    ]
}

/// Plans and prints what was understood, which must not panic either.
fn go_on(request: Result<Request, fio::FioError>) {
    match request {
        Ok(Request::Run(asked)) => {
            let _ = steps(&asked, &disk(&[("/f", 1 << 20)]));
            let _ = opening(&asked);
        }
        Ok(Request::Say(_) | Request::Check(_)) => {}
        Err(error) => {
            let _ = (error.to_string(), error.hint(), error.stdout(), error.exit_code());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_command_line_panics(words in proptest::collection::vec(word(), 0..8)) {
        // A thousand clones of random options would only cost time.
        prop_assume!(!words.iter().any(|word| word.contains("numjobs") || word.contains("nrfiles") || word.contains("nr_files")));
        go_on(request(&words, "[a]\nioengine=null\nsize=1m\n"));
    }

    #[test]
    fn no_job_file_panics(lines in proptest::collection::vec(line(), 0..12)) {
        prop_assume!(!lines.iter().any(|line| line.contains("numjobs") || line.contains("nrfiles") || line.contains("nr_files")));
        go_on(request(&["job.fio".to_owned()], &lines.join("\n")));
    }

    #[test]
    fn no_text_panics(text in "(?s).{0,200}") {
        go_on(request(&["job.fio".to_owned()], &text));
    }
}

/// Job files to be corrupted: valid ones, invalid ones, and one for each honoured option that has a default.
fn job_files() -> Vec<String> {
    let honoured = |row: &&Row| !row.is_refused() && !row.default.is_empty();
    let of_row = |row: &Row| format!("[global]\nioengine=null\n[a]\nsize=1m\n{}={}\n", row.name, row.default);
    let right = JOB_FILES.iter().map(|text| (*text).to_owned());
    let wrong = FILES.iter().map(|(text, ..)| (*text).to_owned());
    right.chain(wrong).chain(ROWS.iter().filter(honoured).map(of_row)).collect()
}

/// A generator of random numbers that needs no library (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Deletes, truncates, swaps or inserts a few letters.
fn spoilt(text: &str, chance: &mut Chance) -> String {
    const LETTERS: [char; 26] = [
        '[', ']', '=', ' ', '\t', '\n', '\r', ';', '#', ',', ':', '-', '/', '%', '$', '{', '}', '.', '0',
        '9', 'k', '"', '\\', '–', '\u{feff}', '\0',
    ];
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=chance.below(3) {
        let at = chance.below(letters.len() + 1);
        let other = chance.below(letters.len());
        match chance.below(4) {
            0 if at < letters.len() => drop(letters.remove(at)),
            1 if at < letters.len() => letters.swap(at, other),
            2 => letters.truncate(at),
            _ => letters.insert(at, LETTERS[chance.below(LETTERS.len())]),
        }
    }
    letters.into_iter().collect()
}

/// Whether the text of an error names a line and a column that exist in `job.fio`.
fn names_a_place(said: &str, text: &str) -> bool {
    let number =
        |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse::<usize>().ok());
    let Some((_, rest)) = said.split_once("job.fio, line ") else { return false };
    let (line, column) = (number(rest), rest.split_once("column ").and_then(|(_, rest)| number(rest)));
    let length = line.and_then(|line| text.lines().nth(line - 1)).map(|line| line.chars().count());
    matches!((column, length), (Some(column), Some(length)) if (1..=length + 1).contains(&column))
}

fn has_a_place(error: &FioError) -> bool {
    match error {
        FioError::Parsing { typed, .. } | FioError::BadOption { typed, .. } => typed.within.is_some(),
        FioError::OutsideSection { .. }
        | FioError::JobFile { .. }
        | FioError::NoInclude { .. }
        | FioError::SectionInInclude { .. } => true,
        _ => false,
    }
}

#[test]
fn spoilt_job_files_never_panic_and_name_the_place() {
    let files = job_files();
    assert!(files.len() >= 100, "{} job files", files.len());
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let mut placed = 0;
    for text in files.iter().flat_map(|text| std::iter::repeat_n(text, 30)) {
        let text = spoilt(text, &mut chance);
        // Very many clones would only cost time.
        if ["numjobs", "nrfiles", "nr_files"].iter().any(|word| text.contains(word)) {
            continue;
        }
        for words in [vec!["job.fio".to_owned()], vec!["--fio-exact".to_owned(), "job.fio".to_owned()]] {
            let request = request(&words, &text);
            if let Err(error) = request.as_ref().map_err(Clone::clone).map(|_| ())
                && has_a_place(&error)
            {
                let said = format!("{error}\n{}", error.hint().unwrap_or_default());
                assert!(names_a_place(&said, &text), "{text:?}: {said}");
                placed += 1;
            }
            go_on(request);
        }
    }
    assert!(placed > 500, "only {placed} errors had a place");
}

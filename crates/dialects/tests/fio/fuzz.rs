//! Nothing that can be typed makes the parsers panic.

use dialects::fio::{ROWS, Request, opening, steps};
use proptest::prelude::*;

use crate::vocabulary::{disk, request};

/// A word that looks like an option: a real name with some value.
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

/// Whatever is understood must also plan and print without a panic.
fn go_on(request: Result<Request, dialects::fio::FioError>) {
    match request {
        Ok(Request::Run(asked)) => {
            let _ = steps(&asked, &disk(&[("/f", 1 << 20)]));
            let _ = opening(&asked);
        }
        Ok(Request::Say(_)) => {}
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

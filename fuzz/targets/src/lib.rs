//! One function a parser: bytes in, and a panic where what must hold does not.
//!
//! libFuzzer calls them with what it makes up; the test `replay` calls them with everything that was kept. Beyond "no
//! panic", each input has bounds of memory and time ([`bounded`]), and some targets read back what they have written.

mod bounds;
mod recordings;
mod states;
mod tools;
mod traces;
mod words;

pub use bounds::{bounded, grown};

/// A parser and what is known of its inputs.
pub struct Target {
    /// Its name, which is the folder of its corpus and of its findings.
    pub name: &'static str,
    /// Reads the bytes in every way there is.
    pub run: fn(&[u8]),
    /// How long its inputs get.
    pub length: Length,
}

/// How long the inputs of a target get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Words of a command line: some thousand bytes.
    Words,
    /// A file or what is pasted, of many megabytes.
    File,
    /// A database, which does not grow by being repeated.
    Database,
}

/// All of them.
pub const TARGETS: [Target; 18] = [
    Target { name: "fio_job_file", run: tools::fio_job_file, length: Length::File },
    Target { name: "fio_line", run: tools::fio_line, length: Length::Words },
    Target { name: "trace", run: traces::trace, length: Length::File },
    Target { name: "diskspd_line", run: tools::diskspd_line, length: Length::Words },
    Target { name: "diskspd_xml", run: tools::diskspd_xml, length: Length::File },
    Target { name: "ioping_line", run: tools::ioping_line, length: Length::Words },
    Target { name: "iostat_line", run: tools::iostat_line, length: Length::Words },
    Target { name: "import", run: recordings::import, length: Length::File },
    Target { name: "import_page", run: recordings::import_page, length: Length::File },
    Target { name: "run_file", run: recordings::run_file, length: Length::Database },
    Target { name: "run_values", run: recordings::run_values, length: Length::Database },
    Target { name: "profile", run: words::profile, length: Length::File },
    Target { name: "expectation", run: words::expectation, length: Length::Words },
    Target { name: "policy", run: words::policy, length: Length::Words },
    Target { name: "units", run: words::units, length: Length::Words },
    Target { name: "explain", run: words::explain, length: Length::File },
    Target { name: "verify_state", run: states::verify_state, length: Length::File },
    Target { name: "series", run: recordings::series, length: Length::File },
];

/// The target of that name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

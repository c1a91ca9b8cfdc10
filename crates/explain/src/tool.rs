//! The tools whose command lines are understood.

use schemars::JsonSchema;
use serde::Serialize;

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// fio.
    Fio,
    /// DiskSpd.
    DiskSpd,
    /// ioping.
    Ioping,
    /// iostat.
    Iostat,
    /// dd.
    Dd,
}

impl Tool {
    /// All tools.
    pub const ALL: [Tool; 5] = [Tool::Fio, Tool::DiskSpd, Tool::Ioping, Tool::Iostat, Tool::Dd];

    /// The tool's name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Fio => "fio",
            Tool::DiskSpd => "diskspd",
            Tool::Ioping => "ioping",
            Tool::Iostat => "iostat",
            Tool::Dd => "dd",
        }
    }

    /// The tool that `word` calls by name, with or without a path and `.exe`; a URL does not call any.
    pub fn called(word: &str) -> Option<Tool> {
        // Excludes URLs, and options whose value is a path with the tool's name.
        if word.contains("://") || word.starts_with('-') || word.contains('=') {
            return None;
        }
        let base = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
        let base = base.strip_suffix(".exe").unwrap_or(&base);
        let is_version = |rest: &str| {
            let is_number = rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains('.');
            let is_built = word.starts_with("./") && rest.contains(|c: char| c.is_ascii_digit());
            (is_number || is_built) && rest.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c))
        };
        // `./fio-3.36` and `./fio-1a2b3c4`, as people name what they have built.
        let name = base.split_once('-').filter(|(_, rest)| is_version(rest)).map_or(base, |(name, _)| name);
        Tool::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// The tool to which options without a program name belong, if they can belong to only one.
    pub fn of_options(words: &[&str]) -> Option<Tool> {
        let fio =
            ["--name", "--rw", "--ioengine", "--iodepth", "--filename", "--bs", "--readwrite", "--numjobs"];
        let runs_a_file = words.first().is_some_and(|first| names_a_job_file(first))
            && words[1..].iter().any(|word| word.starts_with("--"));
        if runs_a_file
            || words.iter().any(|word| fio.iter().any(|option| word.split('=').next() == Some(option)))
        {
            return Some(Tool::Fio);
        }
        let operand = |name: &str| words.iter().any(|word| word.starts_with(name));
        (operand("if=") && operand("of=")).then_some(Tool::Dd)
    }

    /// Whether `words` after the tool's name look like a command line, not like a sentence about the tool.
    pub fn is_called_with(self, words: &[&str]) -> bool {
        let option = |word: &str| word.starts_with('-') && word.len() > 1;
        match self {
            Tool::Fio => {
                words.iter().any(|word| option(word) || names_a_job_file(word)) || is_variable_alone(words)
            }
            Tool::DiskSpd => words.iter().any(|word| option(word)),
            Tool::Ioping => words.iter().any(|word| option(word)) || words.len() == 1,
            Tool::Iostat => {
                let has_option = words.iter().any(|word| option(word) || *word == "+f");
                words.iter().all(|word| option(word) || is_device_or_number(word, has_option))
            }
            Tool::Dd => words.iter().any(|word| word.contains('=')),
        }
    }

    /// The plain dashes that a typographic dash before `rest` replaces.
    pub fn dashes(self, rest: &str) -> &'static str {
        match self {
            Tool::Fio => "--",
            Tool::DiskSpd | Tool::Dd => "-",
            Tool::Ioping | Tool::Iostat if rest.chars().take_while(char::is_ascii_alphabetic).count() > 3 => {
                "--"
            }
            Tool::Ioping | Tool::Iostat => "-",
        }
    }
}

/// Whether a variable is all that follows the name of a tool.
fn is_variable_alone(words: &[&str]) -> bool {
    matches!(words, [only] if only.starts_with(['$', '"']) && only.len() > 1)
}

/// Whether `word` is the path of a job file of fio, by its end.
pub(super) fn names_a_job_file(word: &str) -> bool {
    [".fio", ".ini", ".cfg", ".job"].iter().any(|end| word.ends_with(end))
}

/// Whether `word` may follow iostat's options: a device, a list of devices, a folder or a number. Without any option,
/// only words that no sentence about iostat contains are accepted. Punctuation at the end belongs to a sentence.
fn is_device_or_number(word: &str, has_option: bool) -> bool {
    let of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '$' || (has_option && "/,_.:-".contains(c));
    // A variable in braces stands for a name as one without them does.
    let word = if has_option { &word.replace("${", "$").replace('}', "") } else { word };
    word == "+f" || (word.chars().all(of_a_name) && word.ends_with(|c: char| c.is_ascii_alphanumeric()))
}

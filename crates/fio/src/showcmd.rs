//! `--showcmd`: the command line equivalent to a job file.

use super::section::{Section, Setting};

/// Returns the command line of these sections, in order. Unlike fio's, it has a separate heading for globals that
/// follow a job, so that they do not apply to that job, and it quotes words that a shell would split.
pub fn command_line(sections: &[Section]) -> String {
    let mut text = "fio ".to_owned();
    let mut in_job = false;
    for section in sections {
        match section.is_global {
            true if in_job && !section.settings.is_empty() => text.push_str("--name=global "),
            false => text.push_str(&format!("--name={} ", quoted(name(section)))),
            true => {}
        }
        in_job |= !section.is_global;
        for setting in section.settings.iter().filter(|setting| setting.row.name != "name") {
            text.push_str(&option(setting));
        }
    }
    text.push('\n');
    text
}

/// Name of a job: from its own section, or else the heading.
fn name(section: &Section) -> &str {
    let mut names = section.settings.iter().filter(|setting| setting.row.name == "name");
    names.next_back().map_or(section.name.as_str(), |setting| setting.value.as_str())
}

fn option(setting: &Setting) -> String {
    let name = setting.row.name;
    match setting.value.as_str() {
        "" => format!("--{name} "),
        value if setting.row.name == "description" && !value.contains(['"', '$', '`', '\\']) => {
            format!("--{name}=\"{value}\" ")
        }
        value => format!("--{name}={} ", quoted(value)),
    }
}

/// Quotes a word so that a shell takes it as a whole.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./:,+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

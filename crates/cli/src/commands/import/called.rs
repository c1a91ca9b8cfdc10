//! The file name of an imported result: its source, its job, and the tool with its version, so that ten files can
//! be distinguished.

use std::path::Path;

use record::{Origin, Run, Scope};
use runfile::stem_of;

/// Most characters of a job's name; the file itself holds the whole name.
const JOB_MAX: usize = 40;

/// Returns `SOURCE-JOB-TOOL-VERSION`, without parts that are unknown or already contained in an earlier one.
pub fn stem(source: &str, run: &Run) -> String {
    let source = Path::new(source)
        .file_stem()
        .map_or_else(|| "import".to_owned(), |stem| stem_of(&stem.to_string_lossy()));
    let mut stem = source;
    for part in [job(run), tool(run)].into_iter().flatten() {
        if !is_said(&stem.to_lowercase(), &part.to_lowercase()) {
            stem = format!("{stem}-{part}");
        }
    }
    stem
}

/// Whether `part` is a hyphenated part of `stem`.
fn is_said(stem: &str, part: &str) -> bool {
    format!("-{stem}-").contains(&format!("-{part}-"))
}

/// Returns the name of the only job, or the number of jobs if there are several.
fn job(run: &Run) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for part in run.reported.iter().filter(|part| part.scope == Scope::Job) {
        if !part.job.is_empty() && !names.contains(&part.job.as_str()) {
            names.push(&part.job);
        }
    }
    match names.as_slice() {
        [] => None,
        // A path is no job name: results of ioping and dd are named after the file.
        [path] if path.contains('/') || path.starts_with('.') => None,
        [one] => Some(stem_of(&one.chars().take(JOB_MAX).collect::<String>())),
        several => Some(format!("{}-jobs", several.len())),
    }
}

/// Returns the tool with its version: `fio-1.59` for `fio 1.59 text`.
fn tool(run: &Run) -> Option<String> {
    let Origin::Imported { tool, .. } = &run.origin else { return None };
    let mut words = tool.split([' ', ',', ';']).filter(|word| !word.is_empty());
    let name = words.next()?;
    // A version is a word of its own, or follows the name of a tool that another one calls: `kubestr with fio-3.20`.
    let begins = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let version = words.find(|word| word.rsplit('-').next().is_some_and(begins));
    let named = version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"));
    Some(stem_of(&named))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tool: &str) -> Run {
        let mut run = Run::started(Vec::new(), 0);
        run.origin = Origin::Imported { tool: tool.to_owned(), lacks: Vec::new() };
        run
    }

    #[test]
    fn a_name_has_the_tool_with_its_version_once() {
        for (source, tool, stem) in [
            ("do/results.txt", "fio 1.59 text", "results-fio-1.59"),
            ("results.json", "fio 3.33 JSON+", "results-fio-3.33"),
            ("stdin", "dd of BSD or macOS", "stdin-dd"),
            ("old.txt", "fio terse v2", "old-fio"),
            ("yabs.txt", "kubestr with fio-3.20", "yabs-kubestr-fio-3.20"),
            ("fio-3.33.txt", "fio 3.33 text", "fio-3.33"),
            ("a b.txt", "/proc/diskstats", "a-b-diskstats"),
            ("x.xml", "DiskSpd 2.0.21a XML", "x-DiskSpd-2.0.21a"),
        ] {
            assert_eq!(super::stem(source, &of(tool)), stem, "{tool}");
        }
    }
}

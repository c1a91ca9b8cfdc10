//! The commands in groups, as `plimsoll --help` lists them: what a user wants to do first, what programs want last.

use clap::Command;

/// Commands of one purpose, each with what it is for.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

const GROUPS: &[Group] = &[
    (
        "Measure a volume",
        &[
            ("check", "its caps, its latency, the depth that fills it; against a policy"),
            ("map", "block size by queue depth: both caps, and how deep to go"),
            ("headroom", "the greatest rate of arrivals at which a latency holds"),
            ("burst", "drain it: how long its burst lasts, and what is left"),
            ("where", "regions that load when touched, holes, a cache and its size"),
            ("stream", "the honest dd: one stream, with and without flush"),
            ("run", "a workload that is written down: a profile, or your own file"),
            ("profile", "the built-in profiles, and a recording's load as one"),
            ("fleet", "many machines together, started by an MPI launcher"),
        ],
    ),
    (
        "Observe a machine",
        &[
            ("watch", "what its disks do, alone or beside a command; what limits them"),
            ("doctor", "what would spoil a measurement here, each with its remedy"),
        ],
    ),
    (
        "Compare and choose",
        &[
            ("compare", "two volumes: which is better, by how much; of many, the odd one"),
            ("trend", "the newest run by the earlier ones: worse, since when"),
            ("merge", "runs of machines loaded at the same time, as one measurement"),
            ("size", "which volume a recorded load needs, and what a cheaper one costs"),
        ],
    ),
    (
        "Results",
        &[
            ("list", "what was measured, when, and what came out"),
            ("report", "draw it: page, text, JSON, pictures, tables, a ticket"),
            ("serve", "the runs of a folder in a browser"),
            ("import", "what fio, ioping, DiskSpd, iostat and others printed"),
        ],
    ),
    (
        "Learn and try",
        &[
            ("explain", "in words what a command line or job file of another tool asks for"),
            ("tutorial", "credits, crossover, overload and caches in ten minutes, simulated"),
            ("policy", "the catalogue of published limits"),
            ("lab", "volumes that this kernel really throttles to a policy (root)"),
        ],
    ),
    (
        "Other tools' command lines, as they are",
        &[
            ("fio", "fio 3.x"),
            ("diskspd", "DiskSpd 2.x"),
            ("ioping", "ioping 1.3"),
            ("iostat", "iostat of sysstat 12.6"),
        ],
    ),
    (
        "For programs",
        &[
            ("schema", "the JSON Schema of each document that is printed"),
            ("man", "manual pages, to read or for a package"),
            ("completions", "of these words for a shell"),
        ],
    ),
];

/// Commands that have another name now, which go on working by the old one.
const RENAMED: [(&str, &str); 3] =
    [("quick", "stream"), ("ticket", "report --ticket"), ("export", "report --parquet")];

/// Examples that the short help shows.
const EXAMPLES: usize = 8;

/// Returns the note on the new name of a command that was typed by its old one.
pub fn renamed(typed: &str) -> Option<String> {
    let (old, new) = RENAMED.iter().find(|(old, _)| *old == typed)?;
    Some(format!("plimsoll {old} is plimsoll {new} now; the old name goes on working"))
}

/// Returns `root` with its commands in groups, and with fewer examples in the short help.
pub fn in_groups(root: Command) -> Command {
    let whole = root.get_after_help().map(ToString::to_string).unwrap_or_default();
    let few: Vec<&str> = whole.lines().take(EXAMPLES + 1).collect();
    let few = format!("{}\n\nMore examples, targets, exit codes: --help", few.join("\n"));
    let row = |(name, what): &(&str, &str)| format!("\n  {name:<12} {what}");
    let group = |(title, rows): &Group| format!("\n {title}{}", rows.iter().map(row).collect::<String>());
    let groups: String = GROUPS.iter().map(group).collect();
    root.after_help(few).after_long_help(whole).help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\nCommands:{groups}\n\nOptions:\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::arguments::Arguments;

    #[test]
    fn each_command_is_in_one_group_and_fits_a_line() {
        let mut listed: Vec<&str> =
            GROUPS.iter().flat_map(|(_, rows)| rows.iter().map(|(name, _)| *name)).collect();
        listed.sort_unstable();
        let root = Arguments::command();
        let mut known: Vec<&str> =
            root.get_subcommands().filter(|one| !one.is_hide_set()).map(|one| one.get_name()).collect();
        known.sort_unstable();
        assert_eq!(listed, known);
        let mut help = in_groups(root.clone());
        for line in help.render_help().to_string().lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

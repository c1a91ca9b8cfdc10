//! `plimsoll compare`: compares two or more volumes by recorded results of plimsoll or other tools, or by loading
//! them in turns now.

mod against;
mod load;
mod turns;

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use analysis::compare::{Comparison, Price, Side, SideFacts, compare_within};
use record::{PATIENCE, ReportedPart, Run};
use workload::{Bytes, Nanos};

use crate::arguments::{AgainstTool, CompareArguments, Format, typed};
use crate::commands::{own, trend::paths};
use session::browser;
use session::failure::Failure;
use session::inputs::{Reader, limits};
use session::named_input::InputError;
use session::place::{Place, short};
use session::signals::StopFlag;
use session::{output, watchdog};

/// Compares the sides and prints what differs, the figures, and what they show.
pub fn run(arguments: &CompareArguments) -> Result<u8, Failure> {
    let against_fio = arguments.turns.against == Some(AgainstTool::Fio);
    if against_fio || are_targets(arguments)? {
        return if against_fio { against::run(arguments) } else { turns::run(arguments) };
    }
    let page = arguments.shown.named_page()?;
    let sides = sides(arguments)?;
    let comparison = compare_within(&sides, within(arguments)?);
    if let Some(mut page) = page {
        page.write(report::comparison_html(&comparison).as_bytes())?;
    }
    let page = match (&arguments.shown.html, arguments.shown.open) {
        (Some(html), _) => Some(html.clone()),
        (None, true) => Some(page_of_ours(&comparison, arguments.turns.out.as_deref())?),
        (None, false) => None,
    };
    present(arguments, &comparison, page.as_deref())?;
    page.iter().filter(|_| arguments.shown.open).for_each(|page| browser::open(page));
    Ok(comparison.outcome.exit_code())
}

/// Writes the page of a comparison that is to be opened, beside the runs if no folder was named.
fn page_of_ours(comparison: &Comparison, folder: Option<&Path>) -> Result<PathBuf, Failure> {
    let sides: Vec<&str> = comparison.sides.iter().map(|side| side.label.as_str()).collect();
    let place = Place::new(folder, (&sides.join(" against "), "compare"), &[])?;
    place.put_report(&report::comparison_html(comparison))?;
    Ok(place.report())
}

/// Whether the sides are to be measured: the first two are targets, or `--live` says so.
fn are_targets(arguments: &CompareArguments) -> Result<bool, Failure> {
    if arguments.turns.live {
        return Ok(true);
    }
    let Some(two) = arguments.sides.get(..2) else { return Ok(false) };
    for (side, words) in two.iter().enumerate() {
        if !is_target(&labelled(words, side)?.1)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether `words` name a simulated or lab volume, a block device, or a folder without results in it.
fn is_target(words: &str) -> Result<bool, Failure> {
    if ["sim:", "lab:"].into_iter().any(|kind| words.starts_with(kind)) {
        return Ok(true);
    }
    looked_at(words, |path| {
        let is_device = std::fs::metadata(path).is_ok_and(|facts| facts.file_type().is_block_device());
        is_device || (path.is_dir() && !has_files(path))
    })
}

/// Examines the path `name`. A stop request takes effect even while the file system does not answer, e.g. over a
/// network.
fn looked_at(name: &str, look: impl FnOnce(&Path) -> bool + Send + 'static) -> Result<bool, Failure> {
    let place = PathBuf::from(name);
    let stop = StopFlag::while_reading(PATIENCE);
    let seen = watchdog::reading(&format!("the look at {name}"), &stop, move || look(&place));
    let seen = seen.map_err(InputError::from);
    seen.map_err(|error| error.failure(format!("{name}: cannot be looked at: {error}; name another file")))
}

/// Whether a folder has any file that may be a result; such a folder is measured in only with `--live`.
fn has_files(folder: &Path) -> bool {
    let is_file = |entry: std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    std::fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(is_file))
}

/// Splits a side into its name and its target: `NAME=TARGET`, or a target alone, named A or B.
pub(super) fn labelled(words: &str, side: usize) -> Result<(String, String), Failure> {
    match words.split_once('=') {
        // Policies have `=` after their colon, and files may have it in their names.
        Some((name, target))
            if !name.is_empty() && !name.contains([':', '/']) && !looked_at(words, Path::exists)? =>
        {
            Ok((name.trim().to_owned(), target.trim().to_owned()))
        }
        _ => Ok((letter(side), words.to_owned())),
    }
}

/// Returns the sides of runs, with the policies against which these were checked.
fn sides_of_runs(runs: impl Iterator<Item = (String, Vec<Run>)>) -> Vec<Side> {
    runs.map(|(label, runs)| Side::of_runs(label, runs)).collect()
}

/// Reads the share below which differences do not matter: `5%`.
fn margin(words: &str) -> Result<f64, Failure> {
    let share = words
        .strip_suffix('%')
        .and_then(|number| number.trim().parse::<f64>().ok())
        .map(|percent| percent / 100.0);
    share.filter(|share| *share > 0.0 && *share <= 0.5).ok_or_else(|| {
        Failure::refused(format!(
            "--margin {words} is no share from above 0% to 50%; write for example --margin 5%"
        ))
    })
}

fn present(
    arguments: &CompareArguments,
    comparison: &Comparison,
    page: Option<&Path>,
) -> Result<(), Failure> {
    let text = match arguments.format {
        Format::Text => report::comparison_text(comparison, arguments.extent()),
        Format::Json => report::comparison_json(comparison),
    };
    output::result(&text)?;
    hint_at_prices(comparison);
    match page {
        Some(page) => output::people(&format!("report  {}", short(page))),
        None => output::people("With --html FILE the same is drawn as a page."),
    }
    Ok(())
}

/// Says how to ask which side is the better buy: of two volumes of different policies, or of several of different kinds.
fn hint_at_prices(comparison: &Comparison) {
    let sides = &comparison.sides;
    let sold = |side: &SideFacts| {
        let policy = side.policy.clone().unwrap_or_default();
        if sides.len() > 2 { policy.split(',').next().unwrap_or_default().to_owned() } else { policy }
    };
    let differ = sides.windows(2).any(|pair| sold(&pair[0]) != sold(&pair[1]));
    if differ && sides.iter().all(|side| side.price.is_none()) {
        output::people("With a --price for each side, in their order, it says which is the better buy.");
    }
}

/// Reads the sides with the options that apply to them.
fn sides(arguments: &CompareArguments) -> Result<Vec<Side>, Failure> {
    let mut in_folder = false;
    let words = match arguments.sides.as_slice() {
        // A folder alone is the runs of several volumes.
        [only] if looked_at(only, Path::is_dir)? => {
            in_folder = true;
            paths(&[only.into()])?.iter().map(|path| path.display().to_string()).collect()
        }
        words => words.to_vec(),
    };
    if words.len() < 2 {
        return Err(Failure::refused(
            "a comparison needs two sides; name two run files, a folder of them, or NAME=FILE,FILE for several of one volume",
        ));
    }
    let reader = Reader::of(typed());
    let mut read: Vec<(String, Vec<Run>)> = Vec::new();
    let named = words.iter().map(|words| named(words)).collect::<Result<Vec<_>, _>>()?;
    let mut sources = sources(&named);
    for (number, (name, paths)) in named.into_iter().enumerate() {
        let runs = reader.results(&paths)?;
        // Runs of a folder may be of several comparisons, with the same names.
        let is_free = |label: &String| !in_folder || read.iter().all(|(known, _)| known != label);
        let known = name.or_else(|| called(&runs).filter(is_free));
        if known.as_ref().is_some_and(|known| *known != letter(number)) {
            sources[number] = None;
        }
        let label = known.unwrap_or_else(|| letter(number));
        if read.iter().any(|(known, _)| *known == label) {
            let text = format!("two sides are called '{label}'; give each a name of its own: NAME=FILE");
            return Err(Failure::refused(text));
        }
        let runs = each_once(&label, runs);
        if let Some((known, _)) = read.iter().find(|(_, others)| are_copies(others, &runs)) {
            let text =
                format!("{label} holds the same results as {known}: it says nothing about another volume.");
            output::people(report::wrap("", &text).trim_end());
        }
        read.push((label, runs));
    }
    let mut sides = sides_of_runs(read.into_iter());
    sides.iter_mut().zip(sources).for_each(|(side, source)| side.source = source);
    told(&mut sides, arguments)?;
    Ok(sides)
}

/// Returns for each side without a name its file, with as many of its folders as no other side shares.
fn sources(sides: &[(Option<String>, Vec<PathBuf>)]) -> Vec<Option<String>> {
    let ends_alike = |tail: &Path| {
        sides.iter().filter(|(_, paths)| paths.iter().any(|path| path.ends_with(tail))).count() > 1
    };
    let shortest = |path: &Path| {
        let parts: Vec<_> = path.components().collect();
        let tails = (0..parts.len()).rev().map(|from| parts[from..].iter().collect::<PathBuf>());
        tails.into_iter().find(|tail| !ends_alike(tail)).unwrap_or_else(|| path.to_owned())
    };
    let of = |(name, paths): &(Option<String>, Vec<PathBuf>)| {
        let first = shortest(paths.first().filter(|_| name.is_none())?).display().to_string();
        Some(if paths.len() > 1 { format!("{first} and {} more", paths.len() - 1) } else { first })
    };
    sides.iter().map(of).collect()
}

/// Applies the options to the sides, and the policy that a side's own run names.
fn told(sides: &mut [Side], arguments: &CompareArguments) -> Result<(), Failure> {
    say_of_each(sides, arguments)?;
    sides.iter_mut().filter(|side| side.limits.is_none()).try_for_each(recorded_policy)
}

/// Returns the latency that must be met for a price to count.
fn within(arguments: &CompareArguments) -> Result<Option<Nanos>, Failure> {
    if arguments.within.is_some() && arguments.price.is_empty() {
        return Err(Failure::refused(
            "--within says at which latency a price counts; say what the sides cost with --price",
        ));
    }
    arguments.within.as_deref().map(workload::duration).transpose().map_err(Failure::refused)
}

/// Returns the name that the side had when it was loaded in turns.
fn called(runs: &[Run]) -> Option<String> {
    let ask = runs.first()?.in_turns()?;
    ask.labels.get(usize::from(ask.side)).cloned()
}

/// Returns A, B, C in the order of the sides, after Z AA.
fn letter(side: usize) -> String {
    let before = side.checked_sub(26).map_or_else(String::new, |rest| letter(rest / 26));
    format!("{before}{}", char::from(b'A' + (side % 26) as u8))
}

/// Removes runs that are copies of another and reports that, because a copy is no repetition.
fn each_once(label: &str, runs: Vec<Run>) -> Vec<Run> {
    let all = runs.len();
    let mut kept: Vec<Run> = Vec::new();
    for run in runs {
        if !kept.iter().any(|known| is_copy(known, &run)) {
            kept.push(run);
        }
    }
    let copies = all - kept.len();
    if copies > 0 {
        let text =
            format!("{label}: {copies} of {all} results hold the same figures as another, and count once.");
        output::people(report::wrap("", &text).trim_end());
    }
    kept
}

/// Whether every result of one side is a result of the other.
fn are_copies(some: &[Run], others: &[Run]) -> bool {
    let is_known = |run: &Run| some.iter().any(|known| is_copy(known, run));
    some.len() == others.len() && others.iter().all(is_known)
}

/// Whether both runs have the same content, apart from the file, the line and the time of reading.
fn is_copy(a: &Run, b: &Run) -> bool {
    let same = |(a, b): (&ReportedPart, &ReportedPart)| ReportedPart { line: b.line, ..a.clone() } == *b;
    a.origin == b.origin
        && a.reported.len() == b.reported.len()
        && a.steps == b.steps
        && a.reported.iter().zip(&b.reported).all(same)
}

/// Applies options that are given per side: by its name, or in the order of the sides.
fn say_of_each(sides: &mut [Side], arguments: &CompareArguments) -> Result<(), Failure> {
    each(sides, "--price", &arguments.price, |side, words| {
        side.price = Some(Price::parse(words).map_err(Failure::refused)?);
        Ok(())
    })?;
    each(sides, "--size", &arguments.size, |side, words| {
        side.size = Some(size(words)?);
        Ok(())
    })?;
    each(sides, "--policy", &arguments.policy, |side, words| {
        let name = own::policy(words)?;
        side.limits = Some(policy::evaluate(&name).map_err(Failure::refused)?);
        Ok(())
    })?;
    each(sides, "--machine", &arguments.machine, |side, words| {
        side.machine = Some(words.to_owned());
        Ok(())
    })
}

/// Reads a size, which must have a unit: a volume of 60 bytes cannot be meant.
fn size(words: &str) -> Result<Bytes, Failure> {
    if words.parse::<f64>().is_ok() {
        let text = format!("--size {words} has no unit; write {words}GiB, or {words}GB as providers sell it");
        return Err(Failure::refused(text));
    }
    workload::size(words).map_err(Failure::refused)
}

/// Returns the name before `=` in `NAME=VALUE`; a policy's parameters also have `=`, but after a comma.
fn side_name(words: &str) -> Option<&str> {
    let (name, _) = words.split_once('=')?;
    (!name.contains(',')).then_some(name.trim())
}

fn no_such_side(sides: &[Side], option: &str, words: &str) -> Option<Failure> {
    let name = side_name(words).filter(|name| sides.iter().all(|side| side.label != *name))?;
    let labels: Vec<String> = sides.iter().map(|side| format!("'{}'", side.label)).collect();
    let text = format!(
        "{option} {words}: no side is called '{name}'; the sides are {}, so write for example {option} {}=…",
        labels.join(", "),
        sides.first()?.label
    );
    Some(Failure::refused(text))
}

/// Applies every value of `option` to its side.
fn each(
    sides: &mut [Side],
    option: &str,
    values: &[String],
    set: impl Fn(&mut Side, &str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let count = sides.len();
    let mut taken: Vec<usize> = Vec::new();
    for (place, words) in values.iter().enumerate() {
        if let Some(failure) = no_such_side(sides, option, words) {
            return Err(failure);
        }
        let by_name = words.split_once('=').and_then(|(name, rest)| {
            let side = sides.iter().position(|side| side.label == name.trim())?;
            Some((side, rest.trim()))
        });
        let (side, words) = match by_name {
            Some(found) => found,
            None if place < count => (place, words.trim()),
            None => {
                let text = format!(
                    "{option} {words}: there are {count} sides, and this is value {}; give one a side, or write {option} NAME={words}",
                    place + 1
                );
                return Err(Failure::refused(text));
            }
        };
        if taken.contains(&side) {
            let text = format!("{option} is given twice for '{}'; keep one", sides[side].label);
            return Err(Failure::refused(text));
        }
        taken.push(side);
        set(&mut sides[side], words)?;
    }
    Ok(())
}

/// Sets the policy that a run was checked against, or that its target simulates, if no other is declared.
fn recorded_policy(side: &mut Side) -> Result<(), Failure> {
    let target = |run: &Run| {
        let words = run.target.as_ref()?.words.clone();
        words.strip_prefix("sim:").or(words.strip_prefix("lab:")).map(str::to_owned)
    };
    let words = side.runs.iter().find_map(|run| run.policy.clone().or_else(|| target(run)));
    side.limits = words.map(|words| limits(&words)).transpose()?;
    Ok(())
}

/// Splits a side into its name, if it has one, and its files: `NAME=FILE,FILE`, or files alone.
pub(super) fn named(words: &str) -> Result<(Option<String>, Vec<PathBuf>), Failure> {
    let (label, files) = match words.split_once('=') {
        // A file may have `=` in its own name.
        Some((name, files))
            if !name.is_empty() && !name.contains('/') && !looked_at(words, Path::exists)? =>
        {
            (Some(name.to_owned()), files)
        }
        _ => (None, words),
    };
    let several = files.contains(',') && !looked_at(files, Path::exists)?;
    let paths = if several { files.split(',').map(PathBuf::from).collect() } else { vec![files.into()] };
    Ok((label, paths))
}

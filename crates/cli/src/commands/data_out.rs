//! `plimsoll report --csv` and `--series`: figures for other programs.

use std::path::{Path, PathBuf};

use record::Run;
use report::{CsvTable, SeriesNamesError};

use crate::arguments::{ReportArguments, ReportFormat};
use session::failure::Failure;
use session::files::{Kind, Shelf};
use session::inputs::InputRun;
use session::output;
use session::place::short;

/// Prints the series that `words` name.
pub fn series(arguments: &ReportArguments, words: &str, runs: &[InputRun]) -> Result<(), Failure> {
    let [recorded] = runs else {
        let text = format!(
            "--series gives one recording's series, and there are {}; name one, or use --csv DIR, which keeps them apart",
            runs.len()
        );
        return Err(Failure::refused(text));
    };
    let run = &recorded.run;
    if words.trim() == "list" {
        return output::result(&list(run)?);
    }
    let wanted = report::wanted(run, words).map_err(|error| unknown(run, &error))?;
    output::result(&match arguments.format {
        ReportFormat::Json => report::series_json(run, &wanted),
        ReportFormat::Csv | ReportFormat::Text => report::series_csv(run, &wanted),
    })
}

/// Returns every series with its unit, one a line.
fn list(run: &Run) -> Result<String, Failure> {
    let names = report::series_names(run);
    if names.is_empty() {
        return Err(Failure::refused(format!("--series: {}", SeriesNamesError::Nothing)));
    }
    let wide = names.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
    // Names are cleaned so that each stays on its line, whatever a run file calls its devices.
    Ok(names
        .iter()
        .map(|series| format!("{:wide$}  {}\n", report::clean(&series.name), series.unit))
        .collect())
}

/// Returns the failure with the nearest known name.
fn unknown(run: &Run, error: &SeriesNamesError) -> Failure {
    let names = report::series_names(run);
    let known = || names.iter().map(|series| series.name.as_str());
    let near = match error {
        SeriesNamesError::Unknown { word, .. } => {
            nearest(word, &names.iter().map(|s| s.name.as_str()).collect::<Vec<_>>())
        }
        SeriesNamesError::NoColon { word, .. } => known()
            .find(|name| name.rsplit_once(':').is_some_and(|(_, metric)| metric == word))
            .map(str::to_owned),
        SeriesNamesError::Nothing => None,
    };
    let near = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
    let list = if names.is_empty() { "" } else { "; --series list names them all" };
    Failure::refused(report::clean(&format!("--series {error}{near}{list}")))
}

/// Returns the nearest name, searched first among the metrics of the device that was named: `vda:r/z` is meant as
/// `vda:r/s`, although `vdb:r/s` is not much farther.
fn nearest(word: &str, names: &[&str]) -> Option<String> {
    let (device, metric) = word.rsplit_once(':')?;
    let split = || names.iter().filter_map(|name| name.rsplit_once(':'));
    let own: Vec<&str> = split().filter(|(known, _)| *known == device).map(|(_, metric)| metric).collect();
    if !own.is_empty() {
        return policy::nearest(metric, own.iter().copied()).map(|near| format!("{device}:{near}"));
    }
    let devices: Vec<&str> = split().map(|(device, _)| device).collect();
    let near = policy::nearest(device, devices.iter().copied())?;
    let name = format!("{near}:{metric}");
    names.contains(&name.as_str()).then_some(name).or_else(|| {
        let first = split().find(|(device, _)| *device == near);
        first.map(|(device, metric)| format!("{device}:{metric}"))
    })
}

/// Writes the tables of each run into `folder`, in subfolders if there are several runs, and prints what it wrote.
pub fn csv(folder: &Path, runs: &[InputRun]) -> Result<(), Failure> {
    let mut taken: Vec<PathBuf> = Vec::new();
    for recorded in runs {
        let place = if runs.len() == 1 { folder.to_path_buf() } else { own_folder(folder, recorded, &taken) };
        let analysis = recorded.analysis()?;
        let tables = report::csv_tables(&recorded.run, &analysis);
        let shelf = Shelf::named(&place).map_err(|error| {
            Failure::failed(format!(
                "--csv {}: cannot be made: {error}; name another folder",
                place.display()
            ))
        })?;
        // Checks every file before any is written.
        tables.iter().try_for_each(|table| shelf.gives_way(table.file, table.text.as_bytes(), TABLE))?;
        tables.iter().try_for_each(|table| shelf.put(table.file, table.text.as_bytes(), TABLE))?;
        output::result(&told(&place, &tables))?;
        taken.push(place);
    }
    Ok(())
}

/// Kind of plimsoll's CSV tables, recognised by their first columns; the others depend on the recording.
const TABLE: Kind =
    Kind { word: "table", remedy: "move it, or name another folder with --csv", is_ours: is_table };

/// Number of first columns that all tables of a name share.
const FIRST_COLUMNS: usize = 3;

fn is_table(there: &[u8], new: &[u8]) -> bool {
    let head = |bytes: &[u8]| -> Vec<u8> {
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let columns: Vec<&[u8]> = line.split(|byte| *byte == b',').take(FIRST_COLUMNS).collect();
        columns.join(&b',')
    };
    there.is_empty() || head(there) == head(new)
}

fn own_folder(folder: &Path, recorded: &InputRun, taken: &[PathBuf]) -> PathBuf {
    let stem = recorded.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let names = (1_u32..).map(|number| match number {
        1 => folder.join(&stem),
        number => folder.join(format!("{stem}-{number}")),
    });
    // The numbers are unbounded, so one that is free is always found.
    names.into_iter().find(|place| !taken.contains(place)).unwrap_or_else(|| folder.to_path_buf())
}

fn told(place: &Path, tables: &[CsvTable]) -> String {
    if tables.is_empty() {
        return format!("{}: nothing was recorded that makes a table\n", short(place));
    }
    let lines = tables.iter().map(|table| {
        let rows = report::numbers::count(table.rows as f64);
        format!("{}  {rows} rows, {}\n", short(&place.join(table.file)), table.about)
    });
    lines.collect()
}

//! `plimsoll report`: draws what plimsoll or another tool recorded, one report for each recording.

use std::path::{Path, PathBuf};

use analysis::Analysis;
use record::Run;
use report::{Extent, Paint};

use super::newest::or_newest;
use super::{data_out, export, ticket};
use crate::arguments::{ReportArguments, ReportFormat, typed};
use session::browser;
use session::failure::Failure;
use session::files::{Output, Over, PAGE, Shelf, write_page};
use session::inputs::{InputRun, Reader};
use session::output;
use session::place::short;

/// Reads the inputs, analyses each anew and draws it. The exit code is 0 whatever the verdict, because drawing is
/// what was asked for, and 1 if a named input could not be read.
pub fn run(arguments: &ReportArguments) -> Result<u8, Failure> {
    if arguments.ticket {
        return ticket::run(&arguments.inputs, arguments.pictures.png.as_deref());
    }
    if let Some(folder) = &arguments.parquet {
        return export::run(&arguments.inputs, folder);
    }
    let data = arguments.csv.is_some() || arguments.series.is_some();
    if arguments.format == ReportFormat::Csv && arguments.series.is_none() {
        let text =
            "--format csv is the form of series; name them with --series, or write all tables with --csv DIR";
        return Err(Failure::refused(text));
    }
    let inputs = Reader::of(typed()).recordings(&or_newest(&arguments.inputs)?)?;
    let pictures = &arguments.pictures;
    if !data || arguments.open || arguments.html.is_some() || pictures.png.is_some() || pictures.svg.is_some()
    {
        draw(arguments, &inputs.runs)?;
    } else {
        write_data(arguments, &inputs.runs)?;
    }
    Ok(u8::from(inputs.unread > 0))
}

/// Writes the tables and prints the series that were asked for.
fn write_data(arguments: &ReportArguments, runs: &[InputRun]) -> Result<(), Failure> {
    if let Some(folder) = &arguments.csv {
        data_out::csv(folder, runs)?;
    }
    if let Some(words) = &arguments.series {
        data_out::series(arguments, words, runs)?;
    }
    Ok(())
}

/// Draws every run and prints its report, unless series were asked for, which then take stdout. Nothing is written,
/// not even data, before it is known that everything can be drawn and that a named page can be written.
fn draw(arguments: &ReportArguments, runs: &[InputRun]) -> Result<(), Failure> {
    arguments.pictures.within(runs)?;
    arguments.pictures.know(runs.iter().map(|recorded| &recorded.run))?;
    let pages = pages(arguments, runs)?;
    let read: Vec<&Path> = runs.iter().map(|recorded| recorded.path.as_path()).collect();
    // If data was asked for, a page is drawn only if it was too.
    let paged =
        arguments.open || arguments.html.is_some() || arguments.csv.is_none() && arguments.series.is_none();
    let mut typed = match &arguments.html {
        Some(html) if !is_folder(html) => Some(Output::ask(html, Over { kind: Some(PAGE), inputs: &read })?),
        _ => None,
    };
    if paged {
        runs.iter().zip(&pages).try_for_each(|(recorded, page)| not_its_own(page, recorded))?;
    }
    write_data(arguments, runs)?;
    let mut documents = Vec::new();
    for (at, (recorded, page)) in runs.iter().zip(&pages).enumerate() {
        let analysis = recorded.analysis()?;
        let options = arguments.pictures.options(at + 1, &recorded.path);
        if paged {
            let text = report::html_of(&recorded.run, &analysis, &options);
            match &mut typed {
                Some(output) => output.write(text.as_bytes())?,
                None => write_page(page, &text, &read)?,
            }
        }
        let sub = match runs.len() {
            1 => String::new(),
            _ => page.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let pictures = arguments.pictures.write((&recorded.run, &analysis), &options, &sub)?;
        let files = match paged {
            true => report::files_line_of(&short(page), (&recorded.run, &short(&recorded.path))) + &pictures,
            false => pictures,
        };
        match arguments.format {
            _ if arguments.series.is_some() => output::people(files.trim_end()),
            ReportFormat::Text | ReportFormat::Csv => {
                let text = text(&recorded.run, &analysis, arguments.findings.extent());
                output::painted(&format!("{text}\n{files}"))?
            }
            ReportFormat::Json => {
                documents.push(report::json(&recorded.run, &analysis));
                output::people(files.trim_end());
            }
        }
    }
    if let Some(why) = report::zoom_missing() {
        output::people(why);
    }
    match documents.as_slice() {
        [] => {}
        [one] => output::result(one)?,
        several => output::result(&together(several))?,
    }
    if let (true, Some(first)) = (arguments.open, pages.first()) {
        browser::open(first);
    }
    Ok(())
}

fn text(run: &Run, analysis: &Analysis, extent: Extent) -> String {
    let paint = if output::colours() { Paint::Ansi } else { Paint::Plain };
    report::terminal(run, analysis, paint, extent)
}

/// Joins several reports into one document.
fn together(documents: &[String]) -> String {
    let list: Vec<&str> = documents.iter().map(|document| document.trim_end()).collect();
    format!(
        "{{\n\"schema\": \"plimsoll-reports\",\n\"schema_version\": 1,\n\"reports\": [\n{}\n]\n}}\n",
        list.join(",\n")
    )
}

/// Returns the page of each run: beside its file, in the folder that `--html` names, or, for a single run, the file
/// that it names.
fn pages(arguments: &ReportArguments, runs: &[InputRun]) -> Result<Vec<PathBuf>, Failure> {
    let folder = match &arguments.html {
        Some(html) if is_folder(html) => {
            Shelf::named(html).map_err(|error| {
                Failure::failed(format!("{}: cannot be made: {error}; name another place", html.display()))
            })?;
            Some(html)
        }
        Some(html) if runs.len() == 1 => return Ok(vec![html.clone()]),
        Some(html) => {
            return Err(Failure::refused(format!(
                "--html {} names one file, and there are {} recordings; name a folder: --html {}/",
                html.display(),
                runs.len(),
                html.with_extension("").display()
            )));
        }
        None => None,
    };
    let mut pages: Vec<PathBuf> = Vec::new();
    for recorded in runs {
        let page = page(recorded, folder.map(PathBuf::as_path), &pages);
        pages.push(page);
    }
    Ok(pages)
}

/// Refuses the page that a run still under way will write at its end, because the run could not write it if the name
/// were taken.
fn not_its_own(page: &Path, recorded: &InputRun) -> Result<(), Failure> {
    let own = recorded.path.with_extension("html");
    let is_own = recorded.run.still_running.is_some() && real(page) == real(&own);
    if !is_own {
        return Ok(());
    }
    Err(Failure::refused(format!(
        "{} is the page that {} writes at its end, and that is still running; name another place with --html, or leave --html out",
        page.display(),
        short(&recorded.path)
    )))
}

/// Resolves the place of a file that may not exist yet, following links.
fn real(path: &Path) -> PathBuf {
    let path = std::fs::read_link(path).map_or(path.to_owned(), |to| path.with_file_name("").join(to));
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.canonicalize().map_or(path.clone(), |folder| folder.join(path.file_name().unwrap_or_default()))
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/')
}

/// Returns `NAME.html`, numbered if a file holds several runs or two files have the same name; for a run still under
/// way `NAME-so-far.html`, because it will write the other name itself.
fn page(recorded: &InputRun, folder: Option<&Path>, taken: &[PathBuf]) -> PathBuf {
    let mut stem = recorded.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if recorded.run.still_running.is_some() {
        stem += "-so-far";
    }
    let beside = recorded.path.parent().unwrap_or(Path::new(""));
    let mut number = recorded.which + 1;
    loop {
        let tail = if number == 1 { String::new() } else { format!("-{number}") };
        let page = folder.unwrap_or(beside).join(format!("{stem}{tail}.html"));
        if !taken.contains(&page) {
            return page;
        }
        number += 1;
    }
}

//! The run that is meant if none is named: the newest of the user's own.

use std::path::{Path, PathBuf};

use session::failure::Failure;
use session::inputs::{InputRun, Reader};
use session::output;
use session::place::{own_folder, short};

use super::list::newest_first;
use crate::arguments::typed;

/// Returns the named files; if there are none, the newest run file in the user's state directory, and reports its name.
pub fn or_newest(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    or_newest_that(named, &|_| true)
}

/// The same with the newest run file that passes `test`, or if none does, the newest.
pub fn or_newest_that(named: &[PathBuf], test: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Failure> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let folder = own_folder()?;
    let files = newest_first(&folder, false)?;
    let Some(newest) = files.iter().find(|path| test(path)).or(files.first()) else {
        return Err(Failure::refused(format!(
            "no run is named, and there is no run file yet in {}; name a run file, or measure first: plimsoll check",
            short(&folder)
        )));
    };
    output::people(&format!("newest  {}", short(newest)));
    Ok(vec![newest.clone()])
}

/// Reads the only run of the named files, or the newest one; `result` is what is made of it, e.g. a ticket.
pub fn only_run(named: &[PathBuf], result: &str) -> Result<(PathBuf, InputRun), Failure> {
    let paths = or_newest(named)?;
    let mut runs = Reader::of(typed()).recordings(&paths)?.runs;
    match (paths.as_slice(), runs.len()) {
        ([path], 1) => Ok((path.clone(), runs.remove(0))),
        (paths, number) => Err(Failure::refused(format!(
            "{} with {number} results: {result} is about one; import what is no run file, and name one run file",
            paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
        ))),
    }
}

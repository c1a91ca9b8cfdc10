//! `plimsoll report --parquet`: a run as tables in Parquet.

use std::path::{Path, PathBuf};

use export::Table;
use session::failure::Failure;
use session::files::{Kind, Shelf};
use session::output;
use session::place::short;

use super::newest::only_run;

/// Kind of plimsoll's Parquet tables, recognised by their mark.
const TABLE: Kind = Kind {
    word: "table",
    remedy: "move it, or name another folder with --parquet",
    is_ours: |there, _| there.is_empty() || export::is_ours(there),
};

/// Writes the tables of the run, and prints which there are.
pub fn run(inputs: &[PathBuf], folder: &Path) -> Result<u8, Failure> {
    let (_, recorded) = only_run(inputs, "a folder of tables")?;
    session::running::tell(&recorded.path, &recorded.run);
    let tables = export::tables(&recorded.run, &recorded.analysis()?);
    output::result(&put(&tables, folder)?)?;
    Ok(0)
}

/// Writes each table into its own file of a folder, all or none; returns a line about each.
pub fn put(tables: &[Table], folder: &Path) -> Result<String, Failure> {
    let files = tables.iter().map(|table| {
        let bytes = export::encoded(table, env!("CARGO_PKG_VERSION")).map_err(Failure::failed)?;
        Ok((format!("{}.parquet", table.name), bytes))
    });
    let files: Vec<(String, Vec<u8>)> = files.collect::<Result<_, Failure>>()?;
    let shelf = Shelf::named(folder).map_err(|error| {
        Failure::failed(format!(
            "--parquet {}: cannot be made: {error}; name another folder",
            folder.display()
        ))
    })?;
    // Checks every file before any is written.
    files.iter().try_for_each(|(name, bytes)| shelf.gives_way(name, bytes, TABLE))?;
    files.iter().try_for_each(|(name, bytes)| shelf.put(name, bytes, TABLE))?;
    let told = tables.iter().zip(&files).map(|(table, (name, _))| {
        let rows = report::numbers::count(table.rows() as f64);
        format!("{}  {rows} rows, {}\n", short(&folder.join(name)), table.about)
    });
    Ok(told.collect())
}

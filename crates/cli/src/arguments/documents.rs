//! Arguments of the commands that export data to other programs: `plimsoll schema` and `plimsoll export`.

use std::path::PathBuf;

use clap::Args;

/// `plimsoll schema`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll schema                       which documents there are
  plimsoll schema report > report.schema.json
  plimsoll schema progress              one line of --progress json

The schemas are JSON Schema of 2020-12. A new key may come within a version, so
they let keys pass that they do not name.")]
pub(crate) struct SchemaArguments {
    /// Which document, by its name or the value of its key schema
    #[arg(value_name = "DOCUMENT")]
    pub document: Option<String>,
}

/// `plimsoll export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll export --parquet tables/              the newest run
  plimsoll export vol-check-2026-11-21-2345.plimsoll --parquet tables/
  duckdb -c \"SELECT * FROM 'tables/step_directions.parquet'\"

One file a table: steps, step_directions, intervals, per_second, histograms,
device_counters, device_rates, cpu_rates, findings, reported, reported_points.
Each is made whole or not at all, and takes the place of no file but an earlier
one of plimsoll's.")]
pub(crate) struct ExportArguments {
    /// The run file, or what another tool printed [default: the newest of plimsoll list]
    pub run: Option<PathBuf>,
    /// The folder for the tables
    #[arg(long, value_name = "DIR", required = true)]
    pub parquet: PathBuf,
}

//! plimsoll's own command line; those of other tools are parsed by their own crates.

pub mod burst;
mod compare;
mod documents;
mod fleet;
mod ground;
mod groups;
mod headroom;
mod import;
mod lab;
mod man;
mod map;
mod measure;
mod merge;
mod onlookers;
mod places;
mod policy;
mod profile;
mod shelf;
mod short;
mod shown;
mod size;
mod start_at;
mod trend;
mod tutorial;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

pub(crate) use compare::{AgainstTool, CompareArguments, TurnsArguments};

use report::Extent;
use workload::{CheckPlan, Nanos};

pub(crate) use documents::{ExportArguments, SchemaArguments};
pub(crate) use fleet::FleetArguments;
pub(crate) use ground::{GroundArguments, size};
pub(crate) use groups::renamed;
pub(crate) use headroom::HeadroomArguments;
pub(crate) use import::ImportArguments;
pub(crate) use lab::{LabAction, LabArguments};
pub(crate) use man::{CompletionsArguments, ManArguments};
pub(crate) use map::MapArguments;
pub(crate) use measure::MeasureArguments;
pub(crate) use merge::MergeArguments;
pub(crate) use onlookers::OnlookerArguments;
pub(crate) use policy::{PolicyAction, PolicyArguments};
pub(crate) use profile::{FromArguments, LoadFormat, ProfileAction, ProfileArguments};
pub(crate) use shelf::{DoctorArguments, ListArguments, ServeArguments, TicketArguments};
pub(crate) use shown::ShownArguments;
pub(crate) use size::{SizeArguments, SizeFormat};
pub(crate) use start_at::start_at;
pub(crate) use trend::{TrendArguments, TrendFormat};
pub(crate) use tutorial::TutorialArguments;

use crate::build;
use crate::commands::watch::arguments::WatchArguments;
use crate::pictures::PictureArguments;
use session::failure::Failure;
use session::progress::Form;

pub(crate) use places::PlacesArguments;

/// How much load a volume really bears, which limit stops it, and whether that will last.
#[derive(Debug, Parser)]
#[command(name = "plimsoll", version, long_version = build::long_version(), max_term_width = 80, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  plimsoll check                                 measure this directory's volume
  plimsoll check /mnt/vol --policy aws-gp3       do I get what I pay for?
  plimsoll check sim:aws-gp2,size=100GiB         the same, simulated
  plimsoll check lab:do-volumes-pre-burst        throttled by this kernel (root)
  plimsoll headroom /mnt/vol --p99 10ms          how much may arrive?
  plimsoll map /mnt/vol                          which block size, how deep?
  plimsoll burst sim:aws-gp2,size=100GiB         how long does the burst last?
  plimsoll compare a.plimsoll b.plimsoll         which is the better buy?
  plimsoll compare fleet/*.plimsoll              which volume is the odd one?
  plimsoll trend nightly/                        is tonight worse than before?
  plimsoll merge a.plimsoll b.plimsoll           what do all machines have?
  mpiexec -hosts a,b plimsoll fleet run database /mnt/vol
                                                 the same, begun together
  plimsoll watch --for 24h                       is it the disk?
  plimsoll where /dev/vdb                        where is it slow, what is cached?
  plimsoll size watch.plimsoll                   which volume does it need?
  plimsoll stream /mnt/vol                       the honest dd, half a minute
  plimsoll run crystaldiskmark /mnt/vol          that tool's cells and table
  plimsoll import results.txt                    what others measured
  plimsoll explain 'fio --rw=randread -name=a'   what that does, and its traps
  plimsoll list                                  what was measured
  plimsoll serve                                 the same in a browser
  plimsoll report vol-check-2026-11-21-2345.plimsoll --open
                                                 draw a run again, open it
  plimsoll report RUN --ticket                   a text for support
  plimsoll doctor                                what would spoil a run here?
  plimsoll fio --name=a --rw=read --size=1g      fio's words, unchanged

A target is a directory, a file, a block device, lab:POLICY, sim:POLICY or
null:.
--give-up TIME before fio, diskspd or ioping says how long a device may leave
everything unanswered [60s]; --start-at TIME before them, when the load begins.
Exit codes: 0 done (with a policy: met), 1 the run failed, 2 wrong usage or
refused, 3 below the policy, 4 cannot tell, 130 stopped by Ctrl-C.")]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Arguments {
    /// Reads the command line. If it asks for help or the version, prints that and ends the process.
    pub fn read(words: Vec<OsString>) -> Result<Arguments, Failure> {
        use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
        let command = words.get(1).map(|word| word.to_string_lossy().into_owned());
        let parsed =
            short::with_short_help(groups::in_groups(Arguments::command())).try_get_matches_from(words);
        let read = parsed.and_then(|mut found| Arguments::from_arg_matches_mut(&mut found));
        read.map_err(|error| match error.kind() {
            DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
            _ => Failure::refused(misuse(&error.to_string(), command.as_deref())),
        })
    }
}

impl Command {
    /// Form of progress that a measuring command shows.
    pub fn progress(&self) -> Form {
        let shown = match self {
            Command::Check(check) => &check.measure.shown,
            Command::Headroom(headroom) => &headroom.measure.shown,
            Command::Map(map) => &map.measure.shown,
            Command::Burst(burst) => &burst.measure.shown,
            Command::Compare(compare) => &compare.shown,
            Command::Run(run) => &run.measure.shown,
            Command::Watch(watch) => &watch.shown,
            Command::Where(places) => &places.measure.shown,
            Command::Stream(stream) => &stream.measure.shown,
            _ => return Form::Fitting,
        };
        shown.progress.clone()
    }
}

/// Returns the command line as typed, which is stored in runs.
pub fn typed() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Parses the time without any answer after which a device is given up.
pub fn patience(word: &str) -> Result<Nanos, String> {
    match workload::duration(word).map_err(|error| error.to_string())? {
        least if least < Nanos::SECOND => {
            Err("a device may take a second to answer; give one or more, e.g. 60s".to_owned())
        }
        patience => Ok(patience),
    }
}

/// Returns clap's message of six lines as one paragraph: the cause, a similar name, and where the help is.
fn misuse(message: &str, command: Option<&str>) -> String {
    let told = message.split("\n\nUsage:").next().unwrap_or(message);
    let told = told.split("\n\nFor more information").next().unwrap_or(told);
    let mut clauses: Vec<&str> = told
        .lines()
        .map(|line| line.trim().trim_start_matches("error: ").trim_start_matches("tip: "))
        .map(|line| line.trim_start_matches('[').trim_end_matches(']'))
        .filter(|line| !line.is_empty())
        .collect();
    let known = Arguments::command().get_subcommands().any(|known| Some(known.get_name()) == command);
    let help = match command.filter(|_| known) {
        Some(command) => format!("plimsoll {command} --help tells what there is"),
        None => "plimsoll --help tells what there is".to_owned(),
    };
    clauses.push(&help);
    clauses.join("; ").replace(":; ", ": ")
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure a volume: its caps, its latency, the depth that fills it; against a policy if one is given
    Check(CheckArguments),
    /// The greatest rate of arrivals at which a latency holds, by a search
    Headroom(HeadroomArguments),
    /// Map a volume: block size by queue depth, both caps, where one gives way to the other, and how deep to go
    Map(MapArguments),
    /// Drain a volume on purpose: how long its burst lasts, what is left, and when full speed may be expected again
    Burst(burst::BurstArguments),
    /// Compare two volumes, or find the odd one of many: from run files, other tools' output, or loaded in turns
    Compare(CompareArguments),
    /// Judge the newest run by the earlier ones: worse than before, since when, by how much
    Trend(TrendArguments),
    /// Put the runs of several machines together, as if they were one measurement
    Merge(MergeArguments),
    /// Load many machines together, started by an MPI launcher, as one measurement
    Fleet(FleetArguments),
    /// Run a workload that is written down: a built-in profile, or a TOML file of your own
    Run(RunArguments),
    /// Watch what the machine's disks do: alone, while a command runs, or under load cycles; then say what limits them
    Watch(WatchArguments),
    /// Where a volume differs: regions that load when they are touched, holes, a cache and its size, tracks
    Where(PlacesArguments),
    /// Which volume a recorded load needs, of all that are published, and what a cheaper one costs in waiting
    Size(SizeArguments),
    /// The honest dd: one sequential stream, with and without flush, through the cache and past it
    #[command(alias = "quick")]
    Stream(StreamArguments),
    /// The built-in profiles
    Profile(ProfileArguments),
    /// Read what fio, ioping, DiskSpd or iostat printed into run files
    Import(ImportArguments),
    /// Draw run files and other recordings: HTML, text or JSON
    Report(ReportArguments),
    /// What was measured, when, and what came out
    List(ListArguments),
    /// Show the runs of a folder in a browser, with what came out
    Serve(ServeArguments),
    /// A run as Markdown for a ticket, with one picture
    #[command(hide = true)]
    Ticket(TicketArguments),
    /// What this machine offers, and what would spoil a measurement here, each with its remedy
    Doctor(DoctorArguments),
    /// Volumes on this machine that the kernel really throttles to a policy (needs root)
    Lab(LabArguments),
    /// The catalogue of published limits
    Policy(PolicyArguments),
    /// Credits, crossover, overload and caches in ten minutes, on simulated volumes
    Tutorial(TutorialArguments),
    /// A run as tables of Parquet, for DuckDB and pandas
    #[command(hide = true)]
    Export(ExportArguments),
    /// The JSON Schema of each document that is printed
    Schema(SchemaArguments),
    /// Manual pages: print one, or write all of them for a package
    Man(ManArguments),
    /// Completions of these words for a shell
    Completions(CompletionsArguments),
    /// Say in words what a command line or job file of fio, DiskSpd, ioping, iostat or dd asks for
    Explain(ExplainArguments),
    /// Run fio's command line (also when plimsoll is called by the name fio)
    #[command(disable_help_flag = true)]
    Fio(ForeignArguments),
    /// Run DiskSpd's command line (also when plimsoll is called by the name diskspd)
    #[command(disable_help_flag = true)]
    Diskspd(ForeignArguments),
    /// Run ioping's command line (also when plimsoll is called by the name ioping)
    #[command(disable_help_flag = true)]
    Ioping(ForeignArguments),
    /// Run iostat's command line (also when plimsoll is called by the name iostat)
    #[command(disable_help_flag = true)]
    Iostat(ForeignArguments),
}

/// `plimsoll explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll explain fio --name=a --rw=randread --size=1g
  plimsoll explain jobs.fio           a job file, or any text with commands
  plimsoll explain < pasted.txt       as pasted: list numbers, backslashes,
                                      typographic dashes, prompts
  plimsoll explain --format json -- ioping -c 10 .

Options of plimsoll stand before the tool's name.")]
pub(crate) struct ExplainArguments {
    /// Form of the result on stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print the command again, and what each word means
    #[arg(long)]
    pub all: bool,
    /// A command line, a file, or nothing for stdin
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    pub words: Vec<String>,
}

/// Words of another tool's command line.
#[derive(Debug, Args)]
pub(crate) struct ForeignArguments {
    /// Passed on as they are
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    pub words: Vec<OsString>,
}

/// Form of the result on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: 80 columns
    #[default]
    Text,
    /// One JSON document and nothing else
    Json,
}

/// Form of a report on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people: 80 columns
    #[default]
    Text,
    /// One JSON document and nothing else
    Json,
    /// Comma-separated values, of --series
    Csv,
}

/// How long a check takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffortName {
    /// Minutes: figures to rely on
    #[default]
    Quick,
    /// Seconds: every step runs, too short for figures to rely on
    Brief,
}

/// What a check runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PlanName {
    /// 2 to 3 min: latency, ladders of depths and blocks, causes
    #[default]
    Quick,
    /// 15 min: the same at more length, arrivals of a 70/30 mix within a latency, caches and places
    Standard,
    /// As long as the burst: the volume is drained on purpose, what is left is held against the policy
    Burst,
    /// 4 h: drift, and the provider's promise in share of time
    Soak,
}

impl From<PlanName> for CheckPlan {
    fn from(name: PlanName) -> CheckPlan {
        match name {
            PlanName::Quick => CheckPlan::Quick,
            PlanName::Standard => CheckPlan::Standard,
            PlanName::Burst => CheckPlan::Burst,
            PlanName::Soak => CheckPlan::Soak,
        }
    }
}

/// `plimsoll check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll check                                 the volume of this directory
  plimsoll check /mnt/vol --policy aws-gp3       is it what was sold?
  plimsoll check /mnt/vol --expect \"read 700 iops, p99 < 30ms\"
  plimsoll check /mnt/vol --dry-run              what would run, in s and bytes
  plimsoll check /dev/nvme1n1                    a device, only read
  plimsoll check sim:aws-gp2,size=100GiB         simulated, in a moment
  plimsoll check /mnt/a /mnt/b --together --instance m5.large
                                                 the budget that they share
  plimsoll check --resume vol-2026-11-23.plimsoll
                                                 go on with a run that stopped

A directory is measured through an unnamed file of its own, at most a tenth of
the free space, gone when the run ends however it ends. An existing file and a
block device are only read, unless --allow-destroy names the device.
It takes two minutes or so, three at most, and writes at most twice the region:
once to lay it out, once to measure. Where a volume is so fast that this is too
little, steps are cut short or left out, and it says which; --write-most SIZE
gives them more. --dry-run lists the steps with their seconds and bytes.
Plans, each within --time TIME where that is said, which names what is left out:
  --plan quick      2 to 3 min  latency, depths, blocks, causes
  --plan standard   15 min      longer, and headroom of a mix, caches, places
  --plan burst      as long as the burst lasts: drains the volume on purpose
  --plan soak       4 h         drift, and the promise in share of time
The five figures that providers publish, in under a minute and without a
verdict: plimsoll run five-figures DIR
Exit codes: 0 done (with a policy: met), 1 the run failed, 2 wrong usage or
refused, 3 below the policy, 4 cannot tell, 130 stopped by Ctrl-C.")]
pub(crate) struct CheckArguments {
    /// Directory, file, block device, lab:POLICY, sim:POLICY or null:
    #[arg(default_value = ".")]
    pub target: String,
    /// More volumes, with --together; NAME=TARGET gives one a name
    #[arg(value_name = "TARGET", hide_short_help = true)]
    pub others: Vec<String>,
    /// Load several volumes alone and all at once: the budget that they share, and which starves which
    #[arg(long)]
    pub together: bool,
    /// The machine whose published limits the shared budget is held against, e.g. m5.large or Standard_D8s_v3
    #[arg(long, value_name = "TYPE", requires = "together")]
    pub instance: Option<String>,
    /// What is run
    #[arg(long, alias = "profile", value_enum, default_value_t, hide_possible_values = true)]
    pub plan: PlanName,
    /// Go on with this run, which was stopped
    #[arg(long, value_name = "RUN", conflicts_with_all = ["target", "plan", "policy", "expect", "time", "read_only", "seed"])]
    pub resume: Option<PathBuf>,
    /// Do not ask before a drain of more than 15 minutes
    #[arg(long)]
    pub yes: bool,
    /// What the provider promises, e.g. aws-gp2,size=100GiB (plimsoll policy list)
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<String>,
    /// What is claimed in words: "read 700 iops, write 300 iops, p99 < 30ms"
    #[arg(long, value_name = "CLAIMS")]
    pub expect: Option<String>,
    /// The target
    #[command(flatten)]
    pub ground: GroundArguments,
    /// Most bytes that all steps write, layout included [default: twice the region]
    #[arg(long, value_name = "SIZE")]
    pub write_most: Option<String>,
    /// Most time for all of it, e.g. 10m: steps are as long as that has room for [default: by --plan]
    #[arg(long, value_name = "TIME", conflicts_with = "effort")]
    pub time: Option<String>,
    /// Write nothing: measure what the file or device holds
    #[arg(long, conflicts_with_all = ["allow_destroy", "write_most"])]
    pub read_only: bool,
    /// Findings
    #[command(flatten)]
    pub findings: FindingsArguments,
    /// How long to measure
    #[arg(long, value_enum, default_value_t, hide = true)]
    pub effort: EffortName,
    /// How it begins, and where its result goes
    #[command(flatten)]
    pub measure: MeasureArguments,
}

/// How many findings of a check are shown.
#[derive(Debug, Args)]
pub(crate) struct FindingsArguments {
    /// Tell all findings of a check, where each was seen and what else it could be; without it as many as fit a screen
    #[arg(long)]
    all: bool,
}

impl FindingsArguments {
    /// Returns the extent of the findings: all if `--all` was given.
    pub fn extent(&self) -> Extent {
        if self.all { Extent::All } else { Extent::Screen }
    }
}

/// `plimsoll run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll run five-figures /mnt/vol             what providers publish
  plimsoll run crystaldiskmark /mnt/vol          that tool's cells and table
  plimsoll run database sim:aws-gp3 --time 20s   simulated, in a moment
  plimsoll run mine.toml /mnt/vol                a profile of your own

plimsoll profile list shows the built-in profiles, plimsoll profile show NAME
--toml prints one as a start for your own. An existing file and a block device
are only read: steps that write are left out there.")]
pub(crate) struct RunArguments {
    /// A built-in profile, or the path of a TOML file
    pub profile: String,
    /// Directory, file, block device, lab:POLICY, sim:POLICY or null:
    #[arg(default_value = ".")]
    pub target: String,
    /// Counted time of every step, instead of the profile's
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// The target
    #[command(flatten)]
    pub ground: GroundArguments,
    /// How it begins, and where its result goes
    #[command(flatten)]
    pub measure: MeasureArguments,
}

/// `plimsoll stream`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll stream                      this directory's volume, half a minute
  plimsoll stream /mnt/vol --time 20s  more of each stream
  plimsoll stream . --format json      for scripts

It writes a file without a name, at most a tenth of the free space, which is
gone when the run ends however it ends.")]
pub(crate) struct StreamArguments {
    /// A folder on the volume
    #[arg(default_value = ".")]
    pub dir: String,
    /// Time of each stream
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub time: String,
    /// Bytes of the file, at least 64 MiB [default: a tenth of the free space, at most 1 GiB]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// How it begins, and where its result goes
    #[command(flatten)]
    pub measure: MeasureArguments,
}

/// `plimsoll report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plimsoll report --open                       the newest run, in the browser
  plimsoll report vol-check-2026-11-21-2345.plimsoll
                                               NAME.html beside it
  plimsoll report logs/*.json
  plimsoll report results/ --html pages/       every run of a folder
  plimsoll report RUN --png pictures/          01-all-devices.png, 02-..., ...
  plimsoll report RUN --svg d/ --devices-in rows --panel 5x4 --first 1 --last -1
  plimsoll report RUN --csv tables/            devices.csv, cpu.csv, ...
  plimsoll report RUN --parquet tables/        for DuckDB and pandas
  plimsoll report RUN --ticket > ticket.md     Markdown for support, a picture
  plimsoll report RUN --series list            what can be asked for
  plimsoll report RUN --series 'vd*:r/s,cpu:*' --format json

It reads run files, iostat's JSON (iostat -x -t -o JSON 10 30), and what
'plimsoll import' reads of fio, ioping and DiskSpd. Of a folder its run files
and its *.json of iostat are drawn. Each recording gets a page of its own.
In series and tables times are seconds of the run and ISO 8601 in UTC, values
are bytes, seconds and shares of 1; what is not known is empty, or null.
Exit codes: 0 drawn, 1 an input could not be read or a file not be written,
2 wrong usage, or no input could be read.")]
pub(crate) struct ReportArguments {
    /// Run files, iostat's JSON, or folders of such [default: the newest of plimsoll list]
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
    /// The HTML file to write, or a folder for several [default: beside each input]
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write every table as CSV into this folder instead of drawing
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Print series instead of drawing: 'vda:r/s,vda:*await,cpu:user'; list names them
    #[arg(long, value_name = "SERIES")]
    pub series: Option<String>,
    /// Findings
    #[command(flatten)]
    pub findings: FindingsArguments,
    /// Form of the result on stdout; csv is for --series, and its default
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
    /// Pictures
    #[command(flatten)]
    pub pictures: PictureArguments,
    /// Open the page in your browser when it is drawn
    #[arg(long)]
    pub open: bool,
    /// Print a run as Markdown for a ticket, with one picture beside it or in the folder of --png
    #[arg(long, conflicts_with_all = ["html", "csv", "series", "parquet", "open"])]
    pub ticket: bool,
    /// Write a run as tables of Parquet into this folder, for DuckDB and pandas
    #[arg(long, value_name = "DIR", conflicts_with_all = ["html", "csv", "series", "open"])]
    pub parquet: Option<PathBuf>,
}

//! The arguments of `plimsoll fleet`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// `plimsoll fleet`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mpiexec -disable-auto-cleanup -hosts web-1,web-2,web-3 \\
    plimsoll fleet run database /mnt/vol
  mpiexec -hosts a,b plimsoll fleet --target a=/dev/sdb --target b=/dev/sdc \\
    run database
  mpiexec -hosts a,b,c plimsoll fleet --alone run database /mnt/vol
                                                 do they share a limit?
  srun --mpi=pmi2 -N 3 plimsoll fleet run database /mnt/vol

plimsoll must be on every machine, in the same version, and an MPI with the
standard ABI, such as MPICH 5 (pip install mpich). Every step begins on all
machines at the same moment. Each keeps its run file on its own disk; the first
collects them all and prints what they had together, as plimsoll merge does.
-disable-auto-cleanup lets MPICH's other machines go on if one is lost.
Exit codes: 0 measured, 1 a machine was lost or failed, 2 refused, 4 a machine
has no step in common with the others, or --alone cannot tell.")]
pub(crate) struct FleetArguments {
    /// Target of a machine, after the words that all have; once for each process that runs on it, or for one of them (a:2)
    #[arg(long = "target", value_name = "HOST=TARGET")]
    pub targets: Vec<String>,
    /// First let each machine run by itself, one after the other: shows whether they share a limit
    #[arg(long)]
    pub alone: bool,
    /// The library of MPI's standard ABI [default: the one of the launcher, or of the Python environment]
    #[arg(long, value_name = "LIBRARY")]
    pub mpi: Option<PathBuf>,
    /// Form of the result on stdout; JSON always has all findings
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Folder of the first machine for all run files and the report [default: the user's state directory]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What every machine does: run, with a profile, a target and options of its own
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required = true,
        value_name = "run PROFILE TARGET"
    )]
    pub words: Vec<String>,
}

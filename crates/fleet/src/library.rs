//! Where the library of MPI is, and whether a launcher has started this process.

use std::path::{Path, PathBuf};

/// Name of the library of MPI's standard ABI (MPI 5.0, section 20.2).
const NAME: &str = "libmpi_abi.so.1";

/// Environment variables in which launchers say how many processes they started.
const SIZES: [&str; 4] = ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", "MPI_LOCALNRANKS"];

/// Returns the number of processes that a launcher started, if one did, by what launchers say in environment variables, which
/// `variable` looks up.
pub fn launched(variable: &dyn Fn(&str) -> Option<String>) -> Option<usize> {
    SIZES.iter().filter_map(|name| variable(name)?.trim().parse().ok()).max()
}

/// Returns the number of processes that the launcher started on this host, if it says so.
pub fn neighbours(variable: &dyn Fn(&str) -> Option<String>) -> Option<usize> {
    variable("MPI_LOCALNRANKS")?.trim().parse().ok()
}

/// Whether the launcher that started this process speaks PMIx, as Open MPI's and `srun --mpi=pmix` do, and the library with this
/// description does not: it would abort as it begins.
pub fn is_foreign_launcher(variable: &dyn Fn(&str) -> Option<String>, description: &str) -> bool {
    let speaks_pmix = description.starts_with("Open MPI");
    variable("PMIX_RANK").is_some() && variable("PMI_RANK").is_none() && !speaks_pmix
}

/// Why there is no library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// This program cannot load libraries.
    #[error(
        "this plimsoll is statically linked and can load no MPI library; build it for glibc (cargo build --release), or \
         measure with `plimsoll run … --start-at TIME` on each machine and put the runs together with `plimsoll merge`"
    )]
    Static,
    /// What was named is no file.
    #[error("the MPI library {} is no file, or there is none; name {NAME} of an MPI with the standard ABI", .0.display())]
    NoFile(PathBuf),
    /// None was found.
    #[error(
        "no {NAME} was found (looked at {}); install an MPI with the standard ABI, such as MPICH 5: `pip install mpich`, \
         or name the library with --mpi FILE",
        .0.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    NotFound(Vec<PathBuf>),
}

/// Places of the library, the likeliest first: beside the launcher that started this process, beside `mpiexec`, beside this
/// program (as in a Python environment), in an active Python environment, in the system's folders.
pub fn candidates(
    variable: &dyn Fn(&str) -> Option<String>,
    launcher: Option<&Path>,
    program: &Path,
) -> Vec<PathBuf> {
    let beside = |program: &Path| Some(program.parent()?.parent()?.join("lib").join(NAME));
    let path = variable("PATH").unwrap_or_default();
    let mpiexec = std::env::split_paths(&path).map(|folder| folder.join("mpiexec")).filter(|it| it.is_file());
    let mpiexec = mpiexec.map(|found| found.canonicalize().unwrap_or(found));
    let environment = variable("VIRTUAL_ENV").map(|folder| Path::new(&folder).join("lib").join(NAME));
    let mut places: Vec<PathBuf> = launcher
        .and_then(beside)
        .into_iter()
        .chain(mpiexec.filter_map(|found| beside(&found)))
        .chain(beside(program))
        .chain(environment)
        .chain(SYSTEM.iter().map(|folder| Path::new(folder).join(NAME)))
        .collect();
    let mut seen = Vec::new();
    places.retain(|place| {
        let is_new = !seen.contains(place);
        seen.push(place.clone());
        is_new
    });
    places
}

/// Returns the library to load: the one that is named, or the first candidate that is there.
///
/// # Errors
/// [`LibraryError`].
pub fn library(named: Option<&Path>) -> Result<PathBuf, LibraryError> {
    if cfg!(target_feature = "crt-static") {
        return Err(LibraryError::Static);
    }
    let variable = |name: &str| std::env::var(name).ok();
    if let Some(named) = named
        .map(Path::to_owned)
        .or_else(|| variable("PLIMSOLL_LIBMPI").filter(|it| !it.is_empty()).map(PathBuf::from))
    {
        // A name alone is the loader's to find.
        let is_path = named.components().nth(1).is_some();
        return if is_path && !named.is_file() { Err(LibraryError::NoFile(named)) } else { Ok(named) };
    }
    let launcher = std::fs::read_link(format!("/proc/{}/exe", std::os::unix::process::parent_id())).ok();
    let program = std::env::current_exe().unwrap_or_default();
    let places = candidates(&variable, launcher.as_deref(), &program);
    let found = places.iter().find(|place| place.is_file()).cloned();
    found.ok_or(LibraryError::NotFound(places))
}

/// Folders of libraries on current distributions.
const SYSTEM: [&str; 5] =
    ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_of_the_launcher_comes_before_those_of_the_environment_and_none_comes_twice() {
        let variable = |name: &str| (name == "VIRTUAL_ENV").then(|| "/home/me/env".to_owned());
        let launcher = Path::new("/opt/mpich/bin/hydra_pmi_proxy");
        let program = Path::new("/home/me/env/bin/plimsoll");
        let found = candidates(&variable, Some(launcher), program);
        let folders: Vec<&Path> = found.iter().filter_map(|found| found.parent()).collect();
        assert_eq!(folders[..3], ["/opt/mpich/lib", "/home/me/env/lib", "/usr/lib"].map(Path::new));
        assert_eq!(found.len(), 2 + SYSTEM.len());
    }

    #[test]
    fn a_process_is_launched_as_the_launchers_say() {
        let of = |name: &'static str| move |asked: &str| (asked == name).then(|| "3".to_owned());
        assert_eq!(launched(&of("PMI_SIZE")), Some(3));
        assert_eq!(launched(&of("SLURM_NTASKS")), Some(3));
        assert_eq!(launched(&|_| None), None);
    }
}

//! `plimsoll fleet`: one load on many machines, which MPI's launcher has started.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fleet::{Fault, FleetRequest, FleetResult, Gathered, Launch, Refusal, Surroundings};
use kernel::Mpi;
use record::PATIENCE;
use sampler::Root;
use session::failure::{Code, Failure};
use session::output;
use session::place::Place;
use session::signals::{self, StopFlag};

use super::merge;
use crate::arguments::{FleetArguments, MergeArguments};
use crate::build;

/// Time for the result to reach the user before the launcher ends everything.
const TO_BE_READ: Duration = Duration::from_millis(300);

/// Takes part in the fleet; the first process puts the runs together and prints the result.
pub fn run(arguments: &FleetArguments) -> Result<u8, Failure> {
    let request = request(arguments)?;
    let library = fleet::library(arguments.mpi.as_deref()).map_err(Failure::refused)?;
    let noticed = signals::notices_of_loss();
    let stop = StopFlag::on_signals(PATIENCE);
    let mut mpi = Mpi::join(&library).map_err(Failure::refused)?;
    let launch = Launch::read(&|name| std::env::var(name).ok());
    if let (1, Launch::Launched(processes @ 2..)) = (mpi.size(), launch) {
        return Err(Failure::refused(format!(
            "the launcher started {processes} processes, and {} knows of one: they are not of the same MPI. Start with the \
             mpiexec beside {} (under Slurm: srun --mpi=pmi2), or name the launcher's own library with --mpi FILE",
            mpi.description(),
            library.display()
        )));
    }
    let host = sampler::host_facts(&Root::real()).hostname;
    let is_first = mpi.rank() == 0;
    if is_first {
        output::people(&format!("MPI: {}, {}", mpi.description(), library.display()));
    }
    let here = Surroundings {
        host: &host,
        is_stopped: &|| stop.raised(),
        is_warned: &|| noticed.swap(false, Ordering::Relaxed),
        say: &output::people,
    };
    let result = fleet::run(&mut mpi, request, &here).map_err(Failure::failed)?;
    if !is_first {
        mpi.leave();
        return Ok(0);
    }
    let is_broken = result.faults.iter().any(|(_, fault)| matches!(fault, Fault::Silent(_)));
    let code = conclude(&result, arguments, &stop);
    if !is_broken {
        mpi.leave();
        return code;
    }
    let code = code.unwrap_or_else(|failure| {
        output::people(&failure.message);
        failure.code as u8
    });
    // Whoever is silent does not leave either.
    std::thread::sleep(TO_BE_READ);
    mpi.end_all(code);
    Ok(code)
}

/// Reads what the fleet is to do.
fn request(arguments: &FleetArguments) -> Result<FleetRequest, Failure> {
    if arguments.words.first().is_none_or(|word| word != "run") {
        return Err(Failure::refused(format!(
            "plimsoll fleet {}: a fleet runs profiles, whose steps are the same on all machines; write run PROFILE TARGET. The \
             steps of other commands depend on what each machine finds; start those with --start-at and merge what they ran \
             together",
            arguments.words.first().map_or("", String::as_str)
        )));
    }
    let target = |words: &String| {
        let parts = words.split_once('=').filter(|(host, target)| !host.is_empty() && !target.is_empty());
        let parts = parts.map(|(host, target)| (host.to_owned(), target.to_owned()));
        parts.ok_or_else(|| {
            Failure::refused(format!("--target {words}: write HOST=TARGET, as web-1=/dev/vdb"))
        })
    };
    Ok(FleetRequest {
        words: arguments.words.clone(),
        targets: arguments.targets.iter().map(target).collect::<Result<_, _>>()?,
        is_alone_first: arguments.alone,
        version: build::long_version(),
    })
}

/// Stores the run files and prints what the machines had together.
fn conclude(result: &FleetResult, arguments: &FleetArguments, stop: &StopFlag) -> Result<u8, Failure> {
    if let Some(refusal) = &result.refusal {
        return Err(Failure::refused(refused(refusal, &result.names)));
    }
    let (mut runs, mut alone, mut clocks) = (Vec::new(), Vec::new(), Vec::new());
    for gathered in &result.gathered {
        let name = &result.names[gathered.member];
        let path = kept(gathered, name, arguments.out.as_deref())?;
        if gathered.is_alone {
            alone.push(format!("{name}={path}"));
            continue;
        }
        runs.push(format!("{name}={path}"));
        let (ahead, within) = (gathered.clock.ahead_ns, gathered.clock.within.0);
        let sign = if ahead > 0 { '-' } else { '+' };
        clocks.push(format!("{name}={sign}{}ns±{within}ns", ahead.unsigned_abs()));
    }
    let merged = match runs.as_slice() {
        [] => Err(Failure::failed("no machine has measured anything")),
        [one] => {
            output::people(&format!("one machine has measured; plimsoll report {one} draws its run"));
            Ok(0)
        }
        _ => merge::run(&MergeArguments {
            runs,
            alone,
            clock: clocks,
            format: arguments.format,
            out: arguments.out.clone(),
        }),
    };
    if let (false, Some((member, _))) = (stop.raised(), result.faults.first()) {
        let there = result.names.len() - result.faults.len();
        output::people(&format!(
            "plimsoll: {there} of {} machines; {} was lost or failed (above), and what it measured, if anything, is on its \
             own disk",
            result.names.len(),
            result.names[*member]
        ));
        return merged.map(|_| Code::Failed as u8);
    }
    match stop.code() {
        Some(code) => merged.map(|_| code as u8),
        None => merged,
    }
}

/// Stores a run file that has arrived; returns its path.
fn kept(gathered: &Gathered, name: &str, out: Option<&Path>) -> Result<String, Failure> {
    let stem = if gathered.is_alone { format!("{name}-alone") } else { name.to_owned() };
    let place = Place::of_result(out, &stem, jiff::Zoned::now().date())?;
    let path = place.bear(&gathered.bytes).map_err(Failure::failed)?;
    Ok(path.display().to_string())
}

/// Says why nothing was measured.
fn refused(refusal: &Refusal, names: &[String]) -> String {
    match refusal {
        Refusal::Version(member, version) => format!(
            "{} runs plimsoll {}, and this is {}; install the same version on all machines",
            names[*member],
            version.lines().take(2).collect::<Vec<_>>().join(", "),
            build::long_version().lines().take(2).collect::<Vec<_>>().join(", ")
        ),
        Refusal::NoHost(host, hosts) => {
            format!("--target {host}=…: no machine is called {host}; there are {}", hosts.join(", "))
        }
        Refusal::NoTarget(member) => {
            format!("no --target is left for {}; give one for each process on a machine", names[*member])
        }
        Refusal::Unprepared(member) => {
            format!("nothing was measured on any machine: {} could not begin (above)", names[*member])
        }
    }
}

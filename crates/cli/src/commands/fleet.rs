//! `plimsoll fleet`: one load on many machines, which MPI's launcher has started.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fleet::{Fault, FleetRequest, FleetResult, Gathered, Launch, Refusal, Surroundings};
use kernel::MpiLibrary;
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

/// Time after which a process leaves although others do not.
const TO_LEAVE: Duration = Duration::from_secs(10);
/// Columns of a line of progress.
const COLUMNS: usize = 80;

/// Takes part in the fleet; the first process puts the runs together and prints the result.
pub fn run(arguments: &FleetArguments) -> Result<u8, Failure> {
    let request = request(arguments)?;
    let library = fleet::library(arguments.mpi.as_deref()).map_err(Failure::refused)?;
    let noticed = signals::notices_of_loss();
    let stop = StopFlag::on_signals(PATIENCE);
    let loaded = MpiLibrary::load(&library).map_err(Failure::refused)?;
    let description = loaded.description().to_owned();
    let variable = |name: &str| std::env::var(name).ok();
    let foreign = |launcher: &str| {
        Failure::refused(format!(
            "{launcher} is not of the same MPI as {description}, {}. Start with the mpiexec beside that library (under Slurm: \
             srun --mpi=pmi2), or name the launcher's own library with --mpi LIBRARY",
            library.display()
        ))
    };
    if fleet::is_foreign_launcher(&variable, &description) {
        return Err(foreign("the launcher"));
    }
    let mut mpi = loaded.join().map_err(Failure::refused)?;
    if let (1, Launch::Launched(processes @ 2..)) = (mpi.size(), Launch::read(&variable)) {
        return Err(foreign(&format!(
            "the launcher, which started {processes} processes that do not know each other,"
        )));
    }
    let root = Root::real();
    let host = sampler::host_facts(&root).hostname;
    let clock = format!("{host} {}", root.text("proc/sys/kernel/random/boot_id").unwrap_or_default());
    if mpi.rank() == 0 {
        output::people(&format!("MPI: {description}, {}", library.display()));
    }
    let say = |text: &str| match text.chars().count() > COLUMNS {
        true => output::people(report::wrap("", text).trim_end()),
        false => output::people(text),
    };
    let here = Surroundings {
        host: &host,
        clock: &clock,
        neighbours: fleet::neighbours(&variable).unwrap_or(mpi.size()),
        is_stopped: &|| stop.raised(),
        is_warned: &|| noticed.swap(false, Ordering::Relaxed),
        say: &say,
    };
    let ended = fleet::run(&mut mpi, request, &here, &|result| {
        let is_silent = result.faults.iter().any(|(_, fault)| matches!(fault, Fault::Silent(_)));
        let code = conclude(&result, arguments, &stop).unwrap_or_else(|failure| {
            output::people(report::wrap("plimsoll: ", &failure.message).trim_end());
            failure.code as u8
        });
        (code, is_silent)
    });
    let (code, is_silent) = ended.map_err(Failure::failed)?.unwrap_or((0, false));
    std::thread::spawn(move || {
        std::thread::sleep(TO_LEAVE);
        std::process::exit(i32::from(code));
    });
    match is_silent {
        // Whoever is silent does not leave.
        true => {
            std::thread::sleep(TO_BE_READ);
            mpi.end_all(code);
        }
        false => mpi.leave(),
    }
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
    if runs.is_empty() && !alone.is_empty() {
        let text = format!("what machines measured by themselves until then: {}", alone.join(", "));
        output::people(report::wrap("plimsoll: ", &text).trim_end());
    }
    if let Some(refusal) = &result.refusal {
        return Err(Failure::refused(refused(refusal, &result.names)));
    }
    let is_there = |member: &usize| result.gathered.iter().any(|of| of.member == *member && !of.is_alone);
    let missing: Vec<String> = (0..result.names.len())
        .filter(|member| !is_there(member))
        .map(|member| result.names[member].clone())
        .collect();
    let merged = match runs.as_slice() {
        [] => Err(Failure::failed("no machine has measured anything")),
        [one] => {
            output::people(&format!("one machine has measured; plimsoll report {one} draws its run"));
            Ok(0)
        }
        _ => {
            let arguments = MergeArguments {
                runs,
                alone,
                clock: clocks,
                format: arguments.format,
                out: arguments.out.clone(),
            };
            merge::put_together(&arguments, missing.clone())
        }
    };
    if !missing.is_empty() {
        let text = format!(
            "without {}, lost or failed (above); what was measured there, if anything, is on its own disk",
            missing.join(", ")
        );
        output::people(report::wrap("plimsoll: ", &text).trim_end());
    }
    if !result.faults.is_empty() && !stop.raised() {
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
            format!(
                "{} could not begin (above), and all were stopped before they were loaded together",
                names[*member]
            )
        }
    }
}

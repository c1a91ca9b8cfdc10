//! `plimsoll fleet`: one load on many machines, which MPI's launcher has started.

use std::sync::atomic::Ordering;
use std::time::Duration;

use fleet::{Fault, FleetRequest, FleetResult, Gathered, Refusal, Surroundings};
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

/// Options of `plimsoll run` that have no meaning on the machines of a fleet.
const OF_THE_FLEET: [&str; 9] =
    ["--start-at", "--progress", "--format", "--dry-run", "--list", "--help", "-h", "--serve", "--open"];
/// Time between the ends of two processes, and of all together: MPICH's launcher, with -disable-auto-cleanup, ends with a broken
/// pipe if several hosts leave at once.
const BETWEEN_ENDS: Duration = Duration::from_millis(50);
const ENDS_MOST: Duration = Duration::from_secs(2);
/// Time after which a process leaves although others do not.
const TO_LEAVE: Duration = Duration::from_secs(10);

/// Takes part in the fleet; the first process puts the runs together and prints the result.
pub fn run(arguments: &FleetArguments) -> Result<u8, Failure> {
    let ended = take_part(arguments);
    let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
    if let (Some(rank), Some(size)) = (number("PMI_RANK"), number("PMI_SIZE")) {
        // The last process leaves first, so that the first one's is the last word.
        let wait = BETWEEN_ENDS.min(ENDS_MOST / size.max(1)) * size.saturating_sub(rank + 1);
        std::thread::sleep(wait);
    }
    ended
}

fn take_part(arguments: &FleetArguments) -> Result<u8, Failure> {
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
    if let (1, Some(processes @ 2..)) = (mpi.size(), fleet::launched(&variable)) {
        return Err(foreign(&format!(
            "the launcher, which started {processes} processes that do not know each other,"
        )));
    }
    let root = Root::real();
    let host = sampler::host_facts(&root).hostname;
    let clock = format!("{host} {}", root.text("proc/sys/kernel/random/boot_id").unwrap_or_default());
    if mpi.rank() == 0 {
        output::people(&format!("MPI: {description}, {}", library.display()));
        // Before anything is loaded; it is not to fail at the end.
        if let Err(failure) = place(arguments, "fleet") {
            output::people(report::wrap("plimsoll: ", &failure.message).trim_end());
            std::thread::sleep(TO_BE_READ);
            mpi.end_all(Code::Refused as u8);
            return Ok(Code::Refused as u8);
        }
    }
    let say = |text: &str| output::people(report::wrap("  ", text).trim_end());
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
    let is_named = |option: &&&str| {
        let given = |word: &String| word == **option || word.starts_with(&format!("{option}="));
        arguments.words.iter().any(given)
    };
    if let Some(option) = OF_THE_FLEET.iter().find(is_named) {
        return Err(Failure::refused(format!(
            "{option} after run: a fleet begins the steps, reads the progress and prints the result of all by itself; leave it \
             out, or try it with plimsoll run on one machine (--format and --out of the fleet stand before run)"
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
    // All have stopped; their runs are read although the disk may be slow just now.
    StopFlag::obeyed();
    let (mut runs, mut alone, mut clocks) = (Vec::new(), Vec::new(), Vec::new());
    for gathered in &result.gathered {
        let name = &result.names[gathered.member];
        let path = kept(gathered, name, arguments)?;
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
    let people = |text: &str| output::people(report::wrap("plimsoll: ", text).trim_end());
    for (member, step) in &result.quiet {
        people(&format!(
            "{} showed nothing for a while in step '{step}': its volume did not answer, or the machine was held; its figures have that in them",
            result.names[*member]
        ));
    }
    let merged = match runs.as_slice() {
        [] => Err(Failure::failed("no machine has measured anything together with others")),
        [one] => merge::single(one, arguments.format),
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
    if let Some(code) = stop.code() {
        if merged.is_err() {
            people("stopped before all had measured a whole interval together, so there is no result of all");
        }
        return Ok(code as u8);
    }
    if !missing.is_empty() {
        people(&format!(
            "without {}, lost or failed (above); what was measured there, if anything, is on its own disk",
            missing.join(", ")
        ));
    }
    if result.faults.is_empty() { merged } else { merged.map(|_| Code::Failed as u8) }
}

/// Returns the place for a result of this name.
fn place(arguments: &FleetArguments, name: &str) -> Result<Place, Failure> {
    Place::of_result(arguments.out.as_deref(), name, jiff::Zoned::now().date())
}

/// Stores a run file that has arrived; returns its path.
fn kept(gathered: &Gathered, name: &str, arguments: &FleetArguments) -> Result<String, Failure> {
    let stem = if gathered.is_alone { format!("{name}-alone") } else { name.to_owned() };
    let path = place(arguments, &stem)?.bear(&gathered.bytes).map_err(Failure::failed)?;
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
        Refusal::TooManyTargets(host, processes) => format!(
            "there are more --target for {host} than processes on it ({processes}); start more there, or leave a target out"
        ),
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

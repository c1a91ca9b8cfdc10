//! CPUs this process may use, and pinning a thread to some of them.

use std::io;

use super::call::check;

fn allowed_set() -> io::Result<libc::cpu_set_t> {
    // SAFETY: `cpu_set_t` is an array of integers, for which all zeros is a value.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is a valid place of the size that is given; 0 is the calling thread.
    check(unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) })?;
    Ok(set)
}

/// Numbers of the CPUs that the calling thread may run on, ascending; empty if the kernel does not say.
pub fn available_cpus() -> Vec<u32> {
    let Ok(set) = allowed_set() else { return Vec::new() };
    (0..libc::CPU_SETSIZE as usize)
        // SAFETY: the index is below `CPU_SETSIZE`.
        .filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) })
        .map(|cpu| cpu as u32)
        .collect()
}

/// Pins the calling thread to `cpus`.
///
/// # Errors
/// `EINVAL` if none of them exists and is allowed.
pub fn pin_current_thread(cpus: &[u32]) -> io::Result<()> {
    // SAFETY: as in `allowed_set`.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &cpu in cpus.iter().filter(|&&cpu| cpu < libc::CPU_SETSIZE as u32) {
        // SAFETY: the index is below `CPU_SETSIZE`.
        unsafe { libc::CPU_SET(cpu as usize, &mut set) };
    }
    // SAFETY: `set` outlives the call and has the size that is given; 0 is the calling thread.
    check(unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_sees_only_its_cpu() {
        let cpu = *available_cpus().last().unwrap();
        let seen = std::thread::spawn(move || {
            pin_current_thread(&[cpu]).unwrap();
            available_cpus()
        });
        assert_eq!(seen.join().unwrap(), [cpu]);
    }

    #[test]
    fn a_cpu_that_does_not_exist_is_refused() {
        assert_eq!(
            pin_current_thread(&[1023]).map_err(|e| e.raw_os_error()),
            Err(Some(libc::EINVAL)),
            "no machine of ours has 1,024 CPUs"
        );
    }
}

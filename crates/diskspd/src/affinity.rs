//! The list of CPUs after `-a`: `0,1,2` or `g0,0,1,g1,0`.

use super::error::Fault;
use super::profile::Cpu;

/// Reads the CPUs of `list`, the value of `-a`; an empty list is the default, round robin over all CPUs.
///
/// # Errors
/// [`Fault`], with the place in the list.
pub fn cpus(list: &str) -> Result<Vec<Cpu>, Fault> {
    if list.is_empty() || list == "g" {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let (mut group, mut at, mut ends_in_cpu) = (0u16, 0, false);
    for part in list.split(',') {
        match part.strip_prefix('g') {
            Some(number) => {
                group = limited(number, at + 1, ("group", 65_535))? as u16;
                ends_in_cpu = false;
            }
            None => {
                let number = limited(part, at, ("CPU", 255))? as u8;
                found.push(Cpu { group, number });
                ends_in_cpu = true;
            }
        }
        at += part.len() + 1;
    }
    if !ends_in_cpu {
        let why = "a group needs its CPUs behind it, for example -ag0,0,1,2; DiskSpd 2.3 takes a bare group for all of it, \
                   2.2 does not";
        return Err(Fault::at(list.len(), why));
    }
    Ok(found)
}

fn limited(number: &str, at: usize, (what, most): (&str, u32)) -> Result<u32, Fault> {
    if number.is_empty() {
        return Err(Fault::at(at, format!("the number of a {what} is missing")));
    }
    if let Some(place) = number.find(|c: char| !c.is_ascii_digit()) {
        let why =
            "the list is numbers of CPUs with commas between, and g with a number before those of a group";
        return Err(Fault::at(at + place, why));
    }
    match number.parse::<u32>() {
        Ok(value) if value <= most => Ok(value),
        _ => Err(Fault::at(at, format!("{what} {number} is out of range; the greatest is {most}"))),
    }
}

//! Random stacks of storage, some seen from places where little is visible: no byte in use is ever written.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use kernel::guard::{AllowDestroy, permit_block_device, permit_named_file};

use crate::guard_spaces::Space;
use crate::stacks::{Dice, Kind, World, write_mark};

/// Seeds to run: from `PLIMSOLL_SEED` (otherwise 1), as many as `PLIMSOLL_STACKS` (otherwise `stacks`).
fn seeds(stacks: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|word| word.parse::<u64>().ok());
    let first = number("PLIMSOLL_SEED").unwrap_or(1);
    first..first + number("PLIMSOLL_STACKS").unwrap_or(stacks)
}

/// The place from which the guard is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The test's own namespace.
    Here,
    /// `/dev` has only the target.
    Nodes,
    /// `/dev` has only the target, and the images' folder is hidden.
    Hidden,
    /// As `Nodes`, without the right to make a node.
    Weak,
    /// As `Hidden`, without the right to make a node.
    WeakHidden,
    /// There is no `/sys`.
    NoSys,
}

impl Place {
    fn drawn(dice: &mut Dice) -> Place {
        let places = [Place::Nodes, Place::Hidden, Place::Weak, Place::WeakHidden, Place::NoSys];
        places.get(dice.below(10) as usize).copied().unwrap_or(Place::Here)
    }

    fn space(self, (world, node): (&World, usize), name: &Path) -> Space {
        let is_image = world.nodes[node].kind == Kind::Image;
        let nodes: Vec<&Path> = if is_image { Vec::new() } else { vec![name] };
        let with_nodes = Space::default().with_nodes(&nodes);
        let hidden = |space: Space| if is_image { space } else { space.without(world.dir.path()) };
        match self {
            Place::Here | Place::Nodes => with_nodes,
            Place::Hidden => hidden(with_nodes),
            Place::Weak => with_nodes.weak(),
            Place::WeakHidden => hidden(with_nodes.weak()),
            Place::NoSys => Space::default().without_sys(),
        }
    }

    /// Whether a refusal may have no other reason than that nothing can be seen.
    fn is_blind(self) -> bool {
        matches!(self, Place::Weak | Place::WeakHidden | Place::NoSys)
    }
}

/// What happened to the targets of all stacks.
#[derive(Debug, Default)]
struct Count {
    stacks: u64,
    targets: u64,
    in_a_namespace: u64,
    written: u64,
    refused_since_shared: u64,
    refused_since_unseen: u64,
    refused_without_need: u64,
}

#[test]
fn no_byte_that_is_in_use_is_written_in_any_stack() {
    println!("{:?}", judged(8));
}

#[test]
#[ignore = "night: an hour of random stacks; the test above is its witness"]
fn no_byte_that_is_in_use_is_written_in_a_thousand_stacks() {
    println!("{:?}", judged(1000));
}

fn judged(stacks: u64) -> Count {
    let mut count = Count::default();
    if !crate::stacks::possible() || !crate::guard_spaces::possible() {
        return count;
    }
    for seed in seeds(stacks) {
        let mut dice = Dice(seed);
        let world = crate::stacks::world(&mut dice);
        count.stacks += 1;
        let free = (0..world.nodes.len()).filter(|node| world.users_of(*node).is_empty());
        let drawn = dice.below(world.nodes.len() as u64) as usize;
        // Most nodes have a user; two without one are tried as well, so that refusing everything does not pass.
        for node in free.take(2).chain([drawn]) {
            ask_one((&world, node), &mut dice, (seed, &mut count));
        }
    }
    assert!(count.refused_without_need * 20 <= count.targets, "{count:?}");
    count
}

/// Asks for a permit to write to one node by one of its names, and with one writes all of it.
fn ask_one((world, node): (&World, usize), dice: &mut Dice, (seed, count): (u64, &mut Count)) {
    let (name, kind, length) = (world.name(node, dice), world.nodes[node].kind, world.length_of(node));
    let before = world.bytes();
    let (by_name, place) = (dice.below(2) == 0, Place::drawn(dice));
    let said = match place {
        Place::Here => ask_here(&name, kind == Kind::Image || by_name, length),
        _ => place.space((world, node), &name).ask(&name, length),
    };
    count.targets += 1;
    count.in_a_namespace += u64::from(place != Place::Here);
    let shared = world.users_of(node);
    let story = || format!("PLIMSOLL_SEED={seed} {place:?} {}\n{}", name.display(), world.story.join("\n"));
    match said {
        Ok(()) => {
            let changed = world.used_bytes_changed(&before);
            assert!(changed == 0, "{changed} bytes that are in use have changed: {}", story());
            assert!(shared.is_empty(), "written although shared with {shared:?}: {}", story());
            count.written += 1;
        }
        Err(why) => {
            let changed = world.bytes_changed(&before);
            assert!(changed == 0, "refused, and {changed} bytes have changed: {}", story());
            match (shared.is_empty(), place.is_blind()) {
                (false, _) => count.refused_since_shared += 1,
                (true, true) => count.refused_since_unseen += 1,
                (true, false) => {
                    count.refused_without_need += 1;
                    eprintln!("without need: {why}: {}", story());
                }
            }
        }
    }
}

fn ask_here(name: &Path, by_name: bool, length: u64) -> Result<(), String> {
    let permit = match by_name {
        true => permit_named_file(name),
        false => {
            permit_block_device(name, &AllowDestroy::devices([name.to_owned()])).map(|(permit, _)| permit)
        }
    };
    permit.map(|permit| write_mark(&permit, length)).map_err(|error| error.to_string())
}

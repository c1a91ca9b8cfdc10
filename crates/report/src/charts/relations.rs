//! The stack of devices: layers from the physical disks on the left to volumes on the right.

use record::{DeviceKind, DeviceNode};

use super::drawing::{Canvas, Drawing, Paint, Spot, Type, in_units, stroke};
use super::ink::{Ink, shortened};
use super::panel::WIDTH;
use super::view::View;

/// Title of the drawing.
pub(crate) const RELATIONS: &str = "How the devices stand on each other";

/// Size of a box, in pixels.
const BOX: (i32, i32) = (176, 34);
/// Room between boxes, in pixels.
const ROOM: (i32, i32) = (44, 8);
const LETTER: i32 = 11;
const SMALL: i32 = 10;
const EDGE: i32 = 8;
/// Length of an arrowhead, in pixels.
const ARROW: i32 = 8;
/// Number of lanes between two layers in which lines may turn.
const LANES: i32 = 5;
/// Distance between two lanes, in pixels.
const LANE: i32 = 5;

/// A device with its layer and row.
#[derive(Clone)]
struct PlacedDevice<'r> {
    node: &'r DeviceNode,
    name: String,
    layer: i32,
    row: i32,
}

impl View<'_> {
    /// Returns the stack of devices as a drawing; `None` if no device is stacked on another.
    pub fn relations(&self) -> Option<Drawing> {
        let (canvas, wide, high) = self.relations_at(0)?;
        let seen = "Physical disks on the left, what stands on them to the right; the list beside it says the same in words.";
        let size = (wide.max(WIDTH), high);
        Some(Drawing { title: RELATIONS.to_owned(), description: seen.to_owned(), size, canvas })
    }

    /// Draws the stack, starting `top` pixels down, and returns its width and height too.
    pub(super) fn relations_at(&self, top: i32) -> Option<(Canvas, i32, i32)> {
        let placed = self.placed();
        let edges: Vec<(&PlacedDevice<'_>, &PlacedDevice<'_>)> = edges(&placed).collect();
        if edges.is_empty() {
            return None;
        }
        let mut canvas = Canvas::default();
        let mut lanes: Vec<(i32, &str)> = Vec::new();
        for (below, above) in edges {
            let lane = lane(&mut lanes, below, above);
            edge(&mut canvas, (corner(below, top), corner(above, top)), lane);
        }
        for device in &placed {
            boxed(&mut canvas, device, corner(device, top));
        }
        let layers = placed.iter().map(|device| device.layer).max().unwrap_or(0) + 1;
        let rows = placed.iter().map(|device| device.row).max().unwrap_or(0) + 1;
        let wide = 2 * EDGE + layers * BOX.0 + (layers - 1) * ROOM.0;
        Some((canvas, wide, 2 * EDGE + rows * (BOX.1 + ROOM.1)))
    }

    /// Whether another drawn device is below or above this one.
    fn is_related(&self, node: &DeviceNode) -> bool {
        let nodes = || self.devices().iter().filter_map(|device| self.node(device));
        nodes().any(|other| other.below.contains(&node.facts.name) || node.below.contains(&other.facts.name))
    }

    /// Returns every drawn device with another below or above it, and its layer: one above the highest device below
    /// it.
    ///
    /// Devices on a device start in that device's row, and the next device goes below all of them. So no line
    /// passes behind the box of an unrelated device.
    fn placed(&self) -> Vec<PlacedDevice<'_>> {
        let nodes = self.devices().iter().filter_map(|device| self.node(device));
        let mut waiting: Vec<PlacedDevice<'_>> = Vec::new();
        for node in nodes.filter(|node| self.is_related(node)) {
            let below = waiting.iter().filter(|other| node.below.contains(&other.node.facts.name));
            let layer = below.map(|other| other.layer + 1).max().unwrap_or(0);
            waiting.push(PlacedDevice { node, name: self.name_of(&node.facts.name), layer, row: 0 });
        }
        let mut placed = Vec::new();
        let mut row = 0;
        for ground in waiting.iter().filter(|device| device.layer == 0) {
            row = place(PlacedDevice { row, ..ground.clone() }, &waiting, &mut placed);
        }
        placed
    }

    /// Returns the stack in words, a line for each device: `md0, RAID 1, on sda2 and sdb1`.
    pub fn relation_words(&self) -> Vec<String> {
        let line = |node: &DeviceNode| {
            let mut words = format!("{}, {}", self.name_of(&node.facts.name), kind_words(&node.kind));
            if !node.below.is_empty() {
                words += &format!(", on {}", node.below.join(" and "));
            }
            if !node.mounted.is_empty() {
                words += &format!(", mounted at {}", node.mounted);
            }
            words
        };
        self.devices().iter().filter_map(|device| self.node(device)).map(line).collect()
    }
}

/// Places a device in its row and the devices on it beside and below, and returns the first free row after them. A
/// device on several others is placed with the first of them.
fn place<'r>(
    device: PlacedDevice<'r>,
    waiting: &[PlacedDevice<'r>],
    placed: &mut Vec<PlacedDevice<'r>>,
) -> i32 {
    let PlacedDevice { node, row, .. } = device;
    placed.push(device);
    let mut next = row;
    for above in waiting.iter().filter(|other| other.node.below.contains(&node.facts.name)) {
        if placed.iter().all(|known| known.node.facts.name != above.node.facts.name) {
            next = place(PlacedDevice { row: next, ..above.clone() }, waiting, placed);
        }
    }
    next.max(row + 1)
}

fn edges<'p, 'r>(
    placed: &'p [PlacedDevice<'r>],
) -> impl Iterator<Item = (&'p PlacedDevice<'r>, &'p PlacedDevice<'r>)> {
    placed.iter().flat_map(move |above| {
        let stands_on = |below: &&PlacedDevice<'_>| above.node.below.contains(&below.node.facts.name);
        placed.iter().filter(stands_on).map(move |below| (below, above))
    })
}

/// Returns the lane in which a line turns between two layers. Lines from one device share a lane, but lines to a
/// device on several others share that device's lane, so that no two groups of lines look like one.
fn lane<'p>(
    lanes: &mut Vec<(i32, &'p str)>,
    below: &'p PlacedDevice<'_>,
    above: &'p PlacedDevice<'_>,
) -> i32 {
    let shared = above.node.below.len() < 2;
    let key = (above.layer, if shared { below.name.as_str() } else { above.name.as_str() });
    if !lanes.contains(&key) {
        lanes.push(key);
    }
    let in_layer = lanes.iter().filter(|known| known.0 == key.0).take_while(|known| **known != key).count();
    in_layer as i32 % LANES
}

fn corner(device: &PlacedDevice<'_>, top: i32) -> (i32, i32) {
    (EDGE + device.layer * (BOX.0 + ROOM.0), top + EDGE + device.row * (BOX.1 + ROOM.1))
}

/// Draws an arrow from the right side of a device to the left side of the device above it, given the upper left
/// corners of both.
fn edge(canvas: &mut Canvas, (from, to): (Spot, Spot), lane: i32) {
    let (x1, y1) = (from.0 + BOX.0, from.1 + BOX.1 / 2);
    let (x2, y2) = (to.0, to.1 + BOX.1 / 2);
    let turn = x2 - ROOM.0 / 2 + (lane - LANES / 2) * LANE;
    let line = [(x1, y1), (turn, y1), (turn, y2), (x2 - ARROW, y2)];
    let head = [(x2, y2), (x2 - ARROW, y2 - ARROW / 2), (x2 - ARROW, y2 + ARROW / 2)];
    canvas.line(&line.map(in_units), stroke(Ink::Frame, 10));
    canvas.polygon(&head.map(in_units), Paint::Filled(Ink::Frame));
}

fn boxed(canvas: &mut Canvas, device: &PlacedDevice<'_>, (x, y): (i32, i32)) {
    let mut second = kind_words(&device.node.kind);
    if !device.node.mounted.is_empty() {
        second += &format!(", {}", device.node.mounted);
    }
    let ground = Paint::Both(Ink::Band, stroke(Ink::Frame, 10));
    canvas.rectangle(in_units((x, y)), in_units((x + BOX.0, y + BOX.1)), ground);
    let (name, room) = (Type::from(Ink::Word, LETTER).bold(), BOX.0 - 10);
    canvas.words(&shortened(&device.name, LETTER, room), in_units((x + 6, y + 14)), name);
    canvas.words(&shortened(&second, SMALL, room), in_units((x + 6, y + 27)), Type::from(Ink::Word, SMALL));
}

/// Returns the kind of a device in words.
pub(crate) fn kind_words(kind: &DeviceKind) -> String {
    match kind {
        DeviceKind::Disk => "disk",
        DeviceKind::Partition => "partition",
        DeviceKind::Lvm => "LVM volume",
        DeviceKind::Crypt => "encrypted",
        DeviceKind::Multipath => "multipath",
        DeviceKind::Mapping => "mapping",
        DeviceKind::Md(level) if level.is_empty() => "RAID",
        DeviceKind::Md(level) => return level.replacen("raid", "RAID ", 1),
        DeviceKind::Loop => "loop device",
        DeviceKind::Zram => "compressed memory",
        DeviceKind::Path => "path",
    }
    .to_owned()
}

//! Random stacks of loops, partitions, links and mounts over two image files. What lies below each node is recorded as it
//! is made, so that the oracle knows which bytes are in use without asking the kernel.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use testbed::{Lack, Undo, directory, has, run, skipped, text};

const SECTOR: u64 = 512;
const IMAGE: u64 = 4 << 20;
/// Bytes for the smallest file system and the smallest swap space.
const LEAST: u64 = 256 << 10;
/// The bytes the test writes with a permit; no image contains them.
pub const MARK: &[u8; 16] = b"written by guard";

/// Random numbers from a seed (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % end
    }
}

/// A range of bytes in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub image: usize,
    pub start: u64,
    pub end: u64,
}

impl Span {
    fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Whether the two may share a sector.
    pub fn shares(&self, other: &Span) -> bool {
        let sectors = |span: &Span| (span.start / SECTOR, span.end.div_ceil(SECTOR));
        let ((a, b), (c, d)) = (sectors(self), sectors(other));
        self.image == other.image && a < d && c < b
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Image,
    Loop,
    Partition,
}

/// A thing with a name: an image, a loop device, a partition.
#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    pub names: Vec<PathBuf>,
    pub span: Span,
    /// Index of the node it was made from.
    pub below: Option<usize>,
    has_table: bool,
}

/// How a node is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Mounted,
    Swap,
    Open,
}

/// A stack and its users, dismantled in reverse order of making.
pub struct World {
    pub nodes: Vec<Node>,
    pub used: Vec<(usize, Use)>,
    pub images: Vec<File>,
    pub story: Vec<String>,
    undo: Vec<Undo>,
    writers: Vec<Child>,
    /// Open files that keep alive mounts which no table lists any more.
    busy: Vec<File>,
    pub dir: tempfile::TempDir,
}

impl Drop for World {
    fn drop(&mut self) {
        for writer in &mut self.writers {
            let _ = writer.kill();
            let _ = writer.wait();
        }
        self.busy.clear();
        while let Some(undo) = self.undo.pop() {
            drop(undo);
        }
    }
}

/// Makes two images of non-zero data, each with a hard link and seen through a bind mount.
pub fn world(dice: &mut Dice) -> World {
    let dir = directory();
    let mut world = World {
        nodes: Vec::new(),
        used: Vec::new(),
        images: Vec::new(),
        story: Vec::new(),
        undo: Vec::new(),
        writers: Vec::new(),
        busy: Vec::new(),
        dir,
    };
    let bound = world.dir.path().join("bound");
    std::fs::create_dir_all(world.dir.path().join("real")).unwrap();
    std::fs::create_dir(&bound).unwrap();
    let real = world.dir.path().join("real");
    let is_bound = dice.below(3) == 0 && run(&["mount", "--bind", &text(&real), &text(&bound)]);
    if is_bound {
        world.undo.push(Undo::by(&["umount", "--lazy", &text(&bound)]));
    }
    for image in 0..2 {
        let path = real.join(format!("image{image}"));
        let bytes: Vec<u8> =
            (0..IMAGE / 8).flat_map(|n| (n | 1 << 63 | dice.0 << 32).to_le_bytes()).collect();
        std::fs::write(&path, bytes).unwrap();
        let mut names = vec![path.clone()];
        if dice.below(3) == 0 {
            let link = real.join(format!("link{image}"));
            std::fs::hard_link(&path, &link).unwrap();
            names.push(link);
        }
        if is_bound {
            names.push(bound.join(format!("image{image}")));
        }
        let file = File::open(&path).unwrap();
        file.sync_all().unwrap();
        world.images.push(file);
        let span = Span { image, start: 0, end: IMAGE };
        world.nodes.push(Node { kind: Kind::Image, names, span, below: None, has_table: false });
    }
    for _ in 0..2 + dice.below(4) {
        world.grow(dice);
    }
    world.lose_a_name(dice);
    for _ in 0..1 + dice.below(2) {
        world.put_to_use(dice);
    }
    world
}

impl World {
    pub fn name(&self, node: usize, dice: &mut Dice) -> PathBuf {
        let names = &self.nodes[node].names;
        names[dice.below(names.len() as u64) as usize].clone()
    }

    /// Whether `other` is `node` or lies below it.
    pub fn is_chain_of(&self, node: usize, other: usize) -> bool {
        std::iter::successors(Some(node), |at| self.nodes[*at].below).any(|at| at == other)
    }

    fn grow(&mut self, dice: &mut Dice) {
        let below = dice.below(self.nodes.len() as u64) as usize;
        let node = self.nodes[below].clone();
        match dice.below(4) {
            0 if node.kind == Kind::Loop && node.span.len() >= 4 * LEAST && !node.has_table => {
                self.add_partitions(below, dice);
            }
            _ if node.span.len() >= LEAST => self.add_loop(below, dice),
            _ => {}
        }
    }

    fn add_loop(&mut self, below: usize, dice: &mut Dice) {
        let (of, length) = (self.name(below, dice), self.nodes[below].span.len());
        // Quarters, so that neighbours touch and halves overlap; sometimes shifted by a sector.
        let quarter = length / 4 / SECTOR * SECTOR;
        let nudge = if dice.below(4) == 0 { SECTOR } else { 0 };
        let offset = if dice.below(2) == 0 { 0 } else { dice.below(4) * quarter + nudge };
        let limit = if dice.below(2) == 0 { 0 } else { (1 + dice.below(3)) * quarter };
        let end = if limit == 0 { length } else { length.min(offset + limit) };
        if offset >= end {
            return;
        }
        let (offset_word, limit_word) = (offset.to_string(), limit.to_string());
        let mut command = Command::new("losetup");
        command.args(["--find", "--show", "--offset", &offset_word]);
        if limit > 0 {
            command.args(["--sizelimit", &limit_word]);
        }
        let out = command.arg(&of).output().unwrap();
        if !out.status.success() {
            return;
        }
        let node = String::from_utf8_lossy(&out.stdout).trim().to_owned();
        self.undo.push(Undo::by(&["losetup", "--detach", &node]));
        // A read-only mark stays with the number, for its next user.
        run(&["blockdev", "--setrw", &node]);
        self.story.push(format!("losetup -o {offset} --sizelimit {limit} {} = {node}", of.display()));
        let base = self.nodes[below].span;
        let span = Span { start: base.start + offset, end: base.start + end, ..base };
        let names = vec![PathBuf::from(node)];
        self.nodes.push(Node { kind: Kind::Loop, names, span, below: Some(below), has_table: false });
    }

    /// Adds two partitions of a third each, the second right after the first or with a gap between.
    fn add_partitions(&mut self, below: usize, dice: &mut Dice) {
        let disk = self.nodes[below].names[0].clone();
        let third = self.nodes[below].span.len() / 3 / SECTOR;
        let gap = dice.below(2) * 64;
        let parts = [(8, third), (8 + third + gap, third)];
        let mut table = [0u8; 512];
        for (at, (start, sectors)) in parts.iter().enumerate() {
            let entry = &mut table[446 + 16 * at..462 + 16 * at];
            entry[4] = 0x83;
            entry[8..12].copy_from_slice(&(*start as u32).to_le_bytes());
            entry[12..16].copy_from_slice(&(*sectors as u32).to_le_bytes());
        }
        table[510..].copy_from_slice(&[0x55, 0xaa]);
        write_at(&disk, 0, &table);
        if !run(&["partx", "--add", &text(&disk)]) {
            return;
        }
        // A namespace made meanwhile has a copy of each mount, until it ends.
        let delete = "for n in $(seq 100); do partx --delete \"$0\" && exit; sleep 0.1; done";
        self.undo.push(Undo::by(&["sh", "-c", delete, &text(&disk)]));
        self.nodes[below].has_table = true;
        let base = self.nodes[below].span;
        for (at, (start, sectors)) in parts.into_iter().enumerate() {
            let names = vec![PathBuf::from(format!("{}p{}", disk.display(), at + 1))];
            if !names[0].exists() {
                continue;
            }
            let start = base.start + start * SECTOR;
            let span = Span { start, end: start + sectors * SECTOR, ..base };
            self.story.push(format!("partition {} at {start}", names[0].display()));
            let node = Node { kind: Kind::Partition, names, span, below: Some(below), has_table: false };
            self.nodes.push(node);
        }
    }

    /// Removes the name by which a loop was attached, if another is left.
    fn lose_a_name(&mut self, dice: &mut Dice) {
        let node = dice.below(2) as usize;
        let linked = self.nodes[node].names.iter().any(|name| name.to_string_lossy().contains("link"));
        if linked && dice.below(2) == 0 {
            let gone = self.nodes[node].names[0].clone();
            std::fs::remove_file(&gone).unwrap();
            self.story.push(format!("rm {}", gone.display()));
            self.nodes[node].names.retain(|name| name.to_string_lossy().contains("link"));
        }
    }

    fn put_to_use(&mut self, dice: &mut Dice) {
        let node = dice.below(self.nodes.len() as u64) as usize;
        let at = self.name(node, dice);
        let is_device = self.nodes[node].kind != Kind::Image;
        let fits =
            self.nodes[node].span.len() >= LEAST && is_free(&self.nodes[node].span, &self.spans_in_use());
        let how = match dice.below(4) {
            0 | 1 if is_device && fits && self.mount(&at, dice) => Use::Mounted,
            2 if fits && self.swap_on(&at) => Use::Swap,
            3 if self.open(&at) => Use::Open,
            _ => return,
        };
        self.story.push(format!("{how:?}: {}", at.display()));
        self.used.push((node, how));
    }

    pub fn spans_in_use(&self) -> Vec<Span> {
        self.used.iter().map(|(node, _)| self.nodes[*node].span).collect()
    }

    fn mount(&mut self, node: &Path, dice: &mut Dice) -> bool {
        let point = self.dir.path().join(format!("on{}", self.undo.len()));
        std::fs::create_dir(&point).unwrap();
        let make = ["mkfs.ext4", "-q", "-F", "-b", "1024", "-N", "16", "-O", "^has_journal", &text(node)];
        // Read-only and without a journal: the mount itself writes nothing.
        let made = run(&make) && run(&["mount", "-t", "ext4", "-o", "ro", &text(node), &text(&point)]);
        if made {
            self.undo.push(Undo::by(&["umount", "--lazy", &text(&point)]));
        }
        // Still mounted, but in no table any more.
        if made && dice.below(3) == 0 {
            self.busy.push(File::open(&point).unwrap());
            run(&["umount", "--lazy", &text(&point)]);
            self.story.push(format!("umount --lazy {}", point.display()));
        }
        made
    }

    /// Uses `node` as swap. The image lies on a disk: swap on memory would hang the machine.
    fn swap_on(&mut self, node: &Path) -> bool {
        let _ = std::fs::set_permissions(node, std::os::unix::fs::PermissionsExt::from_mode(0o600));
        let made = run(&["mkswap", "-q", &text(node)]) && run(&["swapon", "--priority", "0", &text(node)]);
        if made {
            self.undo.push(Undo::by(&["swapoff", &text(node)]));
        }
        made
    }

    /// Starts another process that has it open for writing.
    fn open(&mut self, node: &Path) -> bool {
        let Ok(file) = OpenOptions::new().read(true).write(true).open(node) else { return false };
        let child = Command::new("sleep").arg("600").stdin(file).stdout(Stdio::null()).spawn();
        child.map(|child| self.writers.push(child)).is_ok()
    }

    /// Everything that uses a sector of `node`: uses recorded, and loop devices that are not below it.
    pub fn users_of(&self, node: usize) -> Vec<String> {
        let span = self.nodes[node].span;
        let near = |other: usize| self.nodes[other].span.shares(&span);
        let called = |other: usize| text(&self.nodes[other].names[0]);
        let used = self.used.iter().filter(|(other, _)| near(*other));
        let used = used.map(|(other, how)| format!("{how:?} {}", called(*other)));
        let loops = (0..self.nodes.len()).filter(|other| self.nodes[*other].kind == Kind::Loop);
        let loops = loops.filter(|other| near(*other) && !self.is_chain_of(node, *other)).map(called);
        used.chain(loops).collect()
    }

    /// Bytes of `node` that can be written: whole sectors.
    pub fn length_of(&self, node: usize) -> u64 {
        self.nodes[node].span.len() / SECTOR * SECTOR
    }

    /// Number of bytes in use that have changed.
    pub fn used_bytes_changed(&self, before: &[Vec<u8>]) -> usize {
        let now = self.bytes_but_swap(before);
        let changed = |(node, _): &(usize, Use)| {
            let Span { image, start, end } = self.nodes[*node].span;
            let span = start as usize..end as usize;
            differing(&before[image][span.clone()], &now[image][span])
        };
        self.used.iter().map(changed).sum::<usize>() + self.marks_in_swap()
    }

    /// Number of bytes anywhere that have changed.
    pub fn bytes_changed(&self, before: &[Vec<u8>]) -> usize {
        let now = self.bytes_but_swap(before);
        before.iter().zip(&now).map(|(old, new)| differing(old, new)).sum::<usize>() + self.marks_in_swap()
    }

    fn swap(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
        let swap = self.used.iter().filter(|(_, how)| *how == Use::Swap);
        let spans = swap.map(|(node, _)| self.nodes[*node].span);
        spans.map(|span| (span.image, span.start as usize..span.end as usize))
    }

    /// All bytes, with those of swap as before: the kernel writes there at will, so only the mark counts.
    fn bytes_but_swap(&self, before: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut now = self.bytes();
        for (image, span) in self.swap() {
            now[image][span.clone()].copy_from_slice(&before[image][span]);
        }
        now
    }

    fn marks_in_swap(&self) -> usize {
        let now = self.bytes();
        let marks =
            |bytes: &[u8]| bytes.chunks(MARK.len()).filter(|chunk| chunk == MARK).count() * MARK.len();
        self.swap().map(|(image, span)| marks(&now[image][span])).sum()
    }

    /// All bytes of the images.
    pub fn bytes(&self) -> Vec<Vec<u8>> {
        let read = |file: &File| {
            let mut bytes = vec![0; IMAGE as usize];
            file.read_exact_at(&mut bytes, 0).unwrap();
            bytes
        };
        self.images.iter().map(read).collect()
    }
}

fn differing(old: &[u8], new: &[u8]) -> usize {
    old.iter().zip(new).filter(|(old, new)| old != new).count()
}

fn is_free(span: &Span, used: &[Span]) -> bool {
    !used.iter().any(|other| other.shares(span))
}

/// Writes `length` bytes of the mark to the target of `permit`.
pub fn write_mark(permit: &kernel::guard::WritePermit, length: u64) {
    use std::os::fd::{AsFd, AsRawFd};
    let open = kernel::open_for_write(permit, kernel::Direct::No).unwrap();
    let path = format!("/proc/self/fd/{}", open.as_fd().as_raw_fd());
    write_at(Path::new(&path), 0, &MARK.repeat(length as usize / MARK.len()));
}

pub fn write_at(path: &Path, at: u64, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(bytes, at).unwrap();
    file.sync_all().unwrap();
}

/// Whether this machine has what the stacks are made with.
pub fn possible() -> bool {
    let root =
        std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if !root {
        skipped(Lack::Root, "loops and mounts need root");
    }
    root && ["losetup", "partx", "mkfs.ext4", "mkswap"].into_iter().all(has)
}

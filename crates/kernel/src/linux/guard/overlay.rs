//! Files below a file of an overlay: those of its layers, which have separate names and numbers.

use std::path::{Path, PathBuf};

use super::backing::file_at;
use super::store::Store;
use crate::linux::mounts::{SeenMount, unescape};

/// Returns the files of the layers that `store`, known as `name`, may show and change: in the writable layer and in
/// those below it. Layers are looked for by the paths of this process and of a process that sees the mount; a path that
/// leads nowhere there (a relative one, one in a namespace without processes) is not found.
pub(super) fn layers(root: &Path, mounts: &[SeenMount], (store, name): (&Store, &Path)) -> Vec<Store> {
    let mut found: Vec<Store> = Vec::new();
    for seen in mounts.iter().filter(|seen| seen.mount.filesystem == "overlay") {
        let Ok(rest) = name.strip_prefix(&seen.mount.point) else { continue };
        // The name may lead to another file in another namespace.
        if file_at(&view_of(root, seen).join(without_top(name))).as_ref() != Some(store) {
            continue;
        }
        // For a mounted file, nothing is left to join, and a slash at the end would lead nowhere.
        let inside: PathBuf = without_top(&seen.mount.root).join(rest).components().collect();
        for folder in folders(&seen.mount.super_options) {
            let places =
                views(root, mounts).into_iter().map(|view| view.join(without_top(&folder)).join(&inside));
            found.extend(places.filter_map(|place| file_at(&place)));
        }
    }
    found
}

/// The root directory of the process that sees the mount.
fn view_of(root: &Path, seen: &SeenMount) -> PathBuf {
    match &seen.seen_by {
        Some(process) => root.join(format!("proc/{}/root", process.pid)),
        None => root.to_owned(),
    }
}

fn views(root: &Path, mounts: &[SeenMount]) -> Vec<PathBuf> {
    let mut views: Vec<PathBuf> = mounts.iter().map(|seen| view_of(root, seen)).collect();
    views.dedup();
    views
}

fn without_top(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}

/// Returns the folders of an overlay's layers from its options, the writable one first. Relative paths are left out,
/// because the folder to which they were relative is unknown.
fn folders(options: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for key in ["upperdir=", "lowerdir=", "lowerdir+="] {
        for value in options.split(',').filter_map(|option| option.strip_prefix(key)) {
            // Only `lowerdir` is a list, and a colon elsewhere may or may not be escaped.
            let value = unescape(value);
            found.extend(separated(&value));
            found.push(value);
        }
    }
    found.into_iter().map(PathBuf::from).filter(|folder| folder.is_absolute()).collect()
}

/// Splits paths at colons; a backslash makes the next character literal.
fn separated(value: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ':' => found.push(String::new()),
            '\\' => found.last_mut().into_iter().for_each(|last| last.extend(letters.next())),
            other => found.last_mut().into_iter().for_each(|last| last.push(other)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_read_from_the_options_with_their_escapes() {
        let options = "rw,lowerdir=/a\\134:b:/c\\040d:l/SHORT,upperdir=/u:p,workdir=/work,lowerdir+=/e";
        let folders = folders(options);
        for folder in ["/u:p", "/a:b", "/c d", "/e"] {
            assert!(folders.contains(&PathBuf::from(folder)), "{folder}: {folders:?}");
        }
    }
}

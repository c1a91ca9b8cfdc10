//! What lies below a file of an overlay: the files of its layers, which have names and numbers of their own.

use std::path::{Path, PathBuf};

use super::backing::file_at;
use super::store::Store;
use crate::linux::mounts::{SeenMount, unescape};

/// The files of the layers that `store`, called `name` by somebody, may show and change: the one of the layer that is
/// written and those below it. Layers are looked for where this process and where one that sees a mount has them; a path
/// that leads nowhere there (a relative one, one of a namespace that nobody is in) is not found.
pub(super) fn layers(root: &Path, mounts: &[SeenMount], (store, name): (&Store, &Path)) -> Vec<Store> {
    let mut found: Vec<Store> = Vec::new();
    for seen in mounts.iter().filter(|seen| seen.mount.filesystem == "overlay") {
        let Ok(rest) = name.strip_prefix(&seen.mount.point) else { continue };
        // The same name may be another file's in another namespace.
        if file_at(&view_of(root, seen).join(without_top(name))).as_ref() != Some(store) {
            continue;
        }
        // Of a file that is mounted itself nothing is left to join, and a slash at its end would lead nowhere.
        let inside: PathBuf = without_top(&seen.mount.root).join(rest).components().collect();
        for folder in folders(&seen.mount.super_options) {
            let places =
                views(root, mounts).into_iter().map(|view| view.join(without_top(&folder)).join(&inside));
            found.extend(places.filter_map(|place| file_at(&place)));
        }
    }
    found
}

/// The top of the tree that whoever sees the mount has.
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

/// The folders of an overlay's layers by its options, the one that is written first. Relative ones are left out: nobody
/// knows any more to what.
fn folders(options: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for key in ["upperdir=", "lowerdir=", "lowerdir+="] {
        for value in options.split(',').filter_map(|option| option.strip_prefix(key)) {
            // Only `lowerdir` is a list, and what else has a colon may have it escaped or not.
            let value = unescape(value);
            found.extend(separated(&value));
            found.push(value);
        }
    }
    found.into_iter().map(PathBuf::from).filter(|folder| folder.is_absolute()).collect()
}

/// Paths with colons between; a backslash takes its meaning from the letter behind it.
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

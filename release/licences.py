"""Prints the terms of everything that the binary is built from: python3 release/licences.py ROOT TARGET"""

import json
import pathlib
import subprocess
import sys

NAMES = ("license", "licence", "copying", "unlicense", "notice")


def cargo(root, *words):
    return subprocess.run(["cargo", *words], cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout


def built_from(root, target):
    """What the binary is built from, by name and version; with what builds it, because a build script embeds the font."""
    words = ["tree", "--locked", "--package", "cli", "--target", target, "--edges", "normal,build", "--prefix", "none"]
    lines = cargo(root, *words, "--format", "{p}").splitlines()
    return {tuple(line.split()[:2]) for line in lines if line}


def texts(folder):
    """The files of a package that state its terms."""
    files = [path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(NAMES)]
    return [path.read_text(errors="replace").strip() for path in sorted(files)]


def main():
    root, target = pathlib.Path(sys.argv[1]), sys.argv[2]
    wanted = built_from(root, target)
    packages = json.loads(cargo(root, "metadata", "--locked", "--format-version", "1"))["packages"]
    print("plimsoll is built from these. Equal texts are printed once; Rust's library and musl are under MIT too.")
    first = {}
    for package in sorted(packages, key=lambda package: (package["name"], package["version"])):
        # What has no source is plimsoll's own.
        if package["source"] is None or (package["name"], "v" + package["version"]) not in wanted:
            continue
        title = f"{package['name']} {package['version']}"
        print(f"\n{'=' * 78}\n{title}: {package['license']}\n{package['repository'] or ''}")
        for text in texts(pathlib.Path(package["manifest_path"]).parent):
            print(f"\n(as {first[text]})" if text in first else f"\n{text}")
            first.setdefault(text, title)


if __name__ == "__main__":
    main()

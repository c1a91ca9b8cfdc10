"""Writes a wheel that carries the binary: pip puts it where the other programs of an environment are."""

import argparse
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import time
import zipfile

METADATA = """\
Metadata-Version: 2.4
Name: plimsoll
Version: {version}
Summary: How much load a storage volume bears, and which limit stops it
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
License-File: LICENCES
Project-URL: Repository, {repository}
Requires-Python: >=3.7
Description-Content-Type: text/markdown

{description}"""

# A static binary runs beside any C library, of whatever age; pip knows these by the tags of both.
WHEEL = """\
Wheel-Version: 1.0
Generator: plimsoll release
Root-Is-Purelib: false
Tag: py3-none-manylinux_2_17_{machine}
Tag: py3-none-musllinux_1_1_{machine}
"""


def manifest_value(root, key):
    """The value of a key of the workspace's manifest."""
    text = (root / "Cargo.toml").read_text()
    return re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE).group(1)


def description(root, repository):
    """The README with links that lead somewhere from any page."""
    text = (root / "README.md").read_text()
    return re.sub(r"\]\((?!https?:|#)", f"]({repository}/blob/main/", text)


def contents(options, version):
    """Every file of the wheel but its record: name, bytes, and whether it is a program."""
    info = f"plimsoll-{version}.dist-info"
    repository = manifest_value(options.root, "repository")
    metadata = METADATA.format(
        version=version, repository=repository, description=description(options.root, repository)
    )
    yield f"plimsoll-{version}.data/scripts/plimsoll", options.binary.read_bytes(), True
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        yield f"{info}/licenses/{name}", (options.root / name).read_bytes(), False
    yield f"{info}/licenses/LICENCES", options.licences.read_bytes(), False
    yield f"{info}/METADATA", metadata.encode(), False
    yield f"{info}/WHEEL", WHEEL.format(machine=options.machine).encode(), False


def record_row(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return [name, f"sha256={digest}", len(data)]


def write(options):
    version = manifest_value(options.root, "version")
    tag = f"py3-none-manylinux_2_17_{options.machine}.musllinux_1_1_{options.machine}"
    # Years before 1980 cannot be told in a zip.
    moment = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)
    stamp = time.gmtime(moment)[:6]
    rows = []

    with zipfile.ZipFile(options.to / f"plimsoll-{version}-{tag}.whl", "w") as wheel:

        def add(name, data, program):
            entry = zipfile.ZipInfo(name, stamp)
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            entry.create_system = 3
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)

        for name, data, program in contents(options, version):
            add(name, data, program)
            rows.append(record_row(name, data))
        record = f"plimsoll-{version}.dist-info/RECORD"
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, [record, "", ""]])
        add(record, text.getvalue().encode(), False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("root", "binary", "licences", "to"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--machine", required=True, help="x86_64 or aarch64")
    write(parser.parse_args())


if __name__ == "__main__":
    main()

"""Write a partition's runs to a file before they are dropped: gzipped CSV with a header, as COPY writes it.

The file has its final name only once all of it is on disk. No archive is ever overwritten: a partition that was made
anew for a day already archived gets a file of its own.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from filecmp import cmp
from itertools import count
from pathlib import Path
from uuid import uuid4

from django.db import transaction

from jobs import log
from jobs.store.partitions import Partition, copy_rows

_LEVEL = 6


def archive_partition(partition: Partition, folder: Path) -> Path | None:
    """The file that holds the partition's runs; None where it has none. OSError when it could not be written.

    One that a cut-off drop wrote before is found again, since the same rows make the same bytes.
    """
    for left_over in folder.glob(f".{partition.name}.*"):  # of a process that was killed
        left_over.unlink(missing_ok=True)
    unfinished = folder / f".{partition.name}.{uuid4().hex}"
    try:
        rows = _write(partition, unfinished)
        kept = _keep(unfinished, folder, partition.name) if rows else None
    finally:
        unfinished.unlink(missing_ok=True)
    if kept:
        _sync(folder)
        log.event("partitions.archived", name=partition.name, rows=rows, file=kept.name, bytes=kept.stat().st_size)
    return kept


def _write(partition: Partition, file: Path) -> int:
    """Write and sync; returns how many runs. Readable by its owner alone, as results may be secret."""
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as raw:
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=_LEVEL, mtime=0)
        with packed, transaction.atomic():
            rows = copy_rows(partition, packed.write)
        raw.flush()
        os.fsync(raw.fileno())
    return rows


def _keep(unfinished: Path, folder: Path, name: str) -> Path:
    """Give it the first free name, unless a file with the same content is there."""
    for file in _names(folder, name):
        try:
            os.link(unfinished, file)  # which, unlike a rename, fails where the name is taken
        except FileExistsError:
            if not cmp(unfinished, file, shallow=False):
                continue
        return file
    raise AssertionError("the names never end")


def _names(folder: Path, name: str) -> Iterator[Path]:
    yield folder / f"{name}.csv.gz"
    for number in count(2):
        yield folder / f"{name}-{number}.csv.gz"


def _sync(folder: Path) -> None:
    """Make the new name durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

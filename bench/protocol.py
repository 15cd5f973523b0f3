"""The paper's protocol on files: 64 / 16 / 20 % random parts of a table; the validation part is left unused."""
import gzip
import random


def source_of(folder, name):
    """The file of a data set, or None."""
    return next((path for path in (folder / f"{name}.csv.gz", folder / f"{name}.csv") if path.exists()), None)


def split_file(source, seed, folder, rows_at_most=None):
    """Writes train.csv and test.csv into `folder`, rows in random order."""
    opener = gzip.open if source.suffix == ".gz" else open
    with opener(source, "rt") as stream:
        header, *rows = stream.read().splitlines()
    random.Random(seed).shuffle(rows)
    rows = rows[:rows_at_most]
    train, validation = round(.64 * len(rows)), round(.16 * len(rows))
    parts = {"train": rows[:train], "test": rows[train + validation:]}
    for name, lines in parts.items():
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")

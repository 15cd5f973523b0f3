"""Runs the program named by the environment variable VNNGP in a directory of its own, and looks at everything it leaves there."""
import csv
import gzip
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("VNNGP")
if not PROGRAM:
    sys.exit("set VNNGP to the program to be tested, e.g. VNNGP=build/release/vnngp")
PROGRAM = os.path.abspath(PROGRAM)
STOCHASTIC = ("--inference", "stochastic", "--epochs", 5, "--batch", 64)


def rows_of(text, separator=","):
    """The header and the rows of a CSV text."""
    rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    return rows[0], rows[1:]


def column(text, name, separator=","):
    header, rows = rows_of(text, separator)
    return [row[header.index(name)] for row in rows]


def numeric_table(rows=40, columns=("a", "b", "y"), value=lambda row, column: random.random(), seed=1):
    """CSV lines: a header and random numbers."""
    random.seed(seed)
    return [",".join(columns)] + [",".join(str(value(r, c)) for c in columns) for r in range(rows)]


class SystemTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vnngp-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, content):
        path = self.folder / name
        if isinstance(content, list):
            content = "\n".join(content) + "\n"
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return name

    def read(self, name):
        content = (self.folder / name).read_bytes()
        return (gzip.decompress(content) if name.endswith(".gz") else content).decode()

    def listing(self):
        """Every file with its contents: what a failed command must leave as it was."""
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def start(self, *arguments, **popen_options):
        return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL, text=True, **popen_options)

    def execute(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def succeeds(self, *arguments):
        done = self.execute(*arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def json_of(self, *arguments):
        """Standard output must be one JSON object and nothing else."""
        return json.loads(self.succeeds(*arguments, "--json").stdout, parse_constant=lambda text: self.fail(f"{text} is not JSON"))

    def fails(self, *arguments, code=2, says=()):
        """Exit code, one message that holds every text of `says`, nothing on standard output, no file changed, added or removed."""
        before = self.listing()
        done = self.execute(*arguments)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^vnngp( \w+)?: ")
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.listing(), before)
        return done

    def simulate(self, name="field.csv", points=200, **options):
        more = [text for key, value in options.items() for text in (f"--{key.replace('_', '-')}", value)]
        self.succeeds("simulate", "--points", points, "--lengthscale", "0.3", "--seed", 1, *more, "-o", name)
        return name

    def fit(self, data="field.csv", model="field.vnngp", options=()):
        return self.json_of("fit", data, "--target", "y", "--model", model, "--neighbors", 8, *options)


def main():
    unittest.main(verbosity=2)

"""Paths that cannot be read or written, and disks that are full. /dev/full is a disk without space."""
import os
import pathlib
import subprocess
import unittest

from support import PROGRAM, SystemTest, main, numeric_table


class BadPaths(SystemTest):
    def setUp(self):
        super().setUp()
        self.write("table.csv", numeric_table())
        self.succeeds("fit", "table.csv", "--target", "y", "--model", "m.vnngp", "--neighbors", 5)

    def test_unreadable_data(self):
        for command in (["fit"], ["predict", "m.vnngp"], ["evaluate", "m.vnngp"]):
            self.fails(*command, "nowhere.csv", says=["nowhere.csv", "No such file"])
            self.fails(*command, ".", says="directory")

    def test_missing_directory(self):
        self.fails("fit", "table.csv", "--model", "nowhere/m.vnngp", says=["nowhere/m.vnngp", "directory"])
        self.fails("predict", "m.vnngp", "table.csv", "-o", "nowhere/out.csv", says=["nowhere/out.csv", "directory"])
        self.fails("simulate", "--points", 10, "-o", "nowhere/out.csv", says=["nowhere/out.csv", "directory"])

    def test_directory_in_place_of_a_file(self):
        self.fails("fit", "table.csv", "--model", ".", says="directory")
        self.fails("predict", "m.vnngp", "table.csv", "-o", ".", says="directory")
        self.fails("simulate", "--points", 10, "-o", ".", says="directory")

    def test_model_path_is_checked_before_the_work(self):
        """With epochs that would take for ever."""
        self.fails("fit", "table.csv", "--model", "nowhere/m.vnngp", "--inference", "stochastic", "--epochs", 10**9, says="nowhere/m.vnngp")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_read_only_directory(self):
        (self.folder / "locked").mkdir(mode=0o500)
        self.fails("fit", "table.csv", "--model", "locked/m.vnngp", says=["locked/m.vnngp", "denied"])
        self.fails("predict", "m.vnngp", "table.csv", "-o", "locked/out.csv", says=["locked/out.csv", "denied"])

    def test_full_disk(self):
        before = set(os.listdir("/dev"))
        for command in (["fit", "table.csv", "--target", "y", "--quiet", "--model", "/dev/full"],
                        ["predict", "m.vnngp", "table.csv", "-o", "/dev/full"], ["simulate", "--points", 10, "-o", "/dev/full"]):
            self.fails(*command, says=["/dev/full", "No space left"])
        self.assertEqual({name for name in set(os.listdir("/dev")) - before if "full" in name}, set())

    def test_standard_error_that_cannot_be_written_costs_only_the_notes(self):
        for name, redirection in (("a", "2> /dev/full"), ("b", "2>&-"), ("c", "2>&1 > /dev/null | true")):
            self.shell(f'"$0" fit table.csv --model {name}.vnngp --neighbors 5 {redirection}')
            self.assertEqual(self.succeeds("inspect", f"{name}.vnngp").returncode, 0)
        self.assertEqual(self.shell('"$0" fit nowhere.csv 2> /dev/full').returncode, 2)

    def test_a_file_that_may_not_grow_is_a_full_disk(self):
        before = self.listing()
        done = self.shell('ulimit -f 4; "$0" simulate --points 5000 -o out.csv')
        self.assertEqual((done.returncode, self.listing()), (2, before), done.stderr)
        self.assertIn("out.csv", done.stderr)

    @unittest.skipIf(b"__asan_init" in pathlib.Path(PROGRAM).read_bytes(), "the address sanitizer itself needs more")
    def test_a_small_address_space_does_not_keep_the_program_from_ending(self):
        self.assertEqual(self.shell('ulimit -v 150000; "$0" --version').returncode, 0)

    def shell(self, command):
        return subprocess.run(["sh", "-c", command, PROGRAM], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def test_output_in_place_of_the_data(self):
        (self.folder / "link.csv").symlink_to("table.csv")
        for output in ("table.csv", "link.csv"):
            self.fails("predict", "m.vnngp", "table.csv", "-o", output, says=[output, "the data file itself"])

    def test_folder_that_cannot_be(self):
        self.fails("paper", "figure-1", "--quick", "--out", "table.csv", says="table.csv")
        self.fails("paper", "figure-1", "--quick", "--out", "table.csv/below", says="table.csv")

    def test_standard_input_is_a_dash(self):
        table = self.read("table.csv")
        dash = subprocess.run([PROGRAM, "predict", "m.vnngp", "-"], cwd=self.folder, input=table, capture_output=True, text=True)
        self.assertEqual((dash.returncode, dash.stdout), (0, self.succeeds("predict", "m.vnngp", "table.csv").stdout), dash.stderr)

    def test_full_disk_behind_standard_output(self):
        before = self.listing()
        for command in (["inspect", "m.vnngp"], ["inspect", "m.vnngp", "--json"], ["evaluate", "m.vnngp", "table.csv"],
                        ["predict", "m.vnngp", "table.csv"], ["completion", "bash"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *command], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("No space left", done.stderr)
        self.assertEqual(self.listing(), before)

    def test_an_existing_model_survives_a_failed_fit(self):
        self.write("broken.csv", numeric_table() + ["1,2"])
        self.fails("fit", "broken.csv", "--model", "m.vnngp")
        self.succeeds("inspect", "m.vnngp")

    def test_inputs_are_not_overwritten(self):
        self.fails("fit", "table.csv", "--model", "table.csv", says="--model table.csv")
        self.fails("predict", "m.vnngp", "table.csv", "-o", "m.vnngp", says="--output m.vnngp")

    def test_no_temporary_files_remain(self):
        self.succeeds("predict", "m.vnngp", "table.csv", "-o", "out.csv")
        self.succeeds("simulate", "--points", 10, "-o", "field.csv")
        self.assertEqual(set(os.listdir(self.folder)), {"table.csv", "m.vnngp", "out.csv", "field.csv"})


if __name__ == "__main__":
    main()

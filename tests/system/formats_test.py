"""Tables as they come: compressed, quoted, with other separators and line ends, with missing values, repeated and constant columns."""
import json
import subprocess

from support import PROGRAM, SystemTest, column, main, numeric_table


class Formats(SystemTest):
    def report(self, content, name="table.csv", options=()):
        self.write(name, content)
        return self.json_of("fit", name, "--model", "table.vnngp", "--neighbors", 5, *options)

    def test_fit_without_options(self):
        self.write("table.csv", numeric_table(columns=("p", "q", "r")))
        done = self.succeeds("fit", "table.csv")
        self.assertIn("'r'", done.stderr)
        self.assertIn("table.vnngp", self.listing())
        self.assertEqual(set(self.listing()), {"table.csv", "table.vnngp"})

    def test_target_is_y_where_there_is_one(self):
        self.assertEqual(self.report(numeric_table(columns=("a", "y", "b")))["target"], "y")

    def test_model_is_named_after_compressed_data_and_lies_in_the_current_directory(self):
        (self.folder / "sub").mkdir()
        self.write("sub/stations.csv.gz", numeric_table())
        self.succeeds("fit", "sub/stations.csv.gz")
        self.assertIn("stations.vnngp", self.listing())

    def test_compressed_input_and_output(self):
        plain = self.report(numeric_table())
        compressed = self.report(numeric_table(), name="table.csv.gz")
        self.assertEqual(plain["elbo"], compressed["elbo"])
        self.succeeds("predict", "table.vnngp", "table.csv.gz", "-o", "out.csv.gz")
        self.assertEqual(self.read("out.csv.gz"), self.succeeds("predict", "table.vnngp", "table.csv").stdout)
        self.succeeds("simulate", "--points", 20, "-o", "field.csv.gz")
        self.assertEqual(len(self.read("field.csv.gz").splitlines()), 21)

    def test_line_ends_byte_order_mark_and_separators_do_not_matter(self):
        lines = numeric_table()
        expected = self.report(lines)["elbo"]
        for name, text in {"crlf": "\r\n".join(lines) + "\r\n", "bom": "\ufeff" + "\n".join(lines) + "\n", "no_end": "\n".join(lines),
                           "semicolon": "\n".join(lines).replace(",", ";") + "\n", "tab": "\n".join(lines).replace(",", "\t") + "\n",
                           "blank": "\n\n" + "\n\n".join(lines) + "\n\n\n"}.items():
            with self.subTest(name=name):
                self.assertEqual(self.report(text)["elbo"], expected)

    def test_predict_keeps_separator_and_drops_carriage_returns(self):
        lines = numeric_table()
        self.report(lines)
        self.write("new.csv", "a;b\r\n0.5;0.5\r\n")
        output = self.succeeds("predict", "table.vnngp", "new.csv").stdout
        self.assertTrue(output.startswith("a;b;mean;sd\n0.5;0.5;"))
        self.assertNotIn("\r", output)

    def test_quoted_names(self):
        lines = numeric_table(columns=("a", "b", "y"))
        lines[0] = '"long, wide","say ""hi""",y'
        report = self.report(lines)
        self.assertEqual(report["inputs"], ["long, wide", 'say "hi"'])
        self.assertEqual(self.report(lines, options=["--inputs", '"long, wide"'])["inputs"], ["long, wide"])
        self.succeeds("predict", "table.vnngp", "table.csv")

    def test_unicode_names(self):
        report = self.report(numeric_table(columns=("größe", "高", "y")))
        self.assertEqual(report["inputs"], ["größe", "高"])

    def test_inputs_and_drop_choose_columns(self):
        lines = numeric_table(columns=("a", "b", "c", "y"))
        self.assertEqual(self.report(lines, options=["--inputs", "c,a"])["inputs"], ["c", "a"])
        self.assertEqual(self.report(lines, options=["--drop", "b"])["inputs"], ["a", "c"])

    def test_text_columns_that_are_not_used_may_hold_text(self):
        lines = [line + (",name" if i == 0 else ",bob") for i, line in enumerate(numeric_table())]
        self.assertEqual(self.report(lines, options=["--drop", "name"])["inputs"], ["a", "b"])
        self.assertEqual(set(column(self.succeeds("predict", "table.vnngp", "table.csv").stdout, "name")), {"bob"})

    def test_rows_without_a_target_are_skipped_and_counted(self):
        lines = numeric_table() + ["0.1,0.2,", "0.1,0.3,NA", "0.4,,nan"]
        report = self.report(lines)
        self.assertEqual((report["n"], report["skipped_rows"]), (40, 3))
        self.assertTrue(any("3 rows" in note for note in report["notes"]))
        scores = self.json_of("evaluate", "table.vnngp", "table.csv")
        self.assertEqual((scores["n"], scores["skipped_rows"]), (40, 3))

    def test_missing_inputs_are_dropped_on_request(self):
        lines = numeric_table() + [",0.2,0.7", "0.1,NaN,0.4"]
        report = self.report(lines, options=["--drop-missing"])
        self.assertEqual((report["n"], report["skipped_rows"]), (40, 2))
        predicted = self.succeeds("predict", "table.vnngp", "table.csv", "--drop-missing")
        self.assertEqual(len(predicted.stdout.splitlines()), 41)
        self.assertIn("2 rows", predicted.stderr)
        self.assertEqual(self.json_of("evaluate", "table.vnngp", "table.csv", "--drop-missing")["n"], 40)

    def test_constant_column_is_dropped_and_said(self):
        lines = numeric_table(columns=("a", "same", "y"), value=lambda row, name: 7 if name == "same" else (row * 37 % 41) / 41)
        self.write("table.csv", lines)
        done = self.succeeds("fit", "table.csv")
        self.assertIn("'same'", done.stderr)
        report = self.report(lines)
        self.assertEqual((report["d"], report["inputs"]), (1, ["a"]))
        self.assertTrue(any("'same'" in note for note in report["notes"]))
        self.write("new.csv", ["a", "0.5"])
        self.succeeds("predict", "table.vnngp", "new.csv")

    def test_too_many_neighbors_are_clamped_and_said(self):
        self.write("table.csv", numeric_table(rows=10))
        report = self.json_of("fit", "table.csv", "--neighbors", 10)
        self.assertEqual(report["k"], 9)
        self.assertTrue(any("10" in note and "9" in note for note in report["notes"]), report["notes"])

    def test_repeated_inputs_are_merged_and_counted(self):
        lines = numeric_table(rows=20)
        report = self.report(lines + lines[1:6])
        self.assertEqual((report["n"], report["m"], report["duplicates_merged"]), (25, 20, 5))

    def test_three_rows_are_enough(self):
        self.assertEqual(self.report(numeric_table(rows=3))["n"], 3)

    def test_a_pipe_can_be_read(self):
        text = "\n".join(numeric_table()) + "\n"
        expected = self.report(text)["elbo"]
        done = subprocess.run([PROGRAM, "fit", "/dev/stdin", "--model", "piped.vnngp", "--neighbors", "5", "--json"],
                              cwd=self.folder, input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["elbo"], expected)

    def test_names_that_predict_adds_are_refused_unless_prefixed(self):
        self.report(numeric_table(columns=("mean", "b", "y")))
        self.fails("predict", "table.vnngp", "table.csv", "-o", "out.csv", says=["table.csv", "'mean'", "--prefix"])
        output = self.succeeds("predict", "table.vnngp", "table.csv", "--prefix", "predicted_").stdout
        self.assertTrue(output.startswith("mean,b,y,predicted_mean,predicted_sd\n"))


if __name__ == "__main__":
    main()

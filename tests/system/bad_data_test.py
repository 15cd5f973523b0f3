"""Tables that cannot be used: exit code 2, a message that says where and why, and nothing left behind."""
from support import SystemTest, main, numeric_table


class BadTrainingData(SystemTest):
    def refused(self, content, says, options=(), name="table.csv"):
        self.write(name, content)
        self.fails("fit", name, *options, says=says)

    def test_misspelt_target(self):
        self.refused(numeric_table(columns=("lon", "lat", "rain")), ["table.csv", "'raim'", "did you mean 'rain'", "lon, lat, rain"], ["--target", "raim"])

    def test_misspelt_inputs_and_drop(self):
        table = numeric_table(columns=("lon", "lat", "y"))
        self.refused(table, ["'lonn'", "'lon'"], ["--inputs", "lonn,lat"])
        self.refused(table, ["'latt'", "'lat'"], ["--drop", "latt"])

    def test_target_among_the_inputs(self):
        self.refused(numeric_table(), ["--inputs", "'y'"], ["--target", "y", "--inputs", "a,y"])
        self.refused(numeric_table(), ["--drop", "'y'"], ["--target", "y", "--drop", "y"])
        self.refused(numeric_table(), "--inputs names a column twice", ["--inputs", "a,a"])

    def test_text_in_a_numeric_column(self):
        self.refused(numeric_table() + ["0.1,blue,3"], ["table.csv, line 42, column 'b'", "'blue'", "--drop b"])
        self.refused(numeric_table() + ["0.1,0.2,blue"], ["table.csv, line 42, column 'y'", "'blue'"])
        self.refused(numeric_table() + ['0.1,"1,5",3'], ["line 42, column 'b'", "'1,5'", "point"])

    def test_ragged_rows(self):
        self.refused(numeric_table() + ["0.1,0.2"], ["table.csv, line 42", "2 fields", "3"])
        self.refused(numeric_table() + ["0.1,0.2,0.3,0.4"], ["table.csv, line 42", "4 fields", "3"])

    def test_open_quote(self):
        self.refused(numeric_table() + ['0.1,"0.2,0.3'], ["table.csv, line 42", "quote"])

    def test_empty_file(self):
        self.refused("", ["table.csv", "empty"])
        self.refused("\n  \n", ["table.csv", "empty"])
        self.refused("", ["table.csv.gz", "empty"], name="table.csv.gz")

    def test_header_only(self):
        self.refused("a,b,y\n", ["table.csv", "no data rows"])

    def test_no_header(self):
        self.refused(numeric_table()[1:], ["table.csv", "header"])

    def test_repeated_and_nameless_columns(self):
        self.refused(numeric_table(columns=("a", "a", "y")), ["table.csv", "'a'"])
        self.refused(numeric_table(columns=("", "a", "y")), ["table.csv", "no name"])

    def test_names_that_are_not_utf8(self):
        self.refused("gr\u00f6\u00dfe,b,y\n".encode("latin-1") + "\n".join(numeric_table()[1:]).encode(), ["table.csv", "column 1", "UTF-8"])

    def test_fewer_than_three_rows(self):
        self.refused(numeric_table(rows=2), ["table.csv", "2", "at least 3"])
        self.refused(numeric_table(rows=2) + ["0.1,0.2,", "0.1,0.3,NA"], ["table.csv", "2", "at least 3"])

    def test_target_alone(self):
        self.refused(numeric_table(columns=("y",)), ["table.csv", "no input column"])

    def test_constant_target(self):
        self.refused([line.rsplit(",", 1)[0] + (",y" if i == 0 else ",5") for i, line in enumerate(numeric_table())], ["'y'", "same value 5"])

    def test_all_rows_at_one_place(self):
        self.refused(["a,b,y"] + [f"1,2,{i}" for i in range(10)], "same point")

    def test_infinite_and_overflowing_numbers(self):
        for text in ("inf", "-Infinity", "1e400"):
            self.refused(numeric_table() + [f"0.1,{text},0.3"], ["table.csv, line 42, column 'b'", f"'{text}'", "finite"])

    def test_numbers_that_are_too_large(self):
        self.refused(numeric_table() + ["0.1,1e300,0.3"], ["table.csv, line 42, column 'b'", "1e+300", "too large"])
        self.refused(numeric_table() + ["0.1,0.2,-1e300"], ["table.csv, line 42, column 'y'", "1e+300", "too large"])

    def test_missing_input(self):
        for text in ("", "NA", "nan"):
            self.refused(numeric_table() + [f"0.1,{text},0.3"], ["table.csv, line 42, column 'b'", "missing", "--drop-missing"])

    def test_targets_that_the_likelihood_cannot_produce(self):
        classes = numeric_table(value=lambda row, name: row % 2 if name == "y" else (row * 17 % 23) / 23)
        for likelihood in ("bernoulli", "bernoulli-logit"):
            self.refused(classes + ["0.1,0.2,2"], ["table.csv, line 42", "2", "0 or 1"], ["--likelihood", likelihood])
        self.refused(classes + ["0.1,0.2,-1"], ["table.csv, line 42", "-1", "count"], ["--likelihood", "poisson"])
        self.refused(classes + ["0.1,0.2,1.5"], ["table.csv, line 42", "1.5", "count"], ["--likelihood", "poisson"])

    def test_files_that_are_not_text(self):
        self.refused(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", ["table.csv", "not a text file"])
        self.refused("a,b,y\n1,2,3\n".encode("utf-16"), ["table.csv", "UTF-16"])

    def test_truncated_gzip(self):
        self.write("table.csv.gz", numeric_table(rows=2000))
        content = (self.folder / "table.csv.gz").read_bytes()
        (self.folder / "table.csv.gz").write_bytes(content[:len(content) // 2])
        self.fails("fit", "table.csv.gz", says="table.csv.gz")


class BadNewData(SystemTest):
    def setUp(self):
        super().setUp()
        self.write("table.csv", numeric_table(columns=("lon", "lat", "y")))
        self.succeeds("fit", "table.csv", "--target", "y", "--model", "m.vnngp", "--neighbors", 5)

    def refused(self, content, says, predict=True):
        self.write("new.csv", content)
        if predict:
            self.fails("predict", "m.vnngp", "new.csv", "-o", "out.csv", says=says)
        self.fails("evaluate", "m.vnngp", "new.csv", "--json", says=says)

    def test_columns_that_do_not_match(self):
        self.refused(["lon,latt,y", "1,2,3"], ["new.csv", "'lat'", "did you mean 'latt'"])

    def test_broken_rows(self):
        self.refused(["lon,lat,y", "1,2,3", "1,north,3"], ["new.csv, line 3, column 'lat'", "'north'"])
        self.refused(["lon,lat,y", "1,2,3", "1,2"], ["new.csv, line 3"])
        self.refused(["lon,lat,y", "1,2,3", "1,,3"], ["new.csv, line 3, column 'lat'", "--drop-missing"])
        self.refused(["lon,lat,y", "1,2,3", "1,1e300,3"], ["new.csv, line 3, column 'lat'", "too large"])

    def test_late_errors_leave_nothing(self):
        """After blocks have been written."""
        self.refused(["lon,lat,y"] + ["0.1,0.2,0.3"] * 40000 + ["1,north,3"], ["new.csv, line 40002, column 'lat'", "'north'"])

    def test_no_rows(self):
        self.refused("lon,lat,y\n", ["new.csv", "no"])
        self.refused("", ["new.csv", "empty"])

    def test_no_target_to_score(self):
        self.refused(["lon,lat", "1,2"], ["new.csv", "'y'"], predict=False)
        self.refused(["lon,lat,y", "1,2,", "1,3,NA"], ["new.csv", "'y'"], predict=False)
        self.refused(["lon,lat,y", "1,2,high"], ["new.csv, line 2, column 'y'", "'high'"], predict=False)


if __name__ == "__main__":
    main()

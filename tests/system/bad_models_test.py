"""Model files that are not what they should be are refused, by every command that reads one."""
from support import SystemTest, main, numeric_table


class BadModels(SystemTest):
    def setUp(self):
        super().setUp()
        self.write("table.csv", numeric_table())
        self.succeeds("fit", "table.csv", "--model", "good.vnngp", "--neighbors", 5)
        self.good = (self.folder / "good.vnngp").read_bytes()

    def refused(self, content, says=()):
        self.write("bad.vnngp", content)
        for command in (["inspect", "bad.vnngp"], ["inspect", "bad.vnngp", "--json"], ["predict", "bad.vnngp", "table.csv", "-o", "out.csv"],
                        ["evaluate", "bad.vnngp", "table.csv"]):
            self.fails(*command, says=["bad.vnngp", *says])

    def test_truncated(self):
        for size in (0, 7, 8, 9, 100, len(self.good) // 2, len(self.good) - 1):
            with self.subTest(size=size):
                self.refused(self.good[:size])

    def test_one_bit_changed(self):
        for position in (3, 30, 200, len(self.good) // 2, len(self.good) - 1):
            with self.subTest(position=position):
                changed = bytearray(self.good)
                changed[position] ^= 4
                self.refused(bytes(changed))

    def test_longer(self):
        self.refused(self.good + b"\0")

    def test_foreign(self):
        self.refused("\n".join(numeric_table()))
        self.refused(b"\x80\x04\x95" + bytes(range(256)) * 4)
        self.refused(b"\xff" * 64)
        header = b'{"weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
        self.refused(len(header).to_bytes(8, "little") + header + b"\0\0\0\0")

    def test_data_and_model_swapped(self):
        self.fails("predict", "table.csv", "good.vnngp", says="table.csv")

    def test_missing_and_directory(self):
        self.fails("inspect", "nowhere.vnngp", says=["nowhere.vnngp", "No such file"])
        self.fails("inspect", ".", says="directory")


if __name__ == "__main__":
    main()

"""tools/check_layers.py must catch every kind of lie, at the right line, and pass an honest tree."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_layers  # noqa: E402


def problems_of(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check_layers.problems(root)


class CheckLayers(unittest.TestCase):
    def expect_problem(self, start, files):
        found = problems_of(files)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(start), found[0])

    def test_rooms_use_only_rooms_above(self):
        above = []
        for room, used in check_layers.ROOMS.items():
            self.assertLessEqual(set(used), set(above), room)
            above.append(room)

    def test_an_honest_tree_passes(self):
        self.assertEqual(problems_of({
            "include/vnngp/kernel/a.hpp": '#include <vector>\n#include <Eigen/Core>\n#include "vnngp/base/types.hpp"\n',
            "include/vnngp/vnngp.hpp": '#include "vnngp/model/fit.hpp"\n',
            "src/kernel/a.cpp": '#include <hwy/highway.h>\n#include "vnngp/linalg/b.hpp"\n#include "linalg/private.hpp"\n#include "vnngp/kernel/a.hpp"\n',
            "src/base/parallel.cpp": "#include <thread>\n",
            "app/main.cpp": '#include "vnngp/vnngp.hpp"\n#include "fit.hpp"\n#include "vnngp/metrics/scores.hpp"\n',
            "Makefile": "build:\n\tcmake --preset release\n",
        }), [])

    def test_a_room_below_is_refused(self):
        self.expect_problem("src/kernel/a.cpp:2: kernel may not use model", {"src/kernel/a.cpp": '\n#include "vnngp/model/fit.hpp"\n'})

    def test_a_sibling_is_refused(self):
        self.expect_problem("include/vnngp/metrics/a.hpp:1: metrics may not use likelihood",
                            {"include/vnngp/metrics/a.hpp": '# include  "vnngp/likelihood/b.hpp"\n'})

    def test_a_private_header_of_another_room_is_refused(self):
        self.expect_problem("src/base/a.cpp:1: base may not use linalg", {"src/base/a.cpp": '#include "linalg/private.hpp"\n'})

    def test_a_front_end_does_not_reach_behind_the_model(self):
        self.expect_problem("app/fit.cpp:3: app may not use inference", {"app/fit.cpp": '\n\n#include "vnngp/inference/elbo.hpp"\n'})

    def test_a_room_does_not_use_the_umbrella(self):
        self.expect_problem("src/model/fit.cpp:1: model may not use vnngp", {"src/model/fit.cpp": '#include "vnngp/vnngp.hpp"\n'})

    def test_a_relative_path_is_refused(self):
        self.expect_problem("src/data/a.cpp:1:", {"src/data/a.cpp": '#include "../kernel/b.hpp"\n'})

    def test_an_unknown_room_is_refused(self):
        self.expect_problem("src/misc/a.cpp:1:", {"src/misc/a.cpp": "\n"})
        self.expect_problem("src/data/a.cpp:1: data may not use misc", {"src/data/a.cpp": '#include "vnngp/misc/b.hpp"\n'})

    def test_third_parties_stay_out_of_public_headers(self):
        self.expect_problem("include/vnngp/data/a.hpp:1:", {"include/vnngp/data/a.hpp": "#include <zlib.h>\n"})

    def test_threads_stay_in_their_room(self):
        self.expect_problem("src/kernel/a.cpp:2:", {"src/kernel/a.cpp": "void f() {\n    #pragma omp parallel for\n}\n"})
        self.expect_problem("src/base/a.cpp:1:", {"src/base/a.cpp": "#include <omp.h>\n"})
        self.expect_problem("src/kernel/a.cpp:1:", {"src/kernel/a.cpp": "#include <thread>\n"})

    def test_code_for_the_building_machine_only_is_refused(self):
        for name in ("CMakeLists.txt", "cmake/flags.cmake", "Makefile", "CMakePresets.json"):
            self.expect_problem(f"{name}:2:", {name: "\n-march=native\n"})
        self.assertEqual(problems_of({"build/release/x.cmake": "-march=native\n"}), [])


if __name__ == "__main__":
    unittest.main()

"""bench/peers/run.py: a rival that fails, never ends or talks nonsense is in the table with the reason, beside our figures. Without network."""
import csv
import json
import math
import pathlib
import subprocess
import sys
import unittest

from support import PROGRAM, SystemTest, main

ORCHESTRATOR = pathlib.Path(__file__).resolve().parents[2] / "bench/peers/run.py"
sys.path.insert(0, str(ORCHESTRATOR.parent))
import report  # noqa: E402

FAILS = ["import sys", "sys.exit('no such luck')"]
NEVER_ENDS = ["import time", "time.sleep(600)"]
NO_RESULT = ["print('hello')"]
GOOD = ["import json, sys", "job = json.loads(sys.argv[1])", "assert open(job['train']).readline() == open(job['test']).readline()",
        "print('chatter')", "print(json.dumps({'seconds': 1e6, 'seconds_per_epoch': 1e5, 'nll': 99.0, 'rmse': 9.0, 'version': 'tortoise 1'}))"]


class Peers(SystemTest):
    def setUp(self):
        super().setUp()
        (self.folder / "data").mkdir()
        (self.folder / "rivals").mkdir()
        self.simulate("data/elevators.csv", points=200)

    def rivals(self, gpytorch, gpboost, sklearn):
        self.write("rivals/gpytorch_vnngp.py", gpytorch)
        self.write("rivals/gpboost_vecchia.py", gpboost)
        self.write("rivals/sklearn_exact.py", sklearn)

    def run_on(self, *sets, gpboost_limit=60):
        """The printed text, and the rows of results.csv by method."""
        done = subprocess.run([sys.executable, "-B", ORCHESTRATOR, "--data", "data", "--sets", *sets, "--quick", "--program", PROGRAM, "--python", sys.executable,
                               "--rivals", "rivals", "--out", "out", "--gpboost-limit", str(gpboost_limit)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        methods = {}
        for row in csv.DictReader(self.read("out/results.csv").splitlines()):
            methods.setdefault(row["method"], []).append(row)
        return done.stdout, methods

    def test_a_failing_rival_is_reported_and_ours_measured(self):
        self.rivals(FAILS, NEVER_ENDS, NO_RESULT)
        text, methods = self.run_on("elevators", gpboost_limit=0.5)
        for rival, reason in {"GPyTorch": "no such luck", "GPBoost": "not done in 0.5 s", "scikit-learn": "printed no result"}.items():
            self.assertEqual([row["failure"] for row in methods[rival]], [reason])
            self.assertRegex(text, rf"\| {rival} \|.*\| {reason} \|")
        self.assertEqual(len(methods["vnngp"]), 3)
        for row in methods["vnngp"]:
            self.assertEqual(row["failure"], "")
            self.assertGreater(float(row["seconds"]), 0)
            self.assertLess(float(row["rmse"]), 1)
        self.assertEqual(self.read("out/table.md"), text)

    def test_rival_and_ours_alternate(self):
        self.rivals(FAILS, FAILS, FAILS)
        self.run_on("elevators")
        order = [row["method"] for row in csv.DictReader(self.read("out/results.csv").splitlines())]
        self.assertEqual(order, ["GPyTorch", "vnngp", "vnngp, response", "GPBoost", "vnngp", "scikit-learn", "vnngp"])

    def test_per_epoch_ours_is_trained_like_the_rival(self):
        (self.folder / "data/elevators.csv").rename(self.folder / "data/kin40k.csv")
        self.rivals(GOOD, GOOD, GOOD)
        _, methods = self.run_on("kin40k")
        self.assertEqual({row["version"] for row in methods["GPyTorch"]}, {"tortoise 1"})
        ours, rival = methods["vnngp, stochastic"][0], methods["GPyTorch"][0]
        self.assertEqual(ours["options"], rival["options"])
        self.assertTrue(math.isfinite(float(ours["seconds_per_epoch"])))

    def test_every_program_gets_the_same_job(self):
        tell = ["import json, sys", "sys.exit(json.dumps({key: value for key, value in json.loads(sys.argv[1]).items() if key not in ('train', 'test', 'program')}))"]
        self.rivals(tell, tell, tell)
        _, methods = self.run_on("elevators")
        jobs = {rival: json.loads(methods[rival][0]["failure"]) for rival in ("GPyTorch", "GPBoost", "scikit-learn")}
        for job in jobs.values():
            self.assertEqual({key: job[key] for key in ("target", "neighbors", "seed", "threads")}, {"target": "y", "neighbors": 32, "seed": 0, "threads": 2})
        self.assertEqual(jobs["GPyTorch"]["batch"], 1024)



class Report(unittest.TestCase):
    def sentences(self, *results):
        return report.comparisons([{"limit": 400, **result} for result in results])

    def test_time_per_epoch(self):
        rounds = [{"data": "kin40k", "job": "per epoch, K = 32", "method": method, "seconds": 9, "seconds_per_epoch": seconds}
                  for method, seconds in (("GPyTorch", 4), ("vnngp, stochastic", .1), ("GPyTorch", 5), ("vnngp, stochastic", .1), ("GPyTorch", 90))]
        self.assertEqual(self.sentences(*rounds), ["kin40k, per epoch, K = 32, GPyTorch: 50.0 times our time per epoch (goal 30: met)"])

    def to_convergence(self, rival, ours_nll=.4, *more):
        job = {"data": "elevators", "job": "to convergence"}
        return self.sentences(*({**job, **result} for result in (rival, {"method": "vnngp", "seconds": 4, "nll": ours_nll}, *more)))[-1]

    def test_time_to_convergence(self):
        gpytorch = {"method": "GPyTorch", "seconds": 400, "nll": .5}
        self.assertIn("ours reached 0.400 in 4.00 s: 100.0 times our time", self.to_convergence(gpytorch))
        self.assertIn("better than ours, 0.600", self.to_convergence(gpytorch, ours_nll=.6))

    def test_time_to_the_rivals_final_score(self):
        def with_hurried(nll, ours_nll=.4):
            return self.to_convergence({"method": "GPyTorch", "seconds": 400, "nll": .5}, ours_nll, {"method": "vnngp, response", "seconds": 1, "nll": nll})
        self.assertIn("is vnngp, response, with 0.450 in 1.00 s: 400.0 times our time (goal 200: met)", with_hurried(.45))
        self.assertIn("is vnngp, with 0.400 in 4.00 s: 100.0 times our time (goal 200: missed)", with_hurried(.55))
        self.assertIn("none of ours reached its final test NLL of 0.500", with_hurried(.55, ours_nll=.6))

    def test_a_rival_out_of_time_gives_a_lower_bound(self):
        self.assertIn("> 100.0 times our time (goal 50: met in time, its NLL unknown)", self.to_convergence({"method": "GPBoost", "failure": "not done in 400 s"}))

    def test_a_rival_that_fails_has_no_figures(self):
        self.assertIn("no figures (out of luck)", self.to_convergence({"method": "GPBoost", "failure": "out of luck"}))


if __name__ == "__main__":
    main()

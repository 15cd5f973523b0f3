"""Options, help, version and completion."""
import shutil
import subprocess
import unittest

from support import PROGRAM, SystemTest, main, numeric_table

COMMANDS = ("simulate", "fit", "predict", "evaluate", "inspect", "paper", "completion")


class Options(SystemTest):
    def setUp(self):
        super().setUp()
        self.write("table.csv", numeric_table())

    def test_wrong_values_name_option_value_and_what_is_allowed(self):
        for option, value, says in (("--kernel", "rfb", ["'rfb'", "matern12, matern32, matern52, rbf", "did you mean 'rbf'"]),
                                    ("--likelihood", "normal", ["'normal'", "gaussian, student-t, bernoulli, bernoulli-logit, poisson"]),
                                    ("--input-scale", "rang", ["'rang'", "deviation, range", "did you mean 'range'"]),
                                    ("--ordering", "sorted", ["'sorted'", "random, maximin, coordinate"]),
                                    ("--method", "spgp", ["'spgp'", "vnngp, exact, svgp, swsgp, sggp"]), ("--metric", "kernal", ["'kernal'", "kernel, euclidean"]),
                                    ("--mean", "foo", ["'foo'", "constant, linear, linear:COLUMNS or zero"]), ("--mean", "linear:", ["'linear:'"]),
                                    ("--inference", "magic", ["'magic'", "stochastic"]),
                                    ("--neighbors", "0", ["'0'", "1"]), ("--neighbors", "many", ["'many'", "auto"]),
                                    ("--prediction-neighbors", "-3", ["'-3'"]), ("--nugget", "-1", ["'-1'", "none", "learned"]),
                                    ("--nugget", "nan", ["'nan'"]), ("--inducing", "1", ["'1'", "2"]), ("--epochs", "0", ["'0'", "1"]),
                                    ("--epochs", "ten", ["'ten'"]), ("--epochs", "1.5", ["'1.5'"]), ("--epochs", "99999999999999999999", ["99999"]),
                                    ("--batch", "0", ["'0'"]), ("--learning-rate", "0", ["'0'"]), ("--learning-rate", "2", ["'2'"]),
                                    ("--validation", "1", ["'1'", "0.9"]), ("--seed", "-1", ["'-1'"]), ("--threads", "0", ["'0'"])):
            with self.subTest(option=option, value=value):
                self.fails("fit", "table.csv", option, value, says=[option, *says])

    def test_empty_values_are_no_values(self):
        """As from a variable of the shell that is not set."""
        for option in ("--inputs", "--drop", "--target", "--model", "--lonlat", "--kernel"):
            with self.subTest(option=option):
                self.fails("fit", "table.csv", option, "", says=[option])

    def test_a_validation_part_without_rows(self):
        self.fails("fit", "table.csv", "--validation", 0.001, says=["--validation 0.001", "40 rows"])

    def test_options_without_effect_are_said(self):
        for options, says in ((["--epochs", 3], "--epochs: without effect"),
                              (["--intervals", "calibrated", "--inference", "stochastic", "--epochs", 3], "--intervals calibrated: without effect"),
                              (["--calibrate", "--inference", "stochastic", "--epochs", 3], "--intervals calibrated: without effect"),
                              (["--inference", "stochastic", "--epochs", 3, "--neighbors", "auto"], "--neighbors auto")):
            self.assertIn(says, self.succeeds("fit", "table.csv", "--model", "m.vnngp", *options).stderr)
        self.assertNotIn("without effect", self.succeeds("fit", "table.csv", "--model", "m.vnngp", "--inference", "stochastic", "--epochs", 3).stderr)

    def test_help_is_a_command_too(self):
        self.assertEqual(self.succeeds("help").stdout, self.succeeds("--help").stdout)
        self.assertEqual(self.succeeds("help", "fit").stdout, self.succeeds("fit", "--help").stdout)

    def test_options_that_contradict_each_other_are_named(self):
        for options, says in ((["--inference", "collapsed", "--likelihood", "poisson"], ["--inference collapsed", "--likelihood poisson", "natural"]),
                              (["--inference", "response", "--likelihood", "student-t"], ["--inference response", "--likelihood student-t"]),
                              (["--inference", "stochastic", "--metric", "kernel"], ["--metric kernel", "euclidean", "--inference stochastic"]),
                              (["--inference", "response", "--inducing", 10], ["--inducing 10", "--inference response"]),
                              (["--inference", "response", "--nugget", 0.1], ["--nugget 0.1", "--inference response"]),
                              (["--inference", "response", "--nugget", "none"], ["--nugget none", "--inference response"]),
                              (["--calibrate", "--intervals", "model"], ["--calibrate", "--intervals model"]),
                              (["--resume"], ["--resume", "--inference stochastic"])):
            with self.subTest(options=options):
                self.fails("fit", "table.csv", *options, says=says)

    def test_wrong_values_of_other_commands(self):
        for option, value in (("--points", "0"), ("--dims", "0"), ("--lengthscale", "0"), ("--lengthscale", "0.1,x"), ("--lengthscale", "1,2,3"),
                              ("--noise", "-1"), ("--outputscale", "0"), ("--degrees-of-freedom", "0"), ("--likelihood", "x"), ("--kernel", "x"),
                              ("--mean", "inf")):
            with self.subTest(option=option, value=value):
                self.fails("simulate", option, value, "-o", "out.csv", says=option)
        self.succeeds("fit", "table.csv")
        for value in ("0", "1", "-0.1", "x", "0.1,2", "0.5,0.5"):
            self.fails("predict", "table.vnngp", "table.csv", "--quantiles", value, says="--quantiles")
        self.fails("predict", "table.vnngp", "table.csv", "--quantiles", "0.5", "--latent", says=["--quantiles", "--latent"])
        self.fails("predict", "table.vnngp", "table.csv", "--neighbors", "0", says="--neighbors")
        self.fails("completion", "tcsh", says=["'tcsh'", "bash, zsh, fish"])

    def test_unknown_options_and_commands_get_a_suggestion(self):
        self.fails("fit", "table.csv", "--kernal", "rbf", says=["vnngp fit: ", "'--kernal'", "'--kernel'"])
        self.fails("fit", "table.csv", "--epoch=3", says=["'--epoch'", "'--epochs'"])
        self.fails("fti", "table.csv", says=["'fti'", "'fit'"])
        self.fails("--bogus", says="'--bogus'")
        self.fails("fit", "table.csv", "other.csv", says="'other.csv'")

    def test_missing_arguments(self):
        self.fails("fit", says="DATA")
        self.fails("predict", "m.vnngp", says="DATA")
        self.fails("fit", "table.csv", "--epochs", says="--epochs needs a value")
        self.fails("fit", "table.csv", "--epochs", "2", "--epochs", "3", says="--epochs is given more than once")
        self.fails("fit", "table.csv", "--inputs", "a", "--drop", "b", says=["--inputs", "--drop"])
        done = self.execute()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Usage:", done.stderr)

    def test_negative_values_are_values(self):
        self.succeeds("simulate", "--points", 10, "--mean", "-2.5", "-o", "field.csv")


class Help(SystemTest):
    def test_help_of_the_program_lists_commands_and_exit_codes(self):
        for flag in ("--help", "-h"):
            done = self.succeeds(flag)
            self.assertEqual(done.stderr, "")
            for text in (*COMMANDS, "Examples:", "Exit codes:", "130"):
                self.assertIn(text, done.stdout)

    def test_help_of_every_command_has_usage_and_at_least_three_examples(self):
        for command in COMMANDS:
            text = self.succeeds(command, "--help").stdout
            self.assertIn(f"Usage: vnngp {command}", text)
            examples = text.split("Examples:\n")[1].strip().splitlines()
            self.assertGreaterEqual(len(examples), 3, command)
            self.assertLessEqual(max(len(line) for line in text.split("Examples:")[0].splitlines()), 100)

    def test_help_of_fit_groups_options_with_defaults(self):
        text = self.succeeds("fit", "--help").stdout
        for part in ("Data:", "Model:", "Training:", "Output:", "--neighbors K|auto", "[default: 32]", "[default: 300]", "[default: gaussian]"):
            self.assertIn(part, text)

    def test_version(self):
        self.assertRegex(self.succeeds("--version").stdout, r"^vnngp \d+\.\d+\.\d+\n")


class Completion(SystemTest):
    def complete(self, *words):
        """What bash would offer for the last word."""
        script = ('source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vnngp; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", script, PROGRAM, "vnngp", *words], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_and_values(self):
        self.assertEqual(self.complete("fi"), ["fit"])
        self.assertEqual(set(self.complete("")) & set(COMMANDS), set(COMMANDS))
        self.assertEqual(self.complete("fit", "--ker"), ["--kernel"])
        self.assertEqual(self.complete("fit", "table.csv", "--kernel", "matern"), ["matern12", "matern32", "matern52"])
        self.assertEqual(self.complete("fit", "--kernel", "=", "r"), ["rbf", "rq"])
        self.assertEqual(self.complete("fit", "--likelihood", "="), ["gaussian", "student-t", "bernoulli", "bernoulli-logit", "poisson"])
        self.assertEqual(self.complete("predict", "--lat"), ["--latent"])
        self.assertEqual(self.complete("completion", "z"), ["zsh"])
        self.assertEqual(self.complete("paper", "table"), ["table-1", "table-2", "table-3"])
        self.assertEqual(self.complete("fit", "ta"), [])  # left to file names

    def test_every_option_of_the_help_is_completed(self):
        for command in COMMANDS:
            listed = {word.rstrip(",") for line in self.succeeds(command, "--help").stdout.split("Examples:")[0].splitlines()
                      for word in line.split()[:2] if line.startswith("  -") and word.startswith("--")}
            self.assertLessEqual(listed, set(self.complete(command, "--")), command)

    def test_other_shells(self):
        self.assertIn("bashcompinit", self.succeeds("completion", "zsh").stdout)
        fish = self.succeeds("completion", "fish").stdout
        self.assertIn("complete -c vnngp -n '__fish_seen_subcommand_from fit' -l kernel -x -a 'auto matern12 matern32 matern52 rbf rq periodic'", fish)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_accepts_its_script(self):
        script = self.succeeds("completion", "fish").stdout
        subprocess.run(["fish", "--no-execute"], input=script, text=True, check=True)


if __name__ == "__main__":
    main()

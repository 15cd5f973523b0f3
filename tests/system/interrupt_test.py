"""Ctrl-C, checkpoints, --resume, and the progress line."""
import os
import pty
import select
import signal
import subprocess
import time

from support import SystemTest, main

SECONDS_TO_STOP = 5.0  # a second is promised; the machine may be busy and the program instrumented


class Interrupt(SystemTest):
    def setUp(self):
        super().setUp()
        self.simulate(points=120)

    def command(self, epochs, model="field.vnngp"):
        return ["fit", "field.csv", "--model", model, "--inference", "stochastic", "--epochs", epochs, "--neighbors", 6, "--batch", 50,
                "--threads", 1]

    def interrupted(self, command, delay, number=signal.SIGINT):
        """Starts a fit without --target, whose note says when reading is over; sends the signal `delay` seconds later."""
        process = self.start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn("'y'", process.stderr.readline())
        time.sleep(delay)
        process.send_signal(number)
        sent = time.monotonic()
        output, errors = process.communicate()
        self.assertLess(time.monotonic() - sent, SECONDS_TO_STOP)
        return process.returncode, output, errors

    def test_resumed_run_equals_an_uninterrupted_one(self):
        epochs = 10000
        whole = self.json_of(*self.command(epochs, "whole.vnngp"))
        code, output, errors = self.interrupted(self.command(epochs), 0.2 * whole["seconds"]["train"])
        self.assertEqual(code, 130, "the run was over before it was interrupted" if code == 0 else errors)
        self.assertEqual(output, "")
        self.assertIn("--resume", errors)
        self.assertEqual(set(self.listing()), {"field.csv", "whole.vnngp", "field.vnngp.checkpoint"})

        self.fails(*self.command(epochs + 1), "--resume", says=["--resume", "field.vnngp.checkpoint"])
        self.fails(*self.command(epochs), "--resume", "--seed", 5, says="other data or options")

        resumed = self.json_of(*self.command(epochs), "--resume")
        self.assertEqual(resumed["iterations"], whole["iterations"])
        self.assertEqual(resumed["hyperparameters"], whole["hyperparameters"])
        self.assertEqual(resumed["elbo"], whole["elbo"])
        self.assertEqual(set(self.listing()), {"field.csv", "whole.vnngp", "field.vnngp"})
        predictions = [self.succeeds("predict", model, "field.csv").stdout for model in ("whole.vnngp", "field.vnngp")]
        self.assertEqual(*predictions)

    def test_termination_is_a_request_to_stop_too(self):
        code, _, errors = self.interrupted(self.command(10**6), 0.3, signal.SIGTERM)
        self.assertEqual(code, 130, errors)
        self.assertEqual(set(self.listing()), {"field.csv", "field.vnngp.checkpoint"})

    def test_resume_with_learned_locations(self):
        command = [*self.command(1000), "--inducing", 30]
        whole = self.json_of(*command)
        os.remove(self.folder / "field.vnngp")
        code, _, errors = self.interrupted(command, 0.2 * whole["seconds"]["train"])
        self.assertEqual(code, 130, errors)
        self.assertEqual(self.json_of(*command, "--resume")["elbo"], whole["elbo"])

    def test_resume_needs_a_checkpoint(self):
        self.fails(*self.command(5), "--resume", says=["--resume", "field.vnngp.checkpoint"])

    def test_resume_needs_stochastic_training(self):
        for options in ([], ["--inference", "collapsed"], ["--inference", "natural"]):
            self.fails("fit", "field.csv", "--resume", *options, says=["--resume", "--inference stochastic"])

    def test_interrupted_default_fit_leaves_nothing(self):
        self.simulate("large.csv", points=20000)
        for delay in (0.0, 0.5, 1.0):  # while it chooses, and later
            code, output, errors = self.interrupted(["fit", "large.csv", "--neighbors", 64, "--threads", 1], delay)
            self.assertEqual((code, output), (130, ""), errors)
            self.assertIn("interrupted", errors)
            self.assertNotIn("--resume", errors)
            self.assertEqual(set(self.listing()), {"field.csv", "large.csv"})

    def test_broken_checkpoint_is_refused(self):
        self.write("field.vnngp.checkpoint", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ")
        self.fails(*self.command(5), "--resume", says="field.vnngp.checkpoint")

    def test_interrupted_prediction_leaves_no_file(self):
        self.fit()
        os.mkfifo(self.folder / "endless.csv")
        process = self.start("predict", "field.vnngp", "endless.csv", "-o", "out.csv", stderr=subprocess.PIPE)
        with open(self.folder / "endless.csv", "w") as table:
            table.write("x1,x2\n" + "0.25,0.75\n" * 20000)
            table.flush()
            process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(set(self.listing()), {"field.csv", "field.vnngp"})

    def terminal_output(self, *options):
        """What a terminal receives from a long fit until it is interrupted some time after progress would be shown."""
        terminal, program_end = pty.openpty()
        process = self.start(*self.command(10**6), *options, stdout=subprocess.DEVNULL, stderr=program_end)
        os.close(program_end)
        seen, started = b"", time.monotonic()
        while time.monotonic() - started < (3.0 if options else 30.0) and (options or b"left" not in seen):
            if select.select([terminal], [], [], 0.1)[0]:
                seen += os.read(terminal, 65536)
        process.send_signal(signal.SIGINT)
        process.wait()
        try:
            while select.select([terminal], [], [], 0.1)[0]:
                seen += os.read(terminal, 65536)
        except OSError:
            pass  # how a terminal says that nobody is left at the other end
        os.close(terminal)
        return seen.decode()

    def test_terminal_shows_progress_and_is_left_clean(self):
        seen = self.terminal_output()
        self.assertRegex(seen, r"\r\x1b\[Ktrain  \d+/3000000 \(\d+ %\)  [\d.]+/s  [\d:]+ left")
        self.assertRegex(seen, r"\r\x1b\[Kvnngp fit: interrupted")

    def test_quiet_terminal_shows_none(self):
        self.assertNotIn("train", self.terminal_output("--quiet"))


if __name__ == "__main__":
    main()

"""Runs one measurement in a process of its own, within limits of time and memory. Whatever happens to it becomes a result."""
import json
import os
import resource
import signal
import subprocess
import tempfile
import time


def environment(threads):
    # Passive waiting: threads that spin while they wait cost dearly where other work is running.
    # torch parallelises over the matrices of a batch, each solved by MKL: threads there as well were slower at K = 256, or never came back.
    return {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "MKL_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive",
            "PYTHONDONTWRITEBYTECODE": "1"}


def wait_for(process, limit):
    """Exit code (None when time ran out) and resource usage."""
    deadline = time.monotonic() + limit
    try:
        while time.monotonic() < deadline:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage
            time.sleep(.02)
    except BaseException:  # interrupted: the child, in a session of its own, has not heard it
        os.killpg(process.pid, signal.SIGKILL)
        raise
    os.killpg(process.pid, signal.SIGKILL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return None, usage


def lines_of(stream):
    stream.seek(0)
    return [line.strip() for line in stream.read().decode(errors="replace").splitlines() if line.strip(" ~^")]


def reason_of(code, errors):
    """The last words of a child that failed; a bare `AssertionError` is told with the line it comes from."""
    lines = lines_of(errors)
    if lines:
        return ": ".join(reversed(lines[-2:])) if lines[-1] == "AssertionError" else lines[-1]
    return f"ended by signal {-code}" if code < 0 else f"exit code {code}"


def result_of(command, limit, threads):
    """`failure` says why there are no figures."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=environment(threads),
                                   start_new_session=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (memory, memory)))
        code, usage = wait_for(process, limit)
        # A child that reports its own peak knows better: this one is at least that of the process that started it.
        result = {"peak_mib": usage.ru_maxrss / 1024, "cpu_seconds": usage.ru_utime + usage.ru_stime}
        if code is None:
            return {**result, "failure": f"not done in {limit:g} s"}
        if code != 0:
            return {**result, "failure": reason_of(code, errors)}
        try:
            return {**result, **json.loads(lines_of(output)[-1])}
        except (IndexError, ValueError, TypeError):
            return {**result, "failure": "printed no result"}

"""The rivals' packages in a virtual environment of their own."""
import pathlib
import subprocess
import sys

# rival: what pip installs, what must then import
PACKAGES = {
    "GPyTorch": (["torch", "gpytorch", "faiss-cpu"], ["torch", "gpytorch", "faiss"]),
    "GPBoost": (["gpboost"], ["gpboost"]),
    "scikit-learn": (["scikit-learn"], ["sklearn"]),
    "the picture": (["matplotlib"], ["matplotlib"]),
}


def imports(python, modules):
    return subprocess.run([python, "-c", "import " + ", ".join(modules)], capture_output=True).returncode == 0


def installed(folder, limit, say):
    """The interpreter, and for every rival that cannot be had the reason."""
    python = pathlib.Path(folder) / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    reasons = {}
    for rival, (packages, modules) in PACKAGES.items():
        if imports(python, modules):
            continue
        say(f"installing {' '.join(packages)}")
        try:
            done = subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], capture_output=True, text=True, timeout=limit)
            if done.returncode != 0:
                reasons[rival] = "not installed: " + (done.stderr.strip().splitlines() or ["pip failed"])[-1]
            elif not imports(python, modules):
                reasons[rival] = "installed, but cannot be imported"
        except subprocess.TimeoutExpired:
            reasons[rival] = f"not installed in {limit:g} s"
    return python, reasons

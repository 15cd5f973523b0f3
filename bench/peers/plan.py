"""What is measured, in which order: a rival, then ours, then the next rival, then ours again, so that both meet the same state of the machine."""
import dataclasses

PER_EPOCH, TO_CONVERGENCE = "per epoch", "to convergence"
OURS_STOCHASTIC, OURS, OURS_IN_A_HURRY = "vnngp, stochastic", "vnngp", "vnngp, response"
SCRIPTS = {
    "GPyTorch": "gpytorch_vnngp.py", "GPBoost": "gpboost_vecchia.py", "scikit-learn": "sklearn_exact.py",
}


@dataclasses.dataclass(frozen=True)
class Run:
    data: str
    job: str
    method: str
    options: dict
    limit: float = 1800.0


@dataclasses.dataclass
class Size:
    """The full benchmark; times are limits in seconds."""
    rows: int | None = None
    rounds: int = 2
    epochs: dict = dataclasses.field(default_factory=lambda: {32: 5, 256: 1})
    gpytorch_epochs: int = 300
    gpytorch_limit: float = 1800
    gpboost_limit: float = 400
    exact_rows: int = 5000
    exact_limit: float = 200


def quick():
    return Size(rows=4000, rounds=1, epochs={32: 3, 256: 1}, gpytorch_epochs=20, gpytorch_limit=120, gpboost_limit=40, exact_rows=300, exact_limit=40)


# GPyTorch is fastest with these batches
BATCH = {32: 1024, 256: 64}
# K of the runs per epoch
PER_EPOCH_SETS = {"kin40k": 32, "pol": 256, "simulated": 32}
# the shortest way to a score like GPyTorch's
HURRY = {"neighbors": 6, "prediction_neighbors": 32, "inference": "response"}
# who is run to convergence
CONVERGENCE_SETS = {
    "elevators": ("GPyTorch", "GPBoost", "scikit-learn"), "pol": ("GPBoost",), "protein": ("GPBoost",),
    "simulated": ("GPyTorch", "GPBoost", "scikit-learn"),
}


def runs_per_epoch(data, size):
    neighbors = PER_EPOCH_SETS[data]
    options = {"neighbors": neighbors, "batch": BATCH[neighbors], "epochs": size.epochs[neighbors]}
    pair = [Run(data, f"{PER_EPOCH}, K = {neighbors}", method, options, size.gpytorch_limit) for method in ("GPyTorch", OURS_STOCHASTIC)]
    return pair * size.rounds


def runs_to_convergence(data, size, rivals):
    options = {
        "GPyTorch": ({"batch": BATCH[32], "epochs": size.gpytorch_epochs}, size.gpytorch_limit),
        "GPBoost": ({}, size.gpboost_limit),
        "scikit-learn": ({"rows": size.exact_rows}, size.exact_limit),
    }
    runs = []
    for rival in rivals:
        more, limit = options[rival]
        runs += [Run(data, TO_CONVERGENCE, rival, {"neighbors": 32, **more}, limit), Run(data, TO_CONVERGENCE, OURS, {"neighbors": 32})]
        if rival == "GPyTorch":
            runs += [Run(data, TO_CONVERGENCE, OURS_IN_A_HURRY, HURRY)] * size.rounds
    return runs


def plan(sets, size, gpytorch_on_pol=False):
    runs = []
    for data in sets:
        if data in PER_EPOCH_SETS:
            runs += runs_per_epoch(data, size)
        rivals = CONVERGENCE_SETS.get(data, ())
        if data == "pol" and gpytorch_on_pol:
            rivals = ("GPyTorch", *rivals)
        runs += runs_to_convergence(data, size, rivals)
    return runs

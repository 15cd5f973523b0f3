"""GPyTorch's VNNGP as in its tutorial: single precision, the same minibatch for observations and inducing points, neighbours by FAISS."""
import time
import warnings

import numpy
import torch

from job import report, tables, the_job

warnings.filterwarnings("ignore")
import gpytorch  # noqa: E402  (its import warns)

WARM_UP_BATCHES = 10


class Vnngp(gpytorch.models.ApproximateGP):
    def __init__(self, x, neighbors, batch):
        law = gpytorch.variational.MeanFieldVariationalDistribution(len(x))
        super().__init__(gpytorch.variational.NNVariationalStrategy(self, x, law, k=neighbors, training_batch_size=batch))
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=x.shape[1]))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def __call__(self, x, **options):
        return self.variational_strategy(x=x, **options)


def train(model, likelihood, y, epochs):
    """Adam and the paper's schedule. Seconds per epoch, of all minibatches after the first few."""
    optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=.01)
    strategy = model.variational_strategy
    batches = strategy._total_training_batches
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [int(share * epochs * batches) for share in (.75, .9)])
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(y))
    for step in range(WARM_UP_BATCHES + epochs * batches):
        if step == WARM_UP_BATCHES:
            start = time.perf_counter()
        optimizer.zero_grad()
        latent = model(None)
        loss = -bound(latent, y[strategy.current_training_indices])
        loss.backward()
        optimizer.step()
        schedule.step()
    return (time.perf_counter() - start) / epochs


def predict(model, likelihood, x):
    with torch.no_grad():
        parts = [likelihood(model(part)) for part in x.split(1024)]
    return tuple(torch.cat(values).double().numpy() for values in ([part.mean for part in parts], [part.variance for part in parts]))


def main():
    job = the_job()
    torch.manual_seed(job["seed"])
    x, y, x_test, y_test = (torch.from_numpy(part.astype(numpy.float32)) for part in tables(job))
    start = time.perf_counter()
    model, likelihood = Vnngp(x, job["neighbors"], job["batch"]), gpytorch.likelihoods.GaussianLikelihood()
    model.train(), likelihood.train()
    per_epoch = train(model, likelihood, y, job["epochs"])
    seconds = time.perf_counter() - start
    model.eval(), likelihood.eval()
    mean, variance = predict(model, likelihood, x_test)
    report(mean, variance, y_test.double().numpy(), seconds=seconds, seconds_per_epoch=per_epoch,
           version=f"gpytorch {gpytorch.__version__}, torch {torch.__version__}")


main()

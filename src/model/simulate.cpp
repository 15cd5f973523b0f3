#include "vnngp/model/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vnngp/base/error.hpp"
#include "vnngp/base/random.hpp"
#include "vnngp/conditional/rows.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/likelihood/likelihood.hpp"
#include "vnngp/neighbors/search.hpp"

namespace vnngp {
namespace {

constexpr Index kSlab = 4096;

void check(const SimulateOptions& options) {
    const auto require = [](bool allowed, std::string_view option, double value, std::string_view expected) {
        if (!allowed) throw InputError(fmt::format("--{} {}: expected {}", option, value, expected));
    };
    require(options.points >= 1, "points", options.points, "at least 1");
    require(options.dims >= 1, "dims", options.dims, "at least 1");
    require(options.outputscale > 0.0, "outputscale", options.outputscale, "a variance above 0");
    require(options.noise >= 0.0, "noise", options.noise, "a variance, 0 or more");
    require(options.degrees_of_freedom > 0.0, "degrees-of-freedom", options.degrees_of_freedom, "more than 0");
    require(options.neighbors >= 1, "neighbors", options.neighbors, "at least 1");
    for (const double l : options.lengthscales) require(l > 0.0, "lengthscale", l, "more than 0");
    if (options.lengthscales.size() != 1 && static_cast<int>(options.lengthscales.size()) != options.dims)
        throw InputError(fmt::format("--lengthscale has {} values: expected 1, or one for each of the {} dimensions",
                                     options.lengthscales.size(), options.dims));
}

// Each point given its nearest predecessors, in order (Eq. K2). Rows are computed in parallel, a slab at a time, then drawn in sequence.
Vector latent_field(const Points& inputs, const conditional::Covariance& covariance, Index neighbors, const Context& context,
                    RandomStream& stream) {
    const auto count = static_cast<Index>(inputs.rows());
    const auto graph = neighbors::predecessor_graph(inputs, neighbors, context);
    const std::size_t stride = graph.stride();
    std::vector<double> weights(kSlab * stride), variance(kSlab);
    std::vector<Index> rows(kSlab);
    Vector f(count);
    for (Index begin = 0; begin < count; begin += kSlab) {
        const Index size = std::min(kSlab, count - begin);
        std::iota(rows.begin(), rows.begin() + size, begin);
        conditional::visit_rows(
            context, covariance, {inputs, inputs, graph}, std::span(rows).first(size), [&](const conditional::Row& row) {
                std::copy(row.weights.begin(), row.weights.end(), weights.begin() + static_cast<std::ptrdiff_t>(row.position * stride));
                variance[row.position] = row.variance;
            });
        for (Index i = 0; i < size; ++i) {
            const auto n = graph.row(begin + i);
            double mean = 0.0;
            for (std::size_t k = 0; k < n.size(); ++k) mean += weights[i * stride + k] * f[n[k]];
            f[begin + i] = mean + std::sqrt(variance[i]) * stream.normal();
        }
        context.report({"simulate", begin + size, count, {}});
    }
    return f;
}

// The likelihood's parameters as the options name them: every variance is the noise, the other one the degrees of freedom.
std::vector<double> likelihood_parameters(const likelihood::Likelihood& likelihood, const SimulateOptions& options) {
    std::vector<double> parameters;
    for (const auto& parameter : likelihood.parameters())
        parameters.push_back(parameter.is_variance ? options.noise : options.degrees_of_freedom);
    return parameters;
}

}  // namespace

Simulation simulate(const SimulateOptions& options, const Context& context) {
    check(options);
    RandomStream stream(context.seed, StreamPurpose::simulation);
    Points inputs(options.points, options.dims);
    for (Eigen::Index e = 0; e < inputs.size(); ++e) inputs.data()[e] = stream.uniform();
    return simulate_at(std::move(inputs), options, context);
}

Simulation simulate_at(Points inputs, SimulateOptions options, const Context& context) {
    options.points = static_cast<Index>(inputs.rows());
    options.dims = static_cast<int>(inputs.cols());
    check(options);
    const auto likelihood = likelihood::make_likelihood(options.likelihood);
    const auto kernel = kernel::make_kernel(options.kernel, options.dims);
    std::vector<double> lengthscales = options.lengthscales;
    lengthscales.resize(options.dims, lengthscales[0]);
    std::vector<double> shape;
    for (const auto& parameter : kernel->parameters())
        shape.push_back(parameter.is_lengthscale ? lengthscales[std::max(parameter.input, 0)] : parameter.initial);
    const conditional::Covariance covariance{kernel.get(), std::move(shape), options.outputscale};

    // Drawn in random order: nearest predecessors in the order of a grid would all lie on one side.
    RandomStream stream(context.seed, StreamPurpose::simulation, 1);
    const auto order = random_permutation(options.points, stream);
    const Vector drawn =
        latent_field(data::gather_rows(inputs, order), covariance, options.neighbors, context, stream).array() + options.mean;
    Simulation simulation{std::move(inputs), Vector(options.points), Vector(options.points)};
    for (Index i = 0; i < options.points; ++i) simulation.latent[order[i]] = drawn[i];
    const auto parameters = likelihood_parameters(*likelihood, options);
    for (Index i = 0; i < options.points; ++i) simulation.targets[i] = likelihood->draw(parameters, simulation.latent[i], stream);
    return simulation;
}

}  // namespace vnngp

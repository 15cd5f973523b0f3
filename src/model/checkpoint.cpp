#include "model/checkpoint.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <filesystem>

#include "vnngp/base/error.hpp"
#include "vnngp/model/tensor_file.hpp"
#include "vnngp_version.hpp"

namespace vnngp::model {
namespace {

Vector as_vector(std::span<const double> values) {
    return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}
std::vector<double> as_list(const Vector& values) { return {values.begin(), values.end()}; }

void add_adam(TensorFile& file, const std::string& name, const optim::LazyAdam::State& adam) {
    file.add(name + ".moments", as_vector(adam.moments));
    std::vector<Index> last(adam.last_step.begin(), adam.last_step.end());
    file.add(name + ".last_step", last);
    file.metadata[name + ".step"] = std::to_string(adam.step);
}

optim::LazyAdam::State adam_of(const TensorFile& file, const std::string& name) {
    const auto last = file.indices(name + ".last_step");
    return {as_list(file.vector(name + ".moments")), {last.begin(), last.end()}, std::stoll(file.text(name + ".step")), 0.0};
}

}  // namespace

std::string run_fingerprint(const FitOptions& options, std::uint64_t seed, const inference::Problem& problem) {
    const auto checksum = [](const auto& array) {
        return crc32_z(0, reinterpret_cast<const unsigned char*>(array.data()), static_cast<std::size_t>(array.size()) * sizeof(double));
    };
    std::string fixed;
    if (options.fixed) {
        const auto& [shape, outputscale, nugget, mean, likelihood, slopes] = *options.fixed;
        fixed = fmt::format("fixed {} {} {} {} {} {} ", fmt::join(shape, ","), outputscale, nugget, mean, fmt::join(likelihood, ","),
                            fmt::join(slopes, ","));
    }
    return fmt::format(
        "vnngp {} {} {} K{} M{} mean{}:{} nugget{}:{} epochs{} batch{} rate{} jitter{} precision{} seed{} {}data {:08x} {:08x} {:08x}",
        VNNGP_VERSION, options.likelihood, options.kernel, options.neighbors, problem.num_inducing(), static_cast<int>(options.mean.kind),
        fmt::join(problem.mean_columns, ","), static_cast<int>(options.nugget.mode), options.nugget.value, options.epochs, options.batch,
        options.learning_rate, options.jitter, static_cast<int>(options.precision), seed, fixed, checksum(problem.targets),
        checksum(problem.inducing), checksum(problem.inputs));
}

void write_checkpoint(const std::string& path, const std::string& fingerprint, const inference::StochasticState& state) {
    TensorFile file;
    file.metadata["format"] = "vnngp-checkpoint";
    file.metadata["run"] = fingerprint;
    file.metadata["epoch"] = std::to_string(state.epoch);
    file.metadata["batch"] = std::to_string(state.batch);
    file.add("raw", as_vector(state.raw));
    file.add("mean", state.mean);
    file.add("deviation", state.deviation);
    file.add("inducing", state.inducing);
    file.add("searched", state.searched);
    file.add("trace", as_vector(state.trace));
    file.add("epoch_sum", Vector(Vector::Constant(1, state.epoch_sum)));
    add_adam(file, "raw_adam", state.raw_adam);
    add_adam(file, "posterior_adam", state.posterior_adam);
    add_adam(file, "inducing_adam", state.inducing_adam);
    write_tensor_file(path, file);
}

inference::StochasticState read_checkpoint(const std::string& path, const std::string& fingerprint, inference::StochasticState initial) {
    if (!std::filesystem::exists(path)) throw InputError(fmt::format("--resume: there is no checkpoint '{}' to go on from", path));
    const TensorFile file = read_tensor_file(path);
    if (file.metadata.count("format") == 0 || file.text("format") != "vnngp-checkpoint")
        throw InputError(fmt::format("'{}' is not a checkpoint of a run", path));
    if (file.text("run") != fingerprint)
        throw InputError(
            fmt::format("--resume: the checkpoint '{}' belongs to a run with other data or options\n  checkpoint: {}\n  this run:   {}",
                        path, file.text("run"), fingerprint));
    inference::StochasticState state;
    state.epoch = std::stoll(file.text("epoch"));
    state.batch = std::stoll(file.text("batch"));
    state.raw = as_list(file.vector("raw"));
    state.mean = file.vector("mean");
    state.deviation = file.vector("deviation");
    state.inducing = file.points("inducing");
    state.searched = file.points("searched");
    state.trace = as_list(file.vector("trace"));
    state.epoch_sum = file.vector("epoch_sum")[0];
    state.raw_adam = adam_of(file, "raw_adam");
    state.posterior_adam = adam_of(file, "posterior_adam");
    state.inducing_adam = adam_of(file, "inducing_adam");
    const auto fits = [](const auto& read, const auto& expected) { return read.size() == expected.size(); };
    if (!fits(state.raw, initial.raw) || !fits(state.mean, initial.mean) || !fits(state.deviation, initial.mean) ||
        !fits(state.inducing, initial.inducing))
        throw InputError(fmt::format("the checkpoint '{}' does not fit this run", path));
    return state;
}

}  // namespace vnngp::model

// The demo's data and its yardstick: a simulated field whose truth is known everywhere, and a model that knows the parameters it came from.
//
//     vnngp_demo DIRECTORY      writes train.csv, test_random.csv, test_block.csv, grid.csv and truth.vnngp
#include <cmath>
#include <exception>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "vnngp/base/random.hpp"
#include "vnngp/data/csv_writer.hpp"
#include "vnngp/data/split.hpp"
#include "vnngp/model/model_file.hpp"
#include "vnngp/model/simulate.hpp"

namespace {

using vnngp::Index;
using vnngp::Points;
using vnngp::Vector;

constexpr std::uint64_t kSeed = 1;
constexpr Index kTrain = 20000, kTestRandom = 4000, kTestBlock = 1000, kGridSide = 200;

// Nothing in here is seen in training.
struct Block {
    double left = 0.60, right = 0.78, bottom = 0.56, top = 0.70;
    bool holds(double x1, double x2) const { return left <= x1 && x1 < right && bottom <= x2 && x2 < top; }
};
constexpr Block kBlock;

const vnngp::SimulateOptions kField{.kernel = "matern32", .lengthscales = {0.08}, .outputscale = 1.0, .noise = 0.1};

/// Neighbours of the model with the true parameters: enough to look across the block. Its scores are within 0.001 of exact kriging's.
constexpr Index kTruthNeighbors = 500;

/// Observations thin out from the lower left corner to the upper right one, so that the uncertainty of the map has something to show.
bool observed_here(double x1, double x2, double chance) { return chance < std::exp(-1.5 * (x1 + x2)) && !kBlock.holds(x1, x2); }

// All points of the demo one after another: the field is one draw, so they have to be simulated together.
struct Sections {
    Index train = 0, test_random = kTrain, test_block = test_random + kTestRandom, grid = test_block + kTestBlock,
          end = grid + kGridSide * kGridSide;
};
constexpr Sections kSections;

Points inputs() {
    Points points(kSections.end, 2);
    vnngp::RandomStream stream(kSeed, vnngp::StreamPurpose::subsample);
    for (Index i = 0; i < kSections.test_block; ++i) {
        do {
            points.row(i) << stream.uniform(), stream.uniform();
        } while (!observed_here(points(i, 0), points(i, 1), stream.uniform()));
    }
    for (Index i = kSections.test_block; i < kSections.grid; ++i)
        points.row(i) << kBlock.left + (kBlock.right - kBlock.left) * stream.uniform(),
            kBlock.bottom + (kBlock.top - kBlock.bottom) * stream.uniform();
    for (Index row = 0; row < kGridSide; ++row)
        for (Index column = 0; column < kGridSide; ++column)
            points.row(kSections.grid + row * kGridSide + column) << (column + 0.5) / kGridSide, (row + 0.5) / kGridSide;
    return points;
}

/// Columns x1, x2 and the given one, rows begin..end-1.
void write(const std::filesystem::path& path, const Points& points, const std::string& name, const Vector& values, Index begin, Index end) {
    vnngp::data::CsvWriter writer(path);
    writer.header({"x1", "x2", name});
    for (Index i = begin; i < end; ++i) {
        for (const double value : {points(i, 0), points(i, 1), values[i]}) writer.number(value);
        writer.end_row();
    }
    writer.commit();
}

// Kriging with the true parameters, in the form of a model: q(u) is a point mass on the observations and the noise is the nugget, so that a
// prediction row solves (K + noise I) a = k (Eq. K3). All scales are those of the data.
vnngp::FittedModel truth(const vnngp::Simulation& field) {
    vnngp::FittedModel model;
    model.input_names = {"x1", "x2"};
    model.target_name = "y";
    model.used_columns = {0, 1};
    model.num_columns = 2;
    model.input_scaling = {Vector::Zero(2), Vector::Ones(2)};
    model.kernel = kField.kernel;
    model.likelihood = "gaussian";
    constexpr double kNoNoise = 1e-8;
    model.hyper = {{kField.lengthscales[0], kField.lengthscales[0]}, kField.outputscale, kField.noise, kField.mean, {kNoNoise}};
    model.inducing = field.inputs.topRows(kTrain);
    model.posterior = {field.targets.head(kTrain), Vector::Zero(kTrain)};
    model.neighbors = model.prediction_neighbors = kTruthNeighbors;
    return model;
}

void make_demo_data(const std::filesystem::path& directory) {
    std::filesystem::create_directories(directory);
    const auto field = vnngp::simulate_at(inputs(), kField, {.seed = kSeed});
    write(directory / "train.csv", field.inputs, "y", field.targets, kSections.train, kSections.test_random);
    write(directory / "test_random.csv", field.inputs, "y", field.targets, kSections.test_random, kSections.test_block);
    write(directory / "test_block.csv", field.inputs, "y", field.targets, kSections.test_block, kSections.grid);
    write(directory / "grid.csv", field.inputs, "f", field.latent, kSections.grid, kSections.end);
    vnngp::save_model(directory / "truth.vnngp", truth(field));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: vnngp_demo DIRECTORY\n";
        return 2;
    }
    try {
        make_demo_data(argv[1]);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "vnngp_demo: " << error.what() << '\n';
        return 1;
    }
}

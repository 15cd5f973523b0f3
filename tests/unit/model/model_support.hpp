// What the tests of this room share: data with a known truth, and ways to look at errors and files.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/dense_gp.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/model/fit.hpp"

namespace vnngp::testing {

/// sin(3 x1) + x2, observed with noise of the given standard deviation.
inline Vector wave(const Points& x, double noise = 0.1) {
    return (3.0 * x.col(0).array()).sin() + x.col(1).array() + noise * random_vector(static_cast<Index>(x.rows()), 5).array();
}

/// The default training with nothing left to compare.
inline FitOptions settled(Index neighbors = 8, const std::string& kernel = "matern52") {
    FitOptions options;
    options.kernel = kernel;
    options.neighbors = neighbors;
    options.prediction_neighbors = 2 * neighbors;
    return options;
}

inline double root_mean_square(const Vector& v) { return std::sqrt(v.squaredNorm() / static_cast<double>(v.size())); }

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The message of the InputError that the body throws.
template <class Body>
std::string input_error(const Body& body) {
    try {
        body();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

inline std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class TemporaryDirectory : public ::testing::Test {
protected:
    std::filesystem::path directory = std::filesystem::temp_directory_path() / ("vnngp-model-test-" + std::to_string(::getpid()));
    void SetUp() override { std::filesystem::create_directories(directory); }
    void TearDown() override { std::filesystem::remove_all(directory); }
    std::string path(const std::string& name) const { return (directory / name).string(); }
};

}  // namespace vnngp::testing

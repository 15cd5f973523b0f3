#include "vnngp/optim/adam.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "vnngp/base/random.hpp"

namespace vnngp::optim {
namespace {

// The algorithm as published, one dense update of every entry per step.
struct DenseAdam {
    std::vector<double> first, second;
    std::int64_t step = 0;
    void update(std::vector<double>& values, const std::vector<double>& gradient, double rate) {
        ++step;
        for (std::size_t i = 0; i < values.size(); ++i) {
            first[i] = 0.9 * first[i] + 0.1 * gradient[i];
            second[i] = 0.999 * second[i] + 0.001 * gradient[i] * gradient[i];
            const double m = first[i] / (1 - std::pow(0.9, step)), v = second[i] / (1 - std::pow(0.999, step));
            values[i] += rate * m / (std::sqrt(v) + 1e-8);
        }
    }
};

TEST(LazyAdam, EqualsDenseAdamWhenEverythingIsTouched) {
    std::vector<double> lazy_values(5, 0.3), dense_values = lazy_values, gradient(5);
    LazyAdam lazy(5);
    DenseAdam dense{std::vector<double>(5, 0.0), std::vector<double>(5, 0.0)};
    RandomStream stream(1, StreamPurpose::test);
    for (int step = 0; step < 200; ++step) {
        for (double& g : gradient) g = stream.normal();
        dense.update(dense_values, gradient, 0.01);
        lazy.begin_step(0.01);
        for (std::size_t i = 0; i < 5; ++i) {
            lazy.catch_up(i, {&lazy_values[i], 1});
            lazy.update(i, {&lazy_values[i], 1}, {&gradient[i], 1});
        }
    }
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(lazy_values[i], dense_values[i], 1e-6);
}

TEST(LazyAdam, ManyPairsAtOnceAreWhatSinglePairsAre) {
    const std::size_t size = 37;  // not a multiple of any register
    LazyAdam single(size, 2), many(size, 2);
    std::vector<double> means(size, 0.3), deviations(size, -1.0), on_mean(size), on_deviation(size);
    auto many_means = means, many_deviations = deviations;
    RandomStream stream(3, StreamPurpose::test);
    for (int step = 0; step < 50; ++step) {
        single.begin_step(0.01);
        many.begin_step(0.01);
        for (std::size_t i = 0; i < size; ++i) {
            on_mean[i] = stream.normal();
            on_deviation[i] = step % 3 == 0 ? 0.0 : stream.normal();
            std::array<double, 2> values{means[i], deviations[i]};
            single.update(i, values, std::array{on_mean[i], on_deviation[i]});
            means[i] = values[0];
            deviations[i] = values[1];
        }
        for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 5}, {5, 30}, {30, size}})
            many.update_pairs(begin, end, {many_means.data(), many_deviations.data()}, {on_mean.data(), on_deviation.data()});
    }
    for (std::size_t i = 0; i < size; ++i) {
        EXPECT_NEAR(many_means[i], means[i], 1e-13);
        EXPECT_NEAR(many_deviations[i], deviations[i], 1e-13);
    }
    EXPECT_EQ(many.state().last_step, single.state().last_step);
    for (std::size_t i = 0; i < 4 * size; ++i) EXPECT_NEAR(many.state().moments[i], single.state().moments[i], 1e-13);
}

TEST(LazyAdam, FollowsDenseAdamWhenMostGradientsAreZero) {
    const std::size_t size = 50;
    std::vector<double> lazy_values(size, 0.0), dense_values(size, 0.0);
    LazyAdam lazy(size);
    DenseAdam dense{std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
    RandomStream stream(2, StreamPurpose::test);
    double furthest = 0;
    for (int step = 0; step < 3000; ++step) {
        std::vector<double> gradient(size, 0.0);
        lazy.begin_step(0.01);
        for (int touched = 0; touched < 3; ++touched) {
            const auto i = stream.below(size);
            if (gradient[i] != 0.0) continue;
            lazy.catch_up(i, {&lazy_values[i], 1});
            gradient[i] = 1.0 - lazy_values[i] + 0.5 * stream.normal();
            lazy.update(i, {&lazy_values[i], 1}, {&gradient[i], 1});
        }
        dense.update(dense_values, gradient, 0.01);
        for (const double v : dense_values) furthest = std::max(furthest, std::abs(v));
    }
    lazy.begin_step(0.01);
    for (std::size_t i = 0; i < size; ++i) lazy.catch_up(i, {&lazy_values[i], 1});
    ASSERT_GT(furthest, 0.5);
    for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(lazy_values[i], dense_values[i], 1e-5 * furthest);
}

TEST(LazyAdam, FindsTheMaximumOfAParabola) {
    std::vector<double> x{5.0, -3.0};
    LazyAdam adam(1, 2);
    for (int step = 0; step < 4000; ++step) {
        adam.begin_step(stepped_learning_rate(0.05, step, 4000));
        const std::vector<double> gradient{-2 * (x[0] - 1), -20 * (x[1] - 2)};
        adam.update(0, x, gradient);
    }
    EXPECT_NEAR(x[0], 1.0, 1e-3);
    EXPECT_NEAR(x[1], 2.0, 1e-3);
}

TEST(LazyAdam, ContinuesFromItsState) {
    const auto run = [](LazyAdam& adam, double& x, int begin, int end) {
        for (int step = begin; step < end; ++step) {
            adam.begin_step(0.1);
            adam.catch_up(0, {&x, 1});
            if (step % 3 == 0) {
                const double gradient = 1.0 - x;
                adam.update(0, {&x, 1}, {&gradient, 1});
            }
        }
    };
    double whole = 0.0, parts = 0.0;
    LazyAdam one(1);
    run(one, whole, 0, 100);
    LazyAdam before(1);
    run(before, parts, 0, 50);
    LazyAdam after(1);
    after.restore(before.state());
    run(after, parts, 50, 100);
    EXPECT_EQ(whole, parts);
}

TEST(SteppedLearningRate, DropsAtThreeQuartersAndNineTenths) {
    EXPECT_EQ(stepped_learning_rate(0.01, 0, 1000), 0.01);
    EXPECT_EQ(stepped_learning_rate(0.01, 749, 1000), 0.01);
    EXPECT_EQ(stepped_learning_rate(0.01, 750, 1000), 0.001);
    EXPECT_EQ(stepped_learning_rate(0.01, 899, 1000), 0.001);
    EXPECT_EQ(stepped_learning_rate(0.01, 900, 1000), 0.0001);
}

}  // namespace
}  // namespace vnngp::optim

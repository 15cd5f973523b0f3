// What a project that found the installed library writes: fit, predict, save, load.
#include <cmath>
#include <cstdio>
#include <vnngp/base/random.hpp>
#include <vnngp/model/fit.hpp>
#include <vnngp/model/model_file.hpp>

int main() {
    vnngp::RandomStream stream(1, vnngp::StreamPurpose::test);
    vnngp::Points points(200, 1);
    vnngp::Vector targets(200);
    for (int i = 0; i < 200; ++i) {
        points(i, 0) = stream.uniform();
        targets[i] = std::sin(6.0 * points(i, 0)) + 0.1 * stream.normal();
    }
    const auto fitted = vnngp::fit(points, targets, {.neighbors = 8, .epochs = 30, .batch = 50, .learning_rate = 0.05});
    vnngp::save_model("consumer.vnngp", fitted);
    const auto prediction = vnngp::load_model("consumer.vnngp").predict(points.topRows(1));
    const double error = std::abs(prediction.mean[0] - std::sin(6.0 * points(0, 0)));
    std::printf("off by %g, standard deviation %g\n", error, std::sqrt(prediction.variance[0]));
    return error < 0.5 ? 0 : 1;
}

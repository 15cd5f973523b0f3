// y | f ~ N(f, noise). Everything is in closed form.
#include <array>
#include <cmath>

#include "likelihood/batch.hpp"
#include "likelihood/registry.hpp"
#include "likelihood/special_functions.hpp"

namespace vnngp::likelihood {
namespace {

class Gaussian final : public Likelihood {
public:
    std::string_view name() const override { return "gaussian"; }
    std::span<const ParameterInfo> parameters() const override { return parameters_; }
    bool standardizes_targets() const override { return true; }

    void check_targets(std::span<const double> y, const RowDescription& describe_row) const override {
        check_each_target(y, describe_row, name(), "a finite number", [](double value) { return std::isfinite(value); });
    }

    bool is_gaussian() const override { return true; }
    std::vector<double> rough_latent(std::span<const double> y) const override { return {y.begin(), y.end()}; }
    double initial_mean(std::span<const double> y) const override { return mean_of(y); }

    void expected_log_density(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
                              const ExpectedLogDensity& out) const override {
        const double noise = parameters[0], precision = 1.0 / noise;
        const double constant = -kHalfLogTwoPi - 0.5 * std::log(noise);
        for (std::size_t i = 0; i < f.size(); ++i) {
            const double residual = y[i] - f.mean[i];
            const double quadratic = 0.5 * (residual * residual + f.variance[i]) * precision;
            store(out.value, i, constant - quadratic);
            store(out.d_mean, i, residual * precision);
            store(out.d_variance, i, -0.5 * precision);
            store(out.site_precision, i, precision);
            store(out.d_log_parameters, i, quadratic - 0.5);
        }
    }

    void log_predictive_density(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
                                std::span<double> out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) {
            const double variance = f.variance[i] + parameters[0], residual = y[i] - f.mean[i];
            out[i] = -kHalfLogTwoPi - 0.5 * (std::log(variance) + residual * residual / variance);
        }
    }

    void predictive_moments(std::span<const double> parameters, const LatentMarginals& f, std::span<double> out_mean,
                            std::span<double> out_variance) const override {
        for (std::size_t i = 0; i < f.size(); ++i) {
            out_mean[i] = f.mean[i];
            out_variance[i] = f.variance[i] + parameters[0];
        }
    }

    void predictive_quantile(std::span<const double> parameters, double probability, const LatentMarginals& f,
                             std::span<double> out) const override {
        check_probability(probability);
        const double z = normal_quantile(probability);
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = f.mean[i] + z * std::sqrt(f.variance[i] + parameters[0]);
    }

    void predictive_cdf(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
                        std::span<double> out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = normal_cdf((y[i] - f.mean[i]) / std::sqrt(f.variance[i] + parameters[0]));
    }

    void crps(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
              std::span<double> out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) {
            const double variance = f.variance[i] + parameters[0];
            out[i] = mean_absolute_normal(y[i] - f.mean[i], variance) - 0.5 * mean_absolute_normal(0.0, 2.0 * variance);
        }
    }

    double draw(std::span<const double> parameters, double f, RandomStream& stream) const override {
        return f + std::sqrt(parameters[0]) * stream.normal();
    }

private:
    std::array<ParameterInfo, 1> parameters_{{{"noise", kInitialVariance, 1e-8, 1e3}}};
};

}  // namespace

std::unique_ptr<Likelihood> make_gaussian() { return std::make_unique<Gaussian>(); }

}  // namespace vnngp::likelihood

// y | f ~ f + sqrt(scale) t_nu, i.e. log p = log Gamma((nu+1)/2) - log Gamma(nu/2) - 1/2 log(pi nu scale) - (nu+1)/2 log(1 + w),
// w = (y - f)^2 / (nu scale). Predictions use the scale mixture of normals (scale_mixture.hpp), the expected log density an integral
// of its own (frullani_rule.hpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "likelihood/batch.hpp"
#include "likelihood/frullani_rule.hpp"
#include "likelihood/registry.hpp"
#include "likelihood/scale_mixture.hpp"
#include "likelihood/special_functions.hpp"

namespace vnngp::likelihood {
namespace {

constexpr double kBulk = 6.0;  ///< median distances from the median: four standard deviations of a normal law

double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

class StudentT final : public Likelihood {
public:
    std::string_view name() const override { return "student-t"; }
    std::span<const ParameterInfo> parameters() const override { return parameters_; }
    bool standardizes_targets() const override { return true; }

    void check_targets(std::span<const double> y, const RowDescription& describe_row) const override {
        check_each_target(y, describe_row, name(), "a finite number", [](double value) { return std::isfinite(value); });
    }

    /// The median: outliers are expected.
    double initial_mean(std::span<const double> y) const override { return y.empty() ? 0.0 : median({y.begin(), y.end()}); }

    /// The targets, those far out drawn in to where the bulk ends.
    std::vector<double> rough_latent(std::span<const double> y) const override {
        if (y.empty()) return {};
        const double center = initial_mean(y);
        std::vector<double> distance;
        for (const double value : y) distance.push_back(std::abs(value - center));
        double reach = kBulk * median(distance);
        if (reach == 0.0) {  // more than half of them are equal: as the others are
            std::erase(distance, 0.0);
            reach = distance.empty() ? 0.0 : kBulk * median(distance);
        }
        std::vector<double> latent;
        for (const double value : y) latent.push_back(std::clamp(value, center - reach, center + reach));
        return latent;
    }

    void expected_log_density(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
                              const ExpectedLogDensity& out) const override {
        const double scale = parameters[0], nu = parameters[1], a = 0.5 * nu, unit = 1.0 / (nu * scale);
        // log Gamma(a + 1/2) - log Gamma(a) without the cancellation of two large numbers.
        const double log_gamma_ratio =
            a * std::log1p(0.5 / a) + 0.5 * std::log(a) - 0.5 + stirling_correction(a + 0.5) - stirling_correction(a);
        const double constant = log_gamma_ratio - 0.5 * std::log(std::numbers::pi * nu * scale);
        const double d_constant_d_log_nu = a * (digamma(a + 0.5) - digamma(a)) - 0.5;
        const std::size_t n = f.size();
        for (std::size_t i = 0; i < n; ++i) {
            const double residual = y[i] - f.mean[i], squared = residual * residual * unit, variance = f.variance[i] * unit;
            const LogOnePlusSquare at = expected_log_one_plus_square(nodes_, squared, variance);
            const double homogeneous = 0.5 * (nu + 1.0) * (squared * at.d_squared_mean + variance * at.d_variance);
            store(out.value, i, constant - 0.5 * (nu + 1.0) * at.value);
            store(out.d_mean, i, (nu + 1.0) * residual * unit * at.d_squared_mean);
            store(out.d_variance, i, -0.5 * (nu + 1.0) * unit * at.d_variance);
            store(out.site_precision, i, (nu + 1.0) * unit * at.expected_inverse);
            store(out.d_log_parameters, i, homogeneous - 0.5);
            store(out.d_log_parameters, n + i, d_constant_d_log_nu - 0.5 * nu * at.value + homogeneous);
        }
    }

    void log_predictive_density(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
                                std::span<double> out) const override {
        const ScaleMixture mixture(parameters[0], parameters[1]);
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = mixture.log_density(y[i] - f.mean[i], f.variance[i]);
    }

    void predictive_moments(std::span<const double> parameters, const LatentMarginals& f, std::span<double> out_mean,
                            std::span<double> out_variance) const override {
        const double scale = parameters[0], nu = parameters[1];
        const double noise = nu > 2.0 ? scale * nu / (nu - 2.0) : std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < f.size(); ++i) {
            out_mean[i] = f.mean[i];
            out_variance[i] = f.variance[i] + noise;
        }
    }

    void predictive_quantile(std::span<const double> parameters, double probability, const LatentMarginals& f,
                             std::span<double> out) const override {
        check_probability(probability);
        const ScaleMixture mixture(parameters[0], parameters[1]);
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = f.mean[i] + mixture.quantile(probability, f.variance[i]);
    }

    void predictive_cdf(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
                        std::span<double> out) const override {
        const ScaleMixture mixture(parameters[0], parameters[1]);
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = mixture.cdf(y[i] - f.mean[i], f.variance[i]);
    }

    void crps(std::span<const double> parameters, std::span<const double> y, const LatentMarginals& f,
              std::span<double> out) const override {
        const ScaleMixture mixture(parameters[0], parameters[1]);
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = mixture.crps(y[i] - f.mean[i], f.variance[i]);
    }

    // Bailey's polar form (Math. Comp. 62, 1994).
    double draw(std::span<const double> parameters, double f, RandomStream& stream) const override {
        const double nu = parameters[1];
        const double radius = std::sqrt(nu * (std::pow(1.0 - stream.uniform(), -2.0 / nu) - 1.0));
        return f + std::sqrt(parameters[0]) * radius * std::cos(2.0 * std::numbers::pi * stream.uniform());
    }

private:
    // Below one degree of freedom y has no mean and no finite score.
    std::array<ParameterInfo, 2> parameters_{{{"scale", kInitialVariance, 1e-8, 1e3}, {"degrees_of_freedom", 4.0, 1.01, 1e4, false}}};
    FrullaniNodes nodes_;
};

}  // namespace

std::unique_ptr<Likelihood> make_student_t() { return std::make_unique<StudentT>(); }

}  // namespace vnngp::likelihood

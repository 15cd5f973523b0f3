// y in {0, 1, 2, ...}, y | f ~ Poisson(e^f). The expected log density is in closed form: E[y f - e^f] - log y! with E e^f = e^(mean +
// variance/2).
#include <algorithm>
#include <cmath>

#include "likelihood/batch.hpp"
#include "likelihood/poisson_lognormal.hpp"
#include "likelihood/registry.hpp"
#include "likelihood/special_functions.hpp"

namespace vnngp::likelihood {
namespace {

class Poisson final : public Likelihood {
public:
    std::string_view name() const override { return "poisson"; }
    std::span<const ParameterInfo> parameters() const override { return {}; }
    bool standardizes_targets() const override { return false; }

    void check_targets(std::span<const double> y, const RowDescription& describe_row) const override {
        check_each_target(y, describe_row, name(), "a count: 0, 1, 2, ...",
                          [](double value) { return std::isfinite(value) && value >= 0.0 && value == std::trunc(value); });
    }

    std::vector<double> rough_latent(std::span<const double> y) const override {
        std::vector<double> latent;
        for (const double value : y) latent.push_back(std::log(value + 0.5));
        return latent;
    }

    /// Log of the mean count, half an event added to the sample so that all zeros stay finite.
    double initial_mean(std::span<const double> y) const override {
        return y.empty() ? 0.0 : std::log(mean_of(y) + 0.5 / double(y.size()));
    }

    void expected_log_density(std::span<const double>, std::span<const double> y, const LatentMarginals& f,
                              const ExpectedLogDensity& out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) {
            const ValueAndDerivatives rate = bounded_exp(f.mean[i] + 0.5 * f.variance[i]);
            store(out.value, i, y[i] * f.mean[i] - rate.value - log_gamma(y[i] + 1.0));
            store(out.d_mean, i, y[i] - rate.first);
            store(out.d_variance, i, -0.5 * rate.first);
            store(out.site_precision, i, rate.first);
        }
    }

    void log_predictive_density(std::span<const double>, std::span<const double> y, const LatentMarginals& f,
                                std::span<double> out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = PoissonLogNormal(f.mean[i], f.variance[i]).log_probability(y[i]);
    }

    void predictive_moments(std::span<const double>, const LatentMarginals& f, std::span<double> out_mean,
                            std::span<double> out_variance) const override {
        for (std::size_t i = 0; i < f.size(); ++i) {
            out_mean[i] = std::exp(f.mean[i] + 0.5 * f.variance[i]);
            out_variance[i] = out_mean[i] + out_mean[i] * out_mean[i] * std::expm1(f.variance[i]);
        }
    }

    void predictive_quantile(std::span<const double>, double probability, const LatentMarginals& f, std::span<double> out) const override {
        check_probability(probability);
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = PoissonLogNormal(f.mean[i], f.variance[i]).quantile(probability);
    }

    void predictive_cdf(std::span<const double>, std::span<const double> y, const LatentMarginals& f,
                        std::span<double> out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = PoissonLogNormal(f.mean[i], f.variance[i]).cdf(std::floor(y[i]));
    }

    void crps(std::span<const double>, std::span<const double> y, const LatentMarginals& f, std::span<double> out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = PoissonLogNormal(f.mean[i], f.variance[i]).crps(y[i]);
    }

    // By inversion; a normal law where the rate is so large that the sum would be long and the difference cannot be seen.
    double draw(std::span<const double>, double f, RandomStream& stream) const override {
        const double rate = std::exp(f);
        if (rate > 500.0) return std::max(0.0, std::round(rate + std::sqrt(rate) * stream.normal()));
        const double u = stream.uniform();
        double probability = std::exp(-rate), sum = probability, count = 0.0;
        while (u > sum && count < 5000.0) {
            count += 1.0;
            probability *= rate / count;
            sum += probability;
        }
        return count;
    }
};

}  // namespace

std::unique_ptr<Likelihood> make_poisson() { return std::make_unique<Poisson>(); }

}  // namespace vnngp::likelihood

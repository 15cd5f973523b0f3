// y in {0, 1}, P(y = 1 | f) = link(f): the normal distribution function ("bernoulli") or the logistic function ("bernoulli-logit").
// Both links satisfy link(-f) = 1 - link(f), so p(y | f) = link(sign f) with sign = +1 for y = 1 and -1 for y = 0.
#include <cmath>
#include <numbers>

#include "likelihood/batch.hpp"
#include "likelihood/link_expectation.hpp"
#include "likelihood/normal_expectation.hpp"
#include "likelihood/registry.hpp"
#include "likelihood/special_functions.hpp"

namespace vnngp::likelihood {
namespace {

constexpr double kRoughLatent = 2.0;  ///< where either link is all but certain of the class

struct Probit {
    static constexpr std::string_view kName = "bernoulli";
    /// The zeros of Phi nearest to the real line are 1.916 +- 2.815 i.
    static constexpr double kSingularity = 2.8;
    static ValueAndDerivatives expected_log_link(const linalg::Quadrature& rule, double mean, double sd) {
        return expected_log_normal_cdf(rule, mean, sd);
    }
    static double inverse(double p) { return normal_quantile(p); }
    /// log E link(f): closed form.
    static double log_expected_link(double mean, double variance) { return log_normal_cdf(mean / std::sqrt(1.0 + variance)).value; }
};

struct Logit {
    static constexpr std::string_view kName = "bernoulli-logit";
    static constexpr double kSingularity = std::numbers::pi;  // exp(-f) = -1
    static ValueAndDerivatives expected_log_link(const linalg::Quadrature& rule, double mean, double sd) {
        return expected_log_logistic(rule, mean, sd);
    }
    static double inverse(double p) { return std::log(p / (1.0 - p)); }
    static double log_expected_link(double mean, double variance) { return log_normal_expectation(log_logistic, mean, variance); }
};

template <class Link>
class Bernoulli final : public Likelihood {
public:
    std::string_view name() const override { return Link::kName; }
    std::span<const ParameterInfo> parameters() const override { return {}; }
    bool standardizes_targets() const override { return false; }

    void check_targets(std::span<const double> y, const RowDescription& describe_row) const override {
        check_each_target(y, describe_row, name(), "0 or 1", [](double value) { return value == 0.0 || value == 1.0; });
    }

    std::vector<double> rough_latent(std::span<const double> y) const override {
        std::vector<double> latent;
        for (const double value : y) latent.push_back(value > 0.5 ? kRoughLatent : -kRoughLatent);
        return latent;
    }

    /// The link's inverse of the share of ones, half an observation of each class added so that a constant sample stays finite.
    double initial_mean(std::span<const double> y) const override {
        return Link::inverse((mean_of(y) * double(y.size()) + 0.5) / (double(y.size()) + 1.0));
    }

    void expected_log_density(std::span<const double>, std::span<const double> y, const LatentMarginals& f,
                              const ExpectedLogDensity& out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) {
            const double sign = y[i] > 0.5 ? 1.0 : -1.0, sd = std::sqrt(f.variance[i]), mean = sign * f.mean[i];
            const linalg::Quadrature& rule = normal_rule(sd, Link::kSingularity);
            const ValueAndDerivatives expected = Link::expected_log_link(rule, mean, sd);
            store(out.value, i, expected.value);
            store(out.d_mean, i, sign * expected.first);
            store(out.d_variance, i, 0.5 * expected.second);
            store(out.site_precision, i, -expected.second);
        }
    }

    void log_predictive_density(std::span<const double>, std::span<const double> y, const LatentMarginals& f,
                                std::span<double> out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = Link::log_expected_link(y[i] > 0.5 ? f.mean[i] : -f.mean[i], f.variance[i]);
    }

    void predictive_moments(std::span<const double>, const LatentMarginals& f, std::span<double> out_mean,
                            std::span<double> out_variance) const override {
        for (std::size_t i = 0; i < f.size(); ++i) {
            out_mean[i] = probability_of_one(f, i);
            out_variance[i] = out_mean[i] * std::exp(Link::log_expected_link(-f.mean[i], f.variance[i]));
        }
    }

    void predictive_quantile(std::span<const double>, double probability, const LatentMarginals& f, std::span<double> out) const override {
        check_probability(probability);
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = 1.0 - probability_of_one(f, i) >= probability ? 0.0 : 1.0;
    }

    void predictive_cdf(std::span<const double>, std::span<const double> y, const LatentMarginals& f,
                        std::span<double> out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) out[i] = y[i] < 0.0 ? 0.0 : y[i] < 1.0 ? 1.0 - probability_of_one(f, i) : 1.0;
    }

    void crps(std::span<const double>, std::span<const double> y, const LatentMarginals& f, std::span<double> out) const override {
        for (std::size_t i = 0; i < f.size(); ++i) {
            const double error = probability_of_one(f, i) - y[i];
            out[i] = error * error;
        }
    }

    double draw(std::span<const double>, double f, RandomStream& stream) const override {
        return stream.uniform() < std::exp(Link::log_expected_link(f, 0.0)) ? 1.0 : 0.0;
    }

private:
    static double probability_of_one(const LatentMarginals& f, std::size_t i) {
        return std::exp(Link::log_expected_link(f.mean[i], f.variance[i]));
    }
};

}  // namespace

std::unique_ptr<Likelihood> make_bernoulli_probit() { return std::make_unique<Bernoulli<Probit>>(); }
std::unique_ptr<Likelihood> make_bernoulli_logit() { return std::make_unique<Bernoulli<Logit>>(); }

}  // namespace vnngp::likelihood

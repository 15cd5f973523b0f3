// The slow, obvious view of a predictive law: nothing but its log density, summed or integrated on a fine grid.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "vnngp/likelihood/likelihood.hpp"

namespace vnngp::testing {

class NumericalLaw {
public:
    NumericalLaw(const likelihood::Likelihood& likelihood, std::span<const double> parameters, double mean, double variance, bool discrete)
        : likelihood_(likelihood),
          parameters_(parameters.begin(), parameters.end()),
          mean_(mean),
          variance_(variance),
          discrete_(discrete) {
        if (discrete_) {
            double last = 1.0;
            if (likelihood_.name() == "poisson") last = std::ceil(std::exp(mean_ + 7.5 * std::sqrt(variance_)) * 1.5 + 60.0);
            for (double k = 0.0; k <= last; k += 1.0) points_.push_back(k);
            widths_.assign(points_.size(), 1.0);
        } else {
            fill_grid(0.05, 35.0);
        }
        density_ = density(points_);
    }

    double mass() const {
        return sum([](double) { return 1.0; });
    }
    double mean() const {
        return mean_ + sum([&](double y) { return y - mean_; });
    }
    double variance() const {
        const double center = mean();
        return sum([&](double y) { return (y - center) * (y - center); });
    }

    double cdf(double x) const {
        if (discrete_) {
            double total = 0.0;
            for (std::size_t k = 0; k < points_.size() && points_[k] <= x; ++k) total += density_[k];
            return total;
        }
        // The tail away from the mean, by trapezoids in u, point = x -+ e^u.
        constexpr double kStep = 0.1;
        const double side = x < mean_ ? -1.0 : 1.0;
        std::vector<double> points, widths;
        for (double u = -30.0; u < 35.0; u += kStep) {
            points.push_back(x + side * std::exp(u));
            widths.push_back(kStep * std::exp(u));
        }
        const std::vector<double> p = density(points);
        double tail = 0.0;
        for (std::size_t k = 0; k < p.size(); ++k) tail += p[k] * widths[k];
        return x < mean_ ? tail : 1.0 - tail;
    }

    /// int (F(t) - 1{t >= y})^2 dt at each y, with F summed up from the density. Accurate to about 1e-5 for a continuous law.
    std::vector<double> crps(std::span<const double> observed) {
        if (!discrete_) {
            fill_grid(0.01, 17.0);
            density_ = density(points_);
        }
        std::vector<double> scores(observed.size(), 0.0);
        double below = 0.0;
        for (std::size_t k = 0; k < points_.size(); ++k) {
            const double mass = density_[k] * widths_[k];
            for (std::size_t i = 0; i < observed.size(); ++i) {
                if (discrete_) {
                    scores[i] += std::pow(below + mass - (points_[k] >= observed[i] ? 1.0 : 0.0), 2);
                    continue;
                }
                // A cell of the given width about the point, which y may cut in two; F is taken at the middle of each part.
                const double share = std::clamp((observed[i] - points_[k]) / widths_[k] + 0.5, 0.0, 1.0);
                const double left = below + 0.5 * share * mass, right = 1.0 - below - 0.5 * (1.0 + share) * mass;
                scores[i] += widths_[k] * (share * left * left + (1.0 - share) * right * right);
            }
            below += mass;
        }
        return scores;
    }

private:
    /// Trapezoids in u, point = mean + unit sinh(u): fine near the mean, and reaching into a heavy tail.
    void fill_grid(double step, double reach) {
        const double unit = std::sqrt(variance_ + parameters_[0]);
        const int half = int(reach / step);
        points_.clear();
        widths_.clear();
        for (int k = -half; k <= half; ++k) {
            points_.push_back(mean_ + unit * std::sinh(k * step));
            widths_.push_back(step * unit * std::cosh(k * step));
        }
    }

    std::vector<double> density(const std::vector<double>& y) const {
        const std::vector<double> mean(y.size(), mean_), variance(y.size(), variance_);
        std::vector<double> out(y.size());
        likelihood_.log_predictive_density(parameters_, y, {mean, variance}, out);
        for (double& value : out) value = std::exp(value);
        return out;
    }

    template <class Function>
    double sum(Function g) const {
        double total = 0.0;
        for (std::size_t k = 0; k < points_.size(); ++k) total += g(points_[k]) * density_[k] * widths_[k];
        return total;
    }

    const likelihood::Likelihood& likelihood_;
    std::vector<double> parameters_;
    double mean_, variance_;
    bool discrete_;
    std::vector<double> points_, widths_, density_;
};

}  // namespace vnngp::testing

#include "likelihood/registry.hpp"

#include <array>

#include "vnngp/base/error.hpp"

namespace vnngp::likelihood {
namespace {

struct Entry {
    std::string_view name;
    std::unique_ptr<Likelihood> (*make)();
};

constexpr std::array kEntries{
    Entry{"gaussian", make_gaussian},
    Entry{"student-t", make_student_t},
    Entry{"bernoulli", make_bernoulli_probit},
    Entry{"bernoulli-logit", make_bernoulli_logit},
    Entry{"poisson", make_poisson},
};

}  // namespace

std::unique_ptr<Likelihood> make_likelihood(std::string_view name) {
    std::string known;
    for (const Entry& entry : kEntries) {
        if (entry.name == name) return entry.make();
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    }
    throw InputError("unknown likelihood '" + std::string(name) + "'; expected one of: " + known);
}

std::vector<std::string> likelihood_names() {
    std::vector<std::string> names;
    for (const Entry& entry : kEntries) names.emplace_back(entry.name);
    return names;
}

}  // namespace vnngp::likelihood

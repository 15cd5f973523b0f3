// From expressions to kernels: the registry of names, and the names of parameters.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "kernel/expression.hpp"
#include "kernel/parts.hpp"

namespace vnngp::kernel {
namespace {

struct Entry {
    std::string_view name;
    Profile profile;
};

constexpr Entry kStationary[] = {
#define VNNGP_ENTRY(name, type) {#name, Profile::name},
    VNNGP_STATIONARY_PROFILES(VNNGP_ENTRY) VNNGP_SHAPED_PROFILES(VNNGP_ENTRY)
#undef VNNGP_ENTRY
};

Profile profile_called(std::string_view name) {
    for (const Entry& entry : kStationary)
        if (entry.name == name) return entry.profile;
    return {};  // cannot happen: the parser lets no other name pass
}

std::string numbered_name(std::string_view stem, std::span<const Input> inputs, int input) {
    return fmt::format("{}_{}", stem, inputs[input].name.empty() ? std::to_string(input + 1) : inputs[input].name);
}

// The parameters of a leaf: length-scales of its inputs, then what its kernel has besides.
std::vector<Parameter> leaf_parameters(const Term& leaf, std::span<const Input> inputs) {
    if (leaf.kernel == kPeriodic)
        return {{.name = numbered_name("periodic_lengthscale", inputs, leaf.inputs[0]),
                 .initial = 1.0,
                 .lower = 1e-3,
                 .upper = 1e3,
                 .is_lengthscale = true},
                {.name = numbered_name("period", inputs, leaf.inputs[0]), .input = leaf.inputs[0]}};
    std::vector<Parameter> parameters;
    for (const int input : leaf.inputs)
        parameters.push_back({.name = numbered_name("lengthscale", inputs, input), .input = input, .is_lengthscale = true});
    if (is_shaped(profile_called(leaf.kernel))) parameters.push_back({.name = "alpha", .initial = 1.0, .lower = 0.05, .upper = 1e3});
    return parameters;
}

void collect(const Term& term, Term::Kind kind, std::vector<const Term*>& found) {
    if (term.kind == kind) found.push_back(&term);
    for (const Term& part : term.parts) collect(part, kind, found);
}

// What makes the names of parameters unique, by leaf or sum: "" while they are, then the kernel's name as in "rbf.", numbered when the
// kernel occurs more than once, as in "rbf[2].".
std::map<const Term*, std::string> label_terms(const Term& root, std::span<const Input> inputs) {
    std::vector<const Term*> leaves, sums;
    collect(root, Term::Kind::leaf, leaves);
    collect(root, Term::Kind::sum, sums);
    std::map<std::string, int> parameter_uses, kernel_uses, kernels_before;
    for (const Term* leaf : leaves) {
        ++kernel_uses[leaf->kernel];
        for (const Parameter& parameter : leaf_parameters(*leaf, inputs)) ++parameter_uses[parameter.name];
    }

    std::map<const Term*, std::string> labels;
    for (const Term* leaf : leaves) {
        const int number = ++kernels_before[leaf->kernel];
        bool clash = false;
        for (const Parameter& parameter : leaf_parameters(*leaf, inputs)) clash = clash || parameter_uses[parameter.name] > 1;
        if (clash) labels[leaf] = kernel_uses[leaf->kernel] > 1 ? fmt::format("{}[{}].", leaf->kernel, number) : leaf->kernel + ".";
    }
    for (std::size_t i = 0; i < sums.size() && sums.size() > 1; ++i) labels[sums[i]] = fmt::format("sum[{}].", i + 1);
    return labels;
}

constexpr double kApart = 0.2;  ///< from the length-scales of one part to those of the next that is alike

class Builder {
public:
    Builder(const Term& root, std::span<const Input> inputs) : inputs_(inputs), labels_(label_terms(root, inputs)) {
        for (const Input& input : inputs) {
            first_column_.push_back(num_dims_);
            num_dims_ += input.num_dims;
        }
    }

    std::unique_ptr<Kernel> build(const Term& term) {
        const std::string name = expression_text(term, inputs_);
        if (term.kind == Term::Kind::leaf) return term.kernel == kPeriodic ? periodic(term, name) : stationary(term, name);
        std::vector<std::unique_ptr<Kernel>> parts;
        for (const Term& part : term.parts) parts.push_back(build(part));
        if (term.kind == Term::Kind::product) return make_product(name, std::move(parts));
        std::vector<Parameter> weights;
        for (std::size_t part = 2; part <= parts.size(); ++part)
            weights.push_back({.name = fmt::format("{}weight_{}", labels_[&term], part), .initial = 1.0});
        return make_mixture(name, std::move(parts), std::move(weights));
    }

private:
    // Parts that are alike begin with different length-scales: from the same ones they would learn the same.
    std::vector<Parameter> labelled_parameters(const Term& leaf) {
        auto parameters = leaf_parameters(leaf, inputs_);
        const int before = leaves_before_[{leaf.kernel, leaf.inputs}]++;
        for (Parameter& parameter : parameters) {
            parameter.name = labels_[&leaf] + parameter.name;
            if (parameter.is_lengthscale) parameter.initial *= std::pow(kApart, before);
        }
        return parameters;
    }

    std::unique_ptr<Kernel> stationary(const Term& leaf, const std::string& name) {
        const Profile profile = profile_called(leaf.kernel);
        ScaledColumns scaled{num_dims_, {}, {}, labelled_parameters(leaf)};
        std::optional<Parameter> alpha;
        if (is_shaped(profile)) {
            alpha = scaled.lengthscales.back();
            scaled.lengthscales.pop_back();
        }
        for (std::size_t i = 0; i < leaf.inputs.size(); ++i) {
            const int input = leaf.inputs[i];
            for (int dim = 0; dim < inputs_[input].num_dims; ++dim) {
                scaled.columns.push_back(first_column_[input] + dim);
                scaled.lengthscale.push_back(static_cast<int>(i));
            }
        }
        return make_stationary(name, profile, std::move(scaled), std::move(alpha));
    }

    std::unique_ptr<Kernel> periodic(const Term& leaf, const std::string& name) {
        const int input = leaf.inputs[0];
        const auto parameters = labelled_parameters(leaf);
        std::optional<double> given;
        if (leaf.period) given = *leaf.period / inputs_[input].scale;
        return make_periodic(name, {num_dims_, first_column_[input], parameters[0], parameters[1], given});
    }

    std::span<const Input> inputs_;
    std::map<const Term*, std::string> labels_;
    std::map<std::pair<std::string, std::vector<int>>, int> leaves_before_;  ///< with the same kernel on the same inputs
    std::vector<int> first_column_;
    int num_dims_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> make_kernel(std::string_view expression, std::span<const Input> inputs) {
    const Term root = parse_expression(expression, inputs);
    return Builder(root, inputs).build(root);
}

std::unique_ptr<Kernel> make_kernel(std::string_view expression, int num_dims) {
    return make_kernel(expression, std::vector<Input>(num_dims));
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const Entry& entry : kStationary) names.emplace_back(entry.name);
    names.emplace_back(kPeriodic);
    return names;
}

}  // namespace vnngp::kernel

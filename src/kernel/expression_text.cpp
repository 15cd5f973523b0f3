#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernel/characters.hpp"
#include "kernel/expression.hpp"

namespace vnngp::kernel {
namespace {

std::string quoted_if_odd(const std::string& name) {
    if (std::all_of(name.begin(), name.end(), is_word_character)) return name;
    std::string quoted = "'";
    for (const char c : name) quoted.append(c == '\'' ? 2 : 1, c);
    quoted += '\'';
    return quoted;
}

std::string leaf_text(const Term& leaf, std::span<const Input> inputs) {
    bool all = leaf.inputs.size() == inputs.size();
    std::vector<std::string> names;
    for (const int input : leaf.inputs) {
        all = all && input == static_cast<int>(names.size());
        names.push_back(quoted_if_odd(input_name(inputs, input)));
    }
    if (leaf.period) return fmt::format("{}({}, period={})", leaf.kernel, fmt::join(names, ","), *leaf.period);
    return all ? leaf.kernel : fmt::format("{}({})", leaf.kernel, fmt::join(names, ","));
}

}  // namespace

std::string input_name(std::span<const Input> inputs, int input) {
    return inputs[input].name.empty() ? fmt::format("x{}", input + 1) : inputs[input].name;
}

std::string expression_text(const Term& term, std::span<const Input> inputs) {
    if (term.kind == Term::Kind::leaf) return leaf_text(term, inputs);
    std::vector<std::string> parts;
    for (const Term& part : term.parts) {
        const std::string text = expression_text(part, inputs);
        parts.push_back(part.kind == Term::Kind::sum ? fmt::format("({})", text) : text);
    }
    return fmt::format("{}", fmt::join(parts, term.kind == Term::Kind::sum ? " + " : " * "));
}

}  // namespace vnngp::kernel

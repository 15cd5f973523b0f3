// Kernel expressions as text and as trees.
//
//     sum     = product { '+' product }
//     product = factor { '*' factor }
//     factor  = '(' sum ')' | kernel [ '(' argument { ',' argument } ')' ]
//     argument = input | 'period' '=' number
//     input   = letters, digits, '_', '.'  |  anything between quotes '...', a quote inside written twice
//
// Arguments that are no inputs by themselves may be one together: a place on the sphere is the input "lon,lat", and rbf(lon,lat) finds it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {

struct Term {
    enum class Kind { leaf, product, sum };

    Kind kind = Kind::leaf;
    std::string kernel = {};            ///< of a leaf: its name
    std::vector<int> inputs = {};       ///< of a leaf: numbers of its inputs
    std::optional<double> period = {};  ///< of a leaf `periodic`, in data units, when it is given
    std::vector<Term> parts = {};       ///< of a product or sum: at least two, none of the same kind as the whole
};

/// Throws InputError naming the character where the text is wrong.
Term parse_expression(std::string_view text, std::span<const Input> inputs);

/// The text that parses to this term.
std::string expression_text(const Term& term, std::span<const Input> inputs);

/// How an input is called in expressions: its name, or x1, x2, ...
std::string input_name(std::span<const Input> inputs, int input);

inline constexpr std::string_view kPeriodic = "periodic";

}  // namespace vnngp::kernel

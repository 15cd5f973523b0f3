// One step of Adam on many parameters at once.
#pragma once

#include <array>
#include <cstddef>

namespace vnngp::optim {

struct AdamStep {
    double correction;  ///< learning rate times the bias corrections
    double first_decay, second_decay, epsilon;
};

/// moments [count][2][first, root of the second]; values[k] and gradient[k] [count].
void adam_pairs(const AdamStep& step, std::size_t count, double* moments, const std::array<double*, 2>& values,
                const std::array<const double*, 2>& gradient);

}  // namespace vnngp::optim

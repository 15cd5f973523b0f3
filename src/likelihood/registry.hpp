// What each likelihood's file offers to the registry.
#pragma once

#include <memory>

#include "vnngp/likelihood/likelihood.hpp"

namespace vnngp::likelihood {

std::unique_ptr<Likelihood> make_gaussian();
std::unique_ptr<Likelihood> make_student_t();
std::unique_ptr<Likelihood> make_bernoulli_probit();
std::unique_ptr<Likelihood> make_bernoulli_logit();
std::unique_ptr<Likelihood> make_poisson();

}  // namespace vnngp::likelihood

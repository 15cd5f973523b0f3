// The quadratic-cost inner loops of a conditional's adjoint, on the lanes of a batch of neighbourhoods at once.
#pragma once

namespace vnngp::conditional {

/// Eq. G3: for n neighbours and the target in place n, the derivative in each correlation below the diagonal, counted once per pair
/// (packed rows 1..n): 2 g_f b_p b_q - (w_p b_q + b_p w_q) between neighbours, w_q - 2 g_f b_q with the target.
/// b, w [n][lanes]; g_f [lanes].
void pair_weights(int n, const double* b, const double* w, const double* g_f, double* weight);
void pair_weights(int n, const float* b, const float* w, const float* g_f, float* weight);

/// The derivative in each correlation below the diagonal, counted once per pair (packed rows 1..n-1), of an objective with the derivative
/// sum_r a_r b_r' in a symmetric matrix of order n: sum_r a_rp b_rq + b_rp a_rq. a, b [rows][n][lanes].
void symmetric_pair_weights(int n, int rows, const double* a, const double* b, double* weight);

}  // namespace vnngp::conditional

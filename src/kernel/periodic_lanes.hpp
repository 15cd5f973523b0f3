// What the periodic kernel needs beyond the squared exponential, on kLanes neighbourhoods at once.
//
// A coordinate t becomes a point u = (cos, sin)(2 pi t / p) / l on a circle: with d = t - t', |u - u'|^2 = 4 sin^2(pi d / p) / l^2, so that
// the squared exponential of u is the periodic kernel exp(-2 sin^2(pi d / p) / l^2).
#pragma once

namespace vnngp::kernel {

/// circle [num_points][2][kLanes] = u of coordinate number `column` of coordinates [num_points][num_dims][kLanes].
void wind_around_circle(int num_points, int num_dims, int column, const double* coordinates, double period, double inverse_lengthscale,
                        double* circle);

/// With dk/dt = -k (2 pi / p) sin(2 pi d / p) / l^2 and dk/dlog p = -d dk/dt, adds the weighted sum over pairs to period_gradient [kLanes]
/// and location_gradient [num_points][num_dims][kLanes]; either may be null.
void periodic_gradient(int num_points, int num_dims, int column, const double* coordinates, double period, const double* circle,
                       const double* weight, const double* correlation, double* period_gradient, double* location_gradient);

}  // namespace vnngp::kernel

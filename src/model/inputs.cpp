// What the kernel sees of the user's columns.
#include <fmt/format.h>

#include "vnngp/data/sphere.hpp"
#include "vnngp/model/fitted_model.hpp"

namespace vnngp {
namespace {

std::string label(const FittedModel& model, Index column) {
    return model.input_names.empty() ? fmt::format("column {}", column + 1) : model.input_names[static_cast<std::size_t>(column)];
}

Points places(const FittedModel& model, const Points& points) {
    const auto [lon, lat] = *model.lonlat;
    const Vector longitude = points.col(lon), latitude = points.col(lat);
    const auto span = [](const Vector& v) { return std::span<const double>(v.data(), static_cast<std::size_t>(v.size())); };
    const auto describe = [&](Index column) {
        return [&model, column](std::size_t row) { return fmt::format("input column '{}', row {}", label(model, column), row + 1); };
    };
    data::require_degrees(span(longitude), data::kLargestLongitude, "longitude", describe(lon));
    data::require_degrees(span(latitude), data::kLargestLatitude, "latitude", describe(lat));
    return data::sphere_coordinates(span(longitude), span(latitude));
}

}  // namespace

std::vector<kernel::Input> kernel_inputs(const FittedModel& model) {
    std::vector<kernel::Input> inputs;
    Eigen::Index dim = 0;
    for (const Index column : model.used_columns) {
        if (model.lonlat && column == model.lonlat->second) continue;
        const bool place = model.lonlat && column == model.lonlat->first;
        inputs.push_back({label(model, column), place ? 3 : 1, model.input_scaling.scale[dim]});
        if (place) inputs.back().name.append(",").append(label(model, model.lonlat->second));
        dim += inputs.back().num_dims;
    }
    return inputs;
}

Points coordinates(const FittedModel& model, const Points& points) {
    Points out(points.rows(), static_cast<Eigen::Index>(model.used_columns.size()) + (model.lonlat ? 1 : 0));
    Eigen::Index dim = 0;
    for (const Index column : model.used_columns) {
        if (model.lonlat && column == model.lonlat->second) continue;
        if (model.lonlat && column == model.lonlat->first) {
            out.middleCols(dim, 3) = places(model, points);
            dim += 3;
        } else {
            out.col(dim++) = points.col(column);
        }
    }
    return out;
}

}  // namespace vnngp

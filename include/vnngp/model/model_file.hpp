// The model on disk: docs/model-file.md describes the format and its promise (later versions keep reading it).
#pragma once

#include <string>

#include "vnngp/model/fitted_model.hpp"

namespace vnngp {

/// Writes the file whole or not at all. Throws InputError when the path cannot be written.
void save_model(const std::string& path, const FittedModel& model);

/// Throws InputError for a file that is truncated, corrupted, not a model, or of a later format version.
FittedModel load_model(const std::string& path);

}  // namespace vnngp

// Golden values computed by an independent implementation: tests/data/oracle, see its README.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>

namespace vnngp::testing {

inline const nlohmann::json& oracle() {
    static const nlohmann::json values = nlohmann::json::parse(std::ifstream(VNNGP_TEST_DATA "/oracle/vectors.json"));
    return values;
}

}  // namespace vnngp::testing

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "vnngp/base/context.hpp"
#include "vnngp/linalg/lanes.hpp"
#include "vnngp_version.hpp"

namespace vnngp::app {

std::string version_text() {
    return fmt::format("vnngp {}\ninstruction set {}, {} by default", VNNGP_VERSION, linalg::instruction_set(),
                       counted(Context{}.num_threads(), "thread"));
}

}  // namespace vnngp::app

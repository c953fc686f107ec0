// SPDX-License-Identifier: Apache-2.0
//
// The layer's log, kept in a file of this process and read while tests run: it proves that
// shaders were rewritten, and tells what the layer found wrong with its own output.
#pragma once

#include <cstdint>
#include <string>

namespace coopvk::test {

// What became of the matrices of the shaders in the log.
struct BackEnds {
    uint32_t native = 0, core = 0;
    std::string unexplained;  // lines that say why it is core, by no limit of the driver's
};

class LayerLog {
 public:
    // Points the layer at a new file; before the instance is made.
    static void start();
    // What was logged since the last call.
    static std::string take();
    // Of all that take() has returned since the last call.
    static BackEnds takeBackEnds();
    static void stop();  // removes the file
};

}  // namespace coopvk::test

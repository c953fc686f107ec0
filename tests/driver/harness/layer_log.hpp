// SPDX-License-Identifier: Apache-2.0
//
// The layer's log, in a file of this process that is read while tests run. It proves that shaders
// were rewritten, and shows what the layer found wrong with its own output.
#pragma once

#include <cstdint>
#include <string>

namespace coopvk::test {

// The back-ends of the matrices of the shaders in the log.
struct BackEnds {
    uint32_t native = 0, core = 0;
    std::string unexplained;  // lines that say why it is core, by no limit of the driver's
};

class LayerLog {
 public:
    // Makes the layer log to a new file. Call this before the instance is created.
    static void start();
    // What was logged since the last call.
    static std::string take();
    // Of all that take() has returned since the last call.
    static BackEnds takeBackEnds();
    static void stop();  // removes the file
};

}  // namespace coopvk::test

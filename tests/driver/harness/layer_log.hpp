// SPDX-License-Identifier: Apache-2.0
//
// The layer's log, kept in a file of this process and read while tests run: it proves that
// shaders were rewritten, and tells what the layer found wrong with its own output.
#pragma once

#include <string>

namespace coopvk::test {

class LayerLog {
 public:
    // Points the layer at a new file; before the instance is made.
    static void start();
    // What was logged since the last call.
    static std::string take();
    static void stop();  // removes the file
};

}  // namespace coopvk::test

// SPDX-License-Identifier: Apache-2.0
//
// What is compared. A case says what a shader computes. Its plan contains everything that a side
// needs to run it, and how the results may differ from those of the reference device.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "compare/numbers/allowed.hpp"
#include "compare/shaders/program.hpp"

namespace coopvk::compare {

// A matrix of cooperative vectors that is in one of the side's own layouts while the shader runs.
// Before, it is converted from a row-major matrix in the plan's buffer; after, it is converted
// back.
struct Relayout {
    size_t buffer = 0;  // of the plan: all of it, a tight row-major matrix before and after
    Component component = VK_COMPONENT_TYPE_FLOAT16_KHR;
    uint32_t rows = 0, columns = 0;
    Layout layout = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV;
    bool back = false;  // the shader changes it: convert it back
};

// Without a shader: one matrix conversion from buffer 0 to buffer 1.
struct Conversion {
    bool onDevice = false;
    Component from, to;
    Layout fromLayout, toLayout;
    size_t fromStride = 0, toStride = 0;
    uint32_t rows = 0, columns = 0;
};

// How results of floats may differ from those of the reference device.
struct Freedom {
    // By the direction of rounding: they may be either neighbour of the exact value.
    bool rounds = false;
    // By more: sums in any order, functions of open precision. They are in the reference device's
    // intervals.
    bool inIntervals = false;
};

struct Plan {
    std::string assembly;             // the shader; empty: only conversions
    std::vector<Bytes> buffers;       // by binding; what they hold before
    std::vector<std::string> labels;  // what the buffers are, for people
    std::vector<size_t> addresses;    // buffers whose addresses are push constants, in order
    uint32_t groups = 1;
    std::vector<Relayout> relayouts;
    std::vector<Conversion> conversions;  // one after the other: buffer i to buffer i + 1
    size_t output = 0;                    // the buffer with the result
    Block result;                         // the elements in it; nothing else may change
    Freedom freedom;
    std::vector<Expected> expected;  // row by row: by the reference device
};

struct DeviceShape {
    uint32_t subgroupSize = 32;
};

struct Case {
    std::string name;                       // unique: row/operation/details
    std::string row;                        // property row, for people
    std::string operation;                  // "multiply-add"
    bool native = false, emulated = false;  // which sides list its row
    std::function<Plan(const DeviceShape& device, uint64_t seed)> plan;
    uint32_t bits = 0;              // of kMatrix2Bits: features that it needs
    bool convertsInDriver = false;  // without a shader
    bool lacksBits = false;  // one side has not all of them: the other runs it with the reference
};

}  // namespace coopvk::compare

// SPDX-License-Identifier: Apache-2.0
//
// Property rows of VK_NV_cooperative_vector, and the other properties, of both sides.
#pragma once

#include "compare/numbers/number.hpp"
#include "compare/run/gpu.hpp"

namespace coopvk::compare {

// Which of the sides have something.
struct OnSides {
    bool native = false, emulated = false;

    bool any() const { return native || emulated; }
    OnSides operator&(const OnSides& other) const {
        return {native && other.native, emulated && other.emulated};
    }
    bool& of(SideKind side) { return side == SideKind::kNative ? native : emulated; }
};

struct VectorRow {
    Component input, interpretation, matrix, bias, result;
    OnSides listed, transpose;

    bool isPacked() const {
        return interpretation == VK_COMPONENT_TYPE_SINT8_PACKED_NV ||
               interpretation == VK_COMPONENT_TYPE_UINT8_PACKED_NV;
    }
    bool sameAs(const VectorRow& other) const {
        return input == other.input && interpretation == other.interpretation &&
               matrix == other.matrix && bias == other.bias && result == other.result;
    }
};
// "f16 as e4m3 * e4m3 + f16 = f16"
std::string nameOf(const VectorRow& row);

// Types of vectors that a shader may have.
struct VectorType {
    Component component;
    OnSides listed;
};

struct VectorProperties {
    std::vector<VectorRow> rows;
    std::vector<VectorType> types;
    OnSides trainsFloat16, trainsFloat32;
};
VectorProperties vectorProperties(const Gpu* native, const Gpu* emulated);

}  // namespace coopvk::compare

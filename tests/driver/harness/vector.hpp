// SPDX-License-Identifier: Apache-2.0
//
// Cooperative vectors in GLSL, and arrays of their components as bytes.
#pragma once

#include <string>
#include <string_view>

#include "compute.hpp"
#include "conversion.hpp"

namespace coopvk::test {

// Any component type of a vector or interpretation of a matrix.
struct VectorComponent {
    VkComponentTypeKHR type;
    std::string_view name;   // f16, s8packed, ...
    std::string_view glsl;   // type of a component in shaders; of what holds it for packed ones
    std::string_view token;  // gl_ComponentType...
    uint32_t bytes;          // of an element
    bool isFloat;
    double low, high;  // range of small test values that every format holds exactly

    bool isPacked() const {
        return type == VK_COMPONENT_TYPE_SINT8_PACKED_NV ||
               type == VK_COMPONENT_TYPE_UINT8_PACKED_NV;
    }
};
const VectorComponent& component(VkComponentTypeKHR type);

// One element by index.
void putElement(Bytes& bytes, size_t offset, const VectorComponent& type, double value);
double getElement(const Bytes& bytes, size_t offset, const VectorComponent& type);

// Extensions and the memory model pragma, then a workgroup with this number of invocations.
std::string vectorHeader(uint32_t invocations);

}  // namespace coopvk::test

// SPDX-License-Identifier: Apache-2.0
//
// Tests of operations on matrix values: the inputs are three matrices A, B and C of one type, the
// result is one matrix of that type.
#pragma once

#include <string>

#include "assembly.hpp"
#include "compute.hpp"

namespace coopvk::test {

struct ValueType {
    Component component = Component::kF32;
    uint32_t rows = 8, columns = 8;
    Use use = Use::kAccumulator;
};
std::string valueTypeName(const ValueType& type);
// The types of the value tests.
std::vector<ValueType> valueTypes();

// GLSL: `body` computes R from A, B and C, all of type T, with scalar type E; `global` is the text
// before main. push.n[0] to n[3] are 3, 1, 0 and 2.
struct GlslValue {
    std::string name, global, body;
    // glslang emits some code that spirv-val refuses, but that drivers get.
    Checked checked = Checked::kYes;
};
std::string glslValueSource(const GlslValue& value, const ValueType& type);

// Assembly: ${add} adds two %T, ${E} is the component type, ${two} two. The body has %A, %B and %C
// of type %T with components %E (pointers %pd, stride %stride), and must define %R.
struct AssemblyValue {
    std::string name, declarations, body, functions;
    Checked checked = Checked::kYes;
    std::vector<std::string> capabilities, extensions, interfaces;
    std::string decorations = {};
};
Assembly valueAssembly(const AssemblyValue& value, const ValueType& type);

// Runs the shader, which must read buffers 0 to 2 and write buffer 3, here and on the reference
// device.
void expectValue(const Words& words, const ValueType& type = {},
                 const PipelineOptions& options = {});

}  // namespace coopvk::test

// SPDX-License-Identifier: Apache-2.0
//
// SPIR-V assembly for code that GLSL cannot express. An Assembly is a compute module that declares
// all scalar types, small constants and storage buffers; the test adds its own types and functions.
//
// Ids: %void %void_fn %bool, scalar types %f16 %s8 %u32 ..., vectors %f16x2 %u32x4 ..., 32-bit
// constants %c_0 to %c_64 (unsigned), pointers %sb_f16 (StorageBuffer), %fn_X and so on as the
// test declares them. Buffer NAME: variable %NAME, element pointers by OpAccessChain
// %sb_T %NAME %c_0 %index. The subgroup-sized workgroup is set up; %lane is the local invocation's
// index variable (Input, u32).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "component.hpp"
#include "matrix.hpp"
#include "shader.hpp"

namespace coopvk::test {

struct AssemblyBuffer {
    std::string name;
    std::string element;  // type id without %: "f16", "u32x4"
    uint32_t stride;      // bytes of one element
    // The variable is an untyped pointer of the type %untyped (SPV_KHR_untyped_pointers).
    bool isUntyped = false;
};

struct Assembly {
    std::vector<AssemblyBuffer> buffers;  // by binding
    std::vector<std::string> capabilities;
    std::vector<std::string> extensions;
    std::string decorations;   // before the types
    std::string types;         // ahead of the buffers that may hold them
    std::string declarations;  // types, constants, variables
    // More entry points, as "OpEntryPoint GLCompute %other \"other\"" without the interface.
    std::vector<std::string> entryPoints;
    std::vector<std::string> interfaces;  // ids of further variables of the entry points
    std::string body;                     // of %main, without OpFunction, first label and end
    std::string functions;                // complete ones
    uint32_t subgroups = 1;               // workgroup height
};

std::string assemblyText(const Assembly& assembly);
inline Words assemble(const Assembly& assembly, Checked checked = Checked::kYes) {
    return assemble(assemblyText(assembly), checked);
}

// "%NAME = OpTypeCooperativeMatrixKHR ..." with subgroup scope.
std::string matrixType(std::string_view id, Component component, uint32_t rows, uint32_t columns,
                       Use use);
// "%c_5" for 32-bit unsigned constants of the module.
std::string constant(uint32_t value);
inline AssemblyBuffer scalars(std::string buffer, Component type) {
    return {std::move(buffer), std::string(name(type)), info(type).bytes};
}

// Statements that only the first invocation of each workgroup executes, once in a module: others
// would write the same memory, which is a race even if they write the same.
std::string inFirstInvocation(const std::string& body);

}  // namespace coopvk::test

// SPDX-License-Identifier: Apache-2.0
//
// Shaders in the manner of other compilers and of public bug reports: a file each in modules/, GLSL
// (*.comp) or assembly (*.spvasm). Comments in a file say what its tests need:
//
//   test: refused TEXT     the rewriter must refuse it, with a message that contains TEXT
//   test: needs EXTENSION  a device that executes it must have this Vulkan extension
//   test: buffers KIND:COUNT ...   storage buffers 0, 1, ... of set 0, with COUNT elements each
//   test: push N ...       push constants, 32 bits each
//   test: groups N         workgroups; default 1
//   test: subgroup         specialization constant 0 makes the workgroup one subgroup
//   test: heap N           buffers of the descriptor heap; devices without one have binding 0
//   test: unchecked REASON why the reference device cannot execute it natively
//   test: invalid REASON   the rewriter must take it, though spirv-val does not (assembly)
//   test: unoptimised REASON  why SPIRV-Tools' optimiser cannot take it (assembly)
//   test: spec ID=VALUE ...  specialization constants, 32 bits each, where it is executed natively
//   test: lanes N ...      subgroup sizes at which it is rewritten; default: all of the device
//
// If NAME.expected.comp exists, it is a shader without any emulated extension that writes the same
// buffers: the reference for NAME. It follows the specifications' words, one element at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace coopvk::test {

// Contents of a buffer before the shader runs. Integers are small, so that sums of products are
// exact in f16 and f32.
enum class Pattern { kHalfs, kFloats, kBytes, kWords, kZero, kRandom };

struct InputBuffer {
    Pattern pattern;
    uint32_t count;  // elements: f16, f32, 8 bits, 32 bits; 32 bits for zeros and random bits
};

struct Input {
    std::string name;    // the file's, without its extension
    std::string source;  // GLSL or assembly
    bool isAssembly = false;
    bool isRefused = false;
    std::string refused;   // a part of the message
    std::string expected;  // source of NAME.expected.comp; empty: not executed
    std::vector<std::string> needs;
    std::vector<InputBuffer> buffers;
    std::vector<uint32_t> push;
    std::string unchecked;    // empty: native and rewritten execution must agree
    std::string invalid;      // empty: spirv-val must accept it
    std::string unoptimised;  // empty: it is also used after the optimiser
    bool isSubgroup = false;
    uint32_t heap = 0;  // buffers; 0: it uses no descriptor heap
    std::map<uint32_t, uint32_t> specialization;
    std::vector<uint32_t> lanes;
    uint32_t groups = 1;
};

// Whether a module is malformed, on purpose: compilers and passes make no other forms of it.
inline bool hasOneForm(const Input& input) { return input.isRefused || !input.invalid.empty(); }

// All files of modules/, by name. Throws if a directive is not understood.
std::vector<Input> allInputs();

// The bytes of a buffer, from the seed.
std::vector<std::byte> contents(const InputBuffer& buffer, uint64_t seed);

}  // namespace coopvk::test

// SPDX-License-Identifier: Apache-2.0
//
// The memory that a module uses: its descriptors, what device addresses point to, push constants.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "coopvk_reference/stages.hpp"
#include "module.hpp"

namespace coopvk::check {

// How a module reaches a buffer.
enum class Place {
    kDescriptor,  // of a set
    kAddress,     // which points to a value of the type
    kHeap,        // a descriptor of the heap of resources (SPV_EXT_descriptor_heap)
    kList,        // what invocations of a stage get or give, one behind the other
};

struct BufferUse {
    uint32_t type = 0;  // of what is in it
    Place place = Place::kDescriptor;
    bool isUniform = false;
    // Of a descriptor; count: elements of an array. In the heap the binding is the number there.
    uint32_t set = 0, binding = 0, count = 1;
    // Formats of matrices and vectors that are loaded from it and stored to it, also through
    // shared memory, and of floats that are packed into integers; empty: as the type says.
    std::vector<Format> formats;
    // Of a list: its values, of so many invocations, each of so many. One is shared memory.
    reference::StageList list = {};
    uint32_t invocations = 1, length = 1;

    // Whether an execution finds something in it.
    bool isGiven() const {
        using enum reference::StageList::Kind;
        return place != Place::kList || list.kind == kGiven || list.kind == kResult;
    }
};

struct Interface {
    std::vector<BufferUse> buffers;  // descriptors first
    uint32_t pushConstants = 0;      // type; 0: none
    // Formats that instructions read or write, other than those of types, by the instruction's
    // position in words.
    std::map<uint32_t, Format> accessed;
    // Whether it adds floats atomically, in any order.
    bool addsFloats = false;
    // Whether rows that begin at a multiple of 8 elements, but not of 16, break Vulkan's rules on
    // alignment: those of cooperative vectors and of 8-bit matrices.
    bool needsAlignedRows = false;
};

// Descriptors of arrays without length get kRuntimeDescriptors, others at most kMostDescriptors.
inline constexpr uint32_t kRuntimeDescriptors = 16;
inline constexpr uint32_t kMostDescriptors = 256;

// A heap whose indices are not known has so many descriptors.
Interface findInterface(const Module& module, uint32_t heap = kRuntimeDescriptors,
                        spv::ExecutionModel stage = spv::ExecutionModel::GLCompute);
// Lists of the stage's variables and of instructions that lists script.
std::vector<BufferUse> findLists(const Module& module, spv::ExecutionModel stage);

}  // namespace coopvk::check

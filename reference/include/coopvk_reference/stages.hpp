// SPDX-License-Identifier: Apache-2.0
//
// What an invocation gets and gives beside memory: variables of its stage, and what instructions
// that start other shaders, or ask what no program computes, give and get. Each is a list of
// values for each invocation.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>

namespace coopvk::reference {

// Names a list. Numbers are those of SPIR-V.
struct StageList {
    enum class Kind : uint32_t {
        kGiven,    // what a variable has before the stage, or after an instruction changed it
        kTaken,    // what it has at the end of the stage, or where an instruction reads it
        kOperand,  // what an instruction got
        kResult,   // what it gives
        kEnd,      // how an invocation ended early: kKilled, or the opcode; of primitives, how many
                   // vertices there were; a word
    };
    Kind kind = Kind::kGiven;
    uint32_t of = 0;         // the variable's storage class, or the opcode
    uint32_t number = 0;     // location or order, kBuiltIn | a built-in, or that of an operand
    uint32_t component = 0;  // Component, and 4 * Index

    auto operator<=>(const StageList&) const = default;
};
inline constexpr uint32_t kBuiltIn = 1u << 31;
inline constexpr uint32_t kKilled = 1;

// "Input 0", "RayPayloadKHR 1, taken", "operand 6 of OpTraceRayKHR".
std::string nameOf(const StageList& list);

// Variables of a storage class that lists have.
struct ListStorage {
    spv::StorageClass storage;
    bool isGiven;     // before the entry point starts
    bool isTaken;     // where it returns
    bool isRepeated;  // instructions read and change them
    bool isShared;    // by the workgroup: one value, in memory
};
// Null: others.
const ListStorage* listStorage(spv::StorageClass storage);

// An instruction whose result no program computes.
enum class Script : uint8_t {
    kNone,
    kEvent,  // each time it takes the next values
    kAsks,   // the same values until the next event
    kEnds,   // an event that ends the invocation
};
Script scriptOf(spv::Op opcode);
// Of an event that repeats, and of an invocation's vertices: values behind these are not kept.
inline constexpr uint32_t kListedEvents = 16, kListedVertices = 64;

struct Stage {
    spv::ExecutionModel model;
    bool hasWorkgroups;    // else a subgroup is all there is
    bool sharesOutputs;    // they are memory of the workgroup
    bool emits;            // outputs are taken where it emits a vertex
    bool hasQuads;         // some of their invocations are helpers
    uint32_t invocations;  // for which lists have values
};
// Null: none of Vulkan.
const Stage* findStage(spv::ExecutionModel model);

// Of a variable of the stage: values in each list.
uint32_t listLength(const Stage& stage, const ListStorage& storage);

}  // namespace coopvk::reference

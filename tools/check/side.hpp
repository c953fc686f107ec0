// SPDX-License-Identifier: Apache-2.0
//
// One execution of a module on the reference device.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coopvk_reference/execute.hpp"
#include "memory.hpp"

namespace coopvk::check {

// A module, natively or rewritten, at one subgroup size.
struct Side {
    std::shared_ptr<const reference::Program> program;  // null: it could not be made
    reference::ErrorCode code = reference::ErrorCode::kInvalidModule;
    std::string error;  // why
};

struct SideRequest {
    std::span<const uint32_t> words;
    std::string entryPoint;
    std::span<const SpecializationValue> specialization;
    uint32_t lanes = 32;
    bool validate = true;
    spv::ExecutionModel stage = spv::ExecutionModel::GLCompute;
    std::optional<reference::Choice> placement = {};  // of matrices: ProgramRequest::placement
    bool contracts = false;                           // ProgramRequest::contracts
    uint32_t flushed = 0;                             // ProgramRequest::flushed
    reference::OptimalLayout optimalLayout = {};
};
Side makeSide(const SideRequest& request);

struct Execution {
    std::string error;  // empty: it ran to its end
    std::vector<reference::Report> reports;
    std::vector<std::vector<std::byte>> contents;  // of the memory's buffers, afterwards
    std::vector<Accessed> accessed;                // of each buffer, if it was kept
    std::vector<BufferByte> padding;               // behind rows of matrices that were read
};

// Bytes of a buffer.
struct Watch {
    size_t buffer = 0;
    uint64_t offset = 0, size = 0;
};

// Makes them zeros, as conversions to the optimal layouts do; whether that changes the memory. The
// memory of a dispatch stays as it is.
bool clearPadding(std::span<const BufferByte> padding, Memory& memory);

// `deviations`: of the bytes of each buffer, before the execution.
Execution execute(const Side& side, const Memory& memory, std::array<uint32_t, 3> groups,
                  const reference::Settings& settings, bool keepsAccesses = false,
                  std::span<const std::vector<reference::Deviation>> deviations = {});
// What wrote the bytes last: instruction, values, place in the dispatch. Empty if nothing did.
std::string findWrite(const Side& side, const Memory& memory, std::array<uint32_t, 3> groups,
                      const reference::Settings& settings, const Watch& watch);

}  // namespace coopvk::check

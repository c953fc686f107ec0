// SPDX-License-Identifier: Apache-2.0
//
// The interface between the driver and the interpreter: a program is made once (as a pipeline is)
// and executed for each dispatch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coopvk_reference/report.hpp"
#include "coopvk_reference/result.hpp"
#include "coopvk_reference/settings.hpp"

namespace coopvk::reference {

class Program;

// A value of a specialization constant: VkSpecializationMapEntry with its data, of `size` bytes.
struct SpecializationValue {
    uint32_t constantId = 0;
    uint64_t bits = 0;
    uint32_t size = 4;
};

struct ProgramRequest {
    std::span<const uint32_t> words;
    std::string entryPoint = "main";
    std::vector<SpecializationValue> specialization;
    uint32_t subgroupSize = 32;
    Direction rounding = Direction::kNearest;
    bool validate = true;  // false: the caller knows that the module is valid
};

// kInvalidModule, kInvalidArgument, kUnsupported, kOutOfMemory.
Result<std::shared_ptr<const Program>> makeProgram(const ProgramRequest& request);

// Invocations of a workgroup in each dimension.
std::array<uint32_t, 3> workgroupSize(const Program& program);

// A range of memory: of a descriptor, or a buffer with a device address.
struct Range {
    std::byte* data = nullptr;
    uint64_t size = 0;     // bytes
    uint64_t address = 0;  // device address of data[0]; 0 if it has none
    // One byte for each byte of data: not 0 where something wrote it. Null: all of it counts as
    // written.
    uint8_t* written = nullptr;
};

// Finds memory. Several threads call it at once during an execution. What it returns must stay as
// it is until execute() returns.
class Resources {
 public:
    virtual ~Resources() = default;
    // Of a descriptor; null if there is none (reads then give zero, writes do nothing, with a
    // report).
    virtual const Range* descriptor(uint32_t set, uint32_t binding, uint32_t element) = 0;
    // The buffer that contains the address; null if none does.
    virtual const Range* buffer(uint64_t address) = 0;
};

struct Dispatch {
    std::array<uint32_t, 3> groups = {1, 1, 1};
    std::array<uint32_t, 3> base = {0, 0, 0};
    std::span<const std::byte> pushConstants;
};

// Executes all workgroups and returns when they are done. Subgroup size and
// rounding are those of the program, whatever the settings say. kDeviceLost: a report stopped it.
// kOutOfMemory.
Status execute(const Program& program, const Dispatch& dispatch, Resources& resources,
               const Settings& settings, Reporter& reporter);

}  // namespace coopvk::reference

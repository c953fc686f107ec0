// SPDX-License-Identifier: Apache-2.0
//
// The result of one subject at one subgroup size on one device, in terms that all drivers share.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code.hpp"
#include "pipeline.hpp"

namespace coopvk::fleet {

// A statistic that a driver may have; the order is that of the columns.
enum class Statistic : uint32_t {
    kSpills,        // vector registers kept in memory
    kScalarSpills,  // scalar registers kept elsewhere
    kScratch,       // bytes of memory of each lane or subgroup, as the driver counts them
    kRegisters,     // vector registers
    kScalarRegisters,
    kWaves,  // subgroups that can be in flight, of what the driver counts them for
    kInstructions,
    kCycles,  // the compiler's estimate of what a subgroup costs
    kCount,
};
inline constexpr size_t kStatisticCount = static_cast<size_t>(Statistic::kCount);
std::string_view name(Statistic statistic);  // "spills", "scalar spills", ...

struct Measurement {
    std::string device, driver, subject;  // driver: "Mesa 26.1.6"
    uint32_t size = 0;                    // lanes
    std::string problem;                  // empty: the pipeline was created, and all was well
    bool isMissing = false;  // `problem` names what the subject needs and the device lacks
    bool isPlain = false;    // uses nothing that is emulated: the driver got it unchanged
    double seconds = 0;      // of processor time
    std::optional<double> statistics[kStatisticCount];
    std::optional<HotCode> hot;  // if the driver gives its code

    std::optional<double> operator[](Statistic s) const {
        return statistics[static_cast<size_t>(s)];
    }
};

// Adds the figures of a pipeline's shaders; for registers and waves the worst counts.
void measure(const std::vector<Executable>& executables, Measurement& measurement);

// For a shader with which the driver crashed. `begun`: its problem is the feature that the shader
// needs and the device lacks, if any; without that feature the driver's behaviour is undefined.
Measurement crashed(Measurement begun, const std::string& end);

nlohmann::ordered_json toJson(const Measurement& measurement);
Measurement measurementFromJson(const nlohmann::ordered_json& json);

// A table in Markdown, sorted as they are.
std::string table(const std::vector<Measurement>& measurements);

}  // namespace coopvk::fleet

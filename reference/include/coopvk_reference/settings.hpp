// SPDX-License-Identifier: Apache-2.0
//
// What the texts leave open, and what the device checks: settings, from the environment's variables
// COOPVK_REFERENCE_<NAME>.
#pragma once

#include <cstdint>
#include <string>

#include "coopvk_reference/report.hpp"
#include "coopvk_reference/result.hpp"

namespace coopvk::reference {

enum class Choice {
    kPlain,        // what most devices do
    kShuffled,     // by the seed
    kAdversarial,  // what breaks programs that rely on more than the texts promise
    kExact,        // SUMS only: exact sums, rounded once
};

// Of floating-point arithmetic and conversions, where neither the module nor the text of the
// instruction says how they round.
enum class Direction { kNearest, kUpward, kDownward };

enum class ReportAction {
    kIgnore,   // count only
    kMessage,  // a message of the debug messengers, or on stderr without one
    kError,    // and VK_ERROR_DEVICE_LOST
};

struct Settings {
    uint32_t subgroupSize = 32;         // SUBGROUP_SIZE: 4 to 128, a power of two
    uint64_t seed = 1;                  // SEED
    Choice schedule = Choice::kPlain;   // SCHEDULE: the order of subgroups and workgroups
    Choice placement = Choice::kPlain;  // PLACEMENT: the lane that holds an element of a matrix
    Choice sums = Choice::kPlain;       // SUMS: the order of sums in products
    Direction rounding = Direction::kNearest;  // ROUNDING
    uint32_t checks = kAllChecks;              // CHECKS: all, none, or names with commas between
    ReportAction action = ReportAction::kMessage;  // REPORT: ignore, message, error
    uint32_t threads = 0;                          // THREADS: of the host; 0: as many as it has
    std::string extensions = "all";  // EXTENSIONS: all, none, or names with commas between
    uint32_t granularity = 1;        // GRANULARITY: of the flexible dimensions listed, not 0
    uint32_t reports = 20;           // REPORTS: at most so many of one execution
    uint64_t steps =
        0;  // STEPS: blocks that a subgroup may execute before it counts as endless; 0: any
};

inline constexpr uint32_t kMinLanes = 4;
inline constexpr uint32_t kMaxLanes = 128;

// Error: a variable has a value that its row does not know; the message names it.
Result<Settings> settingsFromEnvironment();

}  // namespace coopvk::reference

// SPDX-License-Identifier: Apache-2.0
//
// What a document allows each shader on each device: figures that were measured, with a tolerance.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "measurement.hpp"

namespace coopvk::fleet {

inline constexpr double kMaxSeconds = 10;   // of processor time for one pipeline
inline constexpr double kMoreSpills = 0.1;  // share of those written; none where none are
inline constexpr double kFewerUseful = 3;   // percentage points

struct Allowance {
    double spills = 0;             // vector and scalar registers together
    std::optional<double> useful;  // percent of the hottest loop's vector instructions
};

class Allowances {
 public:
    // From the document's part between the markers. Throws where there is none, or a row of it
    // makes no sense.
    explicit Allowances(std::string_view document);

    // The Mesa whose compilers the figures are of, as its drivers tell it.
    const std::string& driver() const { return driver_; }
    // What is wrong with a measurement, a line each: names the statistic. `spillSpread`: the
    // device's.
    std::vector<std::string> check(const Measurement& measurement, double spillSpread = 0) const;

    // The document with what was measured in place of what it has.
    static std::string write(std::string_view document, const std::string& driver,
                             const std::vector<Measurement>& measurements);

 private:
    using Key = std::tuple<std::string, std::string, uint32_t>;  // shader, device, lanes
    std::map<Key, Allowance> rows_;
    std::string driver_;
};

// What is wrong whatever a document allows: a line each.
std::vector<std::string> problemsOf(const Measurement& measurement);

}  // namespace coopvk::fleet

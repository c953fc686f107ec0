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
inline constexpr double kMoreSpills = 0.1;  // part of the written spills; none if none are written
inline constexpr double kFewerUseful = 3;   // percentage points

struct Allowance {
    double spills = 0;             // vector and scalar registers together
    std::optional<double> useful;  // percent of the hottest loop's vector instructions
};

class Allowances {
 public:
    // From the document's part between the markers. Throws if there is none, or if a row of it is
    // invalid.
    explicit Allowances(std::string_view document);

    // The version of Mesa with whose compilers the figures were made, as its drivers report it.
    const std::string& driver() const { return driver_; }
    // The problems of a measurement, one on each line, with the name of the statistic.
    // `spillSpread` is that of the device.
    std::vector<std::string> check(const Measurement& measurement, double spillSpread = 0) const;

    // The document with the measured figures in place of its own.
    static std::string write(std::string_view document, const std::string& driver,
                             const std::vector<Measurement>& measurements);

 private:
    using Key = std::tuple<std::string, std::string, uint32_t>;  // shader, device, lanes
    std::map<Key, Allowance> rows_;
    std::string driver_;
};

// Problems that no document allows, one on each line.
std::vector<std::string> problemsOf(const Measurement& measurement);

}  // namespace coopvk::fleet

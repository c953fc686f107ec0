// SPDX-License-Identifier: Apache-2.0
//
// Numbers of a matrix for the tests, by kinds: what hurts sums.
#pragma once

#include "device.hpp"

namespace coopvk::oracle {

enum class Data {
    kSmall,     // integers from -4 to 4: exact in any order
    kSpread,    // exponents that differ
    kCancels,   // large numbers and their negatives
    kPatterns,  // any bits
    kExtremes,  // the largest and the smallest numbers, zeros of both signs
};
inline constexpr Data kAllData[] = {Data::kSmall, Data::kSpread, Data::kCancels, Data::kPatterns,
                                    Data::kExtremes};

uint64_t elementOf(const Format& format, Data data, Random& random);
std::vector<uint64_t> elements(const Format& format, Data data, size_t count, Random& random);

}  // namespace coopvk::oracle

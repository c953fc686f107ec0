// SPDX-License-Identifier: Apache-2.0
//
// What the rewriter decides by the device alone, for people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

struct PlanRow {
    std::string_view name;  // "f16 arithmetic in pairs"
    std::string value;      // "yes"
    std::string_view reason;
};

// The class of the device first, then each decision. Throws only std::bad_alloc, like
// productMeans().
std::vector<PlanRow> devicePlan(const Target& target);

struct ProductMeans {
    std::string_view products;  // "f16 with f32 sums"
    std::string_view means;     // "converted to f32"
};

// How the core back-end computes products, at the device's subgroup size. Users can tell from it
// what a program gains. `vectors`: the back-end for cooperative vectors. Kinds that the device
// cannot have are left out.
std::vector<ProductMeans> productMeans(const DeviceTraits& device,
                                       BackEnd vectors = BackEnd::kCore);

// What the rewriter does because of a fault of a driver, and the test that shows it.
struct DriverWorkaround {
    std::string_view driver, versions;  // that were seen to need it
    std::string_view fault;
    std::string_view instead;  // what the rewriter does, with every driver
    std::string_view file;     // in rewrite/src
    std::string_view shownBy;
};

std::span<const DriverWorkaround> driverWorkarounds();

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
//
// Function-local arrays, and what is known of the registers that they take.
#pragma once

#include "coopvk/rewrite.hpp"
#include "ir/function_builder.hpp"

namespace coopvk::rewrite {

// Many lanes, and no registers that they share: few registers for each of them. Compilers for such
// devices move loads and their addresses far ahead where nothing keeps them in a loop.
inline bool hasFewRegisters(const DeviceTraits& device) {
    constexpr uint32_t kManyLanes = 64;
    return !device.isCpu && device.maxSubgroupSize >= kManyLanes && !device.scalarRegisters;
}

// An array whose elements of several components in 32 bits lie there as words: some GPUs have fewer
// registers of 16 bits than pairs in registers of 32 bits, or none that an index can choose.
class LocalArray {
 public:
    LocalArray(FunctionBuilder& function, const DeviceTraits& device, Id element, uint32_t count)
        : f_(function), element_(element) {
        TypeTable& types = function.types();
        const uint32_t components = types.components(element);
        const bool isWord = components > 1 && components * types.width(element) == 32;
        held_ = isWord && !device.isCpu && !device.scalarRegisters ? types.uint32() : element;
        array_ = function.variable(types.arrayType(held_, count));
    }

    Id load(Id index) { return f_.emit().bitcast(element_, f_.load(f_.element(array_, index))); }
    void store(Id index, Id value) {
        f_.store(f_.element(array_, index), f_.emit().bitcast(held_, value));
    }

 private:
    FunctionBuilder& f_;
    Id element_, held_ = 0, array_ = 0;
};

}  // namespace coopvk::rewrite

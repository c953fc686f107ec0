// SPDX-License-Identifier: Apache-2.0
//
// The reference device as the rewriter sees it.
#include "check.hpp"

namespace coopvk::check {
namespace {

using enum rewrite::ComponentType;
using rewrite::DeviceTraits;

constexpr bool DeviceTraits::* kFeatures[] = {
    &DeviceTraits::subgroupSizeControl,
    &DeviceTraits::computeFullSubgroups,
    &DeviceTraits::shaderFloat64,
    &DeviceTraits::shaderInt64,
    &DeviceTraits::shaderIntegerDotProduct,
    &DeviceTraits::bufferDeviceAddress,
    &DeviceTraits::subgroupVote,
    &DeviceTraits::subgroupBallot,
    &DeviceTraits::subgroupArithmetic,
    &DeviceTraits::shaderSubgroupUniformControlFlow,
};

// A x B + C; the result has C's type.
struct Product {
    rewrite::ComponentType a, b, c;
};
constexpr Product kProducts[] = {
    {kFloat16, kFloat16, kFloat16}, {kFloat16, kFloat16, kFloat32}, {kFloat32, kFloat32, kFloat32},
    {kSint8, kSint8, kSint32},      {kSint8, kUint8, kSint32},      {kUint8, kSint8, kSint32},
    {kUint8, kUint8, kUint32},      {kUint8, kUint8, kSint32},
};

constexpr DeviceClass kClasses[] = {
    {"GPU with few registers", reference::kMaxLanes, [](DeviceTraits&) {}},
    {"GPU with scalar registers", reference::kMaxLanes,
     [](DeviceTraits& d) { d.scalarRegisters = true; }},
    {"CPU", reference::kMaxLanes, [](DeviceTraits& d) { d.isCpu = true; }},
    {"GPU with many registers", 32,
     [](DeviceTraits& d) { d.dot4x8Signed = d.dot4x8Unsigned = true; }},
    {"GPU", 32, [](DeviceTraits&) {}},
};

}  // namespace

std::span<const DeviceClass> deviceClasses() { return kClasses; }

DeviceTraits referenceTraits() {
    DeviceTraits traits;
    traits.name = "the reference device";
    for (bool DeviceTraits::* feature : kFeatures) traits.*feature = true;
    traits.minSubgroupSize = reference::kMinLanes;
    traits.maxSubgroupSize = reference::kMaxLanes;
    traits.maxComputeSharedMemorySize = 65536;
    traits.subgroupStages = ~uint32_t{0};
    for (const Product& product : kProducts) {
        for (const bool saturating : {false, true}) {
            if (saturating && product.c != kSint32) continue;
            traits.nativeShapes.push_back(
                {16, 16, 16, product.a, product.b, product.c, product.c, saturating});
        }
    }
    return traits;
}

DeviceTraits referenceTraits(const DeviceClass& deviceClass) {
    DeviceTraits traits = referenceTraits();
    traits.maxSubgroupSize = deviceClass.maxLanes;
    deviceClass.change(traits);
    return traits;
}

}  // namespace coopvk::check

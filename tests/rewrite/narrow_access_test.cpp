// SPDX-License-Identifier: Apache-2.0
//
// What a module must declare for accesses of 8 and 16 bits (SPIR-V specification, section 3.2.30,
// "Capability": the first version that has each, and the extension that it needs in earlier ones).
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "lowering/place.hpp"

namespace coopvk::rewrite::narrow_access_test {
namespace {

Module moduleOfVersion(uint32_t minor) {
    std::vector<uint32_t> words = test::assemble(R"(OpCapability Shader
OpMemoryModel Logical GLSL450
)");
    words[1] = 0x00010000 | minor << 8;
    return std::move(*Module::parse(words));
}

struct Case {
    uint32_t bits, minor;
    spv::Capability capability;
    std::string_view extension;  // empty: the version needs none
};

TEST(NarrowAccess, DeclaresTheExtensionBeforeTheVersionThatHasIt) {
    using enum spv::Capability;
    constexpr std::string_view k8 = "SPV_KHR_8bit_storage", k16 = "SPV_KHR_16bit_storage";
    for (const Case& c : {Case{8, 0, StorageBuffer8BitAccess, k8},
                          {8, 4, StorageBuffer8BitAccess, k8},
                          {8, 5, StorageBuffer8BitAccess, ""},
                          {16, 0, StorageBuffer16BitAccess, k16},
                          {16, 2, StorageBuffer16BitAccess, k16},
                          {16, 3, StorageBuffer16BitAccess, ""}}) {
        Module module = moduleOfVersion(c.minor);
        declareAccess(module, spv::StorageClass::PhysicalStorageBuffer, c.bits);
        EXPECT_TRUE(module.hasCapability(c.capability)) << c.bits;
        for (const std::string_view name : {k8, k16}) {
            EXPECT_EQ(module.hasExtension(name), name == c.extension) << c.bits << " " << c.minor;
        }
    }
}

TEST(NarrowAccess, WordsNeedNothing) {
    Module module = moduleOfVersion(0);
    const size_t before = module.serialise().size();
    declareAccess(module, spv::StorageClass::StorageBuffer, 32);
    EXPECT_EQ(module.serialise().size(), before);
    EXPECT_EQ(missingForAccess(DeviceTraits(), spv::StorageClass::StorageBuffer, 32), "");
}

TEST(NarrowAccess, NamesTheFeatureOfTheStorageClass) {
    DeviceTraits device;
    device.storageBuffer8BitAccess = device.uniformAndStorageBuffer8BitAccess = false;
    device.storagePushConstant16 = false;
    const auto missing = [&](spv::StorageClass storage, uint32_t bits) {
        return missingForAccess(device, storage, bits);
    };
    EXPECT_EQ(missing(spv::StorageClass::StorageBuffer, 16), "");
    EXPECT_EQ(missing(spv::StorageClass::StorageBuffer, 8), "storageBuffer8BitAccess");
    EXPECT_EQ(missing(spv::StorageClass::PushConstant, 16), "storagePushConstant16");
    EXPECT_EQ(missing(spv::StorageClass::Uniform, 8), "uniformAndStorageBuffer8BitAccess");
    EXPECT_EQ(missing(spv::StorageClass::Workgroup, 8), "");
}

}  // namespace
}  // namespace coopvk::rewrite::narrow_access_test

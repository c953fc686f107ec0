// SPDX-License-Identifier: Apache-2.0
//
// The table of number formats.
#include "lowering/number.hpp"

#include <gtest/gtest.h>

#include "assemble.hpp"

namespace coopvk::rewrite::number_test {
namespace {

using enum ComponentType;

TEST(Number, RowsAreWhatTheNamesOfComponentTypesSay) {
    const std::pair<char, NumberKind> kKinds[] = {
        {'f', NumberKind::kFloat}, {'s', NumberKind::kSigned}, {'u', NumberKind::kUnsigned}};
    for (const ComponentType type : {kFloat16, kFloat32, kFloat64, kSint8, kSint16, kSint32,
                                     kSint64, kUint8, kUint16, kUint32, kUint64}) {
        const std::string text(name(type));
        const Number* number = findNumber(type);
        ASSERT_NE(number, nullptr) << text;
        EXPECT_EQ(number->type, type) << text;
        EXPECT_EQ(number->bits, std::stoul(text.substr(1))) << text;
        EXPECT_EQ(number->bytes() * 8, number->bits) << text;
        EXPECT_EQ(number->unpack == nullptr, number->bits > 32) << text;
        for (const auto& [letter, kind] : kKinds) {
            EXPECT_EQ(number->kind == kind, text[0] == letter) << text;
        }
    }
    for (const ComponentType type : {kFloatE4M3, kFloatE5M2}) {
        const Number* number = findNumber(type);
        ASSERT_NE(number, nullptr) << name(type);
        EXPECT_TRUE(number->isFloat()) << name(type);
        EXPECT_EQ(number->bits, 8u) << name(type);
        // As its name says: bits of the exponent.
        EXPECT_EQ(number->fields.exponentBits, name(type)[1] - '0') << name(type);
    }
    EXPECT_EQ(findNumber(kSint8Packed), nullptr);
    EXPECT_EQ(findNumber(static_cast<ComponentType>(11)), nullptr);
}

TEST(Number, TypesOfTheModuleHaveRows) {
    const auto words = test::assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
)");
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module);
    TypeTable types(*module);
    const auto typeOf = [&](Id type) {
        const Number* number = numberOf(types, type);
        return number == nullptr ? kSint8Packed : number->type;
    };
    EXPECT_EQ(typeOf(types.floatType(16)), kFloat16);
    EXPECT_EQ(typeOf(types.vectorType(types.floatType(64), 2)), kFloat64);
    for (const bool isSigned : {false, true}) {
        EXPECT_EQ(typeOf(types.intType(8, isSigned)), isSigned ? kSint8 : kUint8);
        EXPECT_EQ(typeOf(types.intType(64, isSigned)), isSigned ? kSint64 : kUint64);
    }
    EXPECT_EQ(numberOf(types, types.boolType()), nullptr);
    EXPECT_EQ(numberOf(types, types.arrayType(types.uint32(), 2)), nullptr);
}

TEST(Number, FeaturesSayWhatADeviceComputesWith) {
    DeviceTraits device;
    device.shaderFloat16 = device.shaderInt8 = false;
    device.shaderInt64 = true;
    EXPECT_FALSE(findNumber(kFloat16)->isSupportedBy(device));
    EXPECT_FALSE(findNumber(kUint8)->isSupportedBy(device));
    EXPECT_TRUE(findNumber(kSint64)->isSupportedBy(device));
    EXPECT_TRUE(findNumber(kFloat32)->isSupportedBy(device));
}

}  // namespace
}  // namespace coopvk::rewrite::number_test

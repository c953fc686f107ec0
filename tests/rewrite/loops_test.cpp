// SPDX-License-Identifier: Apache-2.0
//
// Code that lowering puts into loops of every form leaves valid structured control flow.
// tests/driver tests the results.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "loop_module.hpp"

namespace coopvk::rewrite {
namespace {

enum class Kind { kCpu, kGpu, kTiles };

Target targetOf(Kind kind) {
    Target target;
    target.device.bufferDeviceAddress = true;
    target.device.shaderFloat16 = true;
    target.device.subgroupShuffle = true;
    target.subgroupSize = kind == Kind::kCpu ? 4 : 32;
    target.device.isCpu = kind == Kind::kCpu;
    target.backEnd = BackEnd::kCore;
    if (kind != Kind::kTiles) return target;
    using enum ComponentType;
    target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    target.emulated = {Extension::kNvCooperativeMatrix2};
    target.backEnd = BackEnd::kAuto;
    return target;
}

class Loops : public testing::TestWithParam<test::LoopForm> {};

TEST_P(Loops, StayStructured) {
    constexpr uint32_t kWorkgroup = 2, kSubgroup = 3;
    for (const test::LoopOperation& operation : test::loopOperations()) {
        for (const uint32_t scope : {kWorkgroup, kSubgroup}) {
            const auto words = test::assemble(test::loopModule(operation, GetParam(), scope));
            ASSERT_TRUE(GetParam().isOfOlderRules || !validate(words))
                << operation.name << ": " << validate(words).value_or("");
            for (const Kind kind : {Kind::kCpu, Kind::kGpu, Kind::kTiles}) {
                SCOPED_TRACE(std::format("{}, scope {}, target {}", operation.name, scope,
                                         static_cast<int>(kind)));
                Request request;
                request.words = words;
                const Result<Rewritten> out = rewrite(request, targetOf(kind));
                ASSERT_TRUE(out) << out.error().message;
                EXPECT_EQ(validate(out->words), std::nullopt);
                const bool isGone =
                    disassemble(out->words).find("OpCooperativeMatrix") == std::string::npos;
                EXPECT_TRUE(kind == Kind::kTiles || isGone);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Loops,
                         testing::ValuesIn(test::loopForms().begin(), test::loopForms().end()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace coopvk::rewrite

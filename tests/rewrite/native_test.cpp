// SPDX-License-Identifier: Apache-2.0
//
// The native back-end: what stays a matrix, in which tiles, and when it gives up.
#include <gtest/gtest.h>

#include <algorithm>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {
namespace {

using enum ComponentType;

MatrixShape halves(uint32_t m, uint32_t n, uint32_t k) {
    return {m, n, k, kFloat16, kFloat16, kFloat32, kFloat32, false};
}

Result<Rewritten> run(const std::vector<uint32_t>& words, std::vector<MatrixShape> shapes,
                      BackEnd backEnd) {
    Request request;
    request.words = words;
    Target target;
    target.device.nativeShapes = std::move(shapes);
    target.backEnd = backEnd;
    return rewrite(request, target);
}

size_t count(const std::string& text, std::string_view what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++found;
    }
    return found;
}

bool notes(const Rewritten& out, std::string_view what) {
    return std::ranges::any_of(
        out.notes, [&](const std::string& note) { return note.find(what) != std::string::npos; });
}

TEST(Native, KeepsShapesOfTheDriver) {
    const auto words = test::assemble(test::multiplyModule(16, 16, 16));
    const auto out = run(words, {halves(16, 16, 16)}, BackEnd::kNative);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_EQ(count(disassemble(out->words), "OpCooperativeMatrixMulAddKHR"), 1u);
    EXPECT_TRUE(notes(*out, "native back-end"));
}

TEST(Native, TilesOtherShapes) {
    const auto words = test::assemble(test::multiplyModule(16, 16, 32));
    const auto small = run(words, {halves(8, 8, 8)}, BackEnd::kNative);
    ASSERT_TRUE(small) << small.error().message;
    EXPECT_EQ(validate(small->words), std::nullopt);
    const std::string text = disassemble(small->words);
    EXPECT_EQ(count(text, "OpCooperativeMatrixMulAddKHR"), 2u * 2 * 4);
    EXPECT_EQ(count(text, "OpCooperativeMatrixLoadKHR"), 2u * 4 + 4 * 2);
    EXPECT_EQ(count(text, "OpCooperativeMatrixStoreKHR"), 2u * 2);
    const auto large = run(words, {halves(8, 8, 8), halves(16, 8, 16)}, BackEnd::kNative);
    ASSERT_TRUE(large) << large.error().message;
    EXPECT_TRUE(notes(*large, "16x8x16"));
    EXPECT_EQ(count(disassemble(large->words), "OpCooperativeMatrixMulAddKHR"), 2u * 2);
}

TEST(Native, GivesUpWhereNothingFits) {
    const auto words = test::assemble(test::multiplyModule(12, 16, 16));
    const auto forced = run(words, {halves(8, 8, 8)}, BackEnd::kNative);
    ASSERT_FALSE(forced);
    EXPECT_EQ(forced.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(forced.error().message.find("divides"), std::string::npos);
    const MatrixShape bytes = {16, 16, 16, kSint8, kSint8, kSint32, kSint32, false};
    EXPECT_FALSE(run(words, {bytes}, BackEnd::kNative));
    EXPECT_FALSE(run(words, {}, BackEnd::kNative));
    const auto free = run(words, {}, BackEnd::kAuto);
    ASSERT_TRUE(free) << free.error().message;
    EXPECT_TRUE(notes(*free, "no native back-end: the driver has no matrices"));
    const auto core = run(words, {halves(8, 8, 8)}, BackEnd::kCore);
    ASSERT_TRUE(core) << core.error().message;
    EXPECT_TRUE(notes(*core, "no native back-end: set so"));
}

TEST(Native, RefusesProductsOfOtherSizes) {
    const auto swapped = [](std::string_view from, std::string_view to) {
        std::string text = test::multiplyModule(16, 16, 32);
        text.replace(text.find(from), from.size(), to);
        return run(test::assemble(text), {halves(8, 8, 8)}, BackEnd::kNative);
    };
    const auto size = swapped("%f16 %c3 %depth %columns %c1", "%f16 %c3 %columns %columns %c1");
    ASSERT_FALSE(size);
    EXPECT_NE(size.error().message.find("other sizes"), std::string::npos);
    const auto operand = swapped("%C %a %b %zero", "%C %a %a %zero");
    ASSERT_FALSE(operand);
    EXPECT_NE(operand.error().message.find("other sizes or uses"), std::string::npos);
}

// KHR matrices that are emulated are emulated, unless native is asked for.
TEST(Native, AutoEmulatesWhatIsToBeEmulated) {
    const auto words = test::assemble(test::multiplyModule(16, 16, 16));
    const auto out = run(words, {halves(16, 16, 16)}, BackEnd::kAuto);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_TRUE(notes(*out, "core back-end"));
    EXPECT_TRUE(notes(*out, "no native back-end: the driver's own matrices are emulated too"));
    EXPECT_EQ(disassemble(out->words).find("CooperativeMatrix"), std::string::npos);
}

}  // namespace
}  // namespace coopvk::rewrite

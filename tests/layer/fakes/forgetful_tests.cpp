// SPDX-License-Identifier: Apache-2.0
//
// Each test begins with memory of earlier faults off, whatever tests before it set or unset: what
// one test has refused must not take extensions from the next one, nor from the next run.
#include <gtest/gtest.h>

#include <cstdlib>

namespace coopvk::test {
namespace {

class ForgetfulTests : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo&) override { setenv("COOPVK_REMEMBER", "off", 1); }
};

// GoogleTest takes it over.
[[maybe_unused]] const bool kListens = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new ForgetfulTests);
    return true;
}();

}  // namespace
}  // namespace coopvk::test

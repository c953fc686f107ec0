// SPDX-License-Identifier: Apache-2.0
//
// Every command of the layer, with each allocation failing in turn: the C++ ones of the layer, or
// those of the application's allocator. The command succeeds or returns an error, returns no handle
// of an object that does not exist, and leaks nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>

#include "../../test_part.hpp"
#include "conversion/commands.hpp"
#include "fakes/allocations.hpp"
#include "loader/commands.hpp"
#include "shaders/commands.hpp"
#include "starving.hpp"

namespace coopvk::test::out_of_memory_test {
namespace {

namespace fs = std::filesystem;

// Which allocations fail: C++ ones, also those of SPIRV-Tools, or the application's.
enum class Memory { kCpp, kAllocator };

struct Case {
    StarvingCommand command;
    Memory memory;
};

void PrintTo(const Case& value, std::ostream* out) { *out << value.command.name; }

std::vector<Case> allCases() {
    std::vector<Case> cases;
    for (const StarvingCommand& command : starvingCommands()) {
        cases.push_back({command, Memory::kCpp});
        cases.push_back({command, Memory::kAllocator});
    }
    return cases;
}

class OutOfMemory : public testing::TestWithParam<Case> {
 protected:
    OutOfMemory() {
        setenv("COOPVK_EMULATE", "auto", 1);
        setenv("COOPVK_LOG_LEVEL", "info", 1);  // lines take memory, too
        setenv("COOPVK_LOG_FILE", COOPVK_NOWHERE, 1);
        // A folder with what was remembered of programs: each start looks into it.
        const fs::path cache = fs::absolute("starving-cache");
        const fs::path programs = cache / "coopvk" / "programs";
        fs::create_directories(programs);
        std::ofstream(programs / "another-program-0123456789abcdef.running-0123456789abcdef");
        setenv("XDG_CACHE_HOME", cache.string().c_str(), 1);
        setenv("COOPVK_REMEMBER", "on", 1);
        testing::internal::CaptureStderr();  // where the log is while there is no instance
    }
    ~OutOfMemory() override {
        testing::internal::GetCapturedStderr();
        unsetenv("COOPVK_EMULATE");
        unsetenv("COOPVK_LOG_LEVEL");
        unsetenv("COOPVK_LOG_FILE");
        unsetenv("XDG_CACHE_HOME");
        fs::remove_all("starving-cache");
    }

    // One call in which all allocations after the first `allowed` ones fail. False if none failed.
    bool starve(uint64_t allowed) {
        const auto& [command, memory] = GetParam();
        Rig rig(command.before);
        const uint32_t recorded = rig.driver.recorded;
        bool failed = false;
        VkResult result = VK_ERROR_UNKNOWN;
        if (memory == Memory::kCpp) {
            const FailingAllocations none(allowed);
            result = command.call(rig, command.name);
            failed = FailingAllocations::happened();
        } else {
            rig.memory.limit(allowed);
            result = command.call(rig, command.name);
            failed = rig.memory.failed();
            rig.memory.unlimit();
        }
        // Only vkEndCommandBuffer can report the failure of a recorded command, and it must do so.
        const bool missing = failed && rig.driver.recorded == recorded;
        if (command.before == Before::kCommands && rig.commands != VK_NULL_HANDLE) {
            const VkResult end = rig.end();
            EXPECT_TRUE(!missing || end == VK_ERROR_OUT_OF_HOST_MEMORY);
            if (result == VK_SUCCESS) result = end;
        }
        // If memory ran out after everything that can fail, the command has succeeded.
        if (!failed || result == VK_SUCCESS) {
            EXPECT_EQ(result, VK_SUCCESS);
        } else {
            EXPECT_EQ(result, VK_ERROR_OUT_OF_HOST_MEMORY);
        }
        return failed;
    }
};

// How many allocations the next attempt allows. The first ones, the layer's own, are all tried. Of
// the others, most of them the rewriter's, each command tries one in 16, from another one on.
// The seeds 0 to 15 together try all.
uint64_t nextAllowed(uint64_t allowed, const StarvingCommand& command) {
    constexpr uint64_t kAll = 64, kStep = 16;
    if (allowed + 1 < kAll || runsAll()) return allowed + 1;
    if (allowed >= kAll) return allowed + kStep;
    return kAll + (std::hash<std::string_view>()(command.name) + testSeed()) % kStep;
}

TEST_P(OutOfMemory, AnywhereIsHandled) {
    starve(~uint64_t{0});  // fills what lives as long as the process
    bool failed = true;
    for (uint64_t allowed = 0; failed; allowed = nextAllowed(allowed, GetParam().command)) {
        int64_t left = 1;
        // Repeats while memory is left: tables that exist as long as the process grow now and then,
        // but a leak shows every time.
        for (int i = 0; i < 100 && left != 0; ++i) {
            left = -liveAllocations();
            failed = starve(allowed);
            left += liveAllocations();
        }
        EXPECT_EQ(left, 0) << "allocations";
        ASSERT_FALSE(HasFailure()) << "after " << allowed << " allocations";
    }
}

std::string nameOf(const testing::TestParamInfo<Case>& test) {
    static constexpr const char* kKinds[] = {"", "_allocator"};
    return test.param.command.name + std::string(kKinds[static_cast<int>(test.param.memory)]);
}

INSTANTIATE_TEST_SUITE_P(Commands, OutOfMemory, testing::ValuesIn(allCases()), nameOf);

// The list above is complete.
TEST(StarvingCommands, AreAllThatTheLayerHas) {
    std::set<std::string> tested;
    for (const StarvingCommand& command : starvingCommands()) {
        EXPECT_TRUE(tested.insert(command.name).second) << command.name;
    }
    std::set<std::string> intercepted;
#define COOPVK_NAME(command, function) intercepted.insert(#command);
    COOPVK_GLOBAL_COMMANDS(COOPVK_NAME)
    COOPVK_INSTANCE_COMMANDS(COOPVK_NAME)
    COOPVK_PHYSICAL_DEVICE_COMMANDS(COOPVK_NAME)
    COOPVK_ADDED_QUERIES(COOPVK_NAME)
    COOPVK_DEVICE_COMMANDS(COOPVK_NAME)
    COOPVK_SHADER_COMMANDS(COOPVK_NAME)
    COOPVK_ADDED_COMMANDS(COOPVK_NAME)
    COOPVK_CONVERSION_COMMANDS(COOPVK_NAME)
    COOPVK_RECORDED_COMMANDS(COOPVK_NAME)
#undef COOPVK_NAME
    EXPECT_EQ(tested, intercepted);
}

}  // namespace
}  // namespace coopvk::test::out_of_memory_test

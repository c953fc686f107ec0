// SPDX-License-Identifier: Apache-2.0
//
// The files in which faults are remembered: their folder and their lines.
#include "report/posix_fault_memory.hpp"

namespace coopvk::test::posix_fault_files_test {
namespace {

// Somebody empties the cache while the program runs.
TEST_F(FaultMemory, FoldersThatAreRemoved) {
    setenv("COOPVK_REWRITE_LIMIT", "1K", 1);
    testing::internal::CaptureStderr();
    start();
    fs::remove_all(cache_);
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_ERROR_UNKNOWN);
    stop();
    testing::internal::GetCapturedStderr();
    EXPECT_FALSE(isOffered());
}

// What others keep in the folder stays, and what cannot be removed is named.
TEST_F(FaultMemory, ForgettingRemovesNothingElse) {
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    const fs::path folder = cache_ / "coopvk/programs";
    for (const char* name : {"notes-of-mine", "a.running-0123456789abcde", "-0123456789abcdef"})
        std::ofstream(folder / name) << name;
    EXPECT_EQ(layer::forgetFaults().programs, 1u);
    EXPECT_EQ(files(), 3u);
    fs::create_directories(folder / "my_app-0123456789abcdef/full");
    const layer::Forgotten forgotten = layer::forgetFaults("my app");
    EXPECT_EQ(forgotten.programs, 0u);
    ASSERT_EQ(forgotten.failures.size(), 1u);
    EXPECT_TRUE(forgotten.failures[0].starts_with((folder / "my_app-").string()))
        << forgotten.failures[0];
}

// Faults are those of a program's own file; what a program has that still runs, or ended without
// reading it, is not yet known.
TEST_F(FaultMemory, FilesByTheNamesOfPrograms) {
    const fs::path folder = cache_ / "coopvk/programs";
    fs::create_directories(folder);
    const auto write = [&](const char* name, uint64_t shader) {
        layer::RememberedFault fault;
        fault.shader = shader;
        std::ofstream(folder / name) << layer::lineOf(fault);
    };
    write("one-0123456789abcdef", 1);
    write("two-0123456789abcdef", 2);
    write("one-0123456789abcdef.running-fedcba9876543210", 4);
    write("_.az-AZ_09-0123456789abcdef", 8);
    const auto shadersOf = [](std::string_view program) {
        uint64_t sum = 0;
        for (const layer::RememberedFault& fault : layer::allFaults(program)) sum += fault.shader;
        return sum;
    };
    EXPECT_EQ(shadersOf(""), 11u);
    EXPECT_EQ(shadersOf(".az-AZ_09"), 8u) << "no other letter is replaced";
    for (const char* other : {".az-AZ_0:", ".az-AZ_/9", ".az-A[_09", ".az-@Z_09", ".a{-AZ_09"})
        EXPECT_EQ(shadersOf(other), 0u) << other;
    EXPECT_EQ(shadersOf("one"), 1u);
    EXPECT_EQ(shadersOf("two"), 2u);
    EXPECT_EQ(shadersOf("on"), 0u);
    EXPECT_EQ(layer::forgetFaults("one").programs, 1u);
    EXPECT_EQ(files(), 2u) << "those of others";
    EXPECT_EQ(shadersOf(""), 10u);
}

// Where nothing can be written, all else works.
TEST_F(FaultMemory, NoFolder) {
    setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    EXPECT_EQ(useShader(matrix), VK_SUCCESS);
    EXPECT_TRUE(isOffered());
    setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    fs::create_directories(cache_ / "coopvk");
    fs::permissions(cache_ / "coopvk", fs::perms(0777));
    fs::create_directories(cache_ / "coopvk/programs");
    fs::permissions(cache_ / "coopvk/programs", fs::perms(0777));
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    EXPECT_TRUE(isOffered()) << "others can write there";
}

// Lines of other versions, of other drivers, and nonsense.
TEST_F(FaultMemory, OtherLines) {
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    EXPECT_FALSE(isOffered());
    const fs::path file = fs::directory_iterator(cache_ / "coopvk/programs")->path();
    struct stat info = {};
    ASSERT_EQ(stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    std::string line;
    std::getline(std::ifstream(file), line);
    const auto fault = layer::faultFrom(line);
    ASSERT_TRUE(fault);
    auto other = *fault;
    other.driver += 1;
    for (const std::string& text :
         {"0.0.1+0" + line.substr(line.find('\t')) + "\n", layer::lineOf(other),
          std::string("nonsense\n\n\t\t\t\t\n"), line.substr(0, 40), std::string(1 << 20, 'x')}) {
        std::ofstream(file, std::ios::trunc) << text;
        EXPECT_TRUE(isOffered()) << text.substr(0, 100);
    }
    std::ofstream(file, std::ios::trunc) << "nonsense\n" << line << "\n";
    EXPECT_FALSE(isOffered());
    // Many versions filled it.
    {
        std::ofstream full(file, std::ios::trunc);
        for (int i = 0; i < 4000; ++i) full << "0.0.1+0" << line.substr(line.find('\t')) << '\n';
    }
    EXPECT_TRUE(isOffered());
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    EXPECT_FALSE(isOffered());
    // Others may write to it.
    ASSERT_EQ(link(file.c_str(), (cache_ / "second").c_str()), 0);
    EXPECT_TRUE(isOffered()) << "the file of another folder";
    const auto shown = layer::faultFrom(
        layer::lineOf({.device = "a\tb\n\x1b[c", .program = "\xc2\x9b\u202e\xff"}));
    ASSERT_TRUE(shown);
    EXPECT_EQ(shown->device, "a\\x09b\\x0a\\x1b[c");
    EXPECT_EQ(shown->program, "\\xc2\\x9b\\xe2\\x80\\xae\\xff");
    EXPECT_TRUE(layer::isOfDevice(*shown, "a\tb\n\x1b[c", 0));
    EXPECT_EQ(layer::faultFrom(layer::lineOf({.driver = 4206593}))->driver, 4206593u);
    // Of a longer name, or one that is longer where it is shown, 500 characters.
    const std::string most(500, 'n'), controls(400, '\x1b');
    for (const std::string& name : {most, most + "n", controls}) {
        const auto kept = layer::faultFrom(layer::lineOf({.device = name, .program = name}));
        ASSERT_TRUE(kept);
        EXPECT_EQ(kept->program.size(), 500u);
        EXPECT_TRUE(layer::isOfDevice(*kept, name, 0));
    }
}

}  // namespace
}  // namespace coopvk::test::posix_fault_files_test

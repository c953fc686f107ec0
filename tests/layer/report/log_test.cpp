// SPDX-License-Identifier: Apache-2.0
#include "report/log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "objects/guard.hpp"
#include "system/program.hpp"
#include "system/text.hpp"

namespace coopvk::layer::log_test {
namespace {

class LogFile {
 public:
    ~LogFile() { std::filesystem::remove(path); }
    std::string text() const {
        std::ostringstream out;
        out << std::ifstream(path).rdbuf();
        return out.str();
    }
    const std::string path =
        (std::filesystem::temp_directory_path() / ("coopvk-log-" + std::to_string(getpid())))
            .string();
};

TEST(Logs, LevelNames) {
    EXPECT_EQ(logLevelFromName("off"), LogLevel::kOff);
    EXPECT_EQ(logLevelFromName("debug"), LogLevel::kDebug);
    EXPECT_EQ(logLevelFromName("Debug"), std::nullopt);
    EXPECT_EQ(logLevelFromName(""), std::nullopt);
}

TEST(Logs, LevelsAndLines) {
    LogFile file;
    {
        Log log(LogLevel::kWarn, file.path);
        EXPECT_TRUE(log.wants(LogLevel::kError));
        EXPECT_FALSE(log.wants(LogLevel::kInfo));
        log.error("one");
        log.info("not this");
        log.warn("two\nthree\n");
        log.writePieces(LogLevel::kError, {"a", "", "b", "c"});
        log.write(LogLevel::kOff, "nor this");
        log.error("");
    }
    const std::string tag = COOPVK_LAYER_TESTS "[" + std::to_string(getpid()) + "]: ";
    EXPECT_EQ(file.text(), "coopvk: error: " + tag + "one\ncoopvk: warn: " + tag +
                               "two\ncoopvk: warn: " + tag + "three\ncoopvk: error: " + tag +
                               "abc\n");
    Log(LogLevel::kInfo, file.path).info("appended");
    EXPECT_TRUE(file.text().ends_with("coopvk: info: " + tag + "appended\n"));
}

// Terminals interpret some characters as commands, and some turn a text around.
TEST(Logs, ShowWhatTerminalsWouldInterpret) {
    LogFile file;
    Log(LogLevel::kWarn, file.path)
        .warn("a\x1b[2Jb\tc\r\x7f\x9b\xc2\x9b\xc3\xa4\xe2\x80\xae\xf0\x9f\x98\x80\xff\nd");
    const std::string tag =
        "coopvk: warn: " COOPVK_LAYER_TESTS "[" + std::to_string(getpid()) + "]: ";
    EXPECT_EQ(file.text(), tag +
                               "a\\x1b[2Jb\tc\\x0d\\x7f\\x9b\\xc2\\x9b\xc3\xa4\\xe2\\x80\\xae"
                               "\xf0\x9f\x98\x80\\xff\n" +
                               tag + "d\n");
}

TEST(Logs, Quotes) {
    EXPECT_EQ(inQuotes("a'b"), "'a'b'");
    EXPECT_EQ(inQuotes("a\nb\tc"), "'a\\x0ab\\x09c'");
    EXPECT_EQ(inQuotes(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
    EXPECT_EQ(inQuotes(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
    EXPECT_EQ(inQuotes(std::string(79, 'x') + "\xc3\xa4"), "'" + std::string(79, 'x') + "...'");
    EXPECT_EQ(inQuotes("\xc2\xa9\xc2\xa0"), "'\xc2\xa9\xc2\xa0'") << "the first that are no C1";
    for (const char* bad : {"\xc3", "\xe2\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
        EXPECT_EQ(findUnprintable(bad), 0u) << bad;
    }
}

TEST(Logs, Off) {
    LogFile file;
    Log(LogLevel::kOff, file.path).error("nothing");
    EXPECT_FALSE(std::filesystem::exists(file.path));
}

TEST(Logs, UnusableFile) {
    testing::internal::CaptureStderr();
    Log(LogLevel::kWarn, "/no/such/folder/file").warn("still said");
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("cannot append to '"), std::string::npos);
    EXPECT_NE(text.find("still said"), std::string::npos);
}

TEST(Logs, LinesOfThreadsStayWhole) {
    LogFile file;
    {
        Log log(LogLevel::kInfo, file.path);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&log, t] {
                const std::string line(50, static_cast<char>('a' + t));
                for (int i = 0; i < 100; ++i) log.info(line);
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
    std::ifstream in(file.path);
    const std::string tag(ProgramTag().text());
    std::string line;
    int count = 0;
    for (; std::getline(in, line); ++count) {
        ASSERT_EQ(line.size(), std::string("coopvk: info: : ").size() + tag.size() + 50) << line;
        EXPECT_EQ(line.find_first_not_of(line.back(), line.size() - 50), std::string::npos);
    }
    EXPECT_EQ(count, 400);
}

class Heard : public LogListener {
 public:
    void heard(LogLevel level, std::string_view text) noexcept override {
        lines.emplace_back(level, text);
    }
    std::vector<std::pair<LogLevel, std::string>> lines;
};

TEST(Logs, ListenersHearWholeTextsAtEveryLevel) {
    Heard listener;
    testing::internal::CaptureStderr();
    {
        Log log(LogLevel::kOff, {});
        log.setListener(&listener);
        log.error("one\ntwo");
        log.writePieces(LogLevel::kWarn, {"a", "", "b"});
        log.info("three");
        log.write(LogLevel::kOff, "nothing");
        log.error("");
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    const decltype(listener.lines) expected = {
        {LogLevel::kError, "one\ntwo"}, {LogLevel::kWarn, "ab"}, {LogLevel::kInfo, "three"}};
    EXPECT_EQ(listener.lines, expected);
}

VkResult outOfMemory(const void*) { throw std::bad_alloc(); }
void voidOutOfMemory(const void*) { throw std::bad_alloc(); }
PFN_vkVoidFunction pointerOutOfMemory(const void*, const char*) { throw std::bad_alloc(); }
VkResult throwOther(const void*) { throw 5; }
VkResult passThrough(const void*) { return VK_INCOMPLETE; }

template <auto Function, typename... Args>
auto guarded(std::string& text, Args... args) {
    testing::internal::CaptureStderr();
    struct Read {
        std::string& text;
        ~Read() { text = testing::internal::GetCapturedStderr(); }
    } read{text};
    return Guard<"vkSomething", Function>::call(args...);
}

// Of pieces, which are joined without memory, no more than 512 bytes.
TEST(Logs, ListenersHearTheStartOfLongPieces) {
    Heard listener;
    Log log(LogLevel::kOff, {});
    log.setListener(&listener);
    const std::string a(300, 'a'), b(300, 'b'), c(300, 'c');
    log.writePieces(LogLevel::kWarn, {a, b, c});
    ASSERT_EQ(listener.lines.size(), 1u);
    EXPECT_EQ(listener.lines[0].second, a + b.substr(0, 212));
}

TEST(Guards, NothingEscapesAndALineTells) {
    std::string text;
    const void* none = nullptr;
    EXPECT_EQ((guarded<&outOfMemory>(text, none)), VK_ERROR_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(text, "coopvk: error: " + std::string(ProgramTag().text()) +
                        ": vkSomething: failed within coopvk: VK_ERROR_OUT_OF_HOST_MEMORY\n");
    EXPECT_EQ((guarded<&throwOther>(text, none)), VK_ERROR_UNKNOWN);
    EXPECT_NE(text.find("VK_ERROR_UNKNOWN"), std::string::npos);
    guarded<&voidOutOfMemory>(text, none);
    EXPECT_NE(text.find("vkSomething"), std::string::npos);
    const char* name = "name";
    EXPECT_EQ((guarded<&pointerOutOfMemory>(text, none, name)), nullptr);
    EXPECT_EQ((guarded<&passThrough>(text, none)), VK_INCOMPLETE);
    EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace coopvk::layer::log_test

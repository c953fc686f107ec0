// SPDX-License-Identifier: Apache-2.0
//
// Logs that are pipes, and programs that call themselves something else.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "report/log.hpp"
#include "system/program.hpp"

namespace coopvk::layer::posix_log_test {
namespace {

volatile sig_atomic_t signalsSeen = 0;

void noteSignal(int) { signalsSeen = signalsSeen + 1; }

// A pipe without a reader neither ends an application nor sends it a signal.
TEST(Logs, ReaderGone) {
    std::string folder = std::filesystem::temp_directory_path() / "coopvk-pipe-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/pipe";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    struct sigaction mine = {}, before = {};
    mine.sa_handler = noteSignal;
    ASSERT_EQ(sigaction(SIGPIPE, &mine, &before), 0);
    {
        Log log(LogLevel::kWarn, path);
        log.warn("read");
        char text[256] = {};
        EXPECT_GT(read(reader, text, sizeof(text)), 0);
        close(reader);
        log.warn("not read");
    }
    EXPECT_EQ(signalsSeen, 0);
    sigset_t waiting, blocked;
    sigpending(&waiting);
    EXPECT_EQ(sigismember(&waiting, SIGPIPE), 0);
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    EXPECT_EQ(sigismember(&blocked, SIGPIPE), 0);
    raise(SIGPIPE);
    EXPECT_EQ(signalsSeen, 1) << "the application's own signals arrive";
    sigaction(SIGPIPE, &before, nullptr);
    std::filesystem::remove_all(folder);
}

// The test changes the name, as a program does that changes its own name.
class ProgramNames : public testing::Test {
 protected:
    ~ProgramNames() override { program_invocation_short_name = before_; }
    void use(const char* name) { program_invocation_short_name = const_cast<char*>(name); }
    static std::string tag() { return std::string(ProgramTag().text()); }
    const std::string process = std::to_string(getpid());

 private:
    char* const before_ = program_invocation_short_name;
};

TEST_F(ProgramNames, InLogLines) {
    use("game");
    EXPECT_EQ(tag(), "game[" + process + "]");
    use("Z:\\games\\Some Game.exe");
    EXPECT_EQ(tag(), "Some Game.exe[" + process + "]");
    use("a\nb\x1b[");
    EXPECT_EQ(tag(), "a?b?[[" + process + "]");
    use("\xc2\x9b\u202e\xff\u00e9");
    EXPECT_EQ(tag(), "??????\u00e9[" + process + "]");
    const std::string longName(1000, 'x');
    use(longName.c_str());
    EXPECT_EQ(tag(), std::string(80, 'x') + "[" + process + "]");
    use("");
    EXPECT_EQ(tag(), "[" + process + "]");
}

TEST_F(ProgramNames, InPaths) {
    use("game");
    EXPECT_EQ(expandPath("/logs/%n-%p.txt"), "/logs/game-" + process + ".txt");
    EXPECT_EQ(expandPath("100%%p %x %"), "100%p %x %");
    EXPECT_EQ(expandPath(""), "");
    // A program's name cannot choose the folder.
    use("..");
    EXPECT_EQ(expandPath("/logs/%n"), "/logs/_..");
    use("");
    EXPECT_EQ(expandPath("/logs/%n/x"), "/logs/_/x");
    use("a/../b\n");
    EXPECT_EQ(expandPath("%n"), "a_.._b_");
}

}  // namespace
}  // namespace coopvk::layer::posix_log_test

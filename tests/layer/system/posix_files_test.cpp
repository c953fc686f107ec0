// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>

#include "report/log.hpp"
#include "system/files.hpp"
#include "system/system.hpp"

namespace coopvk::layer::posix_files_test {
namespace {

namespace fs = std::filesystem;

// A folder of this user's own, and in it one that everybody can write to.
class FilesTest : public testing::Test {
 protected:
    FilesTest() {
        fs::create_directories(shared);
        ::chmod(own.c_str(), 0755);
        ::chmod(shared.c_str(), 01777);
    }
    ~FilesTest() override { fs::remove_all(own); }

    static std::string read(const fs::path& path) {
        std::ostringstream out;
        out << std::ifstream(path).rdbuf();
        return out.str();
    }
    static mode_t modeOf(const fs::path& path) {
        struct stat info = {};
        EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
        return info.st_mode & 07777;
    }
    static std::string append(const std::string& path, IfMissing ifMissing = IfMissing::kCreate) {
        const auto file = openForAppending(path, ifMissing);
        if (!file) return file.error().message;
        EXPECT_EQ(::write(file->number(), "x", 1), 1);
        return "";
    }

    const fs::path own =
        fs::temp_directory_path() / ("coopvk-files-test-" + std::to_string(getpid()));
    const fs::path shared = own / "shared";
};

TEST_F(FilesTest, NewFilesAreTheirOwnersAlone) {
    for (const fs::path& folder : {own, shared}) {
        EXPECT_EQ(append(folder / "log"), "");
        EXPECT_EQ(append(folder / "log"), "");
        EXPECT_EQ(read(folder / "log"), "xx");
        EXPECT_EQ(modeOf(folder / "log"), 0600u);
    }
}

TEST_F(FilesTest, MissingOnes) {
    EXPECT_EQ(append(own / "log", IfMissing::kFail), "No such file or directory");
    EXPECT_FALSE(fs::exists(own / "log"));
    EXPECT_EQ(append(own / "none" / "log"), "No such file or directory");
    EXPECT_NE(append(own / ""), "");
    EXPECT_NE(append(""), "");
}

TEST_F(FilesTest, LinksThatOthersCanLayAreNotFollowed) {
    std::ofstream(own / "precious") << "p";
    fs::create_symlink(own / "precious", shared / "log");
    fs::create_symlink(own / "new", shared / "other");
    fs::create_symlink(own, shared / "folder");
    for (const char* name : {"log", "other", "folder/log"}) {
        EXPECT_NE(append(shared / name).find("is a link in a folder that others can write to"),
                  std::string::npos)
            << name;
    }
    EXPECT_EQ(read(own / "precious"), "p");
    EXPECT_FALSE(fs::exists(own / "new"));
    EXPECT_FALSE(fs::exists(own / "log"));
    // The log says so, and continues elsewhere.
    testing::internal::CaptureStderr();
    Log(LogLevel::kWarn, shared / "log").warn("still said");
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("is a link"), std::string::npos) << text;
    EXPECT_NE(text.find("still said"), std::string::npos) << text;
    EXPECT_EQ(read(own / "precious"), "p");
}

TEST_F(FilesTest, OwnLinksAreFollowed) {
    fs::create_symlink("target", own / "log");
    fs::create_directory(own / "folder");
    fs::create_symlink("folder", own / "link");
    EXPECT_EQ(append(own / "log"), "");
    EXPECT_EQ(append(own / "link" / "log"), "");
    EXPECT_EQ(read(own / "target"), "x");
    EXPECT_EQ(read(own / "folder" / "log"), "x");
}

// A signal may interrupt a write in the middle of any piece: the rest follows.
TEST_F(FilesTest, InterruptedWrites) {
    struct sigaction action = {}, before = {};
    action.sa_handler = [](int) {};  // and no SA_RESTART
    ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const int room = ::fcntl(ends[1], F_SETPIPE_SZ, 4096);
    ASSERT_GT(room, 0);
    const auto size = static_cast<size_t>(room);
    const std::string a(size / 2, 'a'), b(size, 'b'), c(2 * size + 7, 'c');
    const std::string_view pieces[] = {a, "", b, "x", c, ""};
    std::atomic<bool> done = false;
    std::thread writer([&] {
        writePieces(ends[1], pieces);
        ::close(ends[1]);
        done = true;
    });
    std::string got, part(size, 0);
    for (ssize_t more = 1; more > 0;) {
        int waiting = 0;
        while (!done && ::ioctl(ends[0], FIONREAD, &waiting) == 0 && waiting < room)
            std::this_thread::yield();
        if (!done) ::pthread_kill(writer.native_handle(), SIGUSR1);
        // Time for it to see the signal; without that, nothing is interrupted.
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        more = ::read(ends[0], part.data(), part.size());
        got.append(part, 0, static_cast<size_t>(std::max<ssize_t>(more, 0)));
    }
    writer.join();
    ::close(ends[0]);
    ::sigaction(SIGUSR1, &before, nullptr);
    EXPECT_TRUE(got == a + b + "x" + c) << got.size();
}

// What cannot be written leaves nothing behind.
TEST_F(FilesTest, AFolderInPlaceOfAFile) {
    fs::create_directories(own / "out" / "name" / "in it");
    const auto folder = OutputFolder::open(own / "out");
    ASSERT_TRUE(folder);
    EXPECT_FALSE(folder->write("name", "text"));
    EXPECT_EQ(namesInFolder(own / "out"), std::vector<std::string>{"name"});
    EXPECT_TRUE(folder->write("other", "text"));
    EXPECT_EQ(read(own / "out" / "other"), "text");
}

// A file of the current folder; no more than is asked for; and none that others can write to.
TEST_F(FilesTest, OwnFilesAreRead) {
    const fs::path before = fs::current_path();
    fs::current_path(own);
    std::ofstream("name") << "text";
    EXPECT_EQ(readOwnFile("name", 100), "text");
    EXPECT_EQ(readOwnFile("name", 4), "text");
    EXPECT_EQ(readOwnFile("name", 3), "tex");
    EXPECT_EQ(readOwnFile((own / "name").string(), 100), "text");
    EXPECT_FALSE(readOwnFile("ame", 100));
    fs::create_hard_link("name", "second");
    EXPECT_FALSE(readOwnFile("name", 100));
    fs::remove("second");
    EXPECT_EQ(takeAbandonedFile("name", 3), "tex");
    EXPECT_FALSE(fs::exists("name"));
    fs::current_path(before);
}

// What a process holds is taken by nobody else.
TEST_F(FilesTest, HeldFilesAreNotAbandoned) {
    const std::string path = own / "held";
    {
        const auto file = openForAppending(path, IfMissing::kCreate);
        ASSERT_TRUE(file);
        EXPECT_EQ(::write(file->number(), "x", 1), 1);
        holdFile(file->number());
        EXPECT_FALSE(takeAbandonedFile(path, 100));
        EXPECT_EQ(read(path), "x");
        emptyFile(file->number());
        EXPECT_EQ(fs::file_size(path), 0u);
        EXPECT_EQ(::write(file->number(), "y", 1), 1);
    }
    EXPECT_EQ(takeAbandonedFile(path, 100), "y");
}

// In a folder that the process made its root there is no /proc: what it was started with counts.
TEST_F(FilesTest, ProgramsWithoutProc) {
    const fs::path program = system::programFile();
    EXPECT_TRUE(fs::equivalent(program, "/proc/self/exe"));
    const auto* const given = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    enum { kAsGiven, kOther, kNotPermitted };
    const pid_t child = ::fork();
    if (child == 0) {
        if (::chroot(own.c_str()) != 0 &&
            (::unshare(CLONE_NEWUSER) != 0 || ::chroot(own.c_str()) != 0))
            ::_exit(kNotPermitted);
        ::_exit(system::programFile() == given ? kAsGiven : kOther);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == kNotPermitted) GTEST_SKIP() << "no folder may become the root";
    EXPECT_EQ(status, 0);
}

TEST_F(FilesTest, SystemsFiles) {
    EXPECT_EQ(append("/dev/null"), "");
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(append("/proc/self/fd/" + std::to_string(ends[1])), "") << "as /dev/stdout is";
    char got = 0;
    EXPECT_EQ(::read(ends[0], &got, 1), 1);
    EXPECT_EQ(got, 'x');
    ::close(ends[0]);
    ::close(ends[1]);
}

// As if a program's own output were redirected there: neither overwrites the other.
TEST_F(FilesTest, OpenStreamsAreShared) {
    const fs::path path = own / "output";
    const int stream = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(stream, 0);
    const std::string number = std::to_string(stream);
    EXPECT_EQ(::write(stream, "1", 1), 1);
    for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
        EXPECT_EQ(append(folder + number), "");
        EXPECT_EQ(::write(stream, "2", 1), 1);
        EXPECT_NE(append(folder + "99999"), "");
        EXPECT_NE(append(folder + number + "x"), "");
    }
    const int before = ::dup(STDERR_FILENO);
    ::dup2(stream, STDERR_FILENO);
    const std::string error = append("/dev/stderr");
    ::dup2(before, STDERR_FILENO);
    ::close(before);
    EXPECT_EQ(error, "");
    EXPECT_EQ(::write(stream, "3", 1), 1);
    ::close(stream);
    EXPECT_EQ(read(path), "1x2x2x3");
}

TEST_F(FilesTest, PipesOfNoReaderDoNotStopTheProgram) {
    ASSERT_EQ(::mkfifo((shared / "log").c_str(), 0666), 0);
    EXPECT_NE(append(shared / "log"), "");
}

// A hard link to an important file.
TEST_F(FilesTest, HardLinksThatOthersCanLay) {
    std::ofstream(own / "precious") << "p";
    fs::create_hard_link(own / "precious", shared / "log");
    EXPECT_NE(append(shared / "log").find("not this user's own file"), std::string::npos);
    EXPECT_EQ(read(own / "precious"), "p");
}

TEST_F(FilesTest, FilesOfOthers) {
    std::ofstream(shared / "log") << "o";
    // Where root is the only user of a namespace, there are no others.
    if (geteuid() != 0 || ::chown((shared / "log").c_str(), 65534, 65534) != 0)
        GTEST_SKIP() << "only root can make another user's file";
    EXPECT_NE(append(shared / "log").find("not this user's own file"), std::string::npos);
    EXPECT_EQ(read(shared / "log"), "o");
    // Whether a folder is safe depends on its owner.
    fs::create_directory(own / "theirs");
    fs::create_symlink(own / "precious", own / "theirs" / "log");
    ASSERT_EQ(::chown((own / "theirs").c_str(), 65534, 65534), 0);
    EXPECT_NE(append(own / "theirs" / "log"), "");
    EXPECT_FALSE(fs::exists(own / "precious"));
}

// Of a group that is not this user's alone, other members can write there: /home/shared of "users".
TEST_F(FilesTest, FoldersOfGroupsAreShared) {
    const gid_t before = ::getegid();
    // Without root's rights, the test has the group that it has.
    const bool isRoot = ::geteuid() == 0 && ::setegid(100) == 0;
    fs::create_symlink(own / "precious", own / "log");
    ASSERT_EQ(::chmod(own.c_str(), 0770), 0);
    ASSERT_TRUE(!isRoot || ::chown(own.c_str(), 0, 100) == 0);
    const bool isOwn = !isRoot && ::getegid() == ::geteuid();
    EXPECT_EQ(append(own / "log").empty(), isOwn) << "a link";
    EXPECT_EQ(fs::exists(own / "precious"), isOwn);
    ASSERT_TRUE(!isRoot || ::setegid(before) == 0);
    ASSERT_EQ(::chown(own.c_str(), ::geteuid(), before), 0);
    EXPECT_EQ(append(own / "log").empty(), before == ::geteuid());
}

TEST_F(FilesTest, PrivateFoldersAreNew) {
    std::set<std::string> paths;
    for (int i = 0; i < 4; ++i) {
        const auto folder = OutputFolder::makePrivate(own);
        ASSERT_TRUE(folder) << folder.error().message;
        EXPECT_EQ(modeOf(folder->path()), 0700u);
        EXPECT_TRUE(fs::is_empty(folder->path()));
        EXPECT_TRUE(paths.insert(folder->path()).second);
    }
    EXPECT_FALSE(OutputFolder::makePrivate(own / "none"));
}

TEST_F(FilesTest, WhyAFolderCannotBeMade) {
    if (!fs::exists("/sys/kernel")) GTEST_SKIP() << "no file system where nobody makes folders";
    const auto made = OutputFolder::open("/sys/coopvk");
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message, std::generic_category().message(ENOENT));
}

TEST_F(FilesTest, FoldersAreMade) {
    const auto folder = OutputFolder::open(own / "a" / "b");
    ASSERT_TRUE(folder) << folder.error().message;
    EXPECT_EQ(folder->path(), own / "a" / "b");
    EXPECT_EQ(modeOf(own / "a"), 0700u);
    EXPECT_TRUE(folder->write("file", "one"));
    EXPECT_TRUE(folder->write("file", "two"));
    EXPECT_EQ(read(own / "a" / "b" / "file"), "two");
    EXPECT_EQ(modeOf(own / "a" / "b" / "file"), 0600u);
    fs::create_symlink(own / "precious", own / "a" / "b" / "link");
    EXPECT_TRUE(folder->write("link", "in its place"));
    EXPECT_FALSE(fs::exists(own / "precious"));
    EXPECT_FALSE(folder->write("none/file", ""));
    EXPECT_EQ(std::distance(fs::directory_iterator(own / "a" / "b"), {}), 2);
    std::ofstream(own / "file") << "";
    EXPECT_FALSE(OutputFolder::open(own / "file"));
}

// Root may write to a user's folder: what it makes there, that user could not remove.
TEST_F(FilesTest, NoneIsMadeInAnotherUsersFolder) {
    EXPECT_TRUE(makeOwnFolder(own / "a" / "b"));
    EXPECT_EQ(modeOf(own / "a" / "b"), 0700u);
    if (::chown((own / "a").c_str(), 12345, gid_t(-1)) != 0)
        GTEST_SKIP() << "only root gives folders away";
    EXPECT_FALSE(makeOwnFolder(own / "a" / "c"));
    EXPECT_FALSE(fs::exists(own / "a" / "c"));
}

TEST_F(FilesTest, SharedFoldersGetOneThatNobodyCanForesee) {
    std::set<std::string> paths;
    for (int i = 0; i < 4; ++i) {
        const auto folder = OutputFolder::open(shared);
        ASSERT_TRUE(folder) << folder.error().message;
        EXPECT_TRUE(folder->write("file", "x"));
        EXPECT_EQ(fs::path(folder->path()).parent_path(), shared);
        EXPECT_EQ(modeOf(folder->path()), 0700u);
        EXPECT_EQ(read(fs::path(folder->path()) / "file"), "x");
        EXPECT_TRUE(paths.insert(folder->path()).second);
    }
    EXPECT_FALSE(fs::exists(shared / "file"));
    fs::create_symlink(own, shared / "link");
    EXPECT_FALSE(OutputFolder::open(shared / "link"));
    EXPECT_FALSE(OutputFolder::open(shared / "link" / "new"));
    EXPECT_FALSE(fs::exists(own / "new"));
}

}  // namespace
}  // namespace coopvk::layer::posix_files_test

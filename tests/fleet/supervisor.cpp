// SPDX-License-Identifier: Apache-2.0
#include "supervisor.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <format>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace coopvk::fleet {
namespace {

namespace fs = std::filesystem;

// A temporary folder, which the destructor removes.
class Folder {
 public:
    Folder() : path_((fs::temp_directory_path() / "coopvk-fleet-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    std::string file(const char* name) const { return path_ + "/" + name; }

 private:
    std::string path_;
};

void setUnlessSet(const char* name, const std::string& value) { setenv(name, value.c_str(), 0); }

// Before a program starts.
void setEnvironment(const Device& device, const Surroundings& surroundings) {
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
    const std::string layer = folder.parent_path().parent_path() / "layer";
    setenv("LD_PRELOAD", findLibrary(device.library, surroundings.libraryPath).c_str(), 1);
    setenv("VK_DRIVER_FILES", findManifest(device.driver).c_str(), 1);
    for (const auto& [name, value] : device.environment) setenv(name.c_str(), value.c_str(), 1);
    setUnlessSet("XDG_RUNTIME_DIR", "/tmp");
    setUnlessSet("COOPVK_EMULATE", "all");
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    if (surroundings.capture.empty()) {
        setUnlessSet("VK_IMPLICIT_LAYER_PATH", layer);
        setUnlessSet("COOPVK_ENABLE", "1");
        return;
    }
    // Named layers are in the order of the list: the first one is nearest to the program.
    setenv("VK_ADD_LAYER_PATH", ((folder / "capture").string() + ":" + layer).c_str(), 1);
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_COOPVK_test_capture:VK_LAYER_COOPVK_emulation", 1);
    setenv("COOPVK_CAPTURE", fs::absolute(surroundings.capture).c_str(), 1);
}

// Returns only if the program cannot be started.
void start(const char* file, std::vector<std::string>& arguments) {
    std::vector<char*> list;
    for (std::string& argument : arguments) list.push_back(argument.data());
    list.push_back(nullptr);
    execvp(file, list.data());
}

[[noreturn]] void becomeWorker(const Device& device, const Surroundings& surroundings,
                               const Folder& folder, int report,
                               std::vector<std::string> arguments) {
    const int log = open(folder.file("output").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    setEnvironment(device, surroundings);
    setUnlessSet("COOPVK_VALIDATE_OUTPUT", "1");
    setenv("COOPVK_LOG_FILE", folder.file("layer").c_str(), 1);
    arguments.insert(arguments.begin(),
                     {"coopvk_fleet", "--worker", std::to_string(report), "--device", device.name});
    start("/proc/self/exe", arguments);
    _exit(127);
}

std::string lastLines(const std::string& file) {
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return text.substr(text.size() > 600 ? text.size() - 600 : 0);
}

std::string endOf(int status) {
    if (WIFSIGNALED(status)) return strsignal(WTERMSIG(status));
    return std::format("exit status {}", WEXITSTATUS(status));
}

// One process: reads its output until it ends.
class Process {
 public:
    Process(const Device& device, const Surroundings& surroundings,
            const std::vector<std::string>& arguments) {
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("no pipe");
        child_ = fork();
        if (child_ == 0) {
            close(ends[0]);
            becomeWorker(device, surroundings, folder_, ends[1], arguments);
        }
        close(ends[1]);
        report_ = fdopen(ends[0], "r");
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() { std::fclose(report_); }

    // Whether it did all its work; if not, `begun` is the work at which it ended, if any.
    bool read(std::vector<Measurement>& list) {
        char* line = nullptr;
        size_t capacity = 0;
        while (getline(&line, &capacity, report_) > 0) {
            const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
            if (json.contains("begin")) begun = measurementFromJson(json["begin"]);
            if (!json.contains("end")) continue;
            list.push_back(measurementFromJson(json["end"]));
            begun.reset();
        }
        std::free(line);
        int status = 0;
        waitpid(child_, &status, 0);
        if (status == 0) return true;
        end = endOf(status) + ": " + lastLines(folder_.file("output"));
        return false;
    }

    std::optional<Measurement> begun;
    std::string end;

 private:
    Folder folder_;
    pid_t child_ = 0;
    std::FILE* report_ = nullptr;
};

}  // namespace

std::string whyNot(const Device& device, const Surroundings& surroundings) {
    if (findLibrary(device.library, surroundings.libraryPath).empty())
        return std::format("no {}.so (Debian: mesa-drm-shim)", device.library);
    if (findManifest(device.driver).empty())
        return std::format("no {}.json (Debian: mesa-vulkan-drivers)", device.driver);
    return {};
}

std::vector<Measurement> runWorker(const Device& device, const Surroundings& surroundings,
                                   const std::vector<std::string>& arguments) {
    std::vector<Measurement> list;
    while (true) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"--first", std::to_string(list.size())});
        Process process(device, surroundings, all);
        if (process.read(list)) return list;
        if (!process.begun)
            throw std::runtime_error(std::format("{}: {}", device.name, process.end));
        list.push_back(crashed(*process.begun, process.end));
    }
}

std::string outputOf(const Device& device, const Surroundings& surroundings,
                     std::vector<std::string> program) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]), close(ends[1]);
        becomeProgram(device, surroundings, std::move(program));
        _exit(127);
    }
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
        text.append(buffer, static_cast<size_t>(got));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) throw std::runtime_error(program.front() + " failed: " + endOf(status));
    return text;
}

void becomeProgram(const Device& device, const Surroundings& surroundings,
                   std::vector<std::string> program) {
    setEnvironment(device, surroundings);
    start(program.front().c_str(), program);
}

}  // namespace coopvk::fleet

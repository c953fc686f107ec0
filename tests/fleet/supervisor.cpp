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

// A folder that is gone at the end.
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

// In the new process, before the program starts there.
void setEnvironment(const Device& device, const std::string& library, const Folder& folder) {
    const fs::path program = fs::read_symlink("/proc/self/exe");
    setenv("LD_PRELOAD", library.c_str(), 1);
    setenv("VK_DRIVER_FILES", findManifest(device.driver).c_str(), 1);
    for (const Variable& variable : device.environment)
        if (variable.name != nullptr) setenv(variable.name, variable.value, 1);
    setUnlessSet("VK_IMPLICIT_LAYER_PATH",
                 program.parent_path().parent_path().parent_path() / "layer");
    setUnlessSet("XDG_RUNTIME_DIR", "/tmp");
    setUnlessSet("COOPVK_ENABLE", "1");
    setUnlessSet("COOPVK_EMULATE", "all");
    setUnlessSet("COOPVK_VALIDATE_OUTPUT", "1");
    setenv("COOPVK_LOG_FILE", folder.file("layer").c_str(), 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
}

[[noreturn]] void become(const Device& device, const std::string& library, const Folder& folder,
                         int report, std::vector<std::string> arguments) {
    const int log = open(folder.file("output").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    setEnvironment(device, library, folder);
    arguments.insert(arguments.begin(), {"coopvk_fleet", "--worker", std::to_string(report),
                                         "--device", std::string(device.name)});
    std::vector<char*> list;
    for (std::string& argument : arguments) list.push_back(argument.data());
    list.push_back(nullptr);
    execv("/proc/self/exe", list.data());
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

// One process: takes in what it tells until it ends.
class Process {
 public:
    Process(const Device& device, const std::string& library,
            const std::vector<std::string>& arguments) {
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("no pipe");
        child_ = fork();
        if (child_ == 0) {
            close(ends[0]);
            become(device, library, folder_, ends[1], arguments);
        }
        close(ends[1]);
        report_ = fdopen(ends[0], "r");
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() { std::fclose(report_); }

    // Whether it did all its work; else `begun` tells at what it ended, if anything.
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

std::vector<Measurement> runDevice(const Device& device, const std::string& libraryPath,
                                   const std::vector<std::string>& arguments) {
    const std::string library = findLibrary(device.library, libraryPath);
    if (library.empty()) throw std::runtime_error(std::format("no {}", device.library));
    std::vector<Measurement> list;
    while (true) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"--first", std::to_string(list.size())});
        Process process(device, library, all);
        if (process.read(list)) return list;
        if (!process.begun)
            throw std::runtime_error(std::format("{}: {}", device.name, process.end));
        process.begun->problem = "crash: " + process.end;
        list.push_back(*process.begun);
    }
}

}  // namespace coopvk::fleet

// SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vulkan/vk_enum_string_helper.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <format>
#include <fstream>
#include <nlohmann/json.hpp>

#include "coopvk/rewrite.hpp"
#include "interface.hpp"
#include "measurement.hpp"
#include "needs.hpp"

namespace coopvk::fleet {
namespace {

constexpr rlim_t kMaxSeconds = 60;  // of processor time for one pipeline; then the process ends

// Captures the standard output while it exists, since some drivers print their code there.
class Printed {
 public:
    Printed() : memory_(memfd_create("printed", 0)), before_(dup(STDOUT_FILENO)) {
        std::fflush(stdout);
        dup2(memory_, STDOUT_FILENO);
    }
    Printed(const Printed&) = delete;
    Printed& operator=(const Printed&) = delete;
    ~Printed() {
        close(memory_);
        close(before_);
    }

    std::string take() {
        std::fflush(stdout);
        dup2(before_, STDOUT_FILENO);
        std::string text(static_cast<size_t>(std::max<off_t>(lseek(memory_, 0, SEEK_END), 0)), 0);
        const ssize_t got = pread(memory_, text.data(), text.size(), 0);
        text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
        return text;
    }

 private:
    int memory_, before_;
};

// The layer's log, from the position up to which it was read before.
class LayerLog {
 public:
    LayerLog() : path_(std::getenv("COOPVK_LOG_FILE")) { take(); }
    std::string take() {
        std::ifstream file(path_, std::ios::binary);
        file.seekg(read_);
        std::string text{std::istreambuf_iterator<char>(file), {}};
        read_ += static_cast<std::streamoff>(text.size());
        std::ranges::replace(text, '\n', ' ');
        return text;
    }

 private:
    std::string path_;
    std::streamoff read_ = 0;
};

void limitProcessorTime() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur =
        static_cast<rlim_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + kMaxSeconds;
    setrlimit(RLIMIT_CPU, &limit);
}

void keepTexts(const Work& work, const Measurement& m, const std::vector<Executable>& executables) {
    if (work.textFolder.empty()) return;
    std::string file = std::format("{}-{}-{}", m.device, m.subject, m.size);
    std::ranges::replace(file, '/', '-');
    std::filesystem::create_directories(work.textFolder);
    for (const Executable& executable : executables)
        for (const auto& [name, text] : executable.texts) {
            std::string ending = name;
            std::ranges::replace(ending, ' ', '-');
            std::ofstream(work.textFolder + "/" + file + "." + ending) << text;
        }
}

class Worker {
 public:
    Worker(const Work& work, std::FILE* report) : work_(work), report_(report) {}

    void run() {
        uint32_t number = 0;
        for (const Subject& subject : work_.subjects)
            for (const uint32_t size : sizesOf(subject)) {
                if (work_.onlySize != 0 && work_.onlySize != size) continue;
                if (number++ < work_.first) continue;
                Measurement m;
                m.device = work_.device;
                m.driver = gpu_.properties12.driverInfo;
                m.subject = subject.name;
                m.size = size;
                m.problem = missingFeature(gpu_, subject);  // if the driver crashes
                tell({{"begin", toJson(m)}});
                m.problem.clear();
                one(subject, m);
                tell({{"end", toJson(m)}});
            }
    }

 private:
    std::vector<uint32_t> sizesOf(const Subject& subject) const {
        const bool isCompute = readInterface(subject.words).stage == VK_SHADER_STAGE_COMPUTE_BIT;
        if (!subject.size && isCompute) return gpu_.subgroupSizes();
        if (!isCompute) return {gpu_.properties11.subgroupSize};
        return {*subject.size != 0 ? *subject.size : gpu_.properties11.subgroupSize};
    }

    void tell(const nlohmann::ordered_json& json) {
        std::fprintf(report_, "%s\n",
                     json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
        std::fflush(report_);
    }

    void one(const Subject& subject, Measurement& m) {
        m.isPlain = rewrite::scan(subject.words, rewrite::ExtensionSet::all()).empty();
        m.problem = missingExtension(gpu_, subject);
        m.isMissing = !m.problem.empty();
        if (m.isMissing) return;
        limitProcessorTime();
        Printed printed;
        Creation creation;
        try {
            creation = createPipeline(gpu_, subject, m.size);
        } catch (const std::exception& error) {
            m.problem = error.what();
        }
        std::string code = printed.take();
        if (!code.empty() && !creation.executables.empty())
            creation.executables.front().texts.emplace_back("printed", std::move(code));
        m.seconds = creation.seconds;
        const std::string complaint = log_.take();
        if (creation.result != VK_SUCCESS)
            m.problem = std::format("{}: {}", string_VkResult(creation.result), complaint);
        if (m.problem.empty() && !complaint.empty()) m.problem = complaint;
        if (const std::string missing = missingFeature(gpu_, subject);
            !m.problem.empty() && !missing.empty()) {
            m.problem = missing;
            m.isMissing = true;
        }
        if (work_.mayBeRefused && m.problem.find("cannot rewrite") != std::string::npos) {
            m.isMissing = true;
        }
        measure(creation.executables, m);
        keepTexts(work_, m, creation.executables);
    }

    const Work& work_;
    std::FILE* report_;
    Gpu gpu_;
    LayerLog log_;
};

}  // namespace

void work(const Work& work, std::FILE* report) { Worker(work, report).run(); }

}  // namespace coopvk::fleet

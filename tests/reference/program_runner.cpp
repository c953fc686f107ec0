// SPDX-License-Identifier: Apache-2.0
#include "program_runner.hpp"

#include <algorithm>
#include <bit>
#include <spirv-tools/libspirv.hpp>
#include <stdexcept>

#include "coopvk_reference/buffers.hpp"

namespace coopvk::reference::test {

namespace {

// Empty: `problems` says why.
std::vector<uint32_t> assembled(const std::string& text, std::string& problems) {
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
            problems += std::to_string(at.line + 1) + ": " + message + "\n";
        });
    std::vector<uint32_t> words;
    if (!tools.Assemble(text, &words)) words.clear();
    return words;
}

// Buffers, and lists whose values are padded to those of all invocations.
class Provided : public Resources {
 public:
    Provided(Execution& run, BufferList& buffers) : run_(run), buffers_(buffers) {
        const uint32_t invocations = findStage(run.stage)->invocations;
        for (const auto& [name, values] : run.lists) {
            std::vector<uint32_t>& words = words_[name];
            for (const auto& each : values) words.insert(words.end(), each.begin(), each.end());
            words.resize(values.front().size() * invocations);
            ranges_[name] = {reinterpret_cast<std::byte*>(words.data()), words.size() * 4};
        }
    }
    const Range* descriptor(uint32_t set, uint32_t binding, uint32_t element) override {
        return buffers_.descriptor(set, binding, element);
    }
    const Range* buffer(uint64_t address) override { return buffers_.buffer(address); }
    const Range* inHeap(uint64_t offset, ResourceKind kind) override {
        return buffers_.inHeap(offset, kind);
    }
    const Range* list(const StageList& list) override {
        const auto found = ranges_.find(nameOf(list));
        return found != ranges_.end() ? &found->second : nullptr;
    }
    void takeLists() {
        for (auto& [name, values] : run_.lists) {
            auto from = words_[name].begin();
            for (auto& each : values) {
                std::copy_n(from, each.size(), each.begin());
                from += std::ptrdiff_t(each.size());
            }
        }
    }

 private:
    Execution& run_;
    BufferList& buffers_;
    std::map<std::string, std::vector<uint32_t>> words_;
    std::map<std::string, Range> ranges_;
};

// Keeps all that it gets.
class Recorder : public Reporter {
 public:
    explicit Recorder(Execution& run) : run_(run) {}
    bool report(const Report& report) override {
        run_.reports.push_back(report);
        return !run_.stopsAtReports;
    }
    void print(const std::string& text) override { run_.prints.push_back(text); }

 private:
    Execution& run_;
};

}  // namespace

std::vector<uint32_t> assemble(const std::string& text) {
    std::string problems;
    auto words = assembled(text, problems);
    if (words.empty()) throw std::runtime_error(problems);
    return words;
}

void execute(Execution& run, const std::string& text) {
    const auto words = assembled(text, run.error);
    if (!words.empty()) execute(run, words);
}

void execute(Execution& run, const std::vector<uint32_t>& words) {
    ProgramRequest request;
    request.words = words;
    request.subgroupSize = run.lanes;
    request.placement = run.settings.placement;
    request.specialization = run.specialization;
    request.rounding = run.settings.rounding;
    request.flushed = run.settings.flushed;
    request.contracts = run.settings.contracts;
    request.validate = run.validate;
    request.hasMaintenance8 = run.hasMaintenance8;
    request.optimalLayout = run.optimalLayout;
    request.stage = uint32_t(run.stage);
    request.isScripted = !run.lists.empty() || run.stage != spv::ExecutionModel::GLCompute;
    const auto program = makeProgram(request);
    if (!program) {
        run.error = program.error().message;
        return;
    }
    run.settings.threads = 1;
    BufferList buffers;
    for (auto& [binding, contents] : run.buffers) {
        Range range{reinterpret_cast<std::byte*>(contents.data()), contents.size() * 4};
        range.address = BufferList::addressOf(binding);
        std::vector<uint8_t>& written = run.written[binding];
        if (!written.empty()) range.written = written.data();
        std::vector<uint32_t>& deviations = run.deviations[binding];
        if (!deviations.empty()) range.deviations = deviations.data();
        std::vector<uint32_t>& readers = run.readers[binding];
        if (!readers.empty()) range.readers = readers.data();
        buffers.add(0, binding, 0, range);
    }
    run.reports.clear();
    run.prints.clear();
    Recorder recorder(run);
    Dispatch dispatch;
    dispatch.groups = run.groups;
    dispatch.base = run.base;
    dispatch.observers = run.observers;
    Provided provided(run, buffers);
    const Status status = reference::execute(**program, dispatch, provided, run.settings, recorder);
    provided.takeLists();
    if (!status) run.error = status.error().message;
}

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
float floatOf(uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace coopvk::reference::test

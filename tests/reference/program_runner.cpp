// SPDX-License-Identifier: Apache-2.0
#include "program_runner.hpp"

#include <bit>
#include <spirv-tools/libspirv.hpp>

namespace coopvk::reference::test {
namespace {

constexpr uint64_t kFirstAddress = uint64_t(1) << 32;

// Buffer n of set 0 is also at the address (n + 1) * 2^32.
class Buffers final : public Resources {
 public:
    explicit Buffers(Execution& run) {
        for (auto& [binding, words] : run.buffers) {
            auto& written = run.written[binding];
            ranges_[binding] = {reinterpret_cast<std::byte*>(words.data()), words.size() * 4,
                                kFirstAddress * (binding + 1),
                                written.empty() ? nullptr : written.data()};
        }
    }
    const Range* descriptor(uint32_t set, uint32_t binding, uint32_t element) override {
        const auto found = ranges_.find(binding);
        return set == 0 && element == 0 && found != ranges_.end() ? &found->second : nullptr;
    }
    const Range* buffer(uint64_t address) override {
        for (const auto& [binding, range] : ranges_) {
            if (address >= range.address && address - range.address < range.size) return &range;
        }
        return nullptr;
    }

 private:
    std::map<uint32_t, Range> ranges_;
};

class Collector final : public Reporter {
 public:
    explicit Collector(Execution& run) : run_(run) {}
    bool report(const Report& report) override {
        run_.reports.push_back(report);
        return true;
    }
    void print(const std::string& text) override { run_.prints.push_back(text); }

 private:
    Execution& run_;
};

}  // namespace

void execute(Execution& run, const std::string& text) {
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
            run.error += std::to_string(at.line + 1) + ": " + message + "\n";
        });
    ProgramRequest request;
    std::vector<uint32_t> words;
    if (!tools.Assemble(text, &words)) return;
    request.words = words;
    request.subgroupSize = run.lanes;
    request.specialization = run.specialization;
    request.validate = run.validate;
    const auto program = makeProgram(request);
    if (!program) {
        run.error = program.error().message;
        return;
    }
    run.settings.threads = 1;
    Buffers buffers(run);
    Collector collector(run);
    Dispatch dispatch;
    dispatch.groups = run.groups;
    const Status status = reference::execute(**program, dispatch, buffers, run.settings, collector);
    if (!status) run.error = status.error().message;
}

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
float floatOf(uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace coopvk::reference::test

// SPDX-License-Identifier: Apache-2.0
#include "side.hpp"

#include <algorithm>

#include "coopvk_reference/write_trace.hpp"

namespace coopvk::check {
namespace {

class Collector final : public reference::Reporter {
 public:
    explicit Collector(std::vector<reference::Report>& reports) : reports_(reports) {}
    bool report(const reference::Report& report) override {
        reports_.push_back(report);
        return true;
    }
    void print(const std::string&) override {}

 private:
    std::vector<reference::Report>& reports_;
};

// They have no reader, and nothing wrote them.
std::vector<BufferByte> takePadding(std::vector<Accessed>& accessed) {
    std::vector<BufferByte> padding;
    for (size_t b = 0; b < accessed.size(); ++b)
        for (size_t i = 0; i < accessed[b].readers.size(); ++i) {
            uint32_t& reader = accessed[b].readers[i];
            if (reader != reference::kReadsPadding) continue;
            reader = 0;
            if (accessed[b].writers[i] == 0) padding.push_back({b, i});
        }
    return padding;
}

std::array<uint32_t, 3> baseOf(const Memory& memory) {
    return memory.given != nullptr ? memory.given->base : std::array<uint32_t, 3>{0, 0, 0};
}

}  // namespace

Side makeSide(const SideRequest& from) {
    reference::ProgramRequest request;
    request.words = from.words;
    request.entryPoint = from.entryPoint;
    request.subgroupSize = from.lanes;
    request.stage = static_cast<uint32_t>(from.stage);
    request.isScripted = true;
    request.validate = from.validate;
    request.placement = from.placement.value_or(reference::Choice::kPlain);
    request.contracts = from.contracts;
    request.flushed = from.flushed;
    request.optimalLayout = from.optimalLayout;
    for (const SpecializationValue& value : from.specialization)
        request.specialization.push_back({value.constantId, value.bits, value.size});
    auto program = reference::makeProgram(request);
    if (!program) return {nullptr, program.error().code, program.error().message};
    return {std::move(*program), {}, {}};
}

bool clearPadding(std::span<const BufferByte> padding, Memory& memory) {
    if (memory.given != nullptr) return false;
    bool isChanged = false;
    for (const auto& [buffer, offset] : padding) {
        std::byte& byte = memory.buffers[buffer].bytes[offset];
        isChanged |= byte != std::byte{0};
        byte = {};
    }
    return isChanged;
}

Execution execute(const Side& side, const Memory& memory, std::array<uint32_t, 3> groups,
                  const reference::Settings& settings, bool keepsAccesses,
                  std::span<const std::vector<reference::Deviation>> deviations) {
    Execution execution;
    using enum MemoryCopy::Keeps;
    const bool keepsDeviations = settings.intervals != nullptr || settings.symbols != nullptr;
    MemoryCopy copy(memory, keepsDeviations && keepsAccesses ? kBoth
                            : keepsDeviations                ? kDeviations
                            : keepsAccesses                  ? kAccesses
                                                             : kNothing);
    for (size_t b = 0; b < deviations.size(); ++b)
        std::ranges::copy(deviations[b], copy.deviations(b).begin());
    Collector collector(execution.reports);
    const reference::Dispatch dispatch{
        .groups = groups, .base = baseOf(memory), .pushConstants = memory.pushConstants};
    const auto status = reference::execute(*side.program, dispatch, copy, settings, collector);
    if (!status) execution.error = status.error().message;
    execution.contents = copy.takeContents();
    if (keepsAccesses || keepsDeviations) execution.accessed = copy.takeAccessed();
    if (keepsAccesses) execution.padding = takePadding(execution.accessed);
    return execution;
}

std::string findWrite(const Side& side, const Memory& memory, std::array<uint32_t, 3> groups,
                      const reference::Settings& settings, const Watch& watch) {
    MemoryCopy copy(memory);
    reference::WriteTrace trace(copy.bytes(watch.buffer).subspan(watch.offset, watch.size));
    reference::Observer* const observers[] = {&trace};
    std::vector<reference::Report> reports;
    Collector collector(reports);
    const reference::Dispatch dispatch{.groups = groups,
                                       .base = baseOf(memory),
                                       .pushConstants = memory.pushConstants,
                                       .observers = observers};
    (void)reference::execute(*side.program, dispatch, copy, settings, collector);
    return trace.writes().empty() ? "" : reference::describePlace(trace.writes().back());
}

}  // namespace coopvk::check

// SPDX-License-Identifier: Apache-2.0
#include "check_execution.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "check.hpp"
#include "check_rewrite.hpp"
#include "rewrite_input.hpp"

namespace coopvk::fuzz {
namespace {

constexpr uint64_t kSteps = 1u << 12, kBufferBytes = 4096;

check::Subject subjectOf(const RewriteInput& input) {
    const rewrite::Request request = input.request();
    check::Subject subject{.words = request.words, .entryPoint = std::string(request.entryPoint)};
    for (const rewrite::SpecializationEntry& entry : request.specialization) {
        check::SpecializationValue value{.constantId = entry.constantId};
        value.size = static_cast<uint32_t>(std::min(entry.data.size(), sizeof(value.bits)));
        std::memcpy(&value.bits, entry.data.data(), value.size);
        subject.specialization.push_back(value);
    }
    subject.target = input.target();
    subject.asRecorded = true;
    return subject;
}

bool canRun(const RewriteInput& input) {
    const uint32_t lanes = input.target().subgroupSize;
    return input.request().stage == rewrite::Stage::kCompute && lanes >= reference::kMinLanes &&
           lanes <= reference::kMaxLanes && std::has_single_bit(lanes);
}

std::string textOf(const check::Outcome& outcome) {
    std::string text(check::nameOf(outcome.verdict));
    text += ": " + outcome.message;
    for (const check::Difference& difference : outcome.comparison.differences)
        text += "\n" + difference.buffer + ", byte " + std::to_string(difference.byte) + ": " +
                difference.rewritten + ", not " + difference.native;
    for (const reference::Report& report : outcome.rewritten)
        text += "\n" + reference::describe(report);
    return text;
}

std::vector<check::Outcome> execute(std::span<const uint8_t> bytes) {
    const RewriteInput input(bytes);
    if (!canRun(input) || isTooDeepToValidate(input.words())) return {};
    check::Options options;
    options.lanes = {input.target().subgroupSize};
    options.backEnds = {input.target().backEnd};
    options.threads = 1;
    options.steps = kSteps;
    options.memory.bufferSize = kBufferBytes;
    options.memory.growsBuffers = false;  // each time is one more execution
    return check::check(subjectOf(input), options);
}

}  // namespace

std::optional<std::string> checkExecution(std::span<const uint8_t> bytes) {
    for (const check::Outcome& outcome : execute(bytes))
        if (check::isFault(outcome.verdict)) return textOf(outcome);
    return std::nullopt;
}

std::string explainExecution(std::span<const uint8_t> bytes) {
    std::string text;
    for (const check::Outcome& outcome : execute(bytes)) text += textOf(outcome);
    return text.empty() ? "not executed" : text;
}

}  // namespace coopvk::fuzz

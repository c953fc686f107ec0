// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <format>

#include "coopvk_reference/buffers.hpp"
#include "halves.hpp"
#include "matrix.hpp"

namespace coopvk::test {
namespace {

using Deviations = std::vector<std::vector<reference::Deviation>>;

// Each buffer has one address, also where several descriptors lead to it.
reference::BufferList bind(std::vector<Bytes>& buffers, Deviations* deviations) {
    reference::BufferList list;
    const auto add = [&](uint32_t binding, uint32_t element, size_t index) {
        reference::Range range{buffers[index].data(), buffers[index].size()};
        range.address = reference::BufferList::addressOf(index);
        if (deviations != nullptr) range.deviations = (*deviations)[index].data();
        list.add(0, binding, element, range);
    };
    for (uint32_t i = 0; i < kMaxBuffers; ++i) {
        const uint32_t binding = std::min(i, kArrayBinding);
        add(binding, i - binding, i < buffers.size() ? i : 0);
    }
    add(kUniformBinding, 0, 0);
    return list;
}

std::vector<std::byte> pushConstants(const Dispatch& dispatch, std::vector<Bytes>& buffers) {
    std::vector<uint64_t> addresses, pushed;
    for (const uint32_t index : dispatch.addresses)
        addresses.push_back(reference::BufferList::addressOf(index));
    if (dispatch.addressTable) {
        std::memcpy(buffers[*dispatch.addressTable].data(), addresses.data(),
                    addresses.size() * sizeof(uint64_t));
        pushed = {reference::BufferList::addressOf(*dispatch.addressTable)};
    } else {
        pushed = addresses;
    }
    const auto first = std::as_bytes(std::span(pushed));
    std::vector<std::byte> push(first.begin(), first.end());
    push.insert(push.end(), dispatch.push.begin(), dispatch.push.end());
    push.resize(kPushBytes);
    return push;
}

// `deviations`: null, or what else each number may be on any device.
std::vector<Bytes> execute(const Words& words, const Dispatch& dispatch,
                           const PipelineOptions& options, uint32_t flushed,
                           Deviations* deviations) {
    const uint32_t lanes = Context::get().subgroupSize;
    reference::ProgramRequest request;
    request.words = words;
    request.entryPoint = options.entryPoint;
    request.specialization = {{0, lanes}};
    for (const SpecConstant& constant : options.specialization)
        request.specialization.push_back({constant.id, constant.value, constant.size});
    request.subgroupSize = options.requiredSubgroupSize.value_or(lanes);
    request.flushed = flushed;
    request.validate = false;  // where the shader is made
    std::vector<Bytes> buffers = dispatch.buffers;
    const auto program = reference::makeProgram(request);
    if (!program) {
        ADD_FAILURE() << "the reference device: " << program.error().message;
        return buffers;
    }
    const std::vector<std::byte> push = pushConstants(dispatch, buffers);
    reference::Intervals intervals(reference::Functions::kAsAnywhere);
    reference::Settings settings;
    settings.threads = 1;
    if (deviations != nullptr) {
        for (const Bytes& buffer : buffers) deviations->emplace_back(buffer.size());
        settings.intervals = &intervals;
    }
    reference::BufferList memory = bind(buffers, deviations);
    reference::ReportList reports;
    const auto status = reference::execute(**program, {dispatch.groups, {0, 0, 0}, push}, memory,
                                           settings, reports);
    if (!status) ADD_FAILURE() << "the reference device: " << status.error().message;
    for (const reference::Report& report : reports.reports)
        ADD_FAILURE() << "the reference device reports: " << reference::describe(report);
    return buffers;
}

}  // namespace

std::vector<Bytes> expectedOf(const Words& words, const Dispatch& dispatch,
                              const PipelineOptions& options, uint32_t flushed) {
    return execute(words, dispatch, options, flushed, nullptr);
}

Permitted permittedOf(const Words& words, const Dispatch& dispatch, const PipelineOptions& options,
                      uint32_t flushed) {
    Permitted permitted;
    permitted.contents = execute(words, dispatch, options, flushed, &permitted.deviations);
    return permitted;
}

std::string Permitted::difference(size_t buffer, const Bytes& actual) const {
    constexpr int kShown = 5;
    const Bytes& expected = contents[buffer];
    std::string text;
    int shown = 0;
    for (size_t at = 0; at < expected.size() && shown < kShown;) {
        const reference::Deviation deviation = deviations[buffer][at];
        if (!reference::isNumber(deviation)) {
            if (deviation != 0 || actual[at] != expected[at]) {
                text += std::format("byte {}: {:02x}, not {:02x}; ", at, uint32_t(actual[at]),
                                    uint32_t(expected[at]));
                ++shown;
            }
            ++at;
            continue;
        }
        const reference::numbers::Number number = reference::numberOfDeviation(deviation);
        const ComponentInfo& type =
            *findComponent(reference::numbers::kFormats[size_t(number)].vulkan);
        uint64_t bits = 0, want = 0;
        std::memcpy(&bits, &actual[at], type.bytes);
        std::memcpy(&want, &expected[at], type.bytes);
        const reference::Interval interval = reference::intervalOf(deviation, number, want);
        const double value = toDouble(type.type, bits);
        if (!interval.contains(value)) {
            text += std::format("byte {}: {}, not from {} to {}; ", at, value, interval.low,
                                interval.high);
            ++shown;
        }
        at += type.bytes;
    }
    return text;
}

void expectAsReference(const Words& words, const Dispatch& dispatch,
                       const PipelineOptions& options) {
    const std::vector<Bytes> expected = expectedOf(words, dispatch, options);
    const std::vector<Bytes> after = run(words, dispatch, options);
    for (size_t i = 0; i < after.size(); ++i) {
        if (i == dispatch.addressTable) continue;  // addresses differ
        EXPECT_EQ(difference(after[i], expected[i]), "") << "buffer " << i;
    }
}

void expectNumbersAsReference(const Words& words, const Dispatch& dispatch, Component numbers,
                              const PipelineOptions& options, const Words* made) {
    constexpr size_t kNumbers = 3;
    constexpr uint32_t kHalf = 16;
    const std::vector<Bytes> expected = expectedOf(words, dispatch, options);
    const std::vector<Bytes> after = run(made ? *made : words, dispatch, options);
    for (size_t i = 0; i < after.size(); ++i) {
        if (i != kNumbers) {
            EXPECT_EQ(difference(after[i], expected[i]), "") << "buffer " << i;
            continue;
        }
        const auto count = static_cast<uint32_t>(after[i].size() / info(numbers).bytes);
        Matrix want = unpack(numbers, 1, count, expected[i]);
        const Matrix got = unpack(numbers, 1, count, after[i]);
        if (mayFlushHalves()) {
            const std::vector<Bytes> flushed = expectedOf(words, dispatch, options, kHalf);
            const Matrix other = unpack(numbers, 1, count, flushed[i]);
            for (uint32_t n = 0; n < count; ++n)
                if (got.elements[n] == other.elements[n]) want.elements[n] = got.elements[n];
        }
        EXPECT_EQ(difference(got, numbersOf(std::move(want))), "");
    }
}

}  // namespace coopvk::test

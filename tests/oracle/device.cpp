// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <stdexcept>

#include "rewritten.hpp"

namespace coopvk::oracle {

using reference::numbers::Number;
using reference::test::Execution;

void run(Execution& execution, const Module& module) {
    const std::string text = module.text();
    judgesRewriter() ? executeRewritten(execution, text) : execute(execution, text);
    std::string problem = execution.error;
    for (const reference::Report& report : execution.reports) problem += "\n" + describe(report);
    if (!problem.empty()) throw std::runtime_error(problem + "\n" + text);
}

std::vector<uint64_t> mapped(const Format& from, const Format& to,
                             const std::vector<uint64_t>& inputs,
                             const std::function<Id(Module&, const Id&)>& operation,
                             const reference::Settings& settings) {
    constexpr uint32_t kInvocations = 64;
    Module module(kInvocations);
    const Id index = module.builtIn("GlobalInvocationId");
    module.store(1, to, index, operation(module, module.load(0, from, index)));
    Execution execution;
    execution.lanes = 32;
    execution.settings = settings;
    std::vector<uint64_t> all = inputs;
    while (all.size() % kInvocations != 0) all.push_back(inputs[0]);
    execution.groups = {uint32_t(all.size()) / kInvocations, 1, 1};
    execution.buffers[0] = wordsOf(from, all);
    execution.buffers[1].resize(all.size() * to.words());
    run(execution, module);
    std::vector<uint64_t> results = elementsOf(to, execution.buffers[1]);
    results.resize(inputs.size());
    return results;
}

Number numberOf(const Format& format) {
    const auto found = reference::numbers::findFormat(
        [&](const reference::numbers::Format& row) { return row.name == format.name; });
    if (!found) throw std::runtime_error("the device has no format of this name");
    return *found;
}

std::vector<uint32_t> wordsOf(const Format& format, const std::vector<uint64_t>& elements) {
    std::vector<uint32_t> words;
    for (const uint64_t element : elements) {
        words.push_back(uint32_t(element));
        if (format.words() == 2) words.push_back(uint32_t(element >> 32));
    }
    return words;
}

std::vector<uint64_t> elementsOf(const Format& format, const std::vector<uint32_t>& words) {
    std::vector<uint64_t> elements;
    for (size_t i = 0; i < words.size(); i += size_t(format.words())) {
        const uint64_t high = format.words() == 2 ? words[i + 1] : 0;
        elements.push_back((words[i] | high << 32) & format.mask());
    }
    return elements;
}

std::vector<uint32_t> packed(const Format& format, const std::vector<uint64_t>& elements) {
    const auto bits = size_t(format.bits);
    std::vector<uint32_t> words((elements.size() * bits + 31) / 32);
    for (size_t i = 0; i < elements.size(); ++i) {
        const uint64_t element = elements[i] & format.mask();
        words[i * bits / 32] |= uint32_t(element << (i * bits % 32));
        if (bits == 64) words[i * 2 + 1] = uint32_t(element >> 32);
    }
    return words;
}

uint64_t unpacked(const Format& format, const std::vector<uint32_t>& words, size_t index) {
    const auto bits = size_t(format.bits);
    if (bits == 64) return words[index * 2] | uint64_t{words[index * 2 + 1]} << 32;
    return words[index * bits / 32] >> (index * bits % 32) & format.mask();
}

std::vector<uint64_t> allPatterns(const Format& format) {
    std::vector<uint64_t> patterns(size_t{1} << format.bits);
    for (size_t i = 0; i < patterns.size(); ++i) patterns[i] = i;
    return patterns;
}

}  // namespace coopvk::oracle

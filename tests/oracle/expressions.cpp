// SPDX-License-Identifier: Apache-2.0
#include "expressions.hpp"

#include <format>

#include "matrices.hpp"

namespace coopvk::oracle {

using reference::Interval;

namespace {

constexpr int kDevices = 6;  // that evaluate a module
constexpr size_t kMostOwn =
    4;  // components of vectors whose dot product is an instruction of its own

bool isSum(const Node& node) {
    return node.operation == Operation::kProduct ||
           (node.operation == Operation::kDot && node.operands.size() > 2 * kMostOwn);
}

bool areAlike(const Real& a, const Real& b) { return areSame(a, b) || (a.isZero() && b.isZero()); }

}  // namespace

uint32_t Expressions::inputOf(const Format& format) {
    const Format* const formats[] = {&kF32, &kF16, &kBf16, &kE4m3};
    for (uint32_t i = 0; i < std::size(formats); ++i)
        if (formats[i] == &format) return 2 * i;
    throw std::runtime_error("no buffer has this format");
}

Id Expressions::place(uint32_t binding, const Format& format, uint32_t first, const Id& index) {
    if (format.bits == 16) module_.capability("StorageBuffer16BitAccess");
    if (format.bits == 8) module_.capability("StorageBuffer8BitAccess");
    const Id at =
        module_.value("OpIAdd " + module_.scalar(kU32) + " " + module_.u32(first) + " " + index);
    return module_.element(binding, module_.scalar(format), uint32_t(format.bits) / 8, at);
}

void Expressions::judge(Judged& judged) {
    judged.expressions += make();
    execute();
    evaluate(judged);
}

void Expressions::execute() {
    constexpr Data kMostly[] = {Data::kSpread, Data::kCancels, Data::kSpread, Data::kSmall};
    Data data = kMostly[below(std::size(kMostly))];
    if (below(8) == 0) data = below(2) == 0 ? Data::kExtremes : Data::kPatterns;
    reference::Intervals intervals;
    reference::test::Execution execution;
    execution.lanes = kInvocations;
    execution.settings.intervals = &intervals;
    for (const Format* format : {&kF32, &kF16, &kBf16, &kE4m3}) {
        const uint32_t input = inputOf(*format);
        for (const uint32_t binding : {input, input + 1})
            if (counts_[binding] > 0)
                execution.buffers[binding] =
                    packed(*format, binding == input
                                        ? oracle::elements(*format, data, counts_[binding], random_)
                                        : std::vector<uint64_t>(counts_[binding]));
    }
    for (const auto& [binding, words] : execution.buffers)
        execution.deviations[binding].resize(words.size() * 4);
    run(execution, module_);
    read(execution);
}

void Expressions::read(const reference::test::Execution& execution) {
    for (size_t n = 0; n < nodes_.size(); ++n) {
        Node& node = nodes_[n];
        const uint32_t binding = resultOf(*node.format);
        for (uint32_t i = 0; i < elements(); ++i) {
            const size_t at = firstResult_.at(n) + i;
            const uint64_t bits = unpacked(*node.format, execution.buffers.at(binding), at);
            const auto deviation =
                execution.deviations.at(binding)[at * size_t(node.format->bits) / 8];
            node.values.push_back(valueOf(*node.format, bits));
            node.intervals.push_back(
                reference::intervalOf(deviation, numberOf(*node.format), bits));
            node.isFree.push_back(deviation != 0);
        }
        device_.push_back(node.values);
    }
}

std::vector<Real> Expressions::operandsOf(const Node& node, uint32_t element,
                                          const std::vector<std::vector<Real>>& values) const {
    std::vector<Real> operands;
    for (const auto& [from, at] : sources(node, element)) operands.push_back(values[from][at]);
    return operands;
}

// Some operand may be another number, or the instruction adds in an order of its own. All others
// give what the device gives.
bool Expressions::isFree(const Node& node, uint32_t element) const {
    if (isSum(node)) return true;
    for (const auto& [from, at] : sources(node, element))
        if (nodes_[from].isFree[at]) return true;
    return false;
}

void Expressions::evaluate(Judged& judged) {
    for (int device = 0; device < kDevices; ++device) {
        std::vector<std::vector<Real>> values = device_;
        for (const Node& node : nodes_) {
            if (node.operation == Operation::kLoad) continue;
            const size_t n = size_t(&node - nodes_.data());
            for (uint32_t i = 0; i < elements(); ++i) {
                ++judged.values;
                if (!isFree(node, i)) {
                    if (device == 0) judgeFixed(node, i, judged);
                    continue;
                }
                const std::vector<Real> operands = operandsOf(node, i, values);
                values[n][i] = anyOf(*node.format, node.operation, operands, random_);
                if (!contains(node.intervals[i], values[n][i]))
                    note(node, i, operands, values[n][i], judged);
                if (device == 0 && isSum(node) && below(300) == 0) measure(node, i, judged);
            }
        }
    }
}

void Expressions::judgeFixed(const Node& node, uint32_t element, Judged& judged) {
    const std::vector<Real> operands = operandsOf(node, element, device_);
    const Real& value = node.values[element];
    bool isRight = true;
    if (isCorrectlyRounded(node.operation) || node.operation == Operation::kFma)
        isRight = areAlike(value, nearest(*node.format, node.operation, operands));
    if (node.operation == Operation::kFma && !isRight)
        isRight = areAlike(
            value,
            round(*node.format, round(*node.format, operands[0] * operands[1]) + operands[2]));
    if (node.isFree[element] || !isRight) note(node, element, operands, value, judged);
}

// The width of a sum of numbers that are what they are, by what many orders give.
void Expressions::measure(const Node& node, uint32_t element, Judged& judged) {
    for (const auto& [from, at] : sources(node, element))
        if (nodes_[from].isFree[at]) return;
    const std::vector<Real> operands = operandsOf(node, element, device_);
    for (const Real& operand : operands)
        if (!operand.isFinite()) return;
    const Interval seen = observed(*node.format, termsOf(operands), random_);
    const Interval& set = node.intervals[element];
    if (seen.high > seen.low && set.hasFinite() && !set.positiveInfinity && !set.negativeInfinity)
        judged.widths.push_back((set.high - set.low) / (seen.high - seen.low));
}

void Expressions::note(const Node& node, uint32_t element, std::span<const Real> operands,
                       const Real& value, Judged& judged) const {
    ++judged.outside;
    if (!judged.first.empty()) return;
    judged.first = std::format("{}{} of", opcodeOf(node.operation), node.format->name);
    for (const Real& operand : operands) judged.first += " " + textOf(operand);
    judged.first += std::format(" is {}, and the device's {} {} in {}", textOf(value),
                                textOf(node.values[element]), node.isFree[element] ? "" : "fixed",
                                textOf(node.intervals[element]));
}

void judgeExpressions(uint64_t seed, Judged& judged) {
    const uint64_t before = judged.outside;
    (seed % 2 == 0 ? scalarExpressions(seed) : matrixExpressions(seed))->judge(judged);
    if (before == 0 && judged.outside > 0)
        judged.first = std::format("seed {}: {}", seed, judged.first);
}

}  // namespace coopvk::oracle

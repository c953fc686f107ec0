// SPDX-License-Identifier: Apache-2.0
//
// Expressions that each invocation computes alone.
#include <format>

#include "expressions.hpp"

namespace coopvk::oracle {
namespace {

class ScalarExpressions final : public Expressions {
 public:
    using Expressions::Expressions;

 private:
    uint32_t make() override {
        constexpr uint32_t kCount = 24;
        index_ = module_.builtIn("GlobalInvocationId");
        for (uint32_t i = 0; i < kCount; ++i)
            make(chosen({&kF32, &kF32, &kF16, &kBf16}), 1 + uint32_t(below(4)));
        return kCount;
    }
    uint32_t elements() const override { return kInvocations; }
    std::vector<std::pair<size_t, uint32_t>> sources(const Node& node,
                                                     uint32_t element) const override {
        std::vector<std::pair<size_t, uint32_t>> result;
        for (const size_t operand : node.operands) result.emplace_back(operand, element);
        return result;
    }

    size_t make(const Format& format, uint32_t depth) {
        if (depth == 0) return leaf(format);
        if (&format == &kBf16) return below(2) == 0 ? dot(format, depth) : convert(format, depth);
        const auto chance = below(16);
        if (chance < 3) return convert(format, depth);
        if (chance < 7) return dot(format, depth);
        if (chance == 7) return function(format, Operation::kSquareRoot, {absolute(format, depth)});
        constexpr Operation kTwo[] = {Operation::kAdd,      Operation::kSubtract,
                                      Operation::kMultiply, Operation::kDivide,
                                      Operation::kAdd,      Operation::kMultiply};
        if (chance < 14)
            return instruction(format, kTwo[below(std::size(kTwo))],
                               {make(format, depth - 1), make(format, depth - 1)});
        if (chance == 14)
            return function(format, below(2) == 0 ? Operation::kLeast : Operation::kMost,
                            {make(format, depth - 1), make(format, depth - 1)});
        return function(
            format, Operation::kFma,
            {make(format, depth - 1), make(format, depth - 1), make(format, depth - 1)});
    }
    size_t absolute(const Format& format, uint32_t depth) {
        return function(format, Operation::kAbsolute, {make(format, depth - 1)});
    }

    size_t leaf(const Format& format) {
        const uint32_t binding = inputOf(format), first = counts_[binding];
        counts_[binding] += kInvocations;
        const Id at = place(binding, format, first, index_);
        return finished({Operation::kLoad,
                         &format,
                         {},
                         module_.value("OpLoad " + module_.scalar(format) + " " + at)});
    }
    size_t instruction(const Format& format, Operation operation, std::vector<size_t> operands) {
        return computed(format, operation, opcodeOf(operation) + module_.scalar(format),
                        std::move(operands));
    }
    size_t function(const Format& format, Operation operation, std::vector<size_t> operands) {
        return computed(format, operation,
                        "OpExtInst " + module_.scalar(format) + " %glsl " + opcodeOf(operation),
                        std::move(operands));
    }
    size_t convert(const Format& format, uint32_t depth) {
        const Format& from = &format == &kF32 ? chosen({&kF16, &kBf16}) : chosen({&kF32});
        return instruction(format, Operation::kConvert, {make(from, depth - 1)});
    }
    size_t dot(const Format& format, uint32_t depth) {
        const auto count = uint32_t(below(3) == 0 ? 2 + below(3) : 5 + below(12));
        if (count > 4) module_.capability("LongVectorEXT", "SPV_EXT_long_vector");
        if (&format == &kBf16) module_.capability("BFloat16DotProductKHR");
        std::vector<size_t> operands;
        for (uint32_t i = 0; i < 2 * count; ++i)
            operands.push_back(make(format, below(6) == 0 ? depth - 1 : 0));
        const Id type = count > 4
                            ? module_.type(std::format("OpTypeVectorIdEXT {} {}",
                                                       module_.scalar(format), module_.u32(count)))
                            : module_.vector(module_.scalar(format), count);
        std::string vectors;
        for (uint32_t v = 0; v < 2; ++v) {
            std::string text = "OpCompositeConstruct " + type;
            for (uint32_t i = 0; i < count; ++i) text += " " + nodes_[operands[v * count + i]].id;
            vectors += " " + module_.value(text);
        }
        return finished({Operation::kDot, &format, std::move(operands),
                         module_.value("OpDot " + module_.scalar(format) + vectors)});
    }

    size_t computed(const Format& format, Operation operation, std::string text,
                    std::vector<size_t> operands) {
        for (const size_t operand : operands) text += " " + nodes_[operand].id;
        return finished({operation, &format, std::move(operands), module_.value(text)});
    }
    size_t finished(Node node) {
        const uint32_t binding = resultOf(*node.format);
        const size_t number = add(std::move(node));
        firstResult_[number] = counts_[binding];
        const Node& added = nodes_.back();
        module_.instruction("OpStore " + place(binding, *added.format, counts_[binding], index_) +
                            " " + added.id);
        counts_[binding] += kInvocations;
        return number;
    }

    Id index_;
};

}  // namespace

std::unique_ptr<Expressions> scalarExpressions(uint64_t seed) {
    return std::make_unique<ScalarExpressions>(seed);
}

}  // namespace coopvk::oracle

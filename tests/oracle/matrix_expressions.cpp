// SPDX-License-Identifier: Apache-2.0
//
// Expressions of square matrices.
#include <format>

#include "expressions.hpp"

namespace coopvk::oracle {
namespace {

constexpr uint32_t kA = 0, kB = 1, kAccumulator = 2;

class MatrixExpressions final : public Expressions {
 public:
    explicit MatrixExpressions(uint64_t seed) : Expressions(seed), size_(2 + uint32_t(below(6))) {}

 private:
    uint32_t make() override {
        constexpr uint32_t kCount = 5;
        module_.capability("CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix");
        module_.capability("CooperativeMatrixConversionsNV", "SPV_NV_cooperative_matrix2");
        module_.capability("BFloat16CooperativeMatrixKHR");
        module_.capability("Float8CooperativeMatrixEXT");
        module_.scalar(kBf16);
        module_.scalar(kE4m3);
        for (uint32_t i = 0; i < kCount; ++i)
            accumulator(chosen({&kF32, &kF16}), 1 + uint32_t(below(4)));
        return kCount;
    }
    uint32_t elements() const override { return size_ * size_; }
    std::vector<std::pair<size_t, uint32_t>> sources(const Node& node,
                                                     uint32_t element) const override {
        std::vector<std::pair<size_t, uint32_t>> result;
        if (node.operation != Operation::kProduct) {
            for (const size_t operand : node.operands) result.emplace_back(operand, element);
            return result;
        }
        const uint32_t row = element / size_, column = element % size_;
        for (uint32_t k = 0; k < size_; ++k) result.emplace_back(node.operands[0], row * size_ + k);
        for (uint32_t k = 0; k < size_; ++k)
            result.emplace_back(node.operands[1], k * size_ + column);
        result.emplace_back(node.operands[2], element);
        return result;
    }

    Id typeOf(const Format& format, uint32_t use) {
        return module_.type(std::format("OpTypeCooperativeMatrixKHR {} {} {} {} {}",
                                        module_.scalar(format), module_.u32(3), module_.u32(size_),
                                        module_.u32(size_), module_.u32(use)));
    }

    size_t accumulator(const Format& format, uint32_t depth) {
        if (depth == 0) return leaf(format, kAccumulator);
        const auto chance = below(10);
        if (chance < 5) return product(format, depth);
        if (chance == 5) {
            const Format& from = &format == &kF32 ? kF16 : kF32;
            return computed(format, kAccumulator, Operation::kConvert, "OpFConvert ",
                            {accumulator(from, depth - 1)});
        }
        constexpr Operation kTwo[] = {Operation::kAdd, Operation::kSubtract, Operation::kMultiply,
                                      Operation::kDivide};
        const Operation operation = kTwo[chance - 6];
        return computed(format, kAccumulator, operation, opcodeOf(operation),
                        {accumulator(format, depth - 1), accumulator(format, depth - 1)});
    }
    size_t product(const Format& format, uint32_t depth) {
        const Format& of =
            &format == &kF32 ? chosen({&kF16, &kBf16, &kF32, &kE4m3}) : chosen({&kF16, &kE4m3});
        const size_t a = factor(of, kA, depth), b = factor(of, kB, depth);
        return computed(format, kAccumulator, Operation::kProduct, opcodeOf(Operation::kProduct),
                        {a, b, accumulator(format, depth - 1)});
    }
    size_t factor(const Format& format, uint32_t use, uint32_t depth) {
        if (depth < 2 || below(2) == 0) return leaf(format, use);
        const Format& from = chosen({&kF32, &kF16});
        const bool isSame = &from == &format;
        if (&format == &kBf16 && !isSame && &from == &kF16) return leaf(format, use);
        return computed(format, use, Operation::kConvert,
                        isSame ? "OpCooperativeMatrixConvertNV " : "OpFConvert ",
                        {accumulator(from, depth - 1)});
    }
    size_t leaf(const Format& format, uint32_t use) {
        const uint32_t binding = inputOf(format), first = counts_[binding];
        counts_[binding] += elements();
        const Id id = module_.value(std::format(
            "OpCooperativeMatrixLoadKHR {} {} {} {}", typeOf(format, use),
            place(binding, format, first, module_.u32(0)), module_.u32(0), module_.u32(size_)));
        return finished({Operation::kLoad, &format, {}, id, use});
    }
    size_t computed(const Format& format, uint32_t use, Operation operation, std::string text,
                    std::vector<size_t> operands) {
        text += typeOf(format, use);
        for (const size_t operand : operands) text += " " + nodes_[operand].id;
        return finished({operation, &format, std::move(operands), module_.value(text), use});
    }
    size_t finished(Node node) {
        const uint32_t binding = resultOf(*node.format);
        const size_t number = add(std::move(node));
        firstResult_[number] = counts_[binding];
        const Node& added = nodes_.back();
        module_.instruction(
            std::format("OpCooperativeMatrixStoreKHR {} {} {} {}",
                        place(binding, *added.format, counts_[binding], module_.u32(0)), added.id,
                        module_.u32(0), module_.u32(size_)));
        counts_[binding] += elements();
        return number;
    }

    uint32_t size_;
};

}  // namespace

std::unique_ptr<Expressions> matrixExpressions(uint64_t seed) {
    return std::make_unique<MatrixExpressions>(seed);
}

}  // namespace coopvk::oracle

// SPDX-License-Identifier: Apache-2.0
#include "matrix/named_numbers.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

NamedNumbers::NamedNumbers(const Module& module, const MatrixUses& uses)
    : module_(module), uses_(uses) {
    for (const auto& [pointer, matrix] : uses.elementPointers()) pointers_[pointer] = matrix;
}

Id NamedNumbers::matrixBehind(Id pointer) const {
    const auto found = pointers_.find(behindCopies(module_, pointer).result);
    return found == pointers_.end() ? 0 : found->second;
}

bool NamedNumbers::isMatrixType(Id type) const {
    return module_.def(type).opcode == OpTypeCooperativeMatrixKHR;
}

std::optional<IndexInto> NamedNumbers::indexOf(const Instruction& i) const {
    return indexInto(module_, i, [&](Id type) { return isMatrixType(type); });
}

ElementNumber NamedNumbers::at(const Instruction& i, size_t operand) const {
    const Operand& o = i.operands[operand];
    return o.isId ? elementNumber(module_, o.word) : ElementNumber{0, o.word};
}

ElementNumber NamedNumbers::behind(Id pointer) const {
    const Instruction& chain = behindCopies(module_, pointer);
    const auto index = indexOf(chain);
    return index ? at(chain, index->operand) : ElementNumber{pointer, 0};
}

bool NamedNumbers::isMatrix(const Instruction& i) const {
    return isMatrixType(i.type) ||
           (isPointerType(module_.def(i.type).opcode) && isMatrixType(module_.pointee(i.result)));
}

// Modules with more types than bits have one bit for all others.
ElementFacts NamedNumbers::element(Id matrix, const ElementNumber& number) {
    constexpr size_t kLastBit = 63;
    size_t bit = static_cast<size_t>(std::ranges::find(types_, matrix) - types_.begin());
    if (bit == types_.size()) types_.push_back(matrix);
    bit = std::min(bit, kLastBit);
    return {kElement, uint64_t{1} << bit, number};
}

std::vector<Id> NamedNumbers::typesOf(uint64_t sources) const {
    std::vector<Id> found;
    for (size_t bit = 0; bit < types_.size(); ++bit) {
        if ((sources >> std::min<size_t>(bit, 63) & 1) != 0) found.push_back(types_[bit]);
    }
    return found;
}

void NamedNumbers::write(Id matrix, const ElementNumber& number, Id value) {
    written_[{matrix, number.base}][number.constant].insert(shapeOf(module_, value));
}

// As many as a lane of 16, 32 or 64 has of a matrix.
bool NamedNumbers::isAll(const std::set<uint32_t>& numbers) const {
    const auto count = static_cast<uint32_t>(numbers.size());
    if (*numbers.begin() != 0 || *numbers.rbegin() != count - 1) return false;
    return std::ranges::any_of(uses_.types(), [&](const auto& type) {
        const uint64_t elements = uint64_t{type.second.rows} * type.second.columns;
        return elements == 16 * count || elements == 32 * count || elements == 64 * count;
    });
}

std::string_view NamedNumbers::why() const {
    for (const auto& [where, elements] : written_) {
        const auto differs = [&](const auto& one) {
            return one.second != elements.begin()->second;
        };
        if (std::ranges::any_of(elements, differs)) return "elements get values by their numbers";
        std::set<uint32_t> numbers;
        for (const auto& element : elements) numbers.insert(element.first);
        if (where.second == 0 && !isAll(numbers)) return "some elements of a lane get values";
    }
    return read_.empty() || isAll(read_) ? "" : "memory gets some elements of a lane";
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
//
// Which instructions name elements of matrices, and by which numbers.
#pragma once

#include <map>
#include <set>
#include <string_view>

#include "ir/composites.hpp"
#include "matrix/element_facts.hpp"

namespace coopvk::rewrite {

class MatrixUses;

class NamedNumbers {
 public:
    NamedNumbers(const Module& module, const MatrixUses& uses);

    // The type of the matrix to whose element a pointer points; 0 for other pointers.
    Id matrixBehind(Id pointer) const;
    // The number in an instruction that selects an element.
    std::optional<IndexInto> indexOf(const Instruction& i) const;
    ElementNumber at(const Instruction& i, size_t operand) const;
    ElementNumber behind(Id pointer) const;
    // Whether a value, or what a variable holds, is a matrix.
    bool isMatrix(const Instruction& i) const;
    // The facts of an element.
    ElementFacts element(Id matrix, const ElementNumber& number);
    // The types of ElementFacts::sources.
    std::vector<Id> typesOf(uint64_t sources) const;

    // Notes what an element gets; and that memory gets the element with a constant number.
    void write(Id matrix, const ElementNumber& number, Id value);
    void read(uint32_t number) { read_.insert(number); }
    // Whether elements differ by what they get, or only some of them do; empty: no.
    std::string_view why() const;

 private:
    bool isMatrixType(Id type) const;
    bool isAll(const std::set<uint32_t>& numbers) const;

    const Module& module_;
    const MatrixUses& uses_;
    std::unordered_map<Id, Id> pointers_;
    std::vector<Id> types_;  // by bit of the sources
    // By matrix type and base: the constants, and the shapes of values.
    std::map<std::pair<Id, Id>, std::map<uint32_t, std::set<uint64_t>>> written_;
    std::set<uint32_t> read_;
};

}  // namespace coopvk::rewrite

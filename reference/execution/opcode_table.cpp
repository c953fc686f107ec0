// SPDX-License-Identifier: Apache-2.0
#include "execution/opcode_table.hpp"

#include <unordered_map>

#include "execution/families.hpp"
#include "memory/families.hpp"
#if __has_include("matrices/rows.hpp")
#include "matrices/rows.hpp"
#endif

namespace coopvk::reference {

namespace {

using Table = std::unordered_map<uint32_t, const OpcodeRow*>;
using Family = Rows (*)();

Table makeTable(std::span<const Family> families) {
    Table table;
    for (const Family family : families)
        for (const OpcodeRow& row : family()) table.emplace(row.opcode, &row);
    return table;
}

const OpcodeRow* find(const Table& table, uint32_t opcode) {
    const auto found = table.find(opcode);
    return found != table.end() ? found->second : nullptr;
}

constexpr Family kCore[] = {
    controlRows,    barrierRows,      compositeRows, integerRows, floatRows,        comparisonRows,
    conversionRows, bitRows,          dotRows,       linearRows,  groupRows,        voteRows,
    chainRows,      accessRows,       atomicRows,    copyRows,
#if __has_include("matrices/rows.hpp")
    matrixRows,     matrixMemoryRows, callbackRows,  tensorRows,  tensorMemoryRows, vectorRows,
    trainingRows,   blockRows,        arrayRows,
#endif
};
constexpr Family kPrint[] = {printRows};
constexpr Family kGlsl[] = {glslFloatRows, glslExponentialRows, glslIntegerRows, glslVectorRows};

}  // namespace

const OpcodeRow* findRow(spv::Op opcode) {
    static const Table table = makeTable(kCore);
    return find(table, static_cast<uint32_t>(opcode));
}

const OpcodeRow* findRow(std::string_view set, uint32_t number) {
    static const Table glsl = makeTable(kGlsl);
    static const Table print = makeTable(kPrint);
    if (set == "GLSL.std.450") return find(glsl, number);
    return set == "NonSemantic.DebugPrintf" ? find(print, number) : nullptr;
}

}  // namespace coopvk::reference

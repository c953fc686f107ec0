// SPDX-License-Identifier: Apache-2.0
#include "execution/opcode_table.hpp"

#include <unordered_map>

namespace coopvk::reference {

namespace {

constexpr Rows (*kFamilies[])() = {
    controlRows, barrierRows,    compositeRows, integerRows,      floatRows,
    linearRows,  conversionRows, groupRows,     voteRows,         printRows,
    chainRows,   accessRows,     atomicRows,    copyRows,         matrixRows,
    tensorRows,  vectorRows,     blockRows,     matrixMemoryRows, arrayRows,
};

const OpcodeRow* find(uint32_t opcode) {
    static const auto table = [] {
        std::unordered_map<uint32_t, const OpcodeRow*> rows;
        for (const auto family : kFamilies)
            for (const OpcodeRow& row : family()) rows.emplace(row.opcode, &row);
        return rows;
    }();
    const auto found = table.find(opcode);
    return found != table.end() ? found->second : nullptr;
}

}  // namespace

const OpcodeRow* findRow(spv::Op opcode) { return find(static_cast<uint32_t>(opcode)); }

const OpcodeRow* findRow(std::string_view set, uint32_t number) {
    if (number > 0xFFFF) return nullptr;
    if (set == "GLSL.std.450") return find(kGlslSet + number);
    return set == "NonSemantic.DebugPrintf" ? find(kPrintfSet + number) : nullptr;
}

}  // namespace coopvk::reference

// SPDX-License-Identifier: Apache-2.0
//
// Which instructions of a program a user means.
#include <algorithm>

#include "coopvk_reference/debugger.hpp"
#include "program/program.hpp"

namespace coopvk::reference {
namespace {

// Positions of the instructions that are meant, in ascending order.
template <typename IsMeant>
std::vector<uint32_t> wordsWhere(const Program& program, IsMeant&& isMeant) {
    std::vector<uint32_t> words;
    for (const auto& [id, function] : program.functions)
        for (const Block& block : function.blocks)
            for (const Instruction& i : block.instructions)
                if (isMeant(i)) words.push_back(i.word);
    std::ranges::sort(words);
    return words;
}

bool isOnLine(const std::string& at, const std::string& line) {
    if (line.empty() || !at.ends_with(line)) return false;
    if (at.size() == line.size() || line[0] == ':') return true;
    const char before = at[at.size() - line.size() - 1];
    return before == '/' || before == ' ';
}

}  // namespace

std::vector<uint32_t> wordsOfId(const Program& program, uint32_t id) {
    return wordsWhere(program, [&](const Instruction& i) {
        const bool gives = i.resultId == id && i.opcode != OpVariable;
        return gives || (i.opcode == OpStore && i[0].word == id);
    });
}

std::vector<uint32_t> wordsOfLine(const Program& program, const std::string& line) {
    std::vector<uint32_t> words;
    for (const auto& [id, function] : program.functions)
        for (const Block& block : function.blocks)
            for (size_t i = 0; i < block.instructions.size(); ++i) {
                const auto isThere = [&](size_t n) {
                    return n < block.instructions.size() &&
                           isOnLine(lineAt(program, block.instructions[n].word), line);
                };
                if (isThere(i) && !isThere(i + 1)) words.push_back(block.instructions[i].word);
            }
    std::ranges::sort(words);
    return words;
}

std::string lineOf(const Program& program, uint32_t word) { return lineAt(program, word); }

uint32_t idNamed(const Program& program, const std::string& name) {
    uint32_t found = 0;
    for (const auto& [id, of] : program.names)
        if (of == name && program.slotOf.contains(id) && (found == 0 || id < found)) found = id;
    return found;
}

std::string nameOfId(const Program& program, uint32_t id) {
    const std::string* name = valueIn(program.names, id);
    return name != nullptr ? *name : "";
}

}  // namespace coopvk::reference

// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <unordered_set>

#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// More decorations than compilers write; limits the memory that a hostile module can take.
constexpr size_t kMostCopies = size_t{1} << 20;

class Groups {
 public:
    explicit Groups(Module& module) : module_(module) {
        for (const InstructionPtr& i : annotations()) {
            if (i->opcode == spv::Op::OpDecorationGroup) groups_[i->result];
        }
        for (const InstructionPtr& i : annotations()) {
            if (isOfGroup(*i)) {
                groups_.at(i->word(0)).push_back(i.get());
            } else {
                present_.insert(wordsOf(*i));
            }
        }
    }

    std::optional<Error> flatten() {
        if (groups_.empty()) return std::nullopt;
        // By index: decorations are appended.
        for (size_t a = 0, end = annotations().size(); a < end; ++a) apply(*annotations()[a]);
        if (copies_ > kMostCopies) {
            return Error{ErrorCode::kUnsupported, "decoration groups have too many targets"};
        }
        module_.forget(module_.takeOut(annotations(), [](const Instruction& i) {
            return i.opcode == spv::Op::OpDecorationGroup;
        }));
        return std::nullopt;
    }

 private:
    static std::vector<uint32_t> wordsOf(const Instruction& i) {
        std::vector<uint32_t> words = {static_cast<uint32_t>(i.opcode)};
        for (const Operand& operand : i.operands) words.push_back(operand.word);
        return words;
    }

    InstructionList& annotations() { return module_.section(Section::kAnnotations); }

    bool isOfGroup(const Instruction& i) const {
        const bool decorates = i.opcode == spv::Op::OpDecorate ||
                               i.opcode == spv::Op::OpDecorateId ||
                               i.opcode == spv::Op::OpDecorateString;
        return decorates && groups_.contains(i.word(0));
    }

    void apply(const Instruction& i) {
        const bool ofMembers = i.opcode == spv::Op::OpGroupMemberDecorate;
        if (!ofMembers && i.opcode != spv::Op::OpGroupDecorate) return;
        const size_t step = ofMembers ? 2 : 1;
        for (size_t at = 1; at + step <= i.operands.size(); at += step) {
            decorate(i.word(0), std::span(i.operands).subspan(at, step));
        }
    }

    // `target`: an id, or a structure type and the number of a member. What it has already, perhaps
    // by another group, it does not get twice.
    void decorate(Id group, std::span<const Operand> target) {
        const auto found = groups_.find(group);
        if (found == groups_.end() || copies_ > kMostCopies) return;
        for (const Instruction* decoration : found->second) {
            ++copies_;
            Operands operands(target.begin(), target.end());
            operands.insert(operands.end(), decoration->operands.begin() + 1,
                            decoration->operands.end());
            spv::Op opcode = decoration->opcode;
            if (target.size() > 1) {
                opcode = opcode == spv::Op::OpDecorateString ? spv::Op::OpMemberDecorateString
                                                             : spv::Op::OpMemberDecorate;
            }
            InstructionPtr copy = makeInstruction(opcode, 0, 0, std::move(operands));
            if (!present_.insert(wordsOf(*copy)).second) continue;
            module_.append(Section::kAnnotations, std::move(copy));
        }
    }

    Module& module_;
    std::map<Id, std::vector<const Instruction*>> groups_;  // with their decorations
    std::set<std::vector<uint32_t>> present_;               // decorations in words
    size_t copies_ = 0;
};

}  // namespace

std::optional<Error> flattenDecorationGroups(Module& module) { return Groups(module).flatten(); }

}  // namespace coopvk::rewrite

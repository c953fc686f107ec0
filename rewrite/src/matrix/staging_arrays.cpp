// SPDX-License-Identifier: Apache-2.0
#include "matrix/staging_arrays.hpp"

#include <bit>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

bool isElementChain(const Instruction& i) {
    return isOneOf(i.opcode, {spv::Op::OpAccessChain, spv::Op::OpInBoundsAccessChain}) &&
           i.operands.size() == 2;
}

std::optional<StagingArray> sharedArray(const TypeTable& types, const Instruction& variable) {
    constexpr uint32_t kMaxBytes = 16;
    const Module& module = types.module();
    if (variable.opcode != spv::Op::OpVariable || variable.operands.size() != 1 ||
        storageOf(variable) != spv::StorageClass::Workgroup) {
        return std::nullopt;
    }
    const Instruction& array = module.def(module.pointee(variable.result));
    if (array.opcode != spv::Op::OpTypeArray) return std::nullopt;
    const Id element = array.word(0);
    const uint32_t bytes = types.width(element) / 8 * types.components(element);
    const auto length = module.constantValue(array.word(1));
    if (!length || !std::has_single_bit(bytes) || bytes > kMaxBytes) return std::nullopt;
    return StagingArray{variable.result, element, bytes, *length, {}, {}};
}

class Survey {
 public:
    Survey(const TypeTable& types, const std::function<bool(Id)>& isWanted)
        : module_(types.module()), isWanted_(isWanted) {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (auto array = sharedArray(types, *i)) arrays_[i->result] = std::move(*array);
        }
        if (arrays_.empty()) return;
        module_.visitBlocks([&](const Instruction& i) {
            const auto array = isElementChain(i) ? arrays_.find(i.word(0)) : arrays_.end();
            if (array == arrays_.end()) return;
            chains_[i.result] = i.word(0);
            array->second.pointers.push_back(i.result);
        });
        module_.visitBlocks([&](const Instruction& i) { visit(i); });
        for (const InstructionPtr& i : module_.section(Section::kAnnotations)) {
            if (!decorates(*i, spv::Decoration::RelaxedPrecision)) others_.insert(i->word(0));
        }
    }

    std::vector<StagingArray> run() {
        std::vector<StagingArray> found;
        for (auto& [variable, array] : arrays_) {
            if (array.matrices.empty() || others_.contains(variable)) continue;
            found.push_back(std::move(array));
        }
        return found;
    }

 private:
    StagingArray* arrayOf(Id pointer) {
        const auto chain = chains_.find(pointer);
        const auto array = arrays_.find(chain == chains_.end() ? pointer : chain->second);
        return array == arrays_.end() ? nullptr : &array->second;
    }

    void visit(const Instruction& i) {
        if (isNonSemantic(module_, i)) return;
        for (size_t at = 0; at < i.operands.size(); ++at) {
            StagingArray* array = i.operands[at].isId ? arrayOf(i.operands[at].word) : nullptr;
            if (array != nullptr && !isAllowed(i, at, *array)) others_.insert(array->variable);
        }
    }

    bool isAllowed(const Instruction& i, size_t operand, StagingArray& array) {
        if (operand != 0) return false;
        if (isElementChain(i)) return arrays_.contains(i.word(0));
        if (!chains_.contains(i.word(0))) return false;
        if (i.opcode == spv::Op::OpStore) {
            return module_.def(i.word(1)).type == module_.pointee(i.word(0));
        }
        if (i.opcode != spv::Op::OpCooperativeMatrixLoadKHR) return false;
        const auto layout = module_.constantValue(i.word(1));
        if (!isWanted_(i.type) || i.operands.size() <= 2 || !layout || *layout > 1) return false;
        array.matrices.insert(i.type);
        return true;
    }

    const Module& module_;
    const std::function<bool(Id)>& isWanted_;
    std::map<Id, StagingArray> arrays_;
    std::map<Id, Id> chains_;  // pointers to elements, and their variables
    std::set<Id> others_;      // variables that are used in other ways
};

}  // namespace

std::vector<StagingArray> stagingArrays(const TypeTable& types,
                                        const std::function<bool(Id matrixType)>& isWanted) {
    return Survey(types, isWanted).run();
}

}  // namespace coopvk::rewrite

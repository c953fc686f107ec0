// SPDX-License-Identifier: Apache-2.0
#include "value_flow.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <set>

namespace coopvk::check {
namespace {

using spv::Op;

constexpr size_t kMostSteps = 512;

// Instructions whose result has bits of these operands; columns are words.
struct PartsRow {
    Op opcode;
    uint32_t first;
    uint32_t count;
};
constexpr uint32_t kAll = 0xFFFF;
constexpr PartsRow kParts[] = {
    {Op::OpBitcast, 3, 1},
    {Op::OpCopyObject, 3, 1},
    {Op::OpCopyLogical, 3, 1},
    {Op::OpCompositeConstruct, 3, kAll},
    {Op::OpCompositeExtract, 3, 1},
    {Op::OpCompositeInsert, 3, 2},
    {Op::OpVectorShuffle, 3, 2},
    {Op::OpVectorExtractDynamic, 3, 1},
    {Op::OpVectorInsertDynamic, 3, 2},
    {Op::OpSelect, 4, 2},
    {Op::OpUConvert, 3, 1},
    {Op::OpSConvert, 3, 1},
    {Op::OpBitwiseOr, 3, 2},
    {Op::OpBitwiseAnd, 3, 2},
    {Op::OpShiftLeftLogical, 3, 1},
    {Op::OpShiftRightLogical, 3, 1},
    {Op::OpBitFieldUExtract, 3, 1},
    {Op::OpBitFieldInsert, 3, 2},
    {Op::OpExpectKHR, 3, 1},
};

bool isGlsl(const Instruction& i, uint32_t number) {
    return i.opcode == Op::OpExtInst && i[4] == number;
}

constexpr auto kHalf = reference::numbers::Number::f16;

bool isFloat(const std::optional<Format>& format) {
    return format && format->kind == Format::Kind::kFloat;
}

bool isInteger(const std::optional<Format>& format) {
    return format && format->kind == Format::Kind::kInteger;
}

}  // namespace

ValueFlow::ValueFlow(const Module& module) : module_(module) {
    std::map<uint32_t, std::vector<uint32_t>> parameters;
    uint32_t function = 0;
    for (const Instruction& i : module.instructions()) {
        if (i.opcode == Op::OpFunction) function = i[2];
        if (i.opcode == Op::OpFunctionParameter) parameters[function].push_back(i[2]);
        if (i.opcode == Op::OpReturnValue) returned_[function].push_back(i[1]);
    }
    for (const Instruction& i : module.instructions()) {
        if (i.opcode != Op::OpFunctionCall) continue;
        const std::vector<uint32_t>& of = parameters[i[3]];
        for (size_t p = 0; p < of.size(); ++p) arguments_[of[p]].push_back(i[4 + p]);
    }
    for (const Instruction& i : module.instructions()) {
        if (i.opcode != Op::OpStore) continue;
        for (const uint32_t root : rootsOf(i[1]))
            if (isOfInvocation(root)) stored_[root].push_back(i[2]);
    }
}

bool ValueFlow::isOfInvocation(uint32_t root) const {
    const auto storage =
        static_cast<spv::StorageClass>(module_.definition(module_.typeOf(root))[2]);
    return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
}

std::vector<uint32_t> ValueFlow::rootsOf(uint32_t pointer) const {
    std::vector<uint32_t> roots, todo = {pointer};
    std::set<uint32_t> seen;
    while (!todo.empty() && seen.size() < kMostSteps) {
        const uint32_t id = todo.back();
        todo.pop_back();
        if (!seen.insert(id).second) continue;
        const Instruction& i = module_.definition(id);
        const auto arguments = arguments_.find(id);
        switch (i.opcode) {
            case Op::OpAccessChain:
            case Op::OpInBoundsAccessChain:
            case Op::OpPtrAccessChain:
            case Op::OpInBoundsPtrAccessChain:
            case Op::OpCopyObject:
                todo.push_back(i[3]);
                break;
            case Op::OpUntypedAccessChainKHR:
            case Op::OpUntypedInBoundsAccessChainKHR:
            case Op::OpUntypedPtrAccessChainKHR:
                todo.push_back(i[4]);
                break;
            default:
                if (arguments == arguments_.end())
                    roots.push_back(id);
                else
                    todo.insert(todo.end(), arguments->second.begin(), arguments->second.end());
        }
    }
    return roots;
}

std::optional<Format> ValueFlow::componentFormat(uint32_t type) const {
    for (uint32_t depth = 0; depth < 4; ++depth) {
        const Instruction& i = module_.definition(type);
        if (const auto scalar = module_.format(type)) return scalar;
        const bool hasComponents =
            i.opcode == Op::OpTypeVector || i.opcode == Op::OpTypeVectorIdEXT ||
            i.opcode == Op::OpTypeMatrix || i.opcode == Op::OpTypeCooperativeMatrixKHR ||
            i.opcode == Op::OpTypeCooperativeMatrixNV;
        if (!hasComponents) return std::nullopt;
        type = i[2];
    }
    return std::nullopt;
}

std::optional<Format> ValueFlow::floatFrom(const Instruction& i) const {
    if (isGlsl(i, GLSLstd450UnpackHalf2x16)) return formatOf(kHalf);
    if (i.opcode != Op::OpBitcast) return std::nullopt;
    const auto to = componentFormat(i[1]), from = componentFormat(module_.typeOf(i[3]));
    return isFloat(to) && isInteger(from) ? to : std::nullopt;
}

// The other way round.
std::optional<Format> ValueFlow::floatInto(const Instruction& i) const {
    if (isGlsl(i, GLSLstd450PackHalf2x16)) return formatOf(kHalf);
    if (i.opcode != Op::OpBitcast) return std::nullopt;
    const auto to = componentFormat(i[1]), from = componentFormat(module_.typeOf(i[3]));
    return isInteger(to) && isFloat(from) ? from : std::nullopt;
}

void ValueFlow::addParts(const Instruction& i, std::vector<uint32_t>& parts) const {
    const auto add = [&](const auto& lists, uint32_t key) {
        const auto found = lists.find(key);
        if (found != lists.end())
            parts.insert(parts.end(), found->second.begin(), found->second.end());
    };
    if (i.opcode == Op::OpFunctionParameter) return add(arguments_, i[2]);
    if (i.opcode == Op::OpFunctionCall) return add(returned_, i[3]);
    if (i.opcode == Op::OpPhi) {
        for (size_t word = 3; word < i.words.size(); word += 2) parts.push_back(i[word]);
        return;
    }
    const auto* row = std::ranges::find(kParts, i.opcode, &PartsRow::opcode);
    if (row == std::end(kParts)) return;
    const size_t end = std::min<size_t>(i.words.size(), size_t{row->first} + row->count);
    for (size_t word = row->first; word < end; ++word) parts.push_back(i[word]);
}

Sources ValueFlow::sourcesOf(uint32_t value) const {
    Sources sources;
    std::vector<uint32_t> todo = {value};
    std::set<uint32_t> seen;
    while (!todo.empty() && seen.size() < kMostSteps) {
        const uint32_t id = todo.back();
        todo.pop_back();
        if (!seen.insert(id).second) continue;
        const Instruction& i = module_.definition(id);
        if (const auto format = floatInto(i)) {
            sources.floats.push_back(*format);
        } else if (const auto made = floatFrom(i); made && i.opcode == Op::OpBitcast) {
            sources.floats.push_back(*made);  // whatever these bits were before
        } else if (i.opcode == Op::OpLoad) {
            for (const uint32_t root : rootsOf(i[3])) {
                const auto stored = stored_.find(root);
                if (stored != stored_.end())
                    todo.insert(todo.end(), stored->second.begin(), stored->second.end());
                else if (!isOfInvocation(root))
                    sources.loads.push_back(id);
            }
        } else {
            addParts(i, todo);
        }
    }
    return sources;
}

}  // namespace coopvk::check

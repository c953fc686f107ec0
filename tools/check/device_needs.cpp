// SPDX-License-Identifier: Apache-2.0
#include "device_needs.hpp"

#include <utility>

namespace coopvk::check {
namespace {

using spv::Op;

void addComponent(const Module& module, uint32_t component, std::vector<uint64_t>& to) {
    const Instruction& of = module.definition(component);
    to.insert(to.end(), {static_cast<uint64_t>(of.opcode), of[2]});
}

// Formats and forms of a product; empty: it is none. Devices list them together.
std::vector<uint64_t> productOf(const Module& module, const Instruction& i) {
    std::vector<uint64_t> one = {static_cast<uint64_t>(i.opcode)};
    const auto add = [&](uint32_t type) { addComponent(module, module.definition(type)[2], one); };
    const bool hasBias = i.opcode == Op::OpCooperativeVectorMatrixMulAddNV;
    if (hasBias || i.opcode == Op::OpCooperativeVectorMatrixMulNV) {
        add(i[1]);
        add(module.typeOf(i[3]));
        for (const size_t n : {4, 7, hasBias ? 10 : 7, hasBias ? 13 : 10, hasBias ? 14 : 11})
            one.push_back(module.constant(i[n]).value_or(0));
        return one;
    }
    if (i.opcode != Op::OpCooperativeMatrixMulAddKHR && i.opcode != Op::OpCooperativeMatrixMulAddNV)
        return {};
    add(i[1]);
    for (size_t n = 3; n < 6; ++n) add(module.typeOf(i[n]));
    one.push_back(i[6]);
    return one;
}

}  // namespace

uint64_t scalarWidth(const Module& module, uint32_t type) {
    const Instruction* of = &module.definition(type);
    if (of->opcode == Op::OpTypeVector) of = &module.definition((*of)[2]);
    const bool isNumber = of->opcode == Op::OpTypeInt || of->opcode == Op::OpTypeFloat;
    return isNumber ? (*of)[2] : 32;
}

std::set<std::vector<uint64_t>> listedBy(const Module& module) {
    using enum spv::Decoration;
    std::set<std::vector<uint64_t>> all;
    for (const Instruction& i : module.instructions()) {
        const bool isVector = i.opcode == Op::OpTypeCooperativeVectorNV;
        const bool isMatrix =
            i.opcode == Op::OpTypeCooperativeMatrixKHR || i.opcode == Op::OpTypeCooperativeMatrixNV;
        const size_t place = i.opcode == Op::OpMemberDecorate ? 3 : 2;
        const auto decoration = static_cast<spv::Decoration>(i[place]);
        const bool isLayout =
            (i.opcode == Op::OpDecorate || i.opcode == Op::OpMemberDecorate) &&
            (decoration == Offset || decoration == ArrayStride || decoration == MatrixStride);
        std::vector<uint64_t> one = {static_cast<uint64_t>(i.opcode)};
        if (isLayout) one.insert(one.end(), {i[place], i[place + 1]});
        if (isVector || isMatrix) {
            addComponent(module, i[2], one);
            for (size_t n = 3; n < i.words.size(); ++n)
                one.push_back(module.constant(i[n]).value_or(0));
        }
        const bool isGroup =
            i.opcode >= Op::OpGroupNonUniformBroadcast && i.opcode <= Op::OpGroupNonUniformQuadSwap;
        if (isGroup) one = {scalarWidth(module, i[1])};
        // Atomic operations on shared memory have features of their own.
        const bool isAtomic = i.opcode >= Op::OpAtomicLoad && i.opcode <= Op::OpAtomicXor;
        if (isAtomic && scalarWidth(module, i[1]) == 64) {
            const Instruction& pointer = module.definition(module.typeOf(i[3]));
            one.insert(one.end(), {64, pointer[2]});
        }
        if (i.opcode == Op::OpVariable && i.words.size() > 4 &&
            static_cast<spv::StorageClass>(i[3]) == spv::StorageClass::Workgroup)
            one.push_back(i[3]);
        if (one.size() > 1 || isGroup) all.insert(std::move(one));
        if (auto product = productOf(module, i); !product.empty()) all.insert(std::move(product));
    }
    return all;
}

}  // namespace coopvk::check

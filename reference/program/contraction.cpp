// SPDX-License-Identifier: Apache-2.0
//
// Products and sums that become one instruction, with one rounding.
#include "execution/opcode_table.hpp"
#include "program/decoder.hpp"

namespace coopvk::reference {
namespace {

bool isProduct(const Instruction& i) {
    static constexpr spv::Op kProducts[] = {OpFMul, OpVectorTimesScalar, OpMatrixTimesScalar};
    return std::ranges::find(kProducts, i.opcode) != std::end(kProducts);
}

using Products = std::unordered_map<uint32_t, const Instruction*>;  // by slot

void contractSum(Instruction& sum, const Products& products) {
    if (sum.type->kind == Kind::kCooperativeMatrix) return;  // the device has no such instruction
    for (const uint32_t n : {0u, 1u}) {
        const auto product = products.find(sum[n].slot);
        if (product == products.end()) continue;
        const bool isDifference = sum.opcode == OpFSub;
        sum.negatesProduct = isDifference && n == 1;
        sum.negatesAddend = isDifference && n == 0;
        sum.operands = {(*product->second)[0], (*product->second)[1], sum[1 - n]};
        sum.row = findRow(OpFmaKHR);
        sum.handler = sum.row->handler;
        sum.contracts = true;
        return;
    }
}

}  // namespace

// The sum or the difference of a product and a number becomes one instruction, where nothing
// forbids it. Products are in blocks before it, or in its own.
void Decoder::contract(Function& function) {
    Products products;
    for (Block& block : function.blocks)
        for (Instruction& i : block.instructions) {
            const bool isSum = i.opcode == OpFAdd || i.opcode == OpFSub;
            if ((!isSum && !isProduct(i)) || !allows(i, spv::FPFastMathModeMask::AllowContract))
                continue;
            if (isSum)
                contractSum(i, products);
            else
                products[i.result] = &i;
            i.contracts |= !isSum;
        }
}

}  // namespace coopvk::reference

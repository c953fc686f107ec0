// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores by tensor addresses, as the functions of SPV_NV_cooperative_matrix2 ("Tensor
// Layout and View") say: clamp modes, slices, blocks with decode functions, views with dimensions,
// permutations and clips.
#include "tensors.hpp"

#include <gtest/gtest.h>

#include <format>

#include "../test_part.hpp"

namespace coopvk::oracle::tensors_test {
namespace {

class Tensors : public testing::Test {
 protected:
    Random random{47};
    uint32_t rows = 0, columns = 0;
    reference::test::Execution execution;

    // Binding 0: the tensor; 1: values of what is clipped; 2: the result. All of words.
    void start() {
        rows = 4 * (1 + uint32_t(random() % 3));
        columns = 4 * (1 + uint32_t(random() % 3));
        execution = {};
        execution.lanes = 8;
        for (uint32_t binding : {0u, 1u, 2u}) {
            execution.buffers[binding].resize(binding == 0 ? 1 << 17 : rows * columns);
            for (uint32_t& word : execution.buffers[binding]) word = uint32_t(random());
        }
    }
    Id matrixType(Module& module) {
        module.capability("CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix");
        return module.type(std::format("OpTypeCooperativeMatrixKHR {} {} {} {} {}",
                                       module.scalar(kU32), module.u32(2 + random() % 2),
                                       module.u32(rows), module.u32(columns),
                                       module.u32(random() % 3)));
    }
    Id plainLoad(Module& module, const Id& type, uint32_t binding) {
        return module.value(
            std::format("OpCooperativeMatrixLoadKHR {} {} {} {}", type,
                        module.element(binding, module.scalar(kU32), 4, module.u32(0)),
                        module.u32(0), module.u32(columns)));
    }
    void plainStore(Module& module, const Id& matrix, uint32_t binding) {
        module.instruction(
            std::format("OpCooperativeMatrixStoreKHR {} {} {} {}",
                        module.element(binding, module.scalar(kU32), 4, module.u32(0)), matrix,
                        module.u32(0), module.u32(columns)));
    }
    bool fits(const Tensor& tensor, uint32_t words) {
        return tensor.elements() * words <= execution.buffers[0].size();
    }
    // What each element of a load must be.
    template <typename Value>
    void expectLoad(const Tensor& tensor, const Module& module, Value value) {
        std::vector<uint32_t> expected = execution.buffers[1];
        for (uint32_t row = 0; row < rows; ++row)
            for (uint32_t column = 0; column < columns; ++column) {
                const Place place = tensor.placeOf(row, column, false);
                uint32_t& element = expected[row * columns + column];
                if (place.what == Place::kConstantValue) element = tensor.layout.clampValue;
                if (place.what == Place::kElement) element = value(place);
            }
        run(execution, module);
        ASSERT_EQ(execution.buffers[2], expected) << module.text();
    }
};

TEST_F(Tensors, Load) {
    const int count = test::runsAll() ? 20000 : 200;
    for (int i = 0; i < count && !HasFailure(); ++i) {
        start();
        Module module(8);
        const Id type = matrixType(module), clipped = plainLoad(module, type, 1);
        const Tensor tensor(module, random, rows, columns, false, random() % 2 == 0);
        if (!fits(tensor, 1)) continue;
        const Id loaded =
            module.value(std::format("OpCooperativeMatrixLoadTensorNV {} {} {} {} {}", type,
                                     module.element(0, module.scalar(kU32), 4, module.u32(0)),
                                     clipped, tensor.layoutId, tensor.operands()));
        plainStore(module, loaded, 2);
        expectLoad(tensor, module,
                   [&](const Place& place) { return execution.buffers[0][place.index]; });
    }
}

TEST_F(Tensors, Store) {
    const int count = test::runsAll() ? 20000 : 200;
    for (int i = 0; i < count && !HasFailure(); ++i) {
        start();
        Module module(8);
        const Id matrix = plainLoad(module, matrixType(module), 1);
        const Tensor tensor(module, random, rows, columns, false, random() % 2 == 0);
        if (!fits(tensor, 1)) continue;
        module.instruction(std::format("OpCooperativeMatrixStoreTensorNV {} {} {} {}",
                                       module.element(0, module.scalar(kU32), 4, module.u32(0)),
                                       matrix, tensor.layoutId, tensor.operands()));
        std::vector<uint32_t> expected = execution.buffers[0];
        std::vector<bool> isWritten(expected.size());
        bool isOnce = true;
        for (uint32_t row = 0; row < rows; ++row)
            for (uint32_t column = 0; column < columns; ++column) {
                const Place place = tensor.placeOf(row, column, true);
                if (place.what != Place::kElement) continue;
                isOnce &= !isWritten[place.index];
                isWritten[place.index] = true;
                expected[place.index] = execution.buffers[1][row * columns + column];
            }
        if (!isOnce) continue;  // two elements in one place: a race
        run(execution, module);
        ASSERT_EQ(execution.buffers[0], expected) << module.text();
    }
}

// The function adds the first word of its block, and the coordinates, each with a weight.
uint32_t decoded(const Place& place, uint32_t word) {
    uint32_t result = word;
    for (size_t dim = 0; dim < place.block.size(); ++dim)
        result += place.block[dim] * uint32_t(1009 + dim) + place.inBlock[dim] * uint32_t(31 + dim);
    return result;
}

Id decodeFunction(Module& module, uint32_t dims, uint32_t blockWords) {
    module.usesAddresses();
    module.capability("CooperativeMatrixBlockLoadsNV");
    const Id word = module.scalar(kU32), coords = module.array(word, dims);
    const Id held = module.array(word, blockWords), block = module.type("OpTypeStruct " + held);
    module.decorate(held + " ArrayStride 4");
    module.memberOffset(block);
    const Id pointer = module.pointer("PhysicalStorageBuffer", block);
    const Id toWord = module.pointer("PhysicalStorageBuffer", word), zero = module.u32(0);
    const Id at = module.name(), blockCoord = module.name(), inBlock = module.name();
    std::string body;
    const auto value = [&](const std::string& text) {
        const Id id = module.name();
        body += id + " = " + text + "\n";
        return id;
    };
    body += at + " = OpFunctionParameter " + pointer + "\n" + blockCoord +
            " = OpFunctionParameter " + coords + "\n" + inBlock + " = OpFunctionParameter " +
            coords + "\n" + module.name() + " = OpLabel\n";
    const Id first = value("OpAccessChain " + toWord + " " + at + " " + zero + " " + zero);
    Id result = value("OpLoad " + word + " " + first + " Aligned 4");
    for (uint32_t dim = 0; dim < dims; ++dim)
        for (const auto& [from, weight] :
             {std::pair(blockCoord, 1009 + dim), {inBlock, 31 + dim}}) {
            const Id c = value(std::format("OpCompositeExtract {} {} {}", word, from, dim));
            const Id weighted = value("OpIMul " + word + " " + c + " " + module.u32(weight));
            result = value("OpIAdd " + word + " " + result + " " + weighted);
        }
    body += "OpReturnValue " + result + "\n";
    return module.function(word, {pointer, coords, coords}, body);
}

TEST_F(Tensors, LoadBlocksByFunctions) {
    const int count = test::runsAll() ? 10000 : 120;
    for (int i = 0; i < count && !HasFailure(); ++i) {
        start();
        Module module(8);
        const Id type = matrixType(module), clipped = plainLoad(module, type, 1);
        const Tensor tensor(module, random, rows, columns, true, random() % 2 == 0);
        const auto words = uint32_t(1 + random() % 5);
        if (!fits(tensor, words)) continue;
        const Id decode = decodeFunction(module, tensor.layout.dims(), words);
        const Id loaded =
            module.value(std::format("OpCooperativeMatrixLoadTensorNV {} {} {} {} {}", type,
                                     module.element(0, module.scalar(kU32), 4, module.u32(0)),
                                     clipped, tensor.layoutId, tensor.operands(decode)));
        plainStore(module, loaded, 2);
        expectLoad(tensor, module, [&](const Place& place) {
            return decoded(place, execution.buffers[0][place.index * words]);
        });
    }
}

}  // namespace
}  // namespace coopvk::oracle::tensors_test

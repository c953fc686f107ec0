// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixLoadKHR and -StoreKHR: "Elements (row,*) of the result of load or store
// operations are taken in order from contiguous locations starting at 'Pointer'[row*'Stride']", for
// each type of components, pointee, layout and stride.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "../test_part.hpp"
#include "matrices.hpp"

namespace coopvk::oracle::memory_test {
namespace {

using Bits = std::vector<uint32_t>;

struct Pointee {
    const Format& scalar;
    uint32_t components;
    uint32_t bytes() const { return uint32_t(scalar.bits) * components / 8; }
};

struct Access {
    bool isColumnMajor;
    uint32_t base, stride;  // in pointees
};

struct Case {
    const Format& component;
    Pointee pointee;
    uint32_t rows, columns, use, scope;
    Access load, store;
};

constexpr uint32_t kBytes = 32768;

// The first bit of an element.
size_t bitOf(const Case& c, const Access& access, uint32_t row, uint32_t column) {
    const uint32_t line = access.isColumnMajor ? column : row;
    const uint32_t inLine = access.isColumnMajor ? row : column;
    const size_t pointer = size_t{access.base} + size_t{line} * access.stride;
    return pointer * c.pointee.bytes() * 8 + inLine * size_t(c.component.bits);
}

uint64_t bitsAt(const Bits& words, size_t bit, int count) {
    uint64_t result = 0;
    for (int i = 0; i < count; ++i)
        result |= uint64_t{words[(bit + size_t(i)) / 32] >> (bit + size_t(i)) % 32 & 1} << i;
    return result;
}
void setBits(Bits& words, size_t bit, int count, uint64_t value) {
    for (int i = 0; i < count; ++i) {
        uint32_t& word = words[(bit + size_t(i)) / 32];
        const uint32_t mask = 1u << (bit + size_t(i)) % 32;
        word = (value >> i & 1) != 0 ? word | mask : word & ~mask;
    }
}

Id pointeeOf(Module& module, const Pointee& pointee) {
    if (pointee.scalar.bits == 8) module.capability("StorageBuffer8BitAccess");
    if (pointee.scalar.bits == 16) module.capability("StorageBuffer16BitAccess");
    const Id scalar = module.scalar(pointee.scalar);
    return pointee.components == 1 ? scalar : module.vector(scalar, pointee.components);
}

Module moduleOf(const Case& c) {
    Module module(8);
    module.capability("CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix");
    if (c.component.bits == 4) module.capability("Int4CooperativeMatrixINTEL");
    if (&c.component == &kBf16) module.capability("BFloat16CooperativeMatrixKHR");
    if (&c.component == &kE4m3) module.capability("Float8CooperativeMatrixEXT");
    const Id pointee = pointeeOf(module, c.pointee);
    const Id type = module.type(std::format(
        "OpTypeCooperativeMatrixKHR {} {} {} {} {}", module.scalar(c.component),
        module.u32(c.scope), module.u32(c.rows), module.u32(c.columns), module.u32(c.use)));
    const auto at = [&](uint32_t binding, const Access& access) {
        return module.element(binding, pointee, c.pointee.bytes(), module.u32(access.base));
    };
    const Id matrix = module.value(
        std::format("OpCooperativeMatrixLoadKHR {} {} {} {}", type, at(0, c.load),
                    module.u32(uint32_t{c.load.isColumnMajor}), module.u32(c.load.stride)));
    module.instruction(std::format("OpCooperativeMatrixStoreKHR {} {} {} {}", at(1, c.store),
                                   matrix, module.u32(uint32_t{c.store.isColumnMajor}),
                                   module.u32(c.store.stride)));
    return module;
}

class MatrixMemory : public testing::Test {
 protected:
    Random random{43};

    Access accessOf(const Case& c, bool isStore) {
        Access access{random() % 2 == 0, uint32_t(random() % 4), 0};
        const uint32_t inLine = access.isColumnMajor ? c.rows : c.columns;
        const uint32_t bytes = (inLine * uint32_t(c.component.bits) + 7) / 8;
        const uint32_t least = (bytes + c.pointee.bytes() - 1) / c.pointee.bytes();
        const uint32_t lines = access.isColumnMajor ? c.columns : c.rows;
        const uint32_t most = (kBytes / c.pointee.bytes() - access.base - least) / lines;
        const uint32_t strides[] = {
            least, least + uint32_t(random() % 3), (least + uint32_t(random() % 64)) | 1,
            least * uint32_t(2 + random() % 6) + uint32_t(random() % 5), most};
        access.stride = std::min(strides[random() % std::size(strides)], most);
        // Lines of a load may overlap, or be one.
        if (!isStore && random() % 4 == 0) access.stride = uint32_t(random() % (least + 1));
        return access;
    }

    void expectCopy(const Case& c) {
        SCOPED_TRACE(std::format(
            "{}, pointee {} x {}, {} x {}, use {}, scope {}, load {} {} {}, store {} {} {}",
            c.component.name, c.pointee.scalar.name, c.pointee.components, c.rows, c.columns, c.use,
            c.scope, c.load.isColumnMajor, c.load.base, c.load.stride, c.store.isColumnMajor,
            c.store.base, c.store.stride));
        reference::test::Execution execution;
        execution.lanes = 8;
        for (uint32_t binding : {0u, 1u}) {
            execution.buffers[binding].resize(kBytes / 4);
            for (uint32_t& word : execution.buffers[binding]) word = uint32_t(random());
        }
        Bits expected = execution.buffers[1];
        for (uint32_t row = 0; row < c.rows; ++row)
            for (uint32_t column = 0; column < c.columns; ++column)
                setBits(
                    expected, bitOf(c, c.store, row, column), c.component.bits,
                    bitsAt(execution.buffers[0], bitOf(c, c.load, row, column), c.component.bits));
        run(execution, moduleOf(c));
        EXPECT_EQ(execution.buffers[1], expected);
    }
};

TEST_F(MatrixMemory, HoldsElementsAsLayoutsSay) {
    const Format* const components[] = {&kS4,   &kU4,  &kS8,  &kU8,  &kE4m3, &kF16,
                                        &kBf16, &kS16, &kF32, &kU32, &kF64,  &kU64};
    const Pointee pointees[] = {{kU8, 1},  {kU16, 1}, {kU32, 1}, {kU32, 2}, {kU32, 4},
                                {kF16, 1}, {kF16, 4}, {kF32, 1}, {kU8, 4},  {kU64, 1}};
    const int count = test::runsAll() ? 20000 : 250;
    for (int i = 0; i < count && !HasFailure(); ++i) {
        Case c = {*components[random() % std::size(components)],
                  pointees[random() % std::size(pointees)],
                  8 * uint32_t(1 + random() % 3),
                  8 * uint32_t(1 + random() % 3),
                  uint32_t(random() % 3),
                  2 + uint32_t(random() % 2),
                  {},
                  {}};
        c.load = accessOf(c, false);
        c.store = accessOf(c, true);
        expectCopy(c);
    }
}

}  // namespace
}  // namespace coopvk::oracle::memory_test

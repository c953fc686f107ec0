// SPDX-License-Identifier: Apache-2.0
//
// Elements in packs: every element has its own place, and constant indices select the same place as
// dynamic ones. Vectors of parts of others.
#include "lowering/packed.hpp"

#include <gtest/gtest.h>

#include <set>

#include "assemble.hpp"

namespace coopvk::rewrite::packed_test {
namespace {

struct Shape {
    uint32_t rows, columns, width;
    bool alongRows;
};

constexpr Shape kShapes[] = {{1, 1, 1, false}, {1, 7, 2, false}, {1, 9, 4, false},
                             {6, 5, 1, false}, {3, 8, 4, false}, {8, 3, 4, true},
                             {4, 1, 2, true},  {16, 4, 2, true}};

PackedType typeOf(const Shape& shape) {
    PackedType type;
    type.count = shape.rows * shape.columns;
    type.packWidth = shape.width;
    type.packStep = shape.alongRows ? shape.columns : 1;
    return type;
}

TEST(Packed, ElementsHavePlaces) {
    for (const Shape& shape : kShapes) {
        const PackedType type = typeOf(shape);
        std::set<std::pair<uint32_t, uint32_t>> places;
        for (uint32_t e = 0; e < type.count; ++e) {
            const auto [pack, part] = type.place(e);
            EXPECT_LT(pack, type.packs());
            EXPECT_LT(part, type.packWidth);
            EXPECT_TRUE(places.emplace(pack, part).second) << e;
            // The next element on the axis of packs, where there is one, is the next in the pack.
            const uint32_t at = shape.alongRows ? e / shape.columns : e;
            if (at % shape.width + 1 == shape.width || e + type.packStep >= type.count) continue;
            EXPECT_EQ(type.place(e + type.packStep).pack, pack);
            EXPECT_EQ(type.place(e + type.packStep).part, part + 1);
        }
        EXPECT_EQ(type.packs(), (type.count + shape.width - 1) / shape.width);
    }
}

TEST(Packed, IndicesLeadToPlaces) {
    const auto words = test::assemble(test::multiplyModule(16, 16, 16));
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module);
    TypeTable types(*module);
    InstructionList list;
    Emitter emit(types, list);
    for (const Shape& shape : kShapes) {
        const PackedType type = typeOf(shape);
        for (uint32_t e = 0; e < type.count; ++e) {
            const auto [pack, part] = packIndices(emit, type, types.constantU32(e));
            EXPECT_EQ(module->constantValue(pack), type.place(e).pack);
            EXPECT_EQ(part.has_value(), shape.width != 1);
            EXPECT_EQ(module->constantValue(part.value_or(types.constantU32(0))),
                      type.place(e).part);
        }
    }
    EXPECT_TRUE(list.empty()) << "constants were not folded";
}

// Which component of which value a component of a value is.
std::pair<Id, uint32_t> sourceOf(Emitter& emit, Id value, uint32_t component) {
    const Instruction& def = emit.module().def(value);
    const auto sizeOf = [&](Id of) { return emit.types().components(emit.typeOf(of)); };
    if (def.opcode == spv::Op::OpCompositeExtract) return sourceOf(emit, def.word(0), def.word(1));
    if (def.opcode == spv::Op::OpVectorShuffle) {
        const uint32_t at = def.word(2 + component), first = sizeOf(def.word(0));
        return at < first ? sourceOf(emit, def.word(0), at)
                          : sourceOf(emit, def.word(1), at - first);
    }
    if (def.opcode != spv::Op::OpCompositeConstruct) return {value, component};
    for (const Operand& part : def.operands) {
        if (component < sizeOf(part.word)) return sourceOf(emit, part.word, component);
        component -= sizeOf(part.word);
    }
    ADD_FAILURE() << "no such component";
    return {};
}

// Any one to three components of two scalars and three vectors.
TEST(Slots, AreGatheredInOrder) {
    Result<Module> module = Module::parse(test::assemble(test::multiplyModule(16, 16, 16)));
    ASSERT_TRUE(module);
    TypeTable types(*module);
    InstructionList code;
    Emitter emit(types, code);
    const Id f32 = types.floatType(32);
    std::vector<Slot> all;
    for (const uint32_t size : {1, 1, 2, 3, 3}) {
        const Id type = types.vectorType(f32, size);
        const Id value = emit.op(spv::Op::OpUndef, type, std::initializer_list<Id>{});
        for (uint32_t c = 0; c < size; ++c) all.push_back({value, c});
    }
    const auto expectGathered = [&](const std::vector<Slot>& slots) {
        const Id value = gather(emit, f32, slots);
        const auto count = static_cast<uint32_t>(slots.size());
        ASSERT_EQ(emit.typeOf(value), types.vectorType(f32, count));
        std::set<Id> vectors;
        bool areScalars = false;
        for (const Slot& slot : slots) {
            vectors.insert(slot.value);
            areScalars |= emit.typeOf(slot.value) == f32;
        }
        if (!areScalars && count > 1 && vectors.size() < 3 && value != slots[0].value) {
            EXPECT_EQ(module->def(value).opcode, spv::Op::OpVectorShuffle) << "one instruction";
        }
        for (uint32_t c = 0; c < count; ++c)
            EXPECT_EQ(sourceOf(emit, value, c), std::pair(slots[c].value, slots[c].index));
    };
    for (const Slot& a : all) {
        expectGathered({a});
        for (const Slot& b : all) {
            expectGathered({a, b});
            for (const Slot& c : all) expectGathered({a, b, c});
        }
    }
}

}  // namespace
}  // namespace coopvk::rewrite::packed_test

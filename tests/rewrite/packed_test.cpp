// SPDX-License-Identifier: Apache-2.0
//
// Elements in packs: every element has its own place, and constant indices select the same place as
// dynamic ones.
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

}  // namespace
}  // namespace coopvk::rewrite::packed_test

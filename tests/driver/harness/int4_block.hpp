// SPDX-License-Identifier: Apache-2.0
//
// A block of vectors of 4-bit integers, in structures and arrays, in all kinds of memory: shaders
// that load from it and store to it.
#pragma once

#include <algorithm>

#include "int4_case.hpp"

namespace coopvk::test::int4 {

enum class Storage {
    kBuffer,
    kPhysical,
    kUniform,
    kPush,
    kWorkgroup,
    kWorkgroupBlock,  // with a layout (VK_KHR_workgroup_memory_explicit_layout)
    kPrivate,
    kFunction,
};

struct StorageRow {
    const char* name;   // of the test
    const char* spirv;  // the storage class
};
inline constexpr StorageRow kStorages[] = {
    {"StorageBuffer", "StorageBuffer"},
    {"Physical", "PhysicalStorageBuffer"},
    {"Uniform", "Uniform"},
    {"PushConstant", "PushConstant"},
    {"Workgroup", "Workgroup"},
    {"WorkgroupBlock", "Workgroup"},
    {"Private", "Private"},
    {"Function", "Function"},
};
inline const StorageRow& rowOf(Storage storage) { return kStorages[static_cast<size_t>(storage)]; }

// struct Item { V2 pair; VN vector; }; struct Block { VN first; Item items[3]; }
inline constexpr uint32_t kItems = 3;

struct Layouted {
    uint32_t first, items, stride, vector, size;  // the pair is an item's first byte
};

struct BlockCase {
    Storage storage;
    uint32_t components;
    bool anyByte;  // else at multiples of their size
    // Signs differ so that both are met with each size.
    bool isSigned() const { return anyByte == (components % 3 == 2); }
    uint32_t bytes() const { return components / 2; }

    Layouted layout() const {
        const uint32_t b = bytes();
        if (anyByte) return {1, b + 2, b + 1, 1, (b + 2) + kItems * (b + 1)};
        // Arrays in uniform blocks have strides of 16 bytes.
        const uint32_t unit = storage == Storage::kUniform ? 16 : b;
        const uint32_t stride = std::max(2 * b, unit);
        return {0, unit, stride, b, unit + kItems * stride};
    }
};

// Invocations load from one block, and store the values as this number of pairs of words each.
inline constexpr uint32_t kLoadResults = 7;
Assembly loadingModule(const BlockCase& c);

// Each invocation copies the block to its own block, through the storage class, and changes parts
// of it there.
Assembly storingModule(const BlockCase& c);

}  // namespace coopvk::test::int4

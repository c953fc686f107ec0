// SPDX-License-Identifier: Apache-2.0
//
// Where the arrays of a case's shader lie, and what they hold.
#pragma once

#include <string_view>

#include "compare/numbers/number.hpp"

namespace coopvk::compare {

enum class Storage { kBuffer, kWorkgroup, kAddress };
inline constexpr Storage kAllStorages[] = {Storage::kBuffer, Storage::kWorkgroup,
                                           Storage::kAddress};
std::string_view nameOf(Storage storage);  // as in SPIR-V

// Whether arrays of so many bytes, all in all, may lie there: half of the shared memory that every
// device has is the implementation's of matrices of a workgroup.
bool fits(Storage storage, size_t bytes);

// What holds components of a type: that type, or another for packed and fp8 ones.
Component holder(Component type);

// What the elements of an array are: components, or vectors of them.
struct Element {
    Element(Component component, uint32_t vectorSize = 1) : type(component), size(vectorSize) {}
    uint32_t bytes() const { return info(holder(type)).bytes() * size; }
    Component type;
    uint32_t size;
};

}  // namespace coopvk::compare

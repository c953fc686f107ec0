// SPDX-License-Identifier: Apache-2.0
//
// The storage of the arrays of a case's shader, and what they contain.
#pragma once

#include <string_view>

#include "compare/numbers/number.hpp"

namespace coopvk::compare {

enum class Storage { kBuffer, kWorkgroup, kAddress };
inline constexpr Storage kAllStorages[] = {Storage::kBuffer, Storage::kWorkgroup,
                                           Storage::kAddress};
std::string_view nameOf(Storage storage);  // as in SPIR-V

// Whether arrays with this total number of bytes fit there. Half of the shared memory that every
// device has is reserved for the implementation of matrices of a workgroup.
bool fits(Storage storage, size_t bytes);

// The type that contains components: their own type, or another one for packed and fp8 components.
Component holder(Component type);

// What the elements of an array are: components, or vectors of them.
struct Element {
    Element(Component component, uint32_t vectorSize = 1) : type(component), size(vectorSize) {}
    uint32_t bytes() const { return info(holder(type)).bytes() * size; }
    Component type;
    uint32_t size;
};

}  // namespace coopvk::compare

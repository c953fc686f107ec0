// SPDX-License-Identifier: Apache-2.0
//
// Statements that load and store: through shared memory, and by tensor addressing without
// functions.
#include <cmath>

#include "tensors.hpp"

namespace coopvk::programs {
namespace {

constexpr uint32_t kSharedElements = 2048;
constexpr const char* kShared = "NonPrivatePointer";

std::string sharedPlace(MatrixWriter& w, Component component, const std::string& index) {
    Text& text = w.text;
    const std::string scalar = text.type(isNibble(component) ? Component::kU8 : component);
    const std::string array =
        text.global(std::format("OpTypeArray {} {}", scalar, text.u32(kSharedElements)));
    const std::string pointer = text.global("OpTypePointer Workgroup " + array);
    const std::string variable = w.shared(pointer);
    return text.value(std::format("OpAccessChain {} {} {}",
                                  text.global("OpTypePointer Workgroup " + scalar), variable,
                                  index));
}

// To shared memory and back, in another use or layout.
bool throughShared(MatrixWriter& w) {
    const Matrix x = w.take(w.anyType(w.pick(3)), HUGE_VAL);
    const bool isColumnMajor = w.chance(2), isTransposed = w.chance(3);
    const uint32_t line = isColumnMajor ? x.type.rows : x.type.columns;
    const uint32_t lines = isColumnMajor ? x.type.columns : x.type.rows;
    const uint32_t stride = (line + 31) / 32 * 32;
    // Each subgroup has a part of its own: barriers may be those of subgroups.
    const uint32_t part = kSharedElements / (w.ofWorkgroup ? 1 : w.subgroups) / 32 * 32;
    if (stride * lines > part) return false;
    MatrixType type = x.type;
    type.use = isNibble(type.component) ? w.pick(2) : w.pick(3);
    if (isTransposed) std::swap(type.rows, type.columns);
    const uint32_t unit = info(type.component).bytes;
    const std::string index = w.indexOf(0, bytesOf(type.component, part) / unit);
    const std::string place = sharedPlace(w, x.type.component, index);
    const uint32_t step = bytesOf(type.component, stride) / unit;
    w.barrier();
    w.storeTo(place, x.id, isColumnMajor, step, kShared);
    w.barrier();
    return w.add(w.loadFrom(type, place, isColumnMajor != isTransposed, step, kShared), type,
                 x.bound);
}

// Undefined, constant, to the edge, repeated, mirrored.
bool loadTensor(MatrixWriter& w) {
    const MatrixType type = w.anyType(w.pick(3));
    if (w.isNv || isNibble(type.component)) return false;
    const Matrix object = w.take(type, HUGE_VAL);
    const Tensor from = makeTensor(w, type, {.clampMode = w.pick(5)});
    const std::string place = w.input(type.component, w.indexOf(32 * w.pick(8), 32));
    return w.add(
        w.text.value(std::format("OpCooperativeMatrixLoadTensorNV {} {} {} {} None {}",
                                 w.type(type), place, object.id, from.layout, from.operands())),
        type, std::max(4.0, object.bound));
}

bool storeTensor(MatrixWriter& w) {
    if (w.isNv) return false;
    const Matrix x = w.take(w.anyType(w.pick(3)), HUGE_VAL);
    if (isNibble(x.type.component)) return false;
    const uint32_t size = (x.type.rows + 8) * (x.type.columns + 8) + (w.chance(2) ? 0 : 64);
    const uint32_t size2 = (x.type.columns + 8) * (x.type.rows + 8);
    const uint32_t elements = (std::max(size, size2) + 31) / 32 * 32;
    uint32_t first = 0;
    if (!w.reserve(x.type.component, elements * (w.ofWorkgroup ? 1 : w.subgroups), first))
        return false;
    const Tensor to = makeTensor(w, x.type, {.clampMode = 1 + w.pick(4), .isStore = true});
    const std::string place = w.output(x.type.component, w.indexOf(first, elements));
    w.text.line(std::format("OpCooperativeMatrixStoreTensorNV {} {} {} None {}", place, x.id,
                            to.layout, to.operands()));
    return true;
}

bool storeNow(MatrixWriter& w) { return !w.live.empty() && w.store(w.live[w.pick(w.live.size())]); }

constexpr MatrixStatement kMemoryStatements[] = {throughShared, loadTensor, loadTensor, storeTensor,
                                                 storeNow};

}  // namespace

std::span<const MatrixStatement> memoryStatements() { return kMemoryStatements; }

}  // namespace coopvk::programs

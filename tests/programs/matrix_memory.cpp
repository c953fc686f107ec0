// SPDX-License-Identifier: Apache-2.0
//
// Statements that load and store: through shared memory, and by tensor addressing.
#include <cmath>

#include "matrices.hpp"

namespace coopvk::programs {
namespace {

constexpr Component kU32 = Component::kU32;
constexpr uint32_t kSharedElements = 2048;
constexpr const char* kShared = "NonPrivatePointer";

std::string sharedPlace(MatrixWriter& w, Component component, const std::string& index) {
    Text& text = w.text;
    const std::string scalar = text.type(component);
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
    const uint32_t stride = (line + 15) / 16 * 16;
    const uint32_t regions = w.ofWorkgroup ? 1 : w.subgroups;
    if (stride * lines * regions > kSharedElements) return false;
    MatrixType type = x.type;
    type.use = w.pick(3);
    if (isTransposed) std::swap(type.rows, type.columns);
    const std::string index = w.indexOf(0, stride * lines);
    const std::string place = sharedPlace(w, x.type.component, index);
    w.barrier();
    w.text.line(std::format("OpCooperativeMatrixStoreKHR {} {} {} {} {}", place, x.id,
                            w.text.u32(isColumnMajor ? 1 : 0), w.text.u32(stride), kShared));
    w.barrier();
    const bool loadsColumns = isColumnMajor != isTransposed;
    return w.add(
        w.text.value(std::format("OpCooperativeMatrixLoadKHR {} {} {} {} {}", w.type(type), place,
                                 w.text.u32(loadsColumns ? 1 : 0), w.text.u32(stride), kShared)),
        type, x.bound);
}

struct Tensor {
    std::string layout;
    std::string operands = "None";  // of the instruction: a view
};

// A slice of rows x columns at a place that clamping allows to be partly outside.
Tensor tensor(MatrixWriter& w, const MatrixType& type, uint32_t clampMode, bool isStore) {
    w.text.need("TensorAddressingNV", "SPV_NV_tensor_addressing");
    w.text.need("CooperativeMatrixTensorAddressingNV", "SPV_NV_cooperative_matrix2");
    Text& text = w.text;
    const std::string layout =
        text.global(std::format("OpTypeTensorLayoutNV {} {}", text.u32(2), text.u32(clampMode)));
    const bool hasView = w.chance(3);
    const uint32_t rows = hasView ? type.columns : type.rows;
    const uint32_t columns = hasView ? type.rows : type.columns;
    const uint32_t firstRow = w.pick(kNumbers), firstColumn = w.chance(2) ? 0 : w.pick(kNumbers);
    const bool mayLeave = clampMode != 0 || isStore;
    const uint32_t height = rows + (mayLeave ? w.pick(6) : firstRow);
    const uint32_t width = columns + (mayLeave ? w.pick(6) : firstColumn);
    Tensor made;
    made.layout = text.value("OpCreateTensorLayoutNV " + layout);
    made.layout = text.value(std::format("OpTensorLayoutSetDimensionNV {} {} {} {}", layout,
                                         made.layout, w.number(height), w.number(width)));
    made.layout = text.value(std::format("OpTensorLayoutSliceNV {} {} {} {} {} {}", layout,
                                         made.layout, w.number(firstRow), text.u32(rows),
                                         w.number(firstColumn), text.u32(columns)));
    if (hasView) {
        const std::string view = text.global(std::format(
            "OpTypeTensorViewNV {} {} {} {}", text.u32(2),
            text.global("OpConstantFalse " + text.global("OpTypeBool")), text.u32(1), text.u32(0)));
        made.operands = "TensorView " + text.value("OpCreateTensorViewNV " + view);
    }
    return made;
}

// Undefined, constant, to the edge, repeated, mirrored.
bool loadTensor(MatrixWriter& w) {
    const MatrixType type = w.anyType(w.pick(3));
    const Matrix object = w.take(type, HUGE_VAL);
    const Tensor from = tensor(w, type, w.pick(5), false);
    const std::string place = w.input(type.component, w.indexOf(16 * w.pick(8), 16));
    return w.add(
        w.text.value(std::format("OpCooperativeMatrixLoadTensorNV {} {} {} {} None {}",
                                 w.type(type), place, object.id, from.layout, from.operands)),
        type, std::max(4.0, object.bound));
}

bool storeTensor(MatrixWriter& w) {
    const Matrix x = w.take(w.anyType(w.pick(3)), HUGE_VAL);
    const uint32_t size = (x.type.rows + 8) * (x.type.columns + 8) + (w.chance(2) ? 0 : 64);
    const uint32_t size2 = (x.type.columns + 8) * (x.type.rows + 8);
    const uint32_t elements = (std::max(size, size2) + 15) / 16 * 16;
    uint32_t first = 0;
    if (!w.reserve(x.type.component, elements * (w.ofWorkgroup ? 1 : w.subgroups), first))
        return false;
    const Tensor to = tensor(w, x.type, 1 + w.pick(4), true);
    const std::string place = w.output(x.type.component, w.indexOf(first, elements));
    w.text.line(std::format("OpCooperativeMatrixStoreTensorNV {} {} {} None {}", place, x.id,
                            to.layout, to.operands));
    return true;
}

bool storeNow(MatrixWriter& w) { return !w.live.empty() && w.store(w.live[w.pick(w.live.size())]); }

constexpr MatrixStatement kStatements[] = {throughShared, loadTensor, loadTensor, storeTensor,
                                           storeNow};

}  // namespace

std::span<const MatrixStatement> memoryStatements() { return kStatements; }

}  // namespace coopvk::programs

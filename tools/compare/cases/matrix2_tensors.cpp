// SPDX-License-Identifier: Apache-2.0
//
// Cases of tensor addressing: loads, stores, and loads of blocks.
#include "compare/cases/matrix2_cases.hpp"

namespace coopvk::compare {
namespace {

using enum TensorClamp;

// A tensor in memory for a matrix with these rows and columns, which are multiples of 16.
struct TensorRow {
    std::string_view name;
    TensorAccess (*make)(uint32_t rows, uint32_t columns);
};

// Without blocks and strides.
TensorLayout layoutOf(TensorClamp clamp, const TensorNumbers& dimension,
                      const TensorNumbers& offset, const TensorNumbers& span) {
    return {clamp, dimension, offset, span, TensorNumbers(dimension.size(), 1), {}, 0x2c};
}

TensorLayout blocksOf(const TensorNumbers& blockSize, TensorLayout layout) {
    layout.blockSize = blockSize;
    return layout;
}

// Beyond the tensor on each side.
template <TensorClamp Clamp>
TensorLayout beyond(uint32_t r, uint32_t c) {
    return layoutOf(Clamp, {r - 3, c - 5}, {-2u, 3}, {r, c});
}

TensorLayout exactly2D(uint32_t r, uint32_t c) {
    return layoutOf(kUndefined, {r, c}, {0, 0}, {r, c});
}

// Tensors for loads and stores, followed by those for loads only.
constexpr TensorRow kTensorRows[] = {
    {"1 dimension",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {layoutOf(kUndefined, {r * c + 16}, {8}, {r * c}), {}};
     }},
    {"2 dimensions",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {layoutOf(kUndefined, {r + 5, c + 8}, {5, 8}, {r, c}), {}};
     }},
    {"strides",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         TensorLayout layout = exactly2D(r, c);
         layout.stride = {2 * c + 16, 2};
         return {layout, {}};
     }},
    {"3 dimensions",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {layoutOf(kUndefined, {3, r, c + 8}, {2, 0, 8}, {1, r, c}), {}};
     }},
    {"4 dimensions",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {layoutOf(kUndefined, {3, r / 4 + 1, 3, c}, {1, 1, 1, 0}, {2, r / 4, 2, c}), {}};
     }},
    {"5 dimensions",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {layoutOf(kUndefined, {2, r / 4, 3, c / 4 + 1, 4}, {0, 0, 1, 1, 0},
                          {2, r / 4, 2, c / 4, 4}),
                 {}};
     }},
    {"permutation",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {layoutOf(kUndefined, {c + 2, r + 4}, {2, 4}, {c, r}), TensorView{{1, 0}, {}, {}}};
     }},
    {"view of 3 dimensions",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {exactly2D(r, c), TensorView{{1, 0, 2}, {2, r, c / 2}, {}}};
     }},
    {"clip",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {exactly2D(r - 5, c - 7), TensorView{{0, 1}, {}, TensorClip{2, r - 5, 3, c - 7}}};
     }},
    {"constant",
     [](uint32_t r, uint32_t c) -> TensorAccess { return {beyond<kConstant>(r, c), {}}; }},
    {"edge", [](uint32_t r, uint32_t c) -> TensorAccess { return {beyond<kEdge>(r, c), {}}; }},
    {"repeat", [](uint32_t r, uint32_t c) -> TensorAccess { return {beyond<kRepeat>(r, c), {}}; }},
    {"mirror", [](uint32_t r, uint32_t c) -> TensorAccess { return {beyond<kMirror>(r, c), {}}; }},
};
constexpr size_t kStoredRows = 10;

constexpr TensorRow kBlockRows[] = {
    {"blocks of 1x16",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {blocksOf({1, 16}, layoutOf(kUndefined, {r + 2, c + 16}, {2, 16}, {r, c})), {}};
     }},
    {"blocks of 4x4",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {blocksOf({4, 4}, layoutOf(kUndefined, {r + 4, c}, {4, 0}, {r, c})), {}};
     }},
    {"blocks of 1x2x8",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {blocksOf({1, 2, 8}, layoutOf(kUndefined, {2, r, c}, {1, 0, 0}, {1, r, c})), {}};
     }},
    {"blocks of 1x16, constant",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {blocksOf({1, 16}, beyond<kConstant>(r, c)), {}};
     }},
    {"blocks of 2x8, mirror",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {blocksOf({2, 8}, beyond<kMirror>(r, c)), {}};
     }},
    {"blocks of 1x16, permutation",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {blocksOf({1, 16}, layoutOf(kUndefined, {c, r}, {0, 0}, {c, r})),
                 TensorView{{1, 0}, {}, {}}};
     }},
    {"blocks of 1x16, clip",
     [](uint32_t r, uint32_t c) -> TensorAccess {
         return {blocksOf({1, 16}, exactly2D(r - 5, c - 7)),
                 TensorView{{0, 1}, {}, TensorClip{2, r - 5, 3, c - 7}}};
     }},
};

struct TensorVariant {
    uint32_t workgroup;
    MatrixType type;
    Storage storage;
    TensorAccess access;
    bool decodes;
    std::string name;
};

constexpr size_t kFirstByte = 16;  // a tensor is aligned to 16 bytes

MatrixProgram programOf(const TensorVariant& v, const DeviceShape& device, const Block& input,
                        const MatrixProgram::Operand& result, const MatrixProgram::Step& step) {
    return MatrixProgram{
        Dialect::kNv2,       v.storage, v.workgroup ? v.workgroup : device.subgroupSize,
        {{v.type, input}},   result,    step,
        scopeOf(v.workgroup)};
}

Plan loadPlan(const TensorVariant& v, const DeviceShape& device, uint64_t seed) {
    Rng rng(seed, v.name);
    const auto [component, rows, columns, use] = v.type;
    const Block block = placed(component, rows, columns, false, 0);
    const Matrix object = randomMatrix(rng, component, rows, columns, Fill::kRandom);
    const uint32_t elementBytes = v.decodes ? kBlockBytes : info(component).bytes();
    const auto first =
        static_cast<uint32_t>(kFirstByte / (v.decodes ? sizeof(uint32_t) : elementBytes));
    const TensorLayout& layout = v.access.layout;
    Plan plan;
    plan.assembly = spirvOf(
        programOf(v, device, block, {v.type, block}, TensorLoad{v.access, first, v.decodes}));
    plan.labels = {"what the matrix holds before", "result", "tensor"};
    plan.buffers = {rng.bytes(block.end()), rng.bytes(block.end()),
                    rng.bytes(kFirstByte + size_t{layout.size()} * elementBytes)};
    scatter(object, block, plan.buffers[0]);
    if (v.storage == Storage::kAddress) plan.addresses = {0, 1, 2};
    Matrix tensor = randomMatrix(rng, component, 1, layout.size(), Fill::kRandom);
    if (!v.decodes)
        scatter(tensor, {component, 1, layout.size(), false, 0, kFirstByte}, plan.buffers[2]);
    plan.output = 1;
    plan.result = block;
    return plan;
}

Plan storePlan(const TensorVariant& v, const DeviceShape& device, uint64_t seed) {
    Rng rng(seed, v.name);
    const auto [component, rows, columns, use] = v.type;
    const Block block = placed(component, rows, columns, false, 0);
    const Matrix matrix = randomMatrix(rng, component, rows, columns, Fill::kRandom);
    const uint32_t size = v.access.layout.size();
    const Block memory = {component, 1, size, false, 0, kFirstByte};
    Matrix tensor = randomMatrix(rng, component, 1, size, Fill::kRandom);
    Plan plan;
    plan.assembly = spirvOf(programOf(v, device, block, {v.type, memory}, TensorStore{v.access}));
    plan.labels = {"matrix", "tensor"};
    plan.buffers = {rng.bytes(block.end()), rng.bytes(memory.end())};
    scatter(matrix, block, plan.buffers[0]);
    scatter(tensor, memory, plan.buffers[1]);
    if (v.storage == Storage::kAddress) plan.addresses = {0, 1};
    plan.output = 1;
    plan.result = memory;
    return plan;
}

void add(const MatrixRow& row, const MatrixType& type, const TensorRow& tensor,
         const char* operation, Plan (*make)(const TensorVariant&, const DeviceShape&, uint64_t),
         std::vector<Case>& cases) {
    for (const Storage storage : {Storage::kBuffer, Storage::kAddress}) {
        const bool decodes = operation == std::string_view("block-load");
        TensorVariant v = {row.workgroup, type, storage, tensor.make(type.rows, type.columns),
                           decodes,       {}};
        v.name = nameOf(row, type) + "/" + operation + "/" + std::string(tensor.name) + ", " +
                 std::string(nameOf(storage));
        cases.push_back({v.name, nameOf(row), operation, row.native, row.emulated,
                         [v, make](const DeviceShape& device, uint64_t seed) {
                             return make(v, device, seed);
                         }});
    }
}

}  // namespace

void addTensorAccesses(const MatrixRow& row, const MatrixType& type, std::vector<Case>& cases) {
    for (const TensorRow& tensor : kTensorRows)
        add(row, type, tensor, "tensor-load", loadPlan, cases);
    for (const TensorRow& tensor : std::span(kTensorRows).first(kStoredRows))
        add(row, type, tensor, "tensor-store", storePlan, cases);
}

void addBlockLoads(const MatrixRow& row, const MatrixType& type, std::vector<Case>& cases) {
    for (const TensorRow& tensor : kBlockRows)
        add(row, type, tensor, "block-load", loadPlan, cases);
}

}  // namespace coopvk::compare

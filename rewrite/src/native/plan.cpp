// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lowering/number.hpp"
#include "matrix/matrix_uses.hpp"
#include "native/lower.hpp"

namespace coopvk::rewrite {

namespace {

// A matrix type; nullopt if its operands are not known, or lists of shapes cannot have it.
std::optional<TiledType> listableType(const Module& module, const Instruction& matrix) {
    const auto size = matrixDimensions(module, matrix);
    const auto scope = module.constantValue(matrix.word(1));
    if (!size || scope != static_cast<uint64_t>(spv::Scope::Subgroup)) return std::nullopt;
    const Instruction& component = module.def(matrix.word(0));
    const bool isPlain = component.opcode == OpTypeInt ||
                         (component.opcode == OpTypeFloat && component.operands.size() == 1);
    if (!isPlain) return std::nullopt;
    TiledType type;
    type.id = matrix.result;
    type.component = matrix.word(0);
    type.rows = size->rows;
    type.columns = size->columns;
    type.use = size->use;
    return type;
}

// The module's listable matrix types.
NativePlan listableTypes(const Module& module) {
    NativePlan plan;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode != OpTypeCooperativeMatrixKHR) continue;
        const auto type = listableType(module, *i);
        if (type)
            plan.types.emplace(type->id, *type);
        else
            plan.note = std::format("type %{} has no native form", i->result);
    }
    return plan;
}

class NativePlanner {
 public:
    NativePlanner(const Module& module, const TypeTable& types, const PlannedTarget& target)
        : module_(module), types_(types), shapes_(target.device.nativeShapes) {
        // Matrices of bfloat16 have no native form (listableType()), nor have their sums then.
        std::erase_if(shapes_,
                      [](const MatrixShape& shape) { return shape.a == ComponentType::kBFloat16; });
    }

    Result<NativePlan> run() {
        plan_ = listableTypes(module_);
        if (!plan_.note.empty()) return unsupported(plan_.note);
        // As shaders that only convert arrays (SPV_QCOM_cooperative_matrix_conversion).
        if (plan_.types.empty()) {
            plan_.note = "native back-end, no matrices";
            return std::move(plan_);
        }
        if (shapes_.empty()) return unsupported("the driver has no cooperative matrices");
        // SPV_NV_cooperative_matrix does not need it.
        if (!module_.hasCapability(spv::Capability::VulkanMemoryModel)) {
            return unsupported("KHR matrices need the Vulkan memory model, the shader has another");
        }
        bool areKnown = true;
        module_.visitBlocks([&](const Instruction& i) {
            if (i.opcode != OpCooperativeMatrixMulAddKHR) return;
            const auto shape = productShape(types_, i);
            areKnown &= shape.has_value();
            products_.push_back(shape.value_or(MatrixShape{}));
        });
        if (!areKnown) {
            return unsupported(
                "operands of a multiply-add have types, sizes or uses that do not fit");
        }
        if (fits(nullptr)) {
            plan_.note = "native back-end, the driver's own shapes";
            return std::move(plan_);
        }
        // The largest tiles first: they need the fewest instructions.
        const auto volume = [](const MatrixShape& s) { return uint64_t{s.m} * s.n * s.k; };
        std::vector<MatrixShape> tiles = shapes_;
        std::ranges::stable_sort(tiles, std::greater(), volume);
        for (const MatrixShape& tile : tiles) {
            if (volume(tile) == 0 || !fits(&tile)) continue;
            plan_.note = std::format("native back-end, tiles of {}x{}x{}", tile.m, tile.n, tile.k);
            return std::move(plan_);
        }
        return unsupported("no shape of the driver divides all matrices of the shader");
    }

 private:
    static Error unsupported(std::string_view what) {
        return {ErrorCode::kUnsupported, std::string(what)};
    }

    // Whether the driver has all matrices and products, in tiles of one size (null: in one tile
    // each). Sets the tile sizes of the types.
    bool fits(const MatrixShape* tile) {
        for (const MatrixShape& product : products_) {
            MatrixShape native = product;
            if (tile) {
                native.m = tile->m;
                native.n = tile->n;
                native.k = tile->k;
            }
            const bool has = std::ranges::find(shapes_, native) != shapes_.end();
            if (!has || !isMadeOf(product, native)) return false;
        }
        for (auto& [id, type] : plan_.types) {
            uint32_t rows = type.rows, columns = type.columns;
            if (tile) {
                rows = type.use == Use::kB ? tile->k : tile->m;
                columns = type.use == Use::kA ? tile->k : tile->n;
            }
            if (type.rows % rows != 0 || type.columns % columns != 0 ||
                !hasMatrix(shapes_, types_, type, rows, columns)) {
                return false;
            }
            type.tileRows = rows;
            type.tileColumns = columns;
        }
        return true;
    }

    const Module& module_;
    const TypeTable& types_;
    std::vector<MatrixShape> shapes_;
    NativePlan plan_;
    std::vector<MatrixShape> products_;
};

}  // namespace

Result<NativePlan> planNative(const Module& module, const TypeTable& types,
                              const PlannedTarget& target) {
    return NativePlanner(module, types, target).run();
}

bool hasMatrix(std::span<const MatrixShape> shapes, const TypeTable& types, const TiledType& type,
               uint32_t rows, uint32_t columns) {
    return std::ranges::any_of(shapes, [&](const MatrixShape& shape) {
        const bool sizes = (type.use == Use::kB ? shape.k : shape.m) == rows &&
                           (type.use == Use::kA ? shape.k : shape.n) == columns;
        if (!sizes) return false;
        // Cooperative Matrix Operands, not the type, say whether integers are signed.
        for (const bool isSigned : {false, true}) {
            const ComponentType component = componentTypeOf(types, type.component, isSigned);
            if (type.use == Use::kA && shape.a == component) return true;
            if (type.use == Use::kB && shape.b == component) return true;
            const bool sum = shape.c == component || shape.result == component;
            if (type.use == Use::kAccumulator && sum) return true;
        }
        return false;
    });
}

namespace {

// Whether a matrix type has components of a format that the rewriter does not know, such as those
// of newer extensions.
bool hasUnknownComponents(const Module& module) {
    return anyMatrixType(module, [&](const Instruction& type) {
        const Instruction& component = module.def(type.word(0));
        if (component.opcode == OpTypeInt) return false;
        if (component.opcode != OpTypeFloat) return true;
        if (component.operands.size() == 1) return false;
        const auto encoding = static_cast<spv::FPEncoding>(component.word(1));
        return findNumber(NumberKind::kFloat, component.word(0), encoding) == nullptr;
    });
}

}  // namespace

bool hasOpenMatrixTypes(const Module& module) {
    return anyMatrixType(module, [&](const Instruction& type) {
        return !module.constantValue(type.word(1)) || !matrixDimensions(module, type);
    });
}

AddedShapeUse addedShapeUse(const Module& module, const TypeTable& types,
                            std::span<const MatrixShape> native, std::span<const MatrixShape> added,
                            bool any) {
    // Only the driver can have such matrices.
    if (hasUnknownComponents(module)) return AddedShapeUse::kNone;
    const NativePlan plan = listableTypes(module);
    for (const auto& [id, type] : plan.types) {
        if (hasMatrix(native, types, type, type.rows, type.columns)) continue;
        if (any || hasMatrix(added, types, type, type.rows, type.columns)) {
            return AddedShapeUse::kSome;
        }
    }
    AddedShapeUse use = hasOpenMatrixTypes(module) ? AddedShapeUse::kOpen : AddedShapeUse::kNone;
    module.visitBlocks([&](const Instruction& i) {
        if (i.opcode != OpCooperativeMatrixMulAddKHR) return;
        const bool areListed = std::ranges::all_of(
            std::array{i.word(0), i.word(1), i.word(2), i.result},
            [&](Id value) { return plan.type(module.def(value).type) != nullptr; });
        const auto shape = areListed ? productShape(types, i) : std::nullopt;
        if (!shape) return;
        const bool isAdded = any ? std::ranges::find(native, *shape) == native.end()
                                 : std::ranges::find(added, *shape) != added.end();
        if (isAdded) use = AddedShapeUse::kSome;
    });
    return use;
}

}  // namespace coopvk::rewrite

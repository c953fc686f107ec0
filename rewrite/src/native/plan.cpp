// SPDX-License-Identifier: Apache-2.0
#include "native/plan.hpp"

#include <algorithm>

namespace coopvk::rewrite {

namespace {

struct Size {
    uint32_t m, n, k;
    bool operator==(const Size&) const = default;
};

ComponentType componentOf(const TypeTable& types, Id type, bool isSigned) {
    using enum ComponentType;
    const uint32_t width = types.width(type);
    if (types.isFloat(type)) return width == 16 ? kFloat16 : width == 32 ? kFloat32 : kFloat64;
    switch (width) {
        case 8:
            return isSigned ? kSint8 : kUint8;
        case 16:
            return isSigned ? kSint16 : kUint16;
        case 32:
            return isSigned ? kSint32 : kUint32;
        default:
            return isSigned ? kSint64 : kUint64;
    }
}

class Planner {
 public:
    Planner(const Module& module, const TypeTable& types, const Target& target)
        : module_(module), types_(types), shapes_(target.device.nativeShapes) {}

    Result<NativePlan> run() {
        if (shapes_.empty()) return unsupported("the driver has no cooperative matrices");
        // SPV_NV_cooperative_matrix does without it.
        if (!module_.hasCapability(spv::Capability::VulkanMemoryModel)) {
            return unsupported("KHR matrices need the Vulkan memory model, the shader has another");
        }
        collectTypes();
        collectProducts();
        if (!problem_.empty()) return unsupported(problem_);
        if (fits(nullptr)) {
            plan_.note = "native back-end, the driver's own shapes";
            return std::move(plan_);
        }
        // The largest tiles first: fewer instructions, and more for the hardware to do in each.
        std::vector<Size> sizes;
        for (const MatrixShape& shape : shapes_) {
            const Size size{shape.m, shape.n, shape.k};
            if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
        }
        std::ranges::stable_sort(sizes, std::greater(),
                                 [](const Size& s) { return uint64_t{s.m} * s.n * s.k; });
        for (const Size& size : sizes) {
            if (!fits(&size)) continue;
            plan_.note = std::format("native back-end, tiles of {}x{}x{}", size.m, size.n, size.k);
            return std::move(plan_);
        }
        return unsupported("no shape of the driver divides all matrices of the shader");
    }

 private:
    static Error unsupported(std::string_view what) {
        return {ErrorCode::kUnsupported, std::string(what)};
    }

    uint32_t constant(Id id) const {
        return static_cast<uint32_t>(module_.constantValue(id).value_or(0));
    }

    void collectTypes() {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->opcode != spv::Op::OpTypeCooperativeMatrixKHR) continue;
            TiledType type;
            type.id = i->result;
            type.component = i->word(0);
            type.rows = constant(i->word(2));
            type.columns = constant(i->word(3));
            type.use = static_cast<Use>(constant(i->word(4)));
            const Instruction& component = module_.def(type.component);
            const bool plain =
                component.opcode == spv::Op::OpTypeInt ||
                (component.opcode == spv::Op::OpTypeFloat && component.operands.size() == 1);
            if (constant(i->word(1)) != static_cast<uint32_t>(spv::Scope::Subgroup) || !plain ||
                type.rows == 0 || type.columns == 0) {
                problem_ = std::format("type %{} has no native form", type.id);
            }
            plan_.types.emplace(type.id, type);
        }
    }

    const TiledType* typeOf(Id value) const {
        const auto found = plan_.types.find(module_.def(value).type);
        return found == plan_.types.end() ? nullptr : &found->second;
    }

    void collectProducts() {
        for (const auto& function : module_.functions()) {
            for (const auto& block : function->blocks) {
                for (const InstructionPtr& i : block->body) {
                    if (i->opcode == spv::Op::OpCooperativeMatrixMulAddKHR) addProduct(*i);
                }
            }
        }
    }

    void addProduct(const Instruction& i) {
        using Mask = spv::CooperativeMatrixOperandsMask;
        const TiledType* a = typeOf(i.word(0));
        const TiledType* b = typeOf(i.word(1));
        const TiledType* c = typeOf(i.word(2));
        const TiledType* result = typeOf(i.result);
        if (a == nullptr || b == nullptr || c == nullptr || result == nullptr) {
            problem_ = "a multiply-add has operands that are no matrices";
            return;
        }
        const bool fits = a->use == Use::kA && b->use == Use::kB && a->columns == b->rows &&
                          a->rows == result->rows && b->columns == result->columns &&
                          c->rows == result->rows && c->columns == result->columns &&
                          c->use == Use::kAccumulator && result->use == Use::kAccumulator;
        if (!fits) {
            problem_ = "a multiply-add has operands of other sizes or uses";
            return;
        }
        const auto has = [&](Mask bit) { return (i.word(3) & static_cast<uint32_t>(bit)) != 0; };
        products_.push_back(
            {result->rows, result->columns, a->columns,
             componentOf(types_, a->component, has(Mask::MatrixASignedComponentsKHR)),
             componentOf(types_, b->component, has(Mask::MatrixBSignedComponentsKHR)),
             componentOf(types_, c->component, has(Mask::MatrixCSignedComponentsKHR)),
             componentOf(types_, result->component, has(Mask::MatrixResultSignedComponentsKHR)),
             has(Mask::SaturatingAccumulationKHR)});
    }

    // With tiles of one size, or with none where `tile` is null. Fills in the types.
    bool fits(const Size* tile) {
        for (const MatrixShape& product : products_) {
            MatrixShape native = product;
            if (tile != nullptr) {
                native.m = tile->m;
                native.n = tile->n;
                native.k = tile->k;
            }
            const bool has = std::ranges::find(shapes_, native) != shapes_.end();
            if (!has || !isMadeOf(product, native)) return false;
        }
        for (auto& [id, type] : plan_.types) {
            const uint32_t rows = tile == nullptr       ? type.rows
                                  : type.use == Use::kB ? tile->k
                                                        : tile->m;
            const uint32_t columns = tile == nullptr       ? type.columns
                                     : type.use == Use::kA ? tile->k
                                                           : tile->n;
            if (type.rows % rows != 0 || type.columns % columns != 0 ||
                !isNative(type, rows, columns)) {
                return false;
            }
            type.tileRows = rows;
            type.tileColumns = columns;
        }
        return true;
    }

    bool isNative(const TiledType& type, uint32_t rows, uint32_t columns) const {
        return std::ranges::any_of(shapes_, [&](const MatrixShape& shape) {
            const bool sizes = (type.use == Use::kB ? shape.k : shape.m) == rows &&
                               (type.use == Use::kA ? shape.k : shape.n) == columns;
            if (!sizes) return false;
            // Integer types are signed or not by operands, not by type.
            for (const bool isSigned : {false, true}) {
                const ComponentType component = componentOf(types_, type.component, isSigned);
                if (type.use == Use::kA && shape.a == component) return true;
                if (type.use == Use::kB && shape.b == component) return true;
                const bool sum = shape.c == component || shape.result == component;
                if (type.use == Use::kAccumulator && sum) return true;
            }
            return false;
        });
    }

    const Module& module_;
    const TypeTable& types_;
    const std::vector<MatrixShape>& shapes_;
    NativePlan plan_;
    std::vector<MatrixShape> products_;
    std::string problem_;
};

}  // namespace

Result<NativePlan> planNative(const Module& module, const TypeTable& types, const Target& target) {
    return Planner(module, types, target).run();
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "native/lower.hpp"

namespace coopvk::rewrite {

namespace {

struct TileSize {
    uint32_t m, n, k;
    bool operator==(const TileSize&) const = default;
};

class NativePlanner {
 public:
    NativePlanner(const Module& module, const TypeTable& types, const PlannedTarget& target)
        : module_(module), types_(types), shapes_(target.device.nativeShapes) {
        std::erase_if(shapes_,
                      [](const MatrixShape& shape) { return shape.a == ComponentType::kBFloat16; });
    }

    Result<NativePlan> run() {
        collectTypes();
        if (!problem_.empty()) return unsupported(problem_);
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
        module_.visitBlocks([&](const Instruction& i) {
            if (i.opcode == spv::Op::OpCooperativeMatrixMulAddKHR) addProduct(i);
        });
        if (!problem_.empty()) return unsupported(problem_);
        if (fits(nullptr)) {
            plan_.note = "native back-end, the driver's own shapes";
            return std::move(plan_);
        }
        // The largest tiles first: they need the fewest instructions.
        std::vector<TileSize> sizes;
        for (const MatrixShape& shape : shapes_) {
            const TileSize size{shape.m, shape.n, shape.k};
            const bool isEmpty = size.m == 0 || size.n == 0 || size.k == 0;
            if (!isEmpty && std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
        }
        std::ranges::stable_sort(sizes, std::greater(),
                                 [](const TileSize& s) { return uint64_t{s.m} * s.n * s.k; });
        for (const TileSize& size : sizes) {
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

    void collectTypes() {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->opcode != spv::Op::OpTypeCooperativeMatrixKHR) continue;
            if (const auto type = listableType(module_, *i)) {
                plan_.types.emplace(type->id, *type);
            } else {
                problem_ = std::format("type %{} has no native form", i->result);
            }
        }
    }

    void addProduct(const Instruction& i) {
        const ProductTypes product = productTypes(module_, plan_, i);
        if (!product.areMatrices()) {
            problem_ = "operands of a multiply-add are not cooperative matrices";
        } else if (!product.fit()) {
            problem_ = "operands of a multiply-add have sizes or uses that do not fit";
        } else {
            products_.push_back(productShape(types_, product, i.word(3)));
        }
    }

    // Whether the driver has all matrices and products, in tiles of one size (nullptr: in one tile
    // each). Sets the tile sizes of the types.
    bool fits(const TileSize* tile) {
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
    std::string problem_;
};

}  // namespace

Result<NativePlan> planNative(const Module& module, const TypeTable& types,
                              const PlannedTarget& target) {
    return NativePlanner(module, types, target).run();
}

}  // namespace coopvk::rewrite

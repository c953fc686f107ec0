// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix_uses.hpp"

#include "ir/arithmetic_decorations.hpp"
#include "ir/blocks.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

MatrixUses::MatrixUses(const Module& module)
    : module_(module), facts_(module.bound()), moves_(module.bound()) {
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpTypeCooperativeMatrixKHR) {
            facts_[i->result] = kIsMatrix | kReachesMatrix;
            const auto d = matrixDimensions(module, *i);
            if (d) types_.emplace_back(i->result, *d);
        }
        const bool isZero = i->opcode == OpConstantNull || hasNoValue(i->opcode);
        add(i->type, isZero ? kHasZeros : kHasConstants);
    }
    findTypesThatReachMatrices();
    for (const auto& function : module.functions()) visit(*function);
}

// By the types in which others are: passes declare types in any order.
void MatrixUses::findTypesThatReachMatrices() {
    std::unordered_map<Id, std::vector<Id>> users;  // types, by a type in them
    std::vector<Id> pending;
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (i->result == 0 || i->type != 0) continue;
        for (const Operand& o : i->operands) {
            if (o.isId) users[o.word].push_back(i->result);
        }
        if (reachesMatrix(i->result)) pending.push_back(i->result);
    }
    while (!pending.empty()) {
        const auto found = users.find(pending.back());
        pending.pop_back();
        if (found == users.end()) continue;
        for (const Id user : found->second) {
            if (reachesMatrix(user)) continue;
            facts_[user] |= kReachesMatrix;
            pending.push_back(user);
        }
    }
}

void MatrixUses::visit(const Function& function) {
    std::optional<BlockGraph> graph;
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        const Block& block = *function.blocks[b];
        const bool countsPhis = !isLoopHeader(block);
        for (const InstructionPtr& i : block.body) {
            if (i->opcode == OpCooperativeMatrixMulAddKHR) {
                if (!graph) graph.emplace(function);
                products_.push_back({i.get(), &function, typeOf(i->word(0)), typeOf(i->word(1)),
                                     typeOf(i->word(2)), graph->loopOf(b) != nullptr,
                                     forbidsContraction(module_, i->result)});
            }
            for (size_t o = 0; i->opcode == OpPhi && countsPhis && o < i->operands.size(); o += 2) {
                countMove(i->word(o));
            }
            visit(*i);
        }
    }
}

void MatrixUses::visit(const Instruction& i) {
    switch (i.opcode) {
        case OpCooperativeMatrixLoadTensorNV:
            add(i.type, kFromTensor);
            loads_.push_back(tensorAccessOf(i, i.type));
            return;
        case OpCooperativeMatrixLoadKHR:
            loads_.push_back(accessOf(i, i.type, 1));
            return;
        case OpCooperativeMatrixStoreTensorNV:
            stores_.push_back(tensorAccessOf(i, typeOf(i.word(1))));
            return visitOther(i);
        case OpCooperativeMatrixStoreKHR:
            stores_.push_back(accessOf(i, typeOf(i.word(1)), 2));
            return visitOther(i);
        case OpCooperativeMatrixMulAddKHR:
            return add(typeOf(i.word(2)), kIsAddend);
        case OpCompositeConstruct:
        case OpCompositeConstructReplicateEXT:
            return add(i.type, kIsConstructed);
        case OpCooperativeMatrixLengthKHR:
            return add(i.word(0), kAsksLength);
        case OpStore:
            return countMove(i.word(1));
        default:
            return visitOther(i);
    }
}

void MatrixUses::visitOther(const Instruction& i) {
    const bool isMove = movesValues(i.opcode) || firstChainIndex(i.opcode) != 0;
    if (const auto matrix = isMove ? matrixIndexedBy(i) : std::nullopt) {
        add(*matrix, kHasElements);
        if (isPointerType(module_.def(i.type).opcode)) {
            elementPointers_.emplace_back(i.result, *matrix);
        }
    }
    if (isMove || isNonSemantic(module_, i)) return;
    add(i.type, kHasOthers);
    for (const Operand& o : i.operands) {
        if (o.isId) add(typeOf(o.word), kHasOthers);
    }
}

void MatrixUses::add(Id type, uint32_t fact) {
    if (isMatrix(type)) facts_[type] |= fact;
}

void MatrixUses::countMove(Id value) {
    const Instruction& i = module_.def(value);
    const bool isLoad =
        i.opcode == OpCooperativeMatrixLoadKHR || i.opcode == OpCooperativeMatrixLoadTensorNV;
    if (isMatrix(i.type) && !isLoad && !hasNoValue(i.opcode)) ++moves_[i.type];
}

uint32_t MatrixUses::moves(Id type) const { return type < moves_.size() ? moves_[type] : 0; }

const ElementFlow& MatrixUses::elementFlow() const {
    const bool any = std::ranges::any_of(types_, [&](const auto& type) {
        return (facts(type.first) & (kHasElements | kAsksLength)) != 0;
    });
    if (!elementFlow_) elementFlow_ = any ? followElements(module_, *this) : ElementFlow{};
    return *elementFlow_;
}

// The type of the matrix that the indices of an instruction lead into.
std::optional<Id> MatrixUses::matrixIndexedBy(const Instruction& i) const {
    // Most instructions index into something else. The first two operands have the base, or its
    // type.
    const auto mayReach = [&](const Operand& o) {
        return o.isId && (reachesMatrix(o.word) || reachesMatrix(typeOf(o.word)));
    };
    if (std::ranges::none_of(std::span(i.operands).first(std::min<size_t>(i.operands.size(), 2)),
                             mayReach)) {
        return std::nullopt;
    }
    const auto index = indexInto(module_, i, [&](Id type) { return isMatrix(type); });
    return index ? std::optional(index->type) : std::nullopt;
}

MatrixAccess MatrixUses::accessOf(const Instruction& i, Id type, size_t layout) const {
    const std::optional<uint64_t> value = module_.constantValue(i.word(layout));
    MatrixAccess access = {&i, type, false, std::nullopt};
    if (value == 0) access.along = Dimension::kColumns;
    if (value == 1) access.along = Dimension::kRows;
    return access;
}

// Neighbours in a tensor's last dimension are neighbours in memory. The view's permutation says
// which dimension of the matrix that is.
MatrixAccess MatrixUses::tensorAccessOf(const Instruction& i, Id type) const {
    MatrixAccess access = {&i, type, true, std::nullopt};
    const std::span<const Operand> addressing = tensorAddressing(i);
    constexpr auto kView = static_cast<uint32_t>(spv::TensorAddressingOperandsMask::TensorView);
    if (addressing.empty() || (addressing[0].word & kView) == 0) {
        access.along = Dimension::kColumns;
        return access;
    }
    // Behind Dim and HasDimensions, the view type has its permutation.
    const Instruction& view = module_.def(typeOf(addressing[1].word));
    const size_t last = view.operands.size() - 3;
    if (module_.constantValue(view.word(2 + last)) == last) {
        access.along = Dimension::kColumns;
    } else if (module_.constantValue(view.word(1 + last)) == last) {
        access.along = Dimension::kRows;
    }
    return access;
}

FactorSurvey::FactorSurvey(const MatrixUses& uses, const TypeTable& types,
                           const std::function<bool(const Instruction& type)>& isWanted, Form form)
    : uses_(uses), types_(types) {
    uint32_t others = kHasConstants | kIsAddend | kHasElements | kIsConstructed | kHasOthers;
    if (!form.keepsLength) others |= kHasZeros | kAsksLength;
    if (!form.allowsTensors) others |= kFromTensor;
    for (const InstructionPtr& i : types.module().section(Section::kGlobals)) {
        if (i->opcode == OpTypeCooperativeMatrixKHR && (uses.facts(i->result) & others) == 0 &&
            isWanted(*i)) {
            found_.insert(i->result);
        }
    }
}

void FactorSurvey::dropUnless(const std::function<bool(const MatrixProduct& product)>& fit) {
    for (bool dropped = true; dropped;) {
        dropped = false;
        for (const MatrixProduct& product : uses_.products()) {
            if (has(product.a) && has(product.b) && fit(product)) continue;
            dropped |= found_.erase(product.a) + found_.erase(product.b) != 0;
        }
    }
}

ComponentType componentTypeOf(const TypeTable& types, Id scalar, bool isSigned) {
    const Number* number = numberOf(types, scalar);
    if (number != nullptr && !number->isFloat()) {
        number = findNumber(isSigned ? NumberKind::kSigned : NumberKind::kUnsigned, number->bits);
    }
    return number == nullptr ? kNoComponentType : number->type;
}

std::optional<MatrixShape> productShape(const TypeTable& types, const Instruction& mulAdd) {
    const Module& module = types.module();
    const Id ids[] = {module.def(mulAdd.word(0)).type, module.def(mulAdd.word(1)).type,
                      module.def(mulAdd.word(2)).type, mulAdd.type};
    constexpr Use kUses[] = {Use::kA, Use::kB, Use::kAccumulator, Use::kAccumulator};
    std::array<MatrixDimensions, 4> d;
    std::array<ComponentType, 4> components;
    for (size_t i = 0; i < d.size(); ++i) {
        const Instruction& type = module.def(ids[i]);
        const auto found = matrixDimensions(module, type);
        if (!found || found->use != kUses[i]) return std::nullopt;
        d[i] = *found;
        components[i] =
            componentTypeOf(types, type.word(0), hasOperand(mulAdd, kSignedMatrices[i]));
    }
    const auto& [a, b, c, result] = d;
    if (a.columns != b.rows || a.rows != result.rows || b.columns != result.columns ||
        c.rows != result.rows || c.columns != result.columns) {
        return std::nullopt;
    }
    return MatrixShape{result.rows,   result.columns, a.columns,     components[0],
                       components[1], components[2],  components[3], saturates(mulAdd)};
}

}  // namespace coopvk::rewrite

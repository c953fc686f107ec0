// SPDX-License-Identifier: Apache-2.0

#include "blockio/lower.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

PrivateMemory::PrivateMemory(LoweringContext& context, Emitter& emit, Id pointer,
                             const Instruction& at, std::string_view operand)
    : context_(context) {
    const Instruction& type = context.module.def(emit.typeOf(pointer));
    if (!isPointerType(type.opcode) || storageOf(type) != spv::StorageClass::Function) {
        context.invalid(at,
                        std::format("{} must be a pointer to the Function storage class", operand));
    } else if (type.opcode == OpTypeUntypedPointerKHR) {
        context.fail(
            ErrorCode::kUnsupported, at,
            std::format("{} is untyped: Vulkan allows that only for storage classes with explicit "
                        "layouts (VUID-StandaloneSpirv-OpTypeUntypedPointerKHR-11417)",
                        operand));
    } else if (const std::string_view problem = resolve(emit, pointer); !problem.empty()) {
        scalar_ = 0;
        context.invalid(at, std::format("{} {}", operand, problem));
    }
}

// Follows the pointer to its variable. Returns what is wrong, or nothing.
std::string_view PrivateMemory::resolve(Emitter& emit, Id pointer) {
    const Module& module = context_.module;
    const PointerPath path = pathTo(module, pointer);
    base_ = path.root;
    const std::vector<Id> indices = path.indices();
    // Indices up to the last one into a structure stay.
    Id type = module.def(emit.typeOf(base_)).word(1), inner = type;
    size_t first = 0;
    for (size_t i = 0; i < indices.size(); ++i) {
        const bool isStruct = module.def(type).opcode == OpTypeStruct;
        type = memberType(module, type, module.constantValue(indices[i]));
        if (!isStruct) continue;
        first = i + 1;
        inner = type;
    }
    prefix_.assign(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(first));
    scalar_ = flatten(inner);
    scalarBytes_ = context_.types.width(scalar_) / 8;
    if (scalarBytes_ == 0) return "must point to numbers, or vectors or arrays of them";
    if (indices.size() - first > lengths_.size()) return "has too many indices";
    origin_ = emit.constant(0);
    uint32_t stride = 1;
    for (const uint32_t length : lengths_) stride *= length;
    for (size_t i = first; i < indices.size(); ++i) {
        stride /= lengths_[i - first];
        origin_ = emit.addU32(origin_, emit.times(emit.toU32(indices[i]), stride));
    }
    return {};
}

// Sets lengths_ and returns the innermost element type; 0 if that is no number.
Id PrivateMemory::flatten(Id type) {
    const Module& module = context_.module;
    while (true) {
        const Instruction& def = module.def(type);
        if (def.opcode == OpTypeVector) {
            lengths_.push_back(def.word(1));
        } else if (def.opcode == OpTypeArray) {
            const uint64_t length = module.constantValue(def.word(1)).value_or(0);
            if (length == 0) return 0;
            lengths_.push_back(static_cast<uint32_t>(length));
        } else {
            return def.opcode == OpTypeInt || def.opcode == OpTypeFloat ? type : 0;
        }
        type = def.word(0);
    }
}

std::optional<uint64_t> PrivateMemory::available() const {
    const std::optional<uint64_t> origin = context_.module.constantValue(origin_);
    if (!origin) return std::nullopt;
    uint64_t all = 1;
    for (const uint32_t length : lengths_) all *= length;
    return all > *origin ? all - *origin : 0;
}

// Pointer to scalar `index` (u32), counted from the pointer.
Id PrivateMemory::at(Emitter& emit, Id index) {
    Id rest = emit.addU32(origin_, index);
    std::vector<Id> indices(lengths_.size());
    for (size_t i = lengths_.size(); i-- > 0;) {
        indices[i] = i == 0 ? rest : emit.modulo(rest, lengths_[i]);
        rest = emit.over(rest, lengths_[i]);
    }
    if (prefix_.empty() && indices.empty()) return base_;
    indices.insert(indices.begin(), prefix_.begin(), prefix_.end());
    indices.insert(indices.begin(), base_);
    return emit.chain(scalar_, indices);
}

bool PrivateMemory::declare(const Instruction& at) {
    const Number* number = numberOf(context_.types, integer());
    if (number == nullptr || !number->isSupportedBy(context_.target.device)) {
        return context_.fail(
            ErrorCode::kUnsupported, at,
            std::format("private elements of {0} bits need shaderInt{0}", scalarBytes_ * 8));
    }
    context_.types.declareArithmetic(integer());
    return true;
}

Id PrivateMemory::load(Emitter& emit, Id index) {
    return emit.bitcast(integer(), emit.load(scalar_, at(emit, index)));
}

std::vector<Slot> PrivateMemory::read(Emitter& emit, Id start, uint32_t bytes, Id unit) {
    const uint32_t unitBytes = context_.types.width(unit) / 8;
    std::vector<Slot> slots;
    const uint32_t scalars = divideUp(bytes, scalarBytes_);
    for (uint32_t i = 0; i < scalars; ++i) slots.push_back({load(emit, emit.plus(start, i)), 0});
    // The last scalars may not fill a unit.
    while (slots.size() * scalarBytes_ % unitBytes != 0) {
        slots.push_back({context_.types.constant(integer(), 0), 0});
    }
    return regroup(emit, slots, integer(), unit);
}

void PrivateMemory::write(Emitter& emit, Id start, std::vector<Slot> units, Id unit) {
    const uint32_t unitBytes = context_.types.width(unit) / 8;
    const size_t bytes = units.size() * unitBytes;
    if (const size_t beyond = bytes % scalarBytes_; beyond != 0) {
        const Id last = emit.plus(start, static_cast<uint32_t>(bytes / scalarBytes_));
        const Slot old[] = {{load(emit, last), 0}};
        const std::vector<Slot> rest = regroup(emit, old, integer(), unit);
        const auto kept = static_cast<std::ptrdiff_t>(beyond / unitBytes);
        units.insert(units.end(), rest.begin() + kept, rest.end());
    }
    const std::vector<Slot> slots = regroup(emit, units, unit, integer());
    for (uint32_t i = 0; i < slots.size(); ++i) {
        const Id value = emit.bitcast(scalar_, scalarOf(emit, integer(), slots[i]));
        emit.store(at(emit, emit.plus(start, i)), value);
    }
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
//
// Finds 4-bit types, checks what may use them, and replaces them (SPV_INTEL_int4).
#include "unify/int4/types.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "ir/types.hpp"
#include "lowering/place.hpp"

namespace coopvk::rewrite {

// Chooses which vectors of 4-bit integers are replaced by vectors of bytes: those whose alignment
// in memory does not suffice for one wide integer, and those whose components are stored one by
// one.

namespace {

constexpr uint32_t kMostAlignment = 16;  // larger alignments make no difference

// The alignment of an address `bytes` bytes after an aligned one.
uint32_t alignmentAt(uint32_t alignment, uint64_t bytes) {
    if (bytes == 0) return alignment;
    return static_cast<uint32_t>(std::min<uint64_t>(alignment, powerOfTwoIn(bytes)));
}

class Int4Layouts {
 public:
    explicit Int4Layouts(Int4Context& context) : context_(context), module_(context.module) {}

    std::set<uint32_t> run() {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) scanGlobal(*i);
        module_.visitBlocks([&](const Instruction& i) { scan(i); });
        return std::move(byteWise_);
    }

 private:
    // Notes the vectors in a type that lies in memory with an alignment.
    void place(const Instruction& at, Id type, uint32_t alignment) {
        if (!visited_.insert({type, alignment}).second) return;
        if (const Int4Type* int4 = context_.type(type)) {
            const uint32_t bytes = int4->components / 2;
            if (bytes <= 1 || alignment >= bytes) return;
            if (!context_.target.device.scalarBlockLayout) {
                context_.unsupported(
                    at, std::format("vectors of {} 4-bit integers that do not lie at a "
                                    "multiple of {} bytes need scalarBlockLayout",
                                    int4->components, bytes));
            }
            if (alignment < std::min(bytes, 4u)) byteWise_.insert(int4->components);
            return;
        }
        const Instruction& def = module_.def(type);
        if (def.opcode == OpTypeStruct) {
            for (uint32_t m = 0; m < def.operands.size(); ++m) {
                const auto offset = module_.memberDecoration(type, m, spv::Decoration::Offset);
                place(at, def.word(m), alignmentAt(alignment, offset.value_or(0)));
            }
        } else if (isArrayType(def.opcode)) {
            const auto stride = module_.decoration(type, spv::Decoration::ArrayStride);
            place(at, def.word(0), alignmentAt(alignment, stride.value_or(0)));
        }
    }

    void scanGlobal(const Instruction& i) {
        const bool pointer = i.opcode == OpTypePointer;
        if ((!isVariable(i.opcode) && !pointer) || isPrivate(storageOf(i))) return;
        if (!pointer) return place(i, contentsOf(module_, i.result), kMostAlignment);
        const auto stride = module_.decoration(i.result, spv::Decoration::ArrayStride);
        place(i, i.word(1), alignmentAt(kMostAlignment, stride.value_or(0)));
    }

    void scan(const Instruction& i) {
        // An Element operand may lead to any byte.
        if (namesChainType(i.opcode) && !isPrivate(module_.storage(chainBase(i)))) {
            place(i, i.word(0), isUntypedPtrChain(i.opcode) ? 1 : kMostAlignment);
        }
        switch (i.opcode) {
            case OpLoad:
                return scanAccess(i, i.word(0), i.type, MemoryOperands(operandsBehind(i, 1)));
            case OpStore:
                storeComponent(i.word(0));
                return scanAccess(i, i.word(0), module_.def(i.word(1)).type,
                                  MemoryOperands(operandsBehind(i, 2)));
            case OpCopyMemory: {
                storeComponent(i.word(0));
                const CopyOperands memory = copyOperands(i);
                scanAccess(i, i.word(0), pointee(i.word(0), i.word(1)), memory.target);
                return scanAccess(i, i.word(1), pointee(i.word(1), i.word(0)), memory.source);
            }
            default:
                return;
        }
    }

    // The type that `pointer` points to. If it is untyped, the type that `other` points to: a copy
    // has two pointers.
    Id pointee(Id pointer, Id other) const {
        const Id type = module_.pointee(pointer);
        return type != 0 ? type : module_.pointee(other);
    }

    // The type of the vector to a component of which a pointer points.
    std::optional<Id> vectorBehind(Id pointer) const {
        const Instruction& chain = behindCopies(module_, pointer);
        const auto isVector = [&](Id type) { return context_.vector(type) != nullptr; };
        if (firstChainIndex(chain.opcode) == 0 || isPrivate(module_.storage(pointer))) return {};
        const auto index = indexInto(module_, chain, isVector);
        return index ? std::optional(index->type) : std::nullopt;
    }

    // The store of a component may change no other byte, since other invocations may store to it at
    // the same time.
    void storeComponent(Id pointer) {
        const std::optional<Id> vector = vectorBehind(pointer);
        if (!vector) return;
        const uint32_t components = context_.type(*vector)->components;
        const bool bytes =
            missingForAccess(context_.target.device, module_.storage(pointer), 8).empty();
        if (components == 4 || (components == 8 && bytes)) byteWise_.insert(components);
    }

    void scanAccess(const Instruction& i, Id pointer, Id type, const MemoryOperands& memory) {
        if (vectorBehind(pointer) || isPrivate(module_.storage(pointer))) return;
        if (memory.alignment() != 0) {
            place(i, type, alignmentAt(kMostAlignment, memory.alignment()));
        } else if (module_.def(module_.def(pointer).type).opcode == OpTypeUntypedPointerKHR) {
            place(i, type, alignmentOf(pointer));
        }
    }

    // The alignment of an untyped pointer that follows from its access chains.
    uint32_t alignmentOf(Id pointer) const {
        const PointerPath path = pathTo(module_, pointer);
        if (!isVariable(module_.def(path.root).opcode)) return 1;
        uint32_t alignment = kMostAlignment;
        for (const ChainStep& step : path.steps) alignment = alignmentBehind(step, alignment);
        return alignment;
    }

    uint32_t alignmentBehind(const ChainStep& step, uint32_t alignment) const {
        Id type = step.type;
        for (const Operand& operand : step.indices) {
            const std::optional<uint64_t> index = module_.constantValue(operand.word);
            const Instruction& def = module_.def(type);
            uint64_t bytes = 0;
            if (def.opcode == OpTypeStruct) {
                const auto member = static_cast<uint32_t>(index.value_or(0));
                bytes = module_.memberDecoration(type, member, spv::Decoration::Offset).value_or(0);
            } else {
                const bool array = isArrayType(def.opcode);
                const uint64_t stride =
                    array ? module_.decoration(type, spv::Decoration::ArrayStride).value_or(0)
                          : context_.types.width(type) / 8;
                bytes = stride * index.value_or(1);
            }
            alignment = alignmentAt(alignment, bytes);
            type = memberType(module_, type, index);
        }
        return alignment;
    }

    Int4Context& context_;
    Module& module_;
    std::set<std::pair<Id, uint32_t>> visited_;
    std::set<uint32_t> byteWise_;  // component counts of the vectors to replace by bytes
};

Id replacementOf(TypeTable& types, const Int4Type& type) {
    if (type.components == 1) return types.intType(8, type.isSigned);
    if (type.components == 16) return types.vectorType(types.uint32(), 2);
    if (type.isByteWise()) return types.vectorType(types.intType(8, false), type.bytes);
    return types.intType(4 * std::bit_ceil(type.components), false);
}

bool workgroupHasLayout(const Module& module) {
    return std::ranges::any_of(module.section(Section::kGlobals), [&](const InstructionPtr& i) {
        return isVariable(i->opcode) && storageOf(*i) == spv::StorageClass::Workgroup &&
               module.decoration(contentsOf(module, i->result), spv::Decoration::Block);
    });
}

// An array of two u8x4.
Id laidOutVector16(TypeTable& types) {
    const Id part = types.vectorType(types.intType(8, false), 4), two = types.constantU32(2);
    const Id array = types.newType(OpTypeArray, {idOperand(part), idOperand(two)});
    types.module().decorate(array, spv::Decoration::ArrayStride, {4});
    return array;
}

// Chooses the replacement of each type that findInt4Types() found.
void chooseInt4Replacements(Int4Context& context) {
    const std::set<uint32_t> byteWise = Int4Layouts(context).run();
    context.workgroupHasLayout = workgroupHasLayout(context.module);
    const Id laidOut = byteWise.contains(16) ? laidOutVector16(context.types) : 0;
    for (auto& [id, type] : context.int4) {
        const bool inBytes = byteWise.contains(type.components);
        if (type.components == 16) {
            type.laidOut = laidOut;
        } else if (inBytes) {
            type.bytes = type.components / 2;
        }
        type.replacement = replacementOf(context.types, type);
    }
}

struct Contents {
    bool hasOddCount = false;   // has scalars, or vectors of three
    std::set<uint32_t> widths;  // of the scalars in memory that replace the vectors, in bits
    std::set<Id> visited;
};

void collect(const Int4Context& context, Id type, Contents& contents) {
    if (!contents.visited.insert(type).second) return;
    if (const Int4Type* int4 = context.type(type)) {
        if (int4->components % 2 != 0) contents.hasOddCount = true;
        contents.widths.insert(int4->laidOut != 0 ? 8 : context.types.width(int4->replacement));
        return;
    }
    const Instruction& def = context.module.def(type);
    if (isArrayType(def.opcode)) collect(context, def.word(0), contents);
    if (def.opcode != OpTypeStruct) return;
    for (const Operand& member : def.operands) collect(context, member.word, contents);
}

void declareStorage(Int4Context& context, spv::StorageClass storage, uint32_t bits,
                    const Instruction& at) {
    const std::string_view missing = missingForAccess(context.target.device, storage, bits);
    if (!missing.empty()) {
        context.unsupported(
            at, std::format("vectors of {} 4-bit integers here need {}", bits / 4, missing));
    }
    declareAccess(context.module, storage, bits);
}

void refuseUnfit(Int4Context& context, const Contents& contents, const Instruction& at) {
    if (contents.hasOddCount) {
        context.invalid(at,
                        "outside the Private and Function storage classes 4-bit integers must be "
                        "in vectors with an even Component Count (SPV_INTEL_int4)");
    }
}

// Fills context.int4.
void findInt4Types(Int4Context& context) {
    Module& module = context.module;
    for (const InstructionPtr& global : module.section(Section::kGlobals)) {
        const Instruction& i = *global;
        if (i.opcode == OpTypeInt && i.word(0) == 4) {
            const bool isSigned = i.word(1) != 0;
            context.int4[i.result] = {i.result, isSigned, 1};
        } else if (i.opcode == OpTypeVector) {
            const Int4Type* scalar = context.type(i.word(0));
            if (scalar == nullptr) {
                if (i.word(1) <= 4) continue;
                return context.unsupported(
                    i, "vectors of more than four components are for 4-bit integers only");
            }
            constexpr uint32_t kCounts[] = {2, 3, 4, 8, 16};
            if (std::ranges::find(kCounts, i.word(1)) == std::end(kCounts)) {
                return context.invalid(i, "a vector has 2, 3, 4, 8 or 16 components");
            }
            context.int4[i.result] = {i.result, scalar->isSigned, i.word(1)};
        } else if (context.isMatrix(i.result) &&
                   !module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL)) {
            return context.invalid(i,
                                   "matrices of 4-bit components need the capability "
                                   "Int4CooperativeMatrixINTEL");
        }
    }
}

// Checks the rules on 4-bit types in memory, for variables and physical pointers, and declares the
// capabilities for accesses to their replacements.
void checkInt4Memory(Int4Context& context) {
    if (context.int4.empty()) return;
    Module& module = context.module;
    if (!context.target.device.shaderInt8) {
        return context.unsupported(*module.section(Section::kGlobals).front(),
                                   "4-bit integers need shaderInt8");
    }
    module.addCapability(spv::Capability::Int8);
    for (const auto& [id, type] : context.int4) {
        if (context.types.width(type.replacement) == 16) {
            module.addCapability(spv::Capability::Int16);
        }
    }
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const bool pointer = i->opcode == OpTypePointer;
        if ((!isVariable(i->opcode) && !pointer) || isPrivate(storageOf(*i))) continue;
        const Id type = pointer ? i->word(1) : contentsOf(module, i->result);
        // Pointer types matter for physical memory only, which has no variables. A pointer to a
        // scalar may point to a component of a vector.
        const Int4Type* int4 = pointer ? context.type(type) : nullptr;
        const bool scalar = int4 != nullptr && int4->components == 1;
        if (pointer && (scalar || storageOf(*i) != spv::StorageClass::PhysicalStorageBuffer))
            continue;
        Contents contents;
        collect(context, type, contents);
        refuseUnfit(context, contents, *i);
        for (const uint32_t bits : contents.widths)
            declareStorage(context, storageOf(*i), bits, *i);
        if (context.error) return;
    }
}

// The same for a load or store of a whole vector, whose pointer may be untyped or physical.
void checkInt4Access(Int4Context& context, const Instruction& access) {
    const bool load = access.opcode == OpLoad;
    if (!load && access.opcode != OpStore) return;
    const Module& module = context.module;
    const Instruction& pointer = module.def(module.def(access.word(0)).type);
    if (isPrivate(storageOf(pointer))) return;
    Contents contents;
    collect(context, load ? access.type : module.def(access.word(1)).type, contents);
    refuseUnfit(context, contents, access);
    if (pointer.opcode != OpTypeUntypedPointerKHR) return;
    for (const uint32_t bits : contents.widths) {
        declareStorage(context, storageOf(pointer), bits, access);
    }
}

// Instructions that may take 4-bit integers (SPV_INTEL_int4, "Validation Rules"), among them all
// "function instructions".
bool mayTakeInt4(const Module& module, const Instruction& i) {
    return movesBits(module, i) || (isConversion(i.opcode) && i.opcode != OpFConvert) ||
           isOneOf(i.opcode, {OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
                              OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixLengthKHR,
                              OpCooperativeMatrixPerElementOpNV});
}

bool touchesInt4(const Int4Context& context, const Instruction& i) {
    const auto isInt4 = [&](Id type) {
        return context.type(type) != nullptr || context.isMatrix(type);
    };
    return isInt4(i.type) || std::ranges::any_of(i.operands, [&](const Operand& operand) {
               return operand.isId && isInt4(context.module.def(operand.word).type);
           });
}

void checkPointers(Int4Context& context, const Instruction& i) {
    for (const Operand& operand : i.operands) {
        if (!operand.isId || !context.componentPointers.contains(operand.word)) continue;
        context.unsupported(
            i,
            "a pointer to a component of a vector of 4-bit integers is used for more "
            "than loads, stores and copies: the component has no address, since two "
            "components share a byte; and with logical addressing function arguments "
            "must be pointers to whole variables (SPIR-V specification, section 2.16.1)");
    }
}

// Replaces all 4-bit types except component types of matrices.
void replaceInt4Types(Int4Context& context) {
    TypeReplacements replacements;
    for (const auto& [id, type] : context.int4) replacements[id] = type.replacement;
    replaceTypes(context.types, replacements,
                 [](const Instruction& i) { return i.opcode == OpTypeCooperativeMatrixKHR; });
}

}  // namespace

void Int4Context::checkKept(const Instruction& i) {
    if (!mayTakeInt4(module, i) && touchesInt4(*this, i)) {
        fail(ErrorCode::kInvalidModule, i,
             "not one of the instructions that may take 4-bit integers (SPV_INTEL_int4)");
        return;
    }
    checkInt4Access(*this, i);
    checkPointers(*this, i);
}

std::optional<Error> unifyInt4(Int4Context& context) {
    Module& module = context.module;
    findInt4Types(context);
    if (context.error) return context.error;
    chooseInt4Replacements(context);
    if (context.error) return context.error;
    checkInt4Memory(context);
    if (context.error) return context.error;
    Vector16Memory memory(context);
    memory.checkPointers();
    OpcodeTable<Int4Function> table;
    addInt4Accesses(table);
    addInt4Composites(table);
    addInt4Conversions(table);
    table.lowerAll(context, memory);
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size() && !context.error; ++g) {
        if (globals[g]->opcode != OpVariable) lowerInt4Constant(context, *globals[g]);
    }
    if (context.error) return context.error;
    memory.retypePointers();
    // Accesses to components have taken the place of their pointers.
    std::unordered_set<Id> pointers;
    for (const auto& [id, pointer] : context.componentPointers) pointers.insert(id);
    module.forget(pointers);
    replaceInt4Types(context);
    module.removeCapability(spv::Capability::Int4TypeINTEL);
    module.removeCapability(spv::Capability::Vector16);
    module.removeExtension("SPV_INTEL_int4");
    const auto isMatrix = [](const InstructionPtr& i) {
        return i->opcode == OpTypeCooperativeMatrixKHR;
    };
    const auto isInt4Matrix = [&](const InstructionPtr& i) { return context.isMatrix(i->result); };
    // Int4CooperativeMatrixINTEL declares CooperativeMatrixKHR implicitly.
    if (std::ranges::any_of(globals, isMatrix)) {
        module.addCapability(spv::Capability::CooperativeMatrixKHR);
    }
    if (std::ranges::none_of(globals, isInt4Matrix)) {
        module.removeCapability(spv::Capability::Int4CooperativeMatrixINTEL);
    }
    return context.error;
}

}  // namespace coopvk::rewrite

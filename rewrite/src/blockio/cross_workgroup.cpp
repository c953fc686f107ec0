// SPDX-License-Identifier: Apache-2.0
//
// CrossWorkgroup pointers, which Vulkan does not know, become PhysicalStorageBuffer ones. Those
// want what CrossWorkgroup ones need not have: explicit layouts, strides of steps, aligned
// accesses.
#include <algorithm>
#include <format>

#include "blockio/lower.hpp"
#include "blockio/natural_layout.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kCrossWorkgroup = static_cast<uint32_t>(spv::StorageClass::CrossWorkgroup);
constexpr auto kPhysical = static_cast<uint32_t>(spv::StorageClass::PhysicalStorageBuffer);
// Aggregates of so many parts are moved part by part at most.
constexpr uint64_t kMostParts = 1024;

bool isUntypedStep(spv::Op opcode) {
    return opcode == spv::Op::OpUntypedPtrAccessChainKHR ||
           opcode == spv::Op::OpUntypedInBoundsPtrAccessChainKHR;
}
bool isChain(spv::Op opcode) { return firstChainIndex(opcode) != 0 || isUntypedStep(opcode); }

class Adoption {
 public:
    explicit Adoption(TypeTable& types) : types_(types), module_(types.module()) {}

    std::optional<Error> run() {
        adoptTypes();
        if (adopted_.empty()) return std::nullopt;
        declare();
        layout_.emplace(types_, rootTypes());
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->opcode == spv::Op::OpTypePointer && adopted_.contains(i->result)) {
                i->operands[1].word = layout_->explicitType(i->word(1));
            }
            if (i->opcode == spv::Op::OpVariable && adopted_.contains(i->type)) {
                fail(*i, "Vulkan has no variables in the CrossWorkgroup storage class");
            }
        }
        for (const auto& function : module_.functions()) adoptFunction(*function);
        return error_;
    }

 private:
    void fail(const Instruction& at, std::string_view what) {
        if (!error_) error_ = errorAt(ErrorCode::kUnsupported, at, what);
    }

    void adoptTypes() {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            const bool forward = i->opcode == spv::Op::OpTypeForwardPointer;
            const bool pointer = i->opcode == spv::Op::OpTypePointer ||
                                 i->opcode == spv::Op::OpTypeUntypedPointerKHR;
            if (!forward && !pointer) continue;
            Operand& storage = i->operands[forward ? 1 : 0];
            if (storage.word != kCrossWorkgroup) continue;
            storage.word = kPhysical;
            if (pointer) adopted_.insert(i->result);
        }
    }

    void declare() {
        module_.addCapability(spv::Capability::PhysicalStorageBufferAddresses);
        module_.removeCapability(spv::Capability::Addresses);  // which Vulkan does not know either
        if (module_.version() < 0x00010500) module_.addExtension("SPV_KHR_physical_storage_buffer");
        for (const InstructionPtr& i : module_.section(Section::kMemoryModel)) {
            if (i->opcode != spv::Op::OpMemoryModel) continue;
            i->operands[0] = literal(spv::AddressingModel::PhysicalStorageBuffer64);
        }
    }

    bool isAdopted(Id pointer) const { return adopted_.contains(module_.def(pointer).type); }

    // What a typed pointer points to; 0 for others.
    Id pointee(Id pointer) const {
        const Instruction& type = module_.def(module_.def(pointer).type);
        return type.opcode == spv::Op::OpTypePointer ? type.word(1) : 0;
    }

    // What lies behind adopted pointers: they say so, or the accesses through them do.
    std::unordered_set<Id> rootTypes() const {
        std::unordered_set<Id> roots;
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->opcode == spv::Op::OpTypePointer && adopted_.contains(i->result)) {
                roots.insert(i->word(1));
            }
        }
        for (const auto& function : module_.functions()) {
            for (const auto& block : function->blocks) {
                for (const InstructionPtr& i : block->body) addRoots(*i, roots);
            }
        }
        return roots;
    }

    void addRoots(const Instruction& i, std::unordered_set<Id>& roots) const {
        if (i.opcode == spv::Op::OpLoad && isAdopted(i.word(0))) roots.insert(i.type);
        if (i.opcode == spv::Op::OpStore && isAdopted(i.word(0))) {
            roots.insert(module_.def(i.word(1)).type);
        }
        if (i.opcode == spv::Op::OpCopyMemory) {
            for (const size_t side : {0, 1}) {
                if (isAdopted(i.word(side))) roots.insert(pointee(i.word(1 - side)));
            }
        }
        const bool untyped = i.type != 0 && adopted_.contains(i.type) &&
                             module_.def(i.type).opcode == spv::Op::OpTypeUntypedPointerKHR;
        if (untyped && isChain(i.opcode)) roots.insert(i.word(0));
    }

    void adoptFunction(Function& function) {
        for (const InstructionPtr& parameter : function.parameters) {
            if (!adopted_.contains(parameter->type)) continue;
            if (!module_.decoration(parameter->result, spv::Decoration::Restrict) &&
                !module_.decoration(parameter->result, spv::Decoration::Aliased)) {
                module_.decorate(parameter->result, spv::Decoration::Aliased);
            }
        }
        for (const auto& block : function.blocks) {
            InstructionList old = std::move(block->body);
            block->body.clear();
            Emitter emit(types_, block->body);
            for (InstructionPtr& i : old) adopt(emit, std::move(i));
        }
    }

    void adopt(Emitter& emit, InstructionPtr i) {
        adoptSteps(*i);
        if (i->opcode == spv::Op::OpVariable && adopted_.contains(pointee(i->result))) {
            module_.decorate(i->result, spv::Decoration::AliasedPointer);
        }
        if (i->opcode == spv::Op::OpCopyMemory) return adoptCopy(emit, std::move(i));
        const bool load = i->opcode == spv::Op::OpLoad;
        if ((!load && i->opcode != spv::Op::OpStore) || !isAdopted(i->word(0))) {
            return emit.add(std::move(i));
        }
        const Id type = load ? i->type : module_.def(i->word(1)).type;
        alignOperands(*i, load ? 1 : 2, layout_->scalarBytes(type));
        adoptAccess(emit, std::move(i), type);
    }

    // A value of `type` and one of its explicit type are the same, part by part.
    void adoptAccess(Emitter& emit, InstructionPtr i, Id type) {
        const Id inMemory = layout_->explicitType(type);
        if (inMemory == type) return emit.add(std::move(i));
        if (layout_->parts(type) > kMostParts) {
            fail(*i, std::format("a value of more than {} numbers in CrossWorkgroup memory without "
                                 "layout decorations",
                                 kMostParts));
            return emit.add(std::move(i));
        }
        if (i->opcode == spv::Op::OpStore) {
            i->operands[1].word = layout_->convert(emit, i->word(1), inMemory);
            return emit.add(std::move(i));
        }
        const Id result = i->result;
        i->type = inMemory;
        i->result = module_.takeId();
        const Id loaded = i->result;
        emit.add(std::move(i));
        const Id value = layout_->convert(emit, loaded, type);
        emit.add(makeInstruction(spv::Op::OpCopyObject, type, result, {idOperand(value)}));
    }

    // One set of memory operands is for both pointers, two are for the target and the source.
    void adoptCopy(Emitter& emit, InstructionPtr i) {
        const Id target = i->word(0), source = i->word(1);
        if (!isAdopted(target) && !isAdopted(source)) return emit.add(std::move(i));
        // What an untyped pointer points to, the other one tells.
        const Id type = pointee(isAdopted(target) && pointee(target) != 0 ? target
                                : pointee(source) != 0                    ? source
                                                                          : target);
        alignOperands(*i, 2, layout_->scalarBytes(type));
        const size_t second = 2 + memoryOperandCount(std::span(i->operands).subspan(2));
        if (i->operands.size() > second) {
            alignOperands(*i, second, layout_->scalarBytes(type));
        }
        const auto typeAt = [&](Id pointer) {
            const Id own = pointee(pointer) != 0 ? pointee(pointer) : type;
            return isAdopted(pointer) ? layout_->explicitType(own) : own;
        };
        const Id to = typeAt(target), from = typeAt(source);
        if (to == from) return emit.add(std::move(i));
        if (layout_->parts(to) > kMostParts) {
            fail(*i, std::format("a copy of more than {} numbers in CrossWorkgroup memory without "
                                 "layout decorations",
                                 kMostParts));
            return emit.add(std::move(i));
        }
        const CopyOperands memory = copyOperands(*i);
        Operands load = {idOperand(source)};
        append(load, memory.source.forLoad(kAnyAlignment));
        const Id value =
            layout_->convert(emit, emit.op(spv::Op::OpLoad, from, std::move(load)), to);
        Operands store = {idOperand(target), idOperand(value)};
        append(store, memory.target.forStore(kAnyAlignment));
        emit.opVoid(spv::Op::OpStore, std::move(store));
        module_.retire(std::move(i));
    }

    // Steps over whole pointees: only one instruction of the two is for such pointers, and the
    // pointer's type must say how far a step is.
    void adoptSteps(Instruction& i) {
        if (i.type == 0 || !adopted_.contains(i.type) || !isChain(i.opcode)) return;
        if (module_.def(i.type).opcode == spv::Op::OpTypeUntypedPointerKHR) return adoptUntyped(i);
        if (i.opcode != spv::Op::OpInBoundsPtrAccessChain &&
            i.opcode != spv::Op::OpPtrAccessChain) {
            return;
        }
        i.opcode = spv::Op::OpPtrAccessChain;
        const Id type = module_.def(i.word(0)).type;
        if (module_.decoration(type, spv::Decoration::ArrayStride)) return;
        const uint64_t bytes = layout_->size(pointee(i.word(0)));
        if (bytes == 0 || bytes >= NaturalLayout::kMost) {
            return fail(i, "a step over what has no size of its own");
        }
        module_.decorate(type, spv::Decoration::ArrayStride, {static_cast<uint32_t>(bytes)});
    }

    // Through untyped pointers a step is an index into an array.
    void adoptUntyped(Instruction& i) {
        const Id type = layout_->explicitType(i.word(0));
        i.operands[0].word = type;
        if (!isUntypedStep(i.opcode)) return;
        const auto [array, isNew] = arrays_.try_emplace(type, 0);
        if (isNew) {
            array->second = module_.takeId();
            module_.append(Section::kGlobals, makeInstruction(spv::Op::OpTypeRuntimeArray, 0,
                                                              array->second, {idOperand(type)}));
            module_.decorate(array->second, spv::Decoration::ArrayStride,
                             {static_cast<uint32_t>(layout_->size(type))});
        }
        i.opcode = spv::Op::OpUntypedAccessChainKHR;
        i.operands[0].word = array->second;
    }

    TypeTable& types_;
    Module& module_;
    std::optional<Error> error_;
    std::unordered_set<Id> adopted_;  // pointer types
    std::optional<NaturalLayout> layout_;
    std::map<Id, Id> arrays_;  // by element
};

}  // namespace

std::optional<Error> adoptCrossWorkgroupPointers(TypeTable& types) { return Adoption(types).run(); }

}  // namespace coopvk::rewrite

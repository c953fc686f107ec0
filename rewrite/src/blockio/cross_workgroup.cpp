// SPDX-License-Identifier: Apache-2.0
//
// CrossWorkgroup pointers, which Vulkan does not know, become PhysicalStorageBuffer ones. Those
// want what CrossWorkgroup ones need not have: explicit layouts, strides of steps, aligned
// accesses.
#include "blockio/lower.hpp"
#include "blockio/natural_layout.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kCrossWorkgroup = static_cast<uint32_t>(spv::StorageClass::CrossWorkgroup);

class Adoption {
 public:
    explicit Adoption(LoweringContext& context) : context_(context), module_(context.module) {}

    void run() {
        adoptTypes();
        if (adopted_.empty()) return;
        declare();
        layout_.emplace(context_, adopted_);
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->opcode == spv::Op::OpVariable && adopted_.contains(i->type)) {
                fail(*i, "Vulkan has no variables in the CrossWorkgroup storage class");
            }
        }
        for (const auto& function : module_.functions()) adoptFunction(*function);
        layout_->adoptPointers();
    }

 private:
    void fail(const Instruction& at, std::string_view what) {
        context_.fail(ErrorCode::kUnsupported, at, what);
    }

    void adoptTypes() {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            const bool forward = i->opcode == spv::Op::OpTypeForwardPointer;
            const bool pointer = isPointerType(i->opcode);
            if (!forward && !pointer) continue;
            Operand& storage = i->operands[forward ? 1 : 0];
            if (storage.word != kCrossWorkgroup) continue;
            storage = literal(spv::StorageClass::PhysicalStorageBuffer);
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
            Emitter emit(context_.types, block->body);
            for (InstructionPtr& i : old) {
                if (adopt(emit, *i)) {
                    module_.retire(std::move(i));
                } else {
                    emit.add(std::move(i));
                }
            }
        }
    }

    // False where the instruction stays, perhaps changed in place.
    bool adopt(Emitter& emit, Instruction& i) {
        switch (i.opcode) {
            case spv::Op::OpVariable:
                if (adopted_.contains(module_.pointee(i.result))) {
                    module_.decorate(i.result, spv::Decoration::AliasedPointer);
                }
                return false;
            case spv::Op::OpLoad:
                if (isAdopted(i.word(0))) align(i, 1, i.type);
                return layout_->access(emit, i);
            case spv::Op::OpStore:
                if (isAdopted(i.word(0))) align(i, 2, emit.typeOf(i.word(1)));
                return layout_->access(emit, i);
            case spv::Op::OpCopyMemory:
                if (isAdopted(i.word(0)) || isAdopted(i.word(1))) alignCopy(i);
                return layout_->access(emit, i);
            default:
                if (i.type != 0 && adopted_.contains(i.type)) adoptStep(i);
                return false;
        }
    }

    void align(Instruction& access, size_t operand, Id type) {
        alignOperands(access, operand, layout_->scalarBytes(type));
    }

    // One set of memory operands is for both pointers, two are for the target and the source.
    void alignCopy(Instruction& copy) {
        const Id type = layout_->copied(copy);
        align(copy, 2, type);
        const size_t second = 2 + memoryOperandCount(operandsBehind(copy, 2));
        if (copy.operands.size() > second) align(copy, second, type);
    }

    // Steps over whole pointees: only one instruction of the two is for such pointers, and the
    // pointer's type must say how far a step is.
    void adoptStep(Instruction& i) {
        if (isUntypedChain(i.opcode) || isUntypedStep(i.opcode)) return adoptUntyped(i);
        if (i.opcode != spv::Op::OpInBoundsPtrAccessChain &&
            i.opcode != spv::Op::OpPtrAccessChain) {
            return;
        }
        i.opcode = spv::Op::OpPtrAccessChain;
        const Id type = module_.def(i.word(0)).type;
        if (module_.decoration(type, spv::Decoration::ArrayStride)) return;
        const uint64_t bytes = layout_->size(module_.pointee(i.word(0)));
        if (bytes == 0 || bytes >= NaturalLayout::kMost) {
            return fail(i, "a step over what has no size of its own");
        }
        module_.decorate(type, spv::Decoration::ArrayStride, {static_cast<uint32_t>(bytes)});
    }

    // Through untyped pointers a step is an index into an array.
    void adoptUntyped(Instruction& i) {
        const Id step = i.word(0);
        layout_->adoptChain(i);
        if (!isUntypedStep(i.opcode)) return;
        const auto [array, isNew] = arrays_.try_emplace(i.word(0), 0);
        if (isNew) {
            array->second = module_.takeId();
            module_.append(Section::kGlobals, makeInstruction(spv::Op::OpTypeRuntimeArray, 0,
                                                              array->second, {i.operands[0]}));
            module_.decorate(array->second, spv::Decoration::ArrayStride,
                             {static_cast<uint32_t>(layout_->size(step))});
        }
        i.opcode = spv::Op::OpUntypedAccessChainKHR;
        i.operands[0].word = array->second;
    }

    LoweringContext& context_;
    Module& module_;
    std::unordered_set<Id> adopted_;  // pointer types
    std::optional<NaturalLayout> layout_;
    std::map<Id, Id> arrays_;  // by element
};

}  // namespace

void adoptCrossWorkgroupPointers(LoweringContext& context) { Adoption(context).run(); }

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0

#include "blockio/lower.hpp"
#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

OpenClLayout::OpenClLayout(LoweringContext& context, const std::unordered_set<Id>& pointers)
    : MemoryTypes(context), pointers_(pointers), sizes_(module_, MemoryLayout::kOpenCl) {
    make();
}

bool OpenClLayout::hasLayout(const Instruction& type) const {
    if (isArrayType(type.opcode)) {
        return module_.decoration(type.result, spv::Decoration::ArrayStride).has_value();
    }
    for (uint32_t m = 0; m < type.operands.size(); ++m) {
        if (!module_.memberDecoration(type.result, m, spv::Decoration::Offset)) return false;
    }
    return true;
}

void OpenClLayout::addLayout(const Instruction& type, Id copy) {
    if (isArrayType(type.opcode)) {
        module_.decorate(copy, spv::Decoration::ArrayStride,
                         {static_cast<uint32_t>(size(type.word(0)))});
        return;
    }
    uint64_t end = 0;
    for (uint32_t m = 0; m < type.operands.size(); ++m) {
        const uint64_t start = *sizes_.memberStart(type, m, end);
        if (!module_.memberDecoration(type.result, m, spv::Decoration::Offset)) {
            module_.decorateMember(copy, m, spv::Decoration::Offset,
                                   {static_cast<uint32_t>(start)});
        }
        end = start + size(type.word(m));
    }
    module_.removeDecoration(copy, spv::Decoration::CPacked);  // Vulkan does not support it
}

// Pointers of the CrossWorkgroup storage class, which Vulkan does not support, become
// PhysicalStorageBuffer pointers. These need explicit layouts, strides and alignments.

namespace {

constexpr auto kCrossWorkgroup = static_cast<uint32_t>(spv::StorageClass::CrossWorkgroup);

class CrossWorkgroupLowering {
 public:
    explicit CrossWorkgroupLowering(LoweringContext& context)
        : context_(context), module_(context.module) {}

    void run() {
        changeTypes();
        if (pointerTypes_.empty()) return;
        declare();
        layout_.emplace(context_, pointerTypes_);
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->opcode == OpVariable && pointerTypes_.contains(i->type)) {
                fail(*i, "Vulkan has no variables in the CrossWorkgroup storage class");
            }
        }
        for (const auto& function : module_.functions()) lowerFunction(*function);
        layout_->retypePointers();
    }

 private:
    void fail(const Instruction& at, std::string_view what) { context_.unsupported(at, what); }

    void changeTypes() {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            const bool forward = i->opcode == OpTypeForwardPointer;
            const bool pointer = isPointerType(i->opcode);
            if (!forward && !pointer) continue;
            Operand& storage = i->operands[forward ? 1 : 0];
            if (storage.word != kCrossWorkgroup) continue;
            storage = literal(spv::StorageClass::PhysicalStorageBuffer);
            if (pointer) pointerTypes_.insert(i->result);
        }
    }

    void declare() {
        module_.addCapability(spv::Capability::PhysicalStorageBufferAddresses);
        module_.removeCapability(spv::Capability::Addresses);  // Vulkan does not support it
        if (module_.version() < 0x00010500) module_.addExtension("SPV_KHR_physical_storage_buffer");
        for (const InstructionPtr& i : module_.section(Section::kMemoryModel)) {
            if (i->opcode != OpMemoryModel) continue;
            i->operands[0] = literal(spv::AddressingModel::PhysicalStorageBuffer64);
        }
    }

    bool isChanged(Id pointer) const { return pointerTypes_.contains(module_.def(pointer).type); }

    void lowerFunction(Function& function) {
        for (const InstructionPtr& parameter : function.parameters) {
            if (!pointerTypes_.contains(parameter->type)) continue;
            if (!module_.decoration(parameter->result, spv::Decoration::Restrict) &&
                !module_.decoration(parameter->result, spv::Decoration::Aliased)) {
                module_.decorate(parameter->result, spv::Decoration::Aliased);
            }
        }
        replaceInBlocks(context_.types, function,
                        [&](Emitter& emit, Instruction& i) { return lower(emit, i); });
    }

    // false: the instruction stays, perhaps changed in place.
    bool lower(Emitter& emit, Instruction& i) {
        switch (i.opcode) {
            case OpVariable:
                if (pointerTypes_.contains(module_.pointee(i.result))) {
                    module_.decorate(i.result, spv::Decoration::AliasedPointer);
                }
                return false;
            case OpLoad:
                if (isChanged(i.word(0))) align(i, 1, i.type);
                return layout_->access(emit, i);
            case OpStore:
                if (isChanged(i.word(0))) align(i, 2, emit.typeOf(i.word(1)));
                return layout_->access(emit, i);
            case OpCopyMemory:
                if (isChanged(i.word(0)) || isChanged(i.word(1))) alignCopy(i);
                return layout_->access(emit, i);
            default:
                if (i.type != 0 && pointerTypes_.contains(i.type)) lowerChain(i);
                return false;
        }
    }

    void align(Instruction& access, size_t operand, Id type) {
        alignOperands(access, operand, layout_->scalarBytes(type));
    }

    // One set of memory operands applies to both pointers, two to the target and the source.
    void alignCopy(Instruction& copy) {
        const Id type = layout_->copied(copy);
        align(copy, 2, type);
        const size_t second = 2 + memoryOperandCount(operandsBehind(copy, 2));
        if (copy.operands.size() > second) align(copy, second, type);
    }

    // Vulkan has no OpInBoundsPtrAccessChain, and OpPtrAccessChain needs an ArrayStride decoration.
    void lowerChain(Instruction& i) {
        if (namesChainType(i.opcode)) return lowerUntypedChain(i);
        if (i.opcode != OpInBoundsPtrAccessChain && i.opcode != OpPtrAccessChain) {
            return;
        }
        i.opcode = OpPtrAccessChain;
        const Id type = module_.def(i.word(0)).type;
        if (module_.decoration(type, spv::Decoration::ArrayStride)) return;
        addStride(i, type, module_.pointee(i.word(0)));
    }

    // Decorates `type` with the size of `element`, over which `chain` steps.
    void addStride(const Instruction& chain, Id type, Id element) {
        const uint64_t bytes = layout_->size(element);
        if (bytes == 0 || bytes >= kTooManyBytes) {
            return fail(chain, "Element steps over a type without a size below 2^32 bytes");
        }
        module_.decorate(type, spv::Decoration::ArrayStride, {static_cast<uint32_t>(bytes)});
    }

    // An Element operand becomes an index into a runtime array.
    void lowerUntypedChain(Instruction& i) {
        const Id element = i.word(0);
        layout_->retypeChain(i);
        if (!isUntypedPtrChain(i.opcode)) return;
        const auto [array, isNew] = arrays_.try_emplace(i.word(0), 0);
        if (isNew) {
            array->second = context_.types.newType(OpTypeRuntimeArray, {i.operands[0]});
            addStride(i, array->second, element);
        }
        i.opcode = OpUntypedAccessChainKHR;
        i.operands[0].word = array->second;
    }

    LoweringContext& context_;
    Module& module_;
    std::unordered_set<Id> pointerTypes_;  // whose storage class was CrossWorkgroup
    std::optional<OpenClLayout> layout_;
    std::map<Id, Id> arrays_;  // by element
};

}  // namespace

void lowerCrossWorkgroupPointers(LoweringContext& context) {
    CrossWorkgroupLowering(context).run();
}

}  // namespace coopvk::rewrite

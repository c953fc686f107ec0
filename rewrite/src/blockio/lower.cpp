// SPDX-License-Identifier: Apache-2.0
#include "blockio/lower.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

namespace {

struct BlockOpcode {
    spv::Op opcode;
    BlockOperation operation;
    std::string_view name;
    spv::Capability capability;
};

constexpr BlockOpcode kOpcodes[] = {
    {OpSubgroup2DBlockLoadINTEL, BlockOperation::kLoad, "OpSubgroup2DBlockLoadINTEL",
     spv::Capability::Subgroup2DBlockIOINTEL},
    {OpSubgroup2DBlockLoadTransposeINTEL, BlockOperation::kLoadTranspose,
     "OpSubgroup2DBlockLoadTransposeINTEL", spv::Capability::Subgroup2DBlockTransposeINTEL},
    {OpSubgroup2DBlockLoadTransformINTEL, BlockOperation::kLoadTransform,
     "OpSubgroup2DBlockLoadTransformINTEL", spv::Capability::Subgroup2DBlockTransformINTEL},
    {OpSubgroup2DBlockPrefetchINTEL, BlockOperation::kPrefetch, "OpSubgroup2DBlockPrefetchINTEL",
     spv::Capability::Subgroup2DBlockIOINTEL},
    {OpSubgroup2DBlockStoreINTEL, BlockOperation::kStore, "OpSubgroup2DBlockStoreINTEL",
     spv::Capability::Subgroup2DBlockIOINTEL},
};

const BlockOpcode* findOpcode(spv::Op opcode) {
    const auto found = std::ranges::find(kOpcodes, opcode, &BlockOpcode::opcode);
    return found == std::end(kOpcodes) ? nullptr : found;
}

// Whether access chains lead to a pointer through a matrix, whose columns may have a stride.
bool isInMatrix(const Module& module, Id pointer) {
    return std::ranges::any_of(pathTo(module, pointer).steps, [&](const ChainStep& step) {
        for (size_t without = 1; without <= step.indices.size(); ++without) {
            if (module.def(typeBehind(module, step, without)).opcode == OpTypeMatrix) return true;
        }
        return false;
    });
}

// A pointer to the first number of the arrays and vectors that a pointer leads to; 0 if there is
// none.
Id firstScalar(Emitter& emit, Id pointer) {
    const Module& module = emit.module();
    if (isInMatrix(module, pointer)) return 0;
    std::vector<Id> chain = {pointer};
    Id type = module.pointee(pointer);
    for (; memberCount(module, type).value_or(0) != 0; type = module.def(type).word(0)) {
        if (!isOneOf(module.def(type).opcode, {OpTypeVector, OpTypeArray})) return 0;
        chain.push_back(emit.constant(0));
    }
    if (!isOneOf(module.def(type).opcode, {OpTypeInt, OpTypeFloat})) return 0;
    return chain.size() == 1 ? pointer : emit.chain(type, chain);
}

// Lowers one instruction: checks and converts its operands.
class BlockLowering {
 public:
    BlockLowering(LoweringContext& context, FunctionWriter& writer, const BlockOpcode& opcode,
                  const Instruction& at)
        : context_(context), writer_(writer), opcode_(opcode), at_(at) {}

    void run() {
        operands_.operation = opcode_.operation;
        if (!isDeclared() || !readShape() || !readRegion()) return;
        const bool store = opcode_.operation == BlockOperation::kStore;
        BlockRegion region(context_, emit_, at_.word(store ? 5 : 4), operands_.pitch, at_);
        if (!region.valid() || opcode_.operation == BlockOperation::kPrefetch) return;
        std::optional<Memory> memory =
            privateMemory(at_.word(store ? 4 : 9), store ? "Src Pointer" : "Dst Pointer");
        if (!memory) return;
        const bool transform = opcode_.operation == BlockOperation::kLoadTransform;
        const Id scalar = memory->elements().scalar();
        if (transform && (types_.width(scalar) != 32 || !types_.isInteger(scalar))) {
            fail("Dst Pointer must point to a scalar 32-bit integer type");
            return;
        }
        accessBlock(context_, writer_, at_, operands_, region, *memory);
    }

 private:
    bool fail(std::string_view what) { return context_.fail(ErrorCode::kInvalidModule, at_, what); }

    // The numbers of a variable's arrays and vectors, from the one that a pointer leads to on.
    std::optional<Memory> privateMemory(Id pointer, std::string_view operand) {
        const Instruction& type = context_.module.def(emit_.typeOf(pointer));
        if (!isPointerType(type.opcode) || storageOf(type) != spv::StorageClass::Function) {
            fail(std::format("{} must be a pointer to the Function storage class", operand));
        } else if (type.opcode == OpTypeUntypedPointerKHR) {
            context_.unsupported(
                at_, std::format("{} is untyped: Vulkan allows that only for storage classes with "
                                 "explicit layouts "
                                 "(VUID-StandaloneSpirv-OpTypeUntypedPointerKHR-11417)",
                                 operand));
        } else if (const Id first = firstScalar(emit_, pointer); first != 0) {
            return Memory(context_, ElementPointer(context_, emit_, first, at_, 0));
        } else {
            fail(std::format("{} must point to numbers, or vectors or arrays of them", operand));
        }
        return std::nullopt;
    }

    bool isDeclared() {
        // The other capabilities declare this one.
        return opcode_.capability == spv::Capability::Subgroup2DBlockIOINTEL ||
               context_.module.hasCapability(opcode_.capability) ||
               fail("its capability is not declared");
    }

    bool readConstant(size_t operand, std::string_view name, uint32_t& value) {
        const Module& module = context_.module;
        const Id id = at_.word(operand);
        const Instruction& type = module.def(module.def(id).type);
        const std::optional<uint64_t> known = module.constantValue(id);
        if (!known || type.opcode != OpTypeInt || type.word(0) != 32) {
            return fail(std::format(
                "{} must be a constant instruction with scalar 32-bit integer type", name));
        }
        value = static_cast<uint32_t>(*known);
        return true;
    }

    bool readShape() {
        BlockShape& shape = operands_.shape;
        if (!readConstant(0, "Element Size", shape.elementSize) ||
            !readConstant(1, "Block Width", shape.width) ||
            !readConstant(2, "Block Height", shape.height) ||
            !readConstant(3, "Block Count", shape.count)) {
            return false;
        }
        const std::optional<std::string> broken = brokenRule(opcode_.operation, shape);
        return broken ? fail(*broken) : true;
    }

    bool isIntegers(Id type, uint32_t count) {
        return types_.isInteger(type) && types_.components(type) == count;
    }

    // Memory Width, Memory Height, Memory Pitch and Coordinate.
    bool readRegion() {
        const size_t first = opcode_.operation == BlockOperation::kStore ? 6 : 5;
        for (size_t i = first; i < first + 3; ++i) {
            if (isIntegers(emit_.typeOf(at_.word(i)), 1)) continue;
            return fail("Memory Width, Memory Height and Memory Pitch must be integer scalars");
        }
        const Id coordinate = at_.word(first + 3);
        const Id coordinateType = emit_.typeOf(coordinate);
        if (!isIntegers(coordinateType, 2)) {
            return fail("Coordinate must be a vector of two integers");
        }
        operands_.width = emit_.toU32(at_.word(first));
        operands_.height = emit_.toU32(at_.word(first + 1));
        operands_.pitch = at_.word(first + 2);
        const Id scalar = types_.scalarOf(coordinateType);
        operands_.x = position(emit_.extract(scalar, coordinate, {0}));
        operands_.y = position(emit_.extract(scalar, coordinate, {1}));
        return true;
    }

    // A coordinate as 32 bits. It is signed, whatever its type. 64-bit ones are clamped, beyond all
    // positions: regions and blocks have at most 2^24 rows and columns.
    Id position(Id value) {
        const Id type = emit_.typeOf(value);
        const Id u32 = types_.uint32();
        if (types_.width(type) < 32) return emit_.op(OpSConvert, u32, {value});
        if (types_.width(type) == 32) return emit_.bitcast(u32, value);
        constexpr int64_t kFar = int64_t{1} << 30;
        for (const int64_t limit : {-kFar, kFar}) {
            const Id bound = types_.constant(type, static_cast<uint64_t>(limit));
            const spv::Op beyond = limit < 0 ? OpSLessThan : OpSGreaterThan;
            const Id isBeyond = emit_.compare(beyond, value, bound);
            value = emit_.select(isBeyond, bound, value);
        }
        return emit_.op(OpUConvert, u32, {value});
    }

    LoweringContext& context_;
    FunctionWriter& writer_;
    const BlockOpcode& opcode_;
    const Instruction& at_;
    TypeTable& types_ = context_.types;
    Emitter& emit_ = writer_.emit();
    BlockOperands operands_;
};

// Vulkan does not support these decorations of pointers, which are hints.
void dropCacheControls(Module& module) {
    module.removeDecorations([](const Instruction& i) {
        return decorates(i, spv::Decoration::CacheControlLoadINTEL) ||
               decorates(i, spv::Decoration::CacheControlStoreINTEL);
    });
    module.removeCapability(spv::Capability::CacheControlsINTEL);
    module.removeExtension("SPV_INTEL_cache_controls");
}

using BlockFunction = FunctionLowering<LoweringContext>;

void lowerBlock(LoweringContext& context, FunctionWriter& writer, const Instruction& at) {
    const BlockOpcode& opcode = *findOpcode(at.opcode);
    BlockLowering(context, writer, opcode, at).run();
    if (context.error) {
        context.error->message = std::format("{}: {}", opcode.name, context.error->message);
    }
}

}  // namespace

std::optional<Error> lowerBlockIo(LoweringContext& context) {
    Module& module = context.module;
    lowerCrossWorkgroupPointers(context);
    OpcodeTable<BlockFunction> table;
    for (const BlockOpcode& row : kOpcodes) table.add<lowerBlock>({row.opcode});
    table.lowerAll(context);
    if (context.error) return context.error;
    module.removeDeclarations(info(Extension::kIntel2dBlockIo));
    dropCacheControls(module);
    return context.error;
}

}  // namespace coopvk::rewrite

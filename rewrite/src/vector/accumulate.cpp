// SPDX-License-Identifier: Apache-2.0
//
// Atomic additions to memory.
#include "ir/entry_point.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"
#include "lowering/memory.hpp"
#include "vector/arrays.hpp"
#include "vector/context.hpp"
#include "vector/memory.hpp"
#include "vector/product.hpp"

namespace coopvk::rewrite {

namespace {

// 0: unlocked; see initialiseLock().
Id lockVariable(VectorContext& context) {
    const auto [entry, isNew] = context.variables.try_emplace({kLock}, 0);
    if (isNew) {
        entry->second = globalVariable(context.types, spv::StorageClass::Workgroup,
                                       context.types.uint32(), "coopvk_lock");
    }
    return entry->second;
}

// The function of the only entry point; nullptr if it has no body.
Function* entryFunction(const Module& module) {
    const InstructionList& entries = module.section(Section::kEntryPoints);
    if (entries.size() != 1) return nullptr;
    const auto found = std::ranges::find(module.functions(), entries[0]->word(1),
                                         [](const auto& function) { return function->id(); });
    const bool hasBody = found != module.functions().end() && !(*found)->blocks.empty();
    return hasBody ? found->get() : nullptr;
}

}  // namespace

Accumulator::Accumulator(VectorFunction& function, VectorMemory& memory, const Number& number)
    : VectorCode(function), memory_(memory), number_(number) {
    const bool shared = memory.storage() == spv::StorageClass::Workgroup;
    const bool isFloatArray = number.bits == 32 && memory.isArrayOf(f32());
    const bool hasAdd =
        shared ? device().shaderSharedFloat32AtomicAdd : device().shaderBufferFloat32AtomicAdd;
    if (hasAdd && isFloatArray) {
        method_ = Method::kFloatAdd;
        f_.module().addCapability(spv::Capability::AtomicFloat32AddEXT);
        f_.module().addExtension("SPV_EXT_shader_atomic_float_add");
    } else if (memory.isArrayOf(u32())) {
        method_ = Method::kCompareExchange;
    } else if (isFloatArray) {
        method_ = Method::kExchange;
    } else if (shared) {
        method_ = Method::kLocked;
        memory.makeNonPrivate();  // the lock does not order private accesses
    }
}

void Accumulator::add(Id byte, std::span<const Id> values) {
    const Id index = over(byte, 4);
    switch (method_) {
        case Method::kFloatAdd:
            atomic(OpAtomicFAddEXT, memory_.wordPointer(f32(), index), {values[0]});
            return;
        case Method::kCompareExchange:
            return addByWord(memory_.wordPointer(u32(), index), values);
        case Method::kExchange:
            return addByExchange(memory_.wordPointer(f32(), index), values[0]);
        case Method::kLocked:
            return addLocked(byte, values);
        case Method::kNone:
            return;
    }
}

void Accumulator::addReduced(Id byte, std::span<const Id> values) {
    f_.module().addCapability(spv::Capability::GroupNonUniformArithmetic);
    const Id subgroup = emit_.scope(spv::Scope::Subgroup);
    const std::vector<Id> sums = listFor(values, [&](Id value) {
        return emit_.op(
            OpGroupNonUniformFAdd, f32(),
            {idOperand(subgroup), literal(spv::GroupOperation::Reduce), idOperand(value)});
    });
    const Id first = emit_.op(OpGroupNonUniformElect, types_.boolType(), {subgroup});
    f_.when(first, [&] { add(byte, sums); });
}

Id Accumulator::atomic(spv::Op opcode, Id pointer, std::initializer_list<Id> more) {
    Operands operands = idOperands(std::array{pointer, atomicScope(emit_, pointer), c(0)});
    append(operands, idOperands({more.begin(), more.size()}));
    return emit_.op(opcode, f_.module().pointee(pointer), std::move(operands));
}

// A word from memory after the addition of the values to its numbers.
Id Accumulator::sum(Id word, std::span<const Id> values) {
    Id held = unpackWord(emit_, number_, word)[0];
    if (number_.bits == 32) {
        return emit_.bitcast(u32(), emit_.op(OpFAdd, f32(), {held, values[0]}));
    }
    for (uint32_t v = 0; v < values.size(); ++v) {
        const Id value = emit_.op(OpFConvert, f16(), {values[v]});
        const Id old = emit_.extract(f16(), held, {v});
        const Id total = emit_.op(OpFAdd, f16(), {old, value});
        held = emit_.insert(emit_.typeOf(held), total, held, {v});
    }
    return emit_.bitcast(u32(), held);
}

void Accumulator::addByWord(Id pointer, std::span<const Id> values) {
    changeWord(f_, {pointer, atomicScope(emit_, pointer), c(0), c(0)},
               [&](Id word) { return sum(word, values); });
}

// Exchanges the number in memory with 0, then with the sum. If others added to the 0 in between,
// the second exchange returns that, and it is added next.
void Accumulator::addByExchange(Id pointer, Id value) {
    const Id rest = f_.variable(f32());
    const Id zero = types_.constantFloat(f32(), 0);
    f_.store(rest, value);
    f_.loopUntil([&] {
        const Id old = atomic(OpAtomicExchange, pointer, {zero});
        const Id total = emit_.op(OpFAdd, f32(), {old, f_.load(rest)});
        const Id added = atomic(OpAtomicExchange, pointer, {total});
        f_.store(rest, added);
        return emit_.compare(OpFOrdEqual, added, zero);
    });
}

void Accumulator::addLocked(Id byte, std::span<const Id> values) {
    using enum spv::MemorySemanticsMask;
    const Id lock = lockVariable(f_.context());
    const Id workgroup = emit_.scope(spv::Scope::Workgroup);
    const Id acquire = c(sharedSemantics(f_.module(), Acquire));
    const Id release = c(sharedSemantics(f_.module(), Release));
    f_.loopUntil([&] {
        const Id taken =
            emit_.op(OpAtomicCompareExchange, u32(), {lock, workgroup, acquire, c(0), c(1), c(0)});
        const Id isLocked = emit_.compare(OpIEqual, taken, c(0));
        f_.when(isLocked, [&] {
            auto line = memory_.line(byte);
            // Only a part of the word, if only its first number changes.
            const uint32_t bytes = number_.bytes() * static_cast<uint32_t>(values.size());
            const Id changed = sum(line.load(0, bytes)[0], values);
            line.store(0, bytes, std::span(&changed, 1));
            emit_.opVoid(OpAtomicStore, idOperands(std::vector{lock, workgroup, release, c(0)}));
        });
        return isLocked;
    });
}

void initialiseLock(VectorContext& context) {
    const auto lock = context.variables.find({kLock});
    if (lock == context.variables.end()) return;
    Function* entry = entryFunction(context.module);
    if (entry == nullptr) return;
    InstructionList code;
    Emitter emit(context.types, code);
    const Id workgroup = emit.scope(spv::Scope::Workgroup), zero = emit.constant(0);
    emit.opVoid(OpAtomicStore, idOperands(std::array{lock->second, workgroup, zero, zero}));
    sharedBarrier(emit, spv::Scope::Workgroup);

    InstructionList& body = entry->blocks.front()->body;
    const auto lastVariable = std::find_if(body.rbegin(), body.rend(),
                                           [](const auto& i) { return isVariable(i->opcode); });
    insertAt(body, static_cast<size_t>(lastVariable.base() - body.begin()), std::move(code));
}

// OpCooperativeVectorOuterProductAccumulateNV and OpCooperativeVectorReduceSumAccumulateNV: calls
// of functions that add to memory by atomics. If all invocations of a subgroup add to the same
// place, one of them adds the sum:
//
//   for each line l, for each element e:  memory[l][e] += a[l] * b[e]      the outer product
//                                         memory[e] += v[e]                the sum

namespace {

// An outer product, or a vector, that is added to memory.
struct Gradient {
    const VectorType* lines = nullptr;     // one line of memory for each component; null: one line
    const VectorType* elements = nullptr;  // the elements of a line
    const Number* number = nullptr;        // the format in memory
    std::optional<uint32_t> stride;        // bytes from line to line; nullopt: a parameter
    bool inBlocks = false;                 // the lines, as placeMatrix() says
    Location target;
    std::vector<Id> values = {};  // of type `lines`, if any, and of type `elements`
    Id strideValue = 0;
    bool isStrided = false;  // by strideValue
};

bool canAdd(const Number* number) {
    return number != nullptr &&
           (number->type == ComponentType::kFloat16 || number->type == ComponentType::kFloat32);
}

// The format of a vector's components; null unless canAdd().
const Number* componentOf(const VectorContext& context, const VectorType* type) {
    const Number* number = type == nullptr ? nullptr : numberOf(context.types, type->component);
    return canAdd(number) ? number : nullptr;
}

class GradientWriter : private VectorCode {
 public:
    GradientWriter(VectorFunction& f, const Gradient& g, Id stride)
        : VectorCode(f),
          g_(g),
          stride_(stride),
          memory_(f, g.target, 0),
          accumulator_(f, memory_, *g.number) {}

    bool valid() const { return accumulator_.valid(); }

    void run(Id lines, Id elements) {
        const Condition same = canReduce(f_.context()) ? sameAddress() : Condition::never();
        if (g_.lines == nullptr && areShifted(f_.context(), *g_.elements)) {
            return addShifted(same, elements);
        }
        elements_.emplace(f_, *g_.elements, elements, 0, g_.elements->packs(), Indices::kDynamic);
        if (g_.lines == nullptr) {
            return chooseWay(same, [&] { addLine(memory_.start(), std::nullopt); });
        }
        forParts(*g_.lines, [&](uint32_t pack, uint32_t packs, uint32_t count) {
            lines_.emplace(f_, *g_.lines, lines, pack, packs, Indices::kConstant);
            const uint32_t first = pack * g_.lines->packWidth;
            chooseWay(same, [&] { addLines(first, count); });
        });
    }

 private:
    Condition sameAddress() {
        // Logical pointers cannot be compared.
        if (g_.target.kind == Location::Kind::kElements && g_.target.arguments.size() > 1) {
            return Condition::never();
        }
        UniformityTest uniform(f_);
        uniform.require(memory_.start());
        uniform.require(stride_);
        uniform.requireArguments(g_.target, 0);
        return uniform.result();
    }

    // Calls add() with isReduced_ where `same` is true, else without it.
    template <typename Add>
    void chooseWay(Condition same, Add add) {
        const auto addSo = [&](bool isReduced) {
            isReduced_ = isReduced;
            add();
        };
        f_.choose(same, [&] { addSo(true); }, [&] { addSo(false); });
    }

    // Calls visit(first pack, packs, components) for each part of a vector.
    template <typename Visit>
    void forParts(const VectorType& type, Visit visit) {
        const uint32_t most = areShifted(f_.context(), type) ? kShiftedPacks : type.packs();
        for (uint32_t p = 0; p < type.packs(); p += most) {
            const uint32_t packs = std::min(most, type.packs() - p);
            visit(p, packs, std::min(packs * type.packWidth, type.count - p * type.packWidth));
        }
    }

    // A line whose words in memory are the vector's packs.
    void addShifted(Condition same, Id vector) {
        forParts(*g_.elements, [&](uint32_t first, uint32_t packs, uint32_t count) {
            FloatComponents part(f_, *g_.elements, vector, first, packs, Indices::kConstant);
            chooseWay(same, [&] {
                part.eachPack(count, [&](Id pack, const std::vector<Id>& numbers) {
                    addNumbers(memory_.start(), plus(pack, first), numbers);
                });
            });
        });
    }

    void addLines(uint32_t first, uint32_t count) {
        lines_->each(count, [&](Id index, Id factor) {
            const Id offset = startOfLine(emit_, g_.inBlocks, stride_, plus(index, first));
            addLine(memory_.fromStart(offset).bytes(), factor);
        });
    }

    // Adds the elements, times the factor of an outer product.
    void addLine(Id start, std::optional<Id> factor) {
        const uint32_t perWord = accumulator_.perWord();
        const uint32_t words = g_.elements->count / perWord;
        f_.loopAbove(device().unrolledWords, words,
                     [&](Id word) { addWord(start, word, factor, perWord); });
        if (g_.elements->count % perWord != 0) addWord(start, c(words), factor, 1);
    }

    void addWord(Id start, Id word, std::optional<Id> factor, uint32_t count) {
        const Id first = times(word, accumulator_.perWord());
        const std::vector<Id> numbers = listOf(count, [&](uint32_t v) {
            const Id number = elements_->at(plus(first, v));
            return factor ? emit_.op(OpFMul, f32(), {*factor, number}) : number;
        });
        addNumbers(start, word, numbers);
    }

    void addNumbers(Id start, Id word, std::span<const Id> numbers) {
        constexpr uint32_t kWords = 4;  // that lie together in a block
        Id place = word;
        if (g_.inBlocks) {
            place = addU32(times(over(word, kWords), kWords * static_cast<uint32_t>(kBlockRows)),
                           modulo(word, kWords));
        }
        const Id byte = emit_.sum(start, times(place, 4));
        if (isReduced_) {
            accumulator_.addReduced(byte, numbers);
        } else {
            accumulator_.add(byte, numbers);
        }
    }

    const Gradient& g_;
    Id stride_;
    VectorMemory memory_;
    Accumulator accumulator_;
    std::optional<FloatComponents> lines_, elements_;
    bool isReduced_ = false;  // the subgroup's sum is added, by one invocation
};

bool isSmall(const VectorContext& context, const Gradient& g) {
    const uint32_t lines = g.lines != nullptr ? g.lines->count : g.elements->count;
    return lines * g.elements->count <= context.target.device.smallProduct;
}

Id build(VectorContext& context, const Gradient& g, const Instruction& at, std::string_view name) {
    std::vector<Id> types = g.target.argumentTypes;
    const size_t values = types.size();
    if (g.lines != nullptr) types.push_back(g.lines->id);
    types.push_back(g.elements->id);
    if (!g.stride) types.push_back(context.types.uint32());
    VectorFunction f(context, name, 0, types);
    if (callsSmallFunctions(context) && isSmall(context, g)) f.dontInline();
    const Id stride =
        g.stride ? context.types.constantU32(*g.stride) : f.parameter(types.size() - 1);
    GradientWriter writer(f, g, stride);
    if (!writer.valid()) {
        context.unsupported(at, "atomic additions to memory of this type are not emulated");
    }
    const Id lines = g.lines != nullptr ? f.parameter(values) : 0;
    const Id elements = f.parameter(values + (g.lines != nullptr ? 1 : 0));
    if (context.stage != Stage::kFragment) {
        writer.run(lines, elements);
        return f.finish();
    }
    const Id isHelper = readIsHelper(f.emit());
    const Id isActive = f.emit().op(OpLogicalNot, context.types.boolType(), {isHelper});
    f.when(isActive, [&] { writer.run(lines, elements); });
    return f.finish();
}

void call(VectorContext& context, Emitter& emit, Gradient& g, const Instruction& i,
          std::string_view name) {
    g.target = locate(context, emit, i.word(0), i.word(1), i);
    if (!g.target.valid()) return;
    obeyAlignment(context, g.target, g.lines != nullptr ? kOuterProductRule : kSumRule);
    if (g.isStrided) obeyAlignment(context, g.target, g.strideValue, kOuterStrideRule);
    if (g.target.alignment < 4) {
        return context.unsupported(
            i, std::format("atomic additions to what is no multiple of 4 bytes ({}{})", kVuid,
                           g.lines != nullptr ? kOuterProductRule.vuid : kSumRule.vuid));
    }
    std::vector<uint32_t> key = {
        kGradientHelper, g.lines != nullptr ? g.lines->id : 0,          g.elements->id,
        g.number->bits,  (g.stride ? 1u : 0u) | (g.inBlocks ? 2u : 0u), g.stride.value_or(0)};
    g.target.appendKey(context.module, key);
    const Id helper = context.helper(key, [&] { return build(context, g, i, name); });
    std::vector<Id> arguments = g.target.arguments;
    arguments.insert(arguments.end(), g.values.begin(), g.values.end());
    if (!g.stride) arguments.push_back(emit.bitcast(context.types.uint32(), g.strideValue));
    emit.call(context.types.voidType(), helper, arguments);
}

}  // namespace

void lowerOuterProduct(VectorContext& context, Emitter& emit, const Instruction& i) {
    const VectorType* a = context.vectorOfValue(i.word(2));
    const VectorType* b = context.vectorOfValue(i.word(3));
    if (componentOf(context, a) == nullptr || componentOf(context, b) == nullptr) {
        return context.unsupported(i, "A and B must be f16 or f32 cooperative vectors");
    }
    const std::optional<uint64_t> layout = context.module.constantValue(i.word(4));
    const std::optional<uint64_t> type = context.module.constantValue(i.word(5));
    Gradient g;
    if (type) g.number = findNumber(static_cast<ComponentType>(*type));
    if (!layout || *layout > 3 || !canAdd(g.number)) {
        return context.unsupported(i, "MemoryLayout or MatrixInterpretation is not supported");
    }
    const auto order = static_cast<VectorMatrixLayout>(*layout);
    const bool byColumn = order == VectorMatrixLayout::kColumnMajor;
    g.lines = byColumn ? b : a;
    g.elements = byColumn ? a : b;
    g.values = {i.word(byColumn ? 3 : 2), i.word(byColumn ? 2 : 3)};
    g.strideValue = i.word(6);
    if (isOptimal(order)) {
        const auto placement = placeMatrix(order, a->count, b->count, g.number->bytes(), 0,
                                           context.target.device.blockedWeights);
        g.stride = static_cast<uint32_t>(placement.rowBytes);
        g.inBlocks = placement.inBlocks;
    } else if (g.strideValue == 0) {
        return context.invalid(i, "row and column major layouts need a stride");
    } else if (!context.isWord(g.strideValue)) {
        return context.invalid(i, "MatrixStride is not a 32-bit integer scalar");
    } else {
        g.isStrided = true;
        const auto known = context.module.constantValue(g.strideValue);
        if (known) g.stride = static_cast<uint32_t>(*known);
    }
    call(context, emit, g, i,
         std::format("coopvk_outer_product_f{}_{}x{}", g.number->bits, a->count, b->count));
}

void lowerReduceSum(VectorContext& context, Emitter& emit, const Instruction& i) {
    Gradient g;
    g.elements = context.vectorOfValue(i.word(2));
    g.number = componentOf(context, g.elements);
    if (g.number == nullptr) {
        return context.unsupported(i, "V must be an f16 or f32 cooperative vector");
    }
    g.stride = 0;
    g.values = {i.word(2)};
    call(context, emit, g, i,
         std::format("coopvk_reduce_sum_f{}_{}", g.number->bits, g.elements->count));
}

}  // namespace coopvk::rewrite

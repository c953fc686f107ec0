// SPDX-License-Identifier: Apache-2.0
#include "longvector/structures.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "longvector/frame.hpp"
#include "longvector/function.hpp"

namespace coopvk::rewrite {

namespace {

// A structure, or a part of one: in memory, or a constant.
struct StructurePlace {
    Id type = 0;
    std::optional<Id> constant = {};  // also a value of OpUndef; else in memory:
    Id pointer = 0, pointee = 0;
    std::vector<Id> indices = {};  // from the pointer's pointee to the part
    MemoryOperands memory = {};
};

class StructurePlaces {
 public:
    StructurePlaces(LongVectorContext& context, FunctionWriter& writer)
        : context_(context), writer_(writer), sizes_(context.module, MemoryLayout::kShared) {}

    StructurePlace behind(Id pointer, Id type, MemoryOperands memory = {}) const {
        return {type, std::nullopt, pointer, type, {}, std::move(memory)};
    }
    StructurePlace constant(Id value) const { return {emit().typeOf(value), value}; }

    StructurePlace member(const StructurePlace& place, uint32_t number) const {
        if (!place.constant) return element(place, emit().constant(number));
        const Id type = memberType(context_.module, place.type, number);
        const Instruction& def = context_.module.def(*place.constant);
        if (hasNoValue(def.opcode)) return {type, emit().op(def.opcode, type, Operands{})};
        const Id part = constituentOf(def, number);
        return {type, part != 0 ? part : context_.types.constantNull(type)};
    }

    StructurePlace member(const StructurePlace& place, std::span<const Operand> indices) const {
        StructurePlace part = place;
        for (const Operand& index : indices) part = member(part, index.word);
        return part;
    }

    // The value of a part, as an instruction of type `type` with this result (0: a new one). Values
    // may have a layout that variables lack.
    Id load(const StructurePlace& place, Id type, std::optional<Id> result = {}) const {
        if (place.constant && emit().typeOf(*place.constant) == type) {
            if (!result) return *place.constant;
            return emit().op(OpCopyObject, type, {*place.constant}, result);
        }
        if (!place.constant && place.type == type) {
            Operands operands = {idOperand(pointerTo(place))};
            append(operands, place.memory.forLoad(alignmentOf(type)));
            return emit().op(OpLoad, type, std::move(operands), result);
        }
        std::vector<Id> parts;
        for (uint32_t m = 0; m < memberCount(context_.module, type).value_or(0); ++m) {
            parts.push_back(load(member(place, m), memberType(context_.module, type, m)));
        }
        return emit().construct(type, parts, result);
    }

    void store(const StructurePlace& place, Id value) const {
        const Id type = emit().typeOf(value);
        if (place.type == type) {
            return emit().store(pointerTo(place), value, place.memory.forStore(alignmentOf(type)));
        }
        for (uint32_t m = 0; m < memberCount(context_.module, type).value_or(0); ++m) {
            const Id part = emit().extract(memberType(context_.module, type, m), value, {m});
            store(member(place, m), part);
        }
    }

    // Copies all parts one by one.
    void copy(const StructurePlace& to, const StructurePlace& from) const {
        const Module& module = context_.module;
        const spv::Op opcode = module.def(from.constant.value_or(0)).opcode;
        if (hasNoValue(opcode)) return;
        if (!hasParts(context_, to.type)) return store(to, load(from, from.type));
        const auto count = static_cast<uint32_t>(*memberCount(module, to.type));
        const bool isArray = module.def(to.type).opcode == OpTypeArray;
        const bool areAlike = !from.constant || opcode == OpConstantNull;
        if (isArray && areAlike && count > kUnrolledComponents) {
            return writer_.loop(
                count,
                [&](Id index) {
                    copy(element(to, index),
                         from.constant ? member(from, 0) : element(from, index));
                },
                loopControl(count));
        }
        for (uint32_t m = 0; m < count; ++m) copy(member(to, m), member(from, m));
    }

    // A pointer to the part.
    Id pointerTo(const StructurePlace& place) const {
        if (place.indices.empty()) return place.pointer;
        Module& module = context_.module;
        const Instruction& type = module.def(module.def(place.pointer).type);
        Id pointer;
        if (type.opcode == OpTypeUntypedPointerKHR) {
            std::vector<Id> ids = {place.pointee, place.pointer};
            ids.insert(ids.end(), place.indices.begin(), place.indices.end());
            pointer = emit().op(OpUntypedAccessChainKHR, type.result, idOperands(ids));
        } else {
            std::vector<Id> ids = {place.pointer};
            ids.insert(ids.end(), place.indices.begin(), place.indices.end());
            pointer = emit().chain(place.type, ids);
        }
        if (pathTo(module, place.pointer).nonUniform) {
            module.decorate(pointer, spv::Decoration::NonUniform);
        }
        return pointer;
    }

 private:
    Emitter& emit() const { return writer_.emit(); }

    StructurePlace element(const StructurePlace& place, Id index) const {
        StructurePlace part = place;
        part.type = memberType(context_.module, place.type, context_.module.constantValue(index));
        part.indices.push_back(index);
        return part;
    }

    uint32_t alignmentOf(Id type) const { return sizes_.of(type).scalarAlignment; }

    LongVectorContext& context_;
    FunctionWriter& writer_;
    mutable TypeSizes sizes_;
};

class StructureFunction : public VariableFrame {
 public:
    StructureFunction(LongVectorContext& context, SplitTypes& types, Function& function)
        : VariableFrame(context, function,
                        {[&](Id type) { return types.isSplit(type); },
                         [&](Id type) { return types.plain(type); }}),
          types_(types),
          places_(context, writer_) {}

    // Whether an instruction on values of such types is one that lower() knows.
    static bool lowers(const Module& module, const Instruction& i) {
        return rowOf(module, i) != nullptr;
    }

 private:
    using Lower = void (StructureFunction::*)(const Instruction&);

    static Lower rowOf(const Module& module, const Instruction& i) {
        using F = StructureFunction;
        constexpr std::pair<spv::Op, Lower> kRows[] = {
            {OpLoad, &F::lowerLoad},
            {OpStore, &F::lowerStore},
            {OpCompositeExtract, &F::lowerExtract},
            {OpCompositeInsert, &F::lowerInsert},
            {OpCompositeConstruct, &F::lowerConstruct},
            {OpCompositeConstructReplicateEXT, &F::lowerConstruct},
            {OpCopyObject, &F::lowerCopy},
            {OpCopyLogical, &F::lowerCopy},
            {kOpFreeze, &F::lowerCopy},
            {OpSelect, &F::lowerSelect},
            {OpCopyMemory, &F::lowerCopyMemory},
            {OpFunctionCall, &F::lowerCall},
            {OpReturnValue, &F::lowerReturn},
            {OpPhi, &F::lowerNothing},
        };
        if (givesPair(i)) return &F::lowerPair;
        if (hasNoValue(i.opcode) || isNonSemantic(module, i)) return &F::lowerNothing;
        const auto* row = std::ranges::find(kRows, i.opcode, &std::pair<spv::Op, Lower>::first);
        return row == std::end(kRows) ? nullptr : row->second;
    }

    void setVariable(Id value, Id pointer) override { placed_[value] = inVariable(pointer); }

    void own(Id value) override {
        const StructurePlace from = placeOf(value);
        places_.copy(slotFor(value), from);
    }

    void copyTo(Id value, Id pointer) override {
        const StructurePlace place = placeOf(value);
        if (place.pointer != pointer) places_.copy(inVariable(pointer), place);
    }

    void defineFrom(Id value, Id pointer) override {
        places_.copy(slotFor(value), inVariable(pointer));
    }

    Id pointerTo(Id value) override {
        const StructurePlace place = placeOf(value);
        const Id type = types_.plain(module_.def(value).type);
        const bool isWhole =
            !place.constant && place.indices.empty() &&
            isOneOf(module_.def(place.pointer).opcode, {OpVariable, OpFunctionParameter}) &&
            module_.def(place.pointer).type == context_.functionPointer(type);
        if (isWhole) return place.pointer;
        const Id variable = slots_.temporary(type);
        places_.copy(places_.behind(variable, type), place);
        return variable;
    }

    Id newVariableFor(Id value) override { return newPlaceFor(value).pointer; }

    void plan() override {
        findPairs();
        findTargets();
    }

    void lowerOrKeep(InstructionPtr instruction) override {
        const Instruction& i = *instruction;
        slots_.unpinAll();
        if (endsBlock(i)) leaveBlock();
        // A store reads each part before it writes it.
        const bool readsFirst = i.opcode == OpStore && isOfInvocation(rootOf(module_, i.word(0)));
        if (readsFirst) {
            slots_.pin(i.word(1));
            liveness_.drop(i);
        }
        ownLoads([&](const Load& load) { return mayWriteTo(load, i); });
        if (touches(i)) {
            (this->*rowOf(module_, i))(i);
        }
        if (!readsFirst) liveness_.drop(i);
        if (touches(i)) {
            module_.retire(std::move(instruction));
        } else {
            writer_.keep(std::move(instruction));
        }
    }

    // The lowering of long vectors keeps the members of these structures apart.
    void findPairs() {
        const Users users(function_);
        for (size_t b = 0; b < function_.blocks.size(); ++b) {
            for (const InstructionPtr& i : function_.blocks[b]->body) {
                if (!types_.isSplit(i->type) || !givesPair(*i)) continue;
                const bool isTakenApart = users.all(i->result, [&](const Usage& use) {
                    return use.user->opcode == OpCompositeExtract &&
                           use.user->operands.size() == 2 && use.position.block == b;
                });
                if (isTakenApart) context_.takenApart.insert(i->result);
            }
        }
    }

    // Values of which the block only makes the contents of a variable are made in that:
    //
    //   %s = OpCompositeConstruct %structure %a %b       x.0 = a; x.1 = b
    //   OpStore %x %s
    void findTargets() {
        const Users users(function_);
        for (const auto& block : function_.blocks) {
            for (size_t at = 0; at < block->body.size(); ++at) {
                const Instruction& i = *block->body[at];
                const bool isNew = isOneOf(
                    i.opcode,
                    {OpCompositeConstruct, OpCompositeConstructReplicateEXT, OpFunctionCall});
                if (!isNew || !types_.isSplit(i.type)) continue;
                const std::optional<Id> variable = targetOf(*block, at, users);
                if (variable && module_.pointee(*variable) == types_.plain(i.type)) {
                    targets_[i.result] = *variable;
                }
            }
        }
    }

    std::optional<Id> targetOf(const Block& block, size_t at, const Users& users) const {
        const Instruction& i = *block.body[at];
        const std::span<const Usage> uses = users.of(i.result);
        if (uses.size() != 1) return std::nullopt;
        const Instruction& store = *uses.front().user;
        const Id variable = store.word(0);
        const bool isStored = store.opcode == OpStore && uses.front().operand == 1 &&
                              store.operands.size() == 2 && &store != &i &&
                              module_.def(variable).opcode == OpVariable &&
                              module_.storage(variable) == spv::StorageClass::Function;
        if (!isStored) return std::nullopt;
        for (size_t next = at; next < block.body.size(); ++next) {
            const Instruction& between = *block.body[next];
            if (&between == &store) return variable;
            const bool touchesIt = std::ranges::any_of(between.operands, [&](const Operand& o) {
                return o.isId && rootOf(module_, o.word) == variable;
            });
            if (touchesIt) return std::nullopt;
        }
        return std::nullopt;
    }

    bool touches(const Instruction& i) const {
        if (i.opcode == OpVariable || context_.takenApart.contains(i.result)) return false;
        if (i.opcode == OpCompositeExtract && context_.takenApart.contains(i.word(0))) return false;
        if (i.opcode == OpCopyMemory) return types_.isSplit(module_.pointee(i.word(0)));
        return types_.isSplit(i.type) || std::ranges::any_of(i.operands, [&](const Operand& o) {
                   return o.isId && types_.isSplitValue(o.word);
               });
    }

    StructurePlace inVariable(Id pointer) const {
        return places_.behind(pointer, module_.pointee(pointer));
    }

    // Only blocks that nothing reaches read a value before it is defined.
    StructurePlace placeOf(Id value) {
        if (const auto found = placed_.find(value); found != placed_.end()) return found->second;
        const Instruction& def = module_.def(value);
        if (isDeclaration(def) || hasNoValue(def.opcode)) return places_.constant(value);
        const Id type = types_.plain(def.type);
        return placed_[value] = places_.behind(slots_.declare(type), type);
    }

    StructurePlace slotFor(Id value) {
        const Id type = types_.plain(module_.def(value).type);
        const StructurePlace slot = places_.behind(slots_.take(value, type), type);
        placed_[value] = slot;
        owned_.insert(value);
        return slot;
    }

    // A variable for a value that an instruction makes without reading a former one.
    StructurePlace newPlaceFor(Id value) {
        const auto target = targets_.find(value);
        if (target == targets_.end()) return slotFor(value);
        const Id variable =
            locals_.isLocal(target->second) ? locals_.slotOf(target->second) : target->second;
        ownLoads([&](const Load& load) { return load.root == variable; });
        return placed_[value] = inVariable(variable);
    }

    void put(const StructurePlace& to, Id value) {
        if (types_.isSplitValue(value)) {
            places_.copy(to, placeOf(value));
        } else {
            places_.store(to, value);
        }
    }

    // A value is where another one is, or a part of that.
    void setAlias(Id value, const StructurePlace& place, Id of) {
        placed_[value] = place;
        const auto load = std::ranges::find(loads_, of, &Load::value);
        const bool isLoad = load != loads_.end();
        if (isLoad) {
            Load part = *load;
            part.value = value;
            loads_.push_back(part);
            slots_.pass(part.root, value);
        }
        const bool isParameter = module_.def(of).opcode == OpFunctionParameter;
        if (isLoad || isParameter || place.constant) return;
        // Copies to phis change the variables of these.
        if (!slots_.pass(place.pointer, value)) own(value);
    }

    void lowerLoad(const Instruction& i) {
        const MemoryOperands memory(operandsBehind(i, 1));
        placed_[i.result] = places_.behind(i.word(0), i.type, memory);
        if (isVolatile(operandsBehind(i, 1))) return own(i.result);
        readInPlace(i);
    }

    void lowerStore(const Instruction& i) {
        const Id type = module_.pointee(i.word(0));
        const MemoryOperands memory(operandsBehind(i, 2));
        if (targets_.contains(i.word(1))) return;  // it was made there
        put(places_.behind(i.word(0), type != 0 ? type : emit().typeOf(i.word(1)), memory),
            i.word(1));
    }

    void lowerExtract(const Instruction& i) {
        const StructurePlace part = places_.member(placeOf(i.word(0)), operandsBehind(i, 1));
        if (types_.isSplit(i.type)) return setAlias(i.result, part, i.word(0));
        places_.load(part, i.type, i.result);
    }

    // A value that nothing else needs gives its variable to the result.
    void lowerInsert(const Instruction& i) {
        const Id composite = i.word(1);
        const StructurePlace from = placeOf(composite);
        const bool isLast = liveness_.uses(composite) == 1 && isFromHere(composite) &&
                            owned_.contains(composite) && !slots_.isShared(from.pointer, composite);
        if (isLast) {
            placed_[i.result] = from;
            owned_.insert(i.result);
            slots_.pass(from.pointer, i.result);
        } else {
            places_.copy(slotFor(i.result), from);
        }
        put(places_.member(placeOf(i.result), operandsBehind(i, 2)), i.word(0));
    }

    void lowerConstruct(const Instruction& i) {
        const StructurePlace whole = newPlaceFor(i.result);
        const auto count = static_cast<uint32_t>(*memberCount(module_, i.type));
        const bool repeats = i.opcode == OpCompositeConstructReplicateEXT;
        for (uint32_t m = 0; m < count; ++m) put(places_.member(whole, m), i.word(repeats ? 0 : m));
    }

    void lowerCopy(const Instruction& i) { setAlias(i.result, placeOf(i.word(0)), i.word(0)); }

    void lowerSelect(const Instruction& i) {
        const StructurePlace whole = slotFor(i.result);
        const StructurePlace then = placeOf(i.word(1)), otherwise = placeOf(i.word(2));
        writer_.choose(
            i.word(0), [&] { places_.copy(whole, then); }, [&] { places_.copy(whole, otherwise); });
    }

    void lowerPair(const Instruction& i) {
        const Id pair = module_.takeId();
        emit().op(i.opcode, i.type, Operands(i.operands), pair);
        module_.copyNamesAndDecorations(i.result, pair);
        context_.takenApart.insert(pair);
        const StructurePlace whole = slotFor(i.result);
        for (uint32_t m = 0; m < 2; ++m) {
            const Id part = emit().op(OpCompositeExtract, memberType(module_, i.type, m),
                                      {idOperand(pair), literal(m)});
            places_.store(places_.member(whole, m), part);
        }
    }

    void lowerCopyMemory(const Instruction& i) {
        const CopyOperands operands = copyOperands(i);
        places_.copy(places_.behind(i.word(0), module_.pointee(i.word(0)), operands.target),
                     places_.behind(i.word(1), module_.pointee(i.word(1)), operands.source));
    }

    void lowerNothing(const Instruction& i);

    SplitTypes& types_;
    StructurePlaces places_;
    std::unordered_map<Id, StructurePlace> placed_;  // by value
    std::unordered_map<Id, Id> targets_;             // by value: a variable
    std::unordered_set<Id> owned_;                   // values that are in a slot of their own
};

}  // namespace

// Instructions on structures that are split.

namespace {

void StructureFunction::lowerNothing(const Instruction&) {}

// The members of a structure, or the elements of an array.
std::span<const Operand> partsOf(const Instruction& type) {
    return std::span(type.operands).first(type.opcode == OpTypeArray ? 1 : type.operands.size());
}

// Whether a type is, or has in it, one for which test(type) is true. `known`: of types so far,
// since structures may have the same part many times.
bool contains(const LongVectorContext& context, std::unordered_map<Id, bool>& known, Id type,
              const std::function<bool(Id)>& test) {
    if (test(type)) return true;
    if (!hasParts(context, type)) return false;
    if (const auto found = known.find(type); found != known.end()) return found->second;
    return known[type] = std::ranges::any_of(
               partsOf(context.module.def(type)),
               [&](const Operand& o) { return contains(context, known, o.word, test); });
}

// Whether all instructions on such values are known.
bool canSplitStructures(const SplitTypes& types, const Module& module) {
    std::unordered_set<Id> functions;  // with such parameters or results
    for (const auto& function : module.functions()) {
        const bool isOne = types.isSplit(function->definition->type) ||
                           std::ranges::any_of(function->parameters, [&](const InstructionPtr& p) {
                               return types.isSplit(p->type);
                           });
        if (isOne) functions.insert(function->id());
    }
    bool areKnown = true;
    module.visitBlocks([&](const Instruction& i) {
        const bool isCall = i.opcode == OpFunctionCall;
        bool isOnSplit = types.isSplit(i.type) && i.opcode != OpVariable;
        for (size_t o = 0; o < i.operands.size(); ++o) {
            if (!i.operands[o].isId) continue;
            isOnSplit |= types.isSplitValue(i.word(o));
            // Other instructions call functions, too.
            if (functions.contains(i.word(o)) && !(isCall && o == 0) && !isNonSemantic(module, i)) {
                areKnown = false;
            }
        }
        if (isOnSplit && !StructureFunction::lowers(module, i)) areKnown = false;
    });
    return areKnown;
}

}  // namespace

bool hasParts(const LongVectorContext& context, Id type) {
    if (context.vector(type) != nullptr) return false;
    const Instruction& def = context.module.def(type);
    return def.opcode == OpTypeStruct ||
           (def.opcode == OpTypeArray && context.module.constantValue(def.word(1)).has_value());
}

SplitTypes::SplitTypes(LongVectorContext& context) : context_(context) {
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        if (!hasParts(context, i->result)) continue;
        if (hasCooperativeVector(i->result)) exclude(i->result);
        if (!isLaidOut(context.module, *i)) declared_.try_emplace(keyOf(*i), i->result);
    }
}

void SplitTypes::exclude(Id type) {
    if (!hasParts(context_, type) || !split_.try_emplace(type, false).second) return;
    for (const Operand& o : partsOf(context_.module.def(type))) exclude(o.word);
}

bool SplitTypes::hasLongVector(Id type) const {
    return contains(context_, hasLong_, type, [&](Id part) {
        const LongVector* vector = context_.lowered(part);
        return vector != nullptr && vector->isLooped();
    });
}

bool SplitTypes::hasCooperativeVector(Id type) const {
    return contains(context_, hasCooperative_, type, [&](Id part) {
        const LongVector* vector = context_.vector(part);
        return vector != nullptr && vector->isCooperative;
    });
}

bool SplitTypes::isSplit(Id type) const {
    const auto [found, isNew] = split_.try_emplace(type, false);
    if (isNew) {
        found->second = type != 0 && hasParts(context_, type) && hasLongVector(type);
    }
    return found->second;
}

std::vector<Id> SplitTypes::keyOf(const Instruction& type) const {
    std::vector<Id> key = {static_cast<uint32_t>(type.opcode)};
    for (const Operand& o : type.operands) key.push_back(o.word);
    if (type.opcode == OpTypeArray) {
        key[2] = static_cast<Id>(*context_.module.constantValue(type.word(1)));
    }
    return key;
}

Id SplitTypes::plain(Id type) {
    Module& module = context_.module;
    if (!hasParts(context_, type)) return type;
    if (const auto found = plain_.find(type); found != plain_.end()) return found->second;
    Instruction copy = module.def(type);
    const size_t parts = copy.opcode == OpTypeArray ? 1 : copy.operands.size();
    bool isPlain = !isLaidOut(module, copy);
    for (size_t m = 0; m < parts; ++m) {
        const Id part = plain(copy.word(m));
        isPlain &= part == copy.word(m);
        copy.operands[m].word = part;
    }
    Id& known = isPlain ? plain_[type] = type : declared_[keyOf(copy)];
    if (known == 0) {
        known = module.takeId();
        module.append(Section::kGlobals, makeInstruction(copy.opcode, 0, known, copy.operands));
    }
    return plain_[type] = known;
}

void splitStructures(LongVectorContext& context) {
    Module& module = context.module;
    SplitTypes types(context);
    if (!canSplitStructures(types, module)) return;
    // Parameters have the types of the module's variables, which need no copies then.
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpTypePointer && storageOf(*i) == spv::StorageClass::Function &&
            types.isSplit(i->word(1))) {
            context.pointers.try_emplace(i->word(1), i->result);
        }
    }
    lowerFunctions(
        context, [&](Id type) { return types.isSplit(type); },
        [&](Function& function) { StructureFunction(context, types, function).lower(); });
}

}  // namespace coopvk::rewrite

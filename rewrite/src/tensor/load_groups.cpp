// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <ranges>

#include "ir/cloner.hpp"
#include "ir/composites.hpp"
#include "ir/control_flow.hpp"
#include "ir/effects.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "optimise/dead_code.hpp"
#include "optimise/optimise.hpp"
#include "tensor/load_order.hpp"
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

constexpr size_t kMaxTogether = 4;

// A group of loads, and the instructions between them.
class Group {
 public:
    Group(const Module& module, const Effects& effects) : module_(module), effects_(effects) {}

    bool isEmpty() const { return loads_.empty(); }
    bool takes(const Instruction& load) const {
        return loads_.size() < kMaxTogether && !needsLoaded(load);
    }

    void addLoad(InstructionPtr load) {
        later_.insert(load->result);
        changesPrivate_ |= (effects_.of(*load) & (kChanges & ~kWritesInFunction)) != 0;
        loads_.push_back(std::move(load));
    }

    // Whether the instruction may move ahead of the group's loads, or behind all of them.
    bool letsPass(const Instruction& i) const { return isFree(i) || isStoreOfLoaded(i); }

    void pass(InstructionPtr i) {
        if (isFree(*i)) {
            ahead_.push_back(std::move(i));
            return;
        }
        later_.insert(i->word(0));
        behind_.push_back(std::move(i));
    }

    void appendTo(InstructionList& body, std::set<Id>& followed) {
        append(body, ahead_);
        for (size_t i = 0; i + 1 < loads_.size(); ++i) followed.insert(loads_[i]->result);
        append(body, loads_);
        append(body, behind_);
        later_.clear();
        changesPrivate_ = false;
    }

 private:
    static void append(InstructionList& body, InstructionList& part) {
        std::ranges::move(part, std::back_inserter(body));
        part.clear();
    }

    bool needsLoaded(const Instruction& i) const {
        return std::ranges::any_of(
            i.operands, [&](const Operand& o) { return o.isId && later_.contains(o.word); });
    }

    // Whether it stores to a whole variable of the function.
    bool storesToVariable(const Instruction& i) const {
        if (i.opcode != OpStore) return false;
        const Instruction& pointer = module_.def(i.word(0));
        return isVariable(pointer.opcode) && storageOf(pointer) == spv::StorageClass::Function;
    }

    bool isFree(const Instruction& i) const {
        if (needsLoaded(i)) return false;
        if (i.opcode == OpLoad) return readsWhatStays(i);
        if (i.opcode == OpStore) return storesToVariable(i);
        return onlyComputes(effectsOf(module_, i));
    }

    // Whether neither the loads nor the stores that move behind them change what is read.
    bool readsWhatStays(const Instruction& load) const {
        using enum spv::StorageClass;
        const Id root = rootOf(module_, load.word(0));
        const spv::StorageClass storage = module_.storage(root);
        if (storage == Private) return !changesPrivate_;
        if (storage == Function)
            return isVariable(module_.def(root).opcode) && !later_.contains(root);
        return storage == PushConstant || storage == Input;
    }

    // Whether it stores what was loaded to a whole variable of the function, which no instruction
    // behind the loads accesses so far: then it may move behind them.
    bool isStoreOfLoaded(const Instruction& i) const {
        const auto isResult = [&](const InstructionPtr& load) { return load->result == i.word(1); };
        return storesToVariable(i) && i.operands.size() == 2 && !later_.contains(i.word(0)) &&
               std::ranges::any_of(loads_, isResult);
    }

    const Module& module_;
    const Effects& effects_;
    InstructionList ahead_, loads_, behind_;
    std::set<Id> later_;           // what is loaded, and variables that it is stored to
    bool changesPrivate_ = false;  // a function that decodes for a load has side effects
};

}  // namespace

std::set<Id> gatherTensorLoads(Module& module) {
    std::set<Id> followed;
    const Effects effects(module);
    for (const auto& function : module.functions()) {
        for (const auto& block : function->blocks) {
            InstructionList body;
            Group group(module, effects);
            for (InstructionPtr& i : block->body) {
                const bool joins = isTensorLoad(*i) && group.takes(*i);
                if (!group.isEmpty() && !joins && !group.letsPass(*i)) {
                    group.appendTo(body, followed);
                }
                if (isTensorLoad(*i)) {
                    group.addLoad(std::move(i));
                } else if (group.isEmpty()) {
                    body.push_back(std::move(i));
                } else {
                    group.pass(std::move(i));
                }
            }
            group.appendTo(body, followed);
            block->body = std::move(body);
        }
    }
    return followed;
}

namespace {

bool namesAny(const Instruction& i, const std::set<Id>& ids) {
    return std::ranges::any_of(i.operands,
                               [&](const Operand& o) { return o.isId && ids.contains(o.word); });
}

// Instructions of a block that both versions have, from the first load on.
struct Range {
    size_t first = 0, end = 0;
};

class Duplicator {
 public:
    Duplicator(TypeTable& types, Function& function, std::set<Id>& followed, LoadVersions& versions)
        : module_(types.module()),
          types_(types),
          function_(function),
          editor_(types, function),
          users_(function),
          joined_(module_),
          followed_(followed),
          versions_(versions) {}

    void run() {
        for (block_ = 0; block_ < function_.blocks.size(); ++block_) {
            Block& block = *function_.blocks[block_];
            editor_.beginBlock(block);
            InstructionList& body = block.body;
            size_t at = 0;
            while (const std::optional<Range> range = nextRange(body, at)) {
                editor_.keep(body, at, range->first);
                if (!duplicate(body, *range)) editor_.keep(body, range->first, range->end);
                at = range->end;
            }
            editor_.keep(body, at, body.size());
            editor_.endBlock();
        }
        editor_.finish();
    }

 private:
    // A copy of a range.
    struct Version {
        Cloner copies;
        Id block = 0;
    };

    // From a group of loads to the last product that uses what they load, and the stores behind it.
    std::optional<Range> nextRange(const InstructionList& body, size_t from) const {
        Range range;
        std::set<Id> loaded;  // values, and variables that they are stored to
        bool isInGroup = false;
        for (size_t at = from; at < body.size(); ++at) {
            const Instruction& i = *body[at];
            if (isTensorLoad(i)) {
                if (!isInGroup) {
                    if (range.end != 0) break;
                    loaded.clear();
                    range.first = at;
                }
                isInGroup = followed_.contains(i.result);
                loaded.insert(i.result);
            } else if (!loaded.empty() && endsProduct(module_, i)) {
                range.end = at + 1;
            } else if (namesAny(i, loaded)) {
                const bool stores = i.opcode == OpStore;
                loaded.insert(stores ? i.word(0) : i.result);
                const bool multiplies = i.opcode == OpCooperativeMatrixMulAddKHR;
                const bool isNextStore = stores && range.end == at;
                if (multiplies || isNextStore) range.end = at + 1;
            }
        }
        if (range.end == 0) return std::nullopt;
        return range;
    }

    // Whether that is possible.
    bool duplicate(InstructionList& body, Range range) {
        const std::set<const Instruction*> later = movedBehind(body, range);
        if (!std::ranges::all_of(later, [&](const auto* i) { return mayMove(*i); })) return false;
        const auto instructions = std::span(body).subspan(range.first, range.end - range.first);
        Version first = {Cloner(module_)}, second = {Cloner(module_)};
        const Id condition = editor_.emit().op(OpUndef, types_.boolType(), Operands());
        editor_.choose(
            condition, [&] { copyTo(first, instructions); }, [&] { copyTo(second, instructions); });
        noteVersions(instructions, condition, first.copies, second.copies);
        joinResults(body, range, later, first, second);
        return true;
    }

    void copyTo(Version& version, std::span<const InstructionPtr> range) {
        for (const InstructionPtr& i : range) editor_.emit().add(version.copies.copy(*i));
        version.block = editor_.label();
    }

    void noteVersions(std::span<const InstructionPtr> range, Id condition, const Cloner& fastest,
                      const Cloner& others) {
        for (const InstructionPtr& i : range) {
            if (!isTensorLoad(*i)) continue;
            const Id first = fastest(i->result), second = others(i->result);
            versions_.loads[condition].push_back(&module_.def(first));
            versions_.fastest.insert(first);
            versions_.others.insert(second);
            if (followed_.erase(i->result) != 0) followed_.insert({first, second});
        }
    }

    bool isUsedBehind(const Instruction& i, Range range,
                      const std::set<const Instruction*>& later) const {
        return users_.any(i.result, [&](const Usage& use) {
            return use.position.block != block_ || use.position.at >= range.end ||
                   later.contains(use.user);
        });
    }

    // The instructions whose results are used behind the range, but that no phi may join.
    std::set<const Instruction*> movedBehind(const InstructionList& body, Range range) {
        std::set<const Instruction*> later;
        for (size_t at = range.end; at-- > range.first;) {
            const Instruction& i = *body[at];
            if (i.opcode != OpFunctionCall && isUsedBehind(i, range, later) && !joined_.has(i.type))
                later.insert(&i);
        }
        return later;
    }

    // Whether an instruction gives the same behind the range, which may write to memory.
    bool mayMove(const Instruction& i) const {
        const bool readsDescriptor =
            i.opcode == OpLoad && module_.storage(i.word(0)) == spv::StorageClass::UniformConstant;
        return readsDescriptor || isPure(effectsOf(module_, i));
    }

    // Gives the results that later instructions use their ids again: phis join them, or the
    // instruction that gives them moves behind the versions.
    void joinResults(InstructionList& body, Range range, const std::set<const Instruction*>& later,
                     const Version& first, const Version& second) {
        InstructionList phis, moved;
        for (size_t at = range.end; at-- > range.first;) {
            InstructionPtr& i = body[at];
            if (later.contains(i.get())) {
                moved.push_back(std::move(i));
                continue;
            }
            if (isUsedBehind(*i, range, later)) {
                const Id result = i->result;
                phis.push_back(
                    makeInstruction(OpPhi, i->type, result,
                                    {idOperand(first.copies(result)), idOperand(first.block),
                                     idOperand(second.copies(result)), idOperand(second.block)}));
            }
            module_.retire(std::move(i));
        }
        for (InstructionList* list : {&phis, &moved}) {
            for (InstructionPtr& i : std::views::reverse(*list)) editor_.emit().add(std::move(i));
        }
    }

    Module& module_;
    TypeTable& types_;
    Function& function_;
    FunctionEditor editor_;
    const Users users_;
    JoinedTypes joined_;
    size_t block_ = 0;  // number of the current block
    std::set<Id>& followed_;
    LoadVersions& versions_;
};

}  // namespace

LoadVersions duplicateLoads(TypeTable& types, std::set<Id>& followed) {
    LoadVersions versions;
    for (const auto& function : types.module().functions()) {
        Duplicator(types, *function, followed, versions).run();
    }
    return versions;
}

namespace {

void appendTo(std::vector<uint32_t>& key, std::initializer_list<uint32_t> words) {
    key.insert(key.end(), words);
}

}  // namespace

bool isTensorStore(const Instruction& i) { return i.opcode == OpCooperativeMatrixStoreTensorNV; }

bool AccessPatterns::isConstant(Id id) const {
    const Instruction& def = module_.def(id);
    return isDeclaration(def) || def.opcode == OpFunction;
}

bool AccessPatterns::isPhysical(const Instruction& access) const {
    return module_.storage(access.word(0)) == spv::StorageClass::PhysicalStorageBuffer;
}

// The pointer is a chain into a variable of the module; or a physical one, which may be an
// argument.
bool AccessPatterns::has(const Instruction& access) const {
    if (!isTensorLoad(access) && !isTensorStore(access)) return false;
    const Instruction& pointer = module_.def(access.word(0));
    if (module_.def(pointer.type).opcode != OpTypePointer) return false;
    for (const Instruction* note : module_.annotationsOf(pointer.result)) {
        if (note->opcode != OpName) return false;
    }
    if (isPhysical(access)) return true;
    if (!isAccessChain(pointer.opcode)) return false;
    // A parameter of the function would not have the decoration.
    for (const Operand& index : operandsBehind(pointer, 1)) {
        if (module_.decoration(index.word, spv::Decoration::NonUniform)) return false;
    }
    const Instruction& base = module_.def(pointer.word(0));
    return base.opcode == OpVariable && storageOf(base) != spv::StorageClass::Function;
}

// Whether an access stores what a conversion without decorations makes of another matrix.
bool AccessPatterns::isConverted(const Instruction& access) const {
    const Instruction& object = module_.def(access.word(1));
    return isTensorStore(access) && object.opcode == OpFConvert &&
           !module_.isDecorated(object.result);
}

Id AccessPatterns::objectOf(const Instruction& access) const {
    return isConverted(access) ? module_.def(access.word(1)).word(0) : access.word(1);
}

// Visits the ids that a function needs of an access, in the order of its parameters.
void AccessPatterns::visitIds(const Instruction& access,
                              const std::function<void(Id id)>& visit) const {
    if (isPhysical(access)) {
        visit(access.word(0));
    } else {
        for (const Operand& o : operandsBehind(module_.def(access.word(0)), 1)) visit(o.word);
    }
    visit(access.word(2));
    visit(objectOf(access));
    for (const Operand& o : operandsBehind(access, 3)) {
        if (o.isId) visit(o.word);
    }
}

AccessPattern AccessPatterns::of(const Instruction& access) const {
    AccessPattern pattern;
    const Instruction& pointer = module_.def(access.word(0));
    pattern.key = {static_cast<uint32_t>(access.opcode), access.type, pointer.type};
    if (!isPhysical(access)) {
        appendTo(pattern.key, {static_cast<uint32_t>(pointer.opcode), pointer.word(0)});
    }
    for (const Operand& o : operandsBehind(access, 3)) {
        appendTo(pattern.key, {o.isId ? 1u : 0u, o.isId ? 0u : o.word});
    }
    if (isTensorStore(access)) appendTo(pattern.key, {module_.def(access.word(1)).type});
    visitIds(access, [&](Id id) {
        const bool isShared = isConstant(id);
        appendTo(pattern.key, {isShared ? id : 0, module_.def(id).type});
        if (!isShared) pattern.arguments.push_back(id);
    });
    return pattern;
}

std::optional<Id> AccessPatterns::emitIn(Emitter& emit, const Instruction& access,
                                         const std::function<Id(Id argument)>& parameter) const {
    std::vector<Operand> ids;
    visitIds(access, [&](Id id) { ids.push_back(idOperand(isConstant(id) ? id : parameter(id))); });
    size_t next = 0;
    const auto take = [&] { return ids[next++]; };
    Operands operands = access.operands;
    if (isPhysical(access)) {
        operands[0] = take();
    } else {
        const Instruction& chain = module_.def(access.word(0));
        Operands indices = chain.operands;
        for (size_t i = 1; i < indices.size(); ++i) indices[i] = take();
        operands[0] = idOperand(emit.op(chain.opcode, chain.type, std::move(indices)));
    }
    operands[2] = take();
    operands[1] = take();
    if (isConverted(access)) {
        const Id type = module_.def(access.word(1)).type;
        operands[1] = idOperand(emit.op(OpFConvert, type, Operands{operands[1]}));
    }
    for (size_t o = 3; o < operands.size(); ++o) {
        if (operands[o].isId) operands[o] = take();
    }
    if (isTensorLoad(access)) return emit.op(access.opcode, access.type, std::move(operands));
    emit.opVoid(access.opcode, std::move(operands));
    return std::nullopt;
}

std::vector<Id> typesOf(const Module& module, std::span<const Id> values) {
    return listFor(values, [&](Id value) { return module.def(value).type; });
}

void decoratePointers(FunctionBuilder& function, std::span<const Id> arguments) {
    if (arguments.empty()) return;
    Module& module = function.module();
    const Instruction& type = module.def(module.def(arguments.front()).type);
    if (type.opcode == OpTypePointer &&
        storageOf(type) == spv::StorageClass::PhysicalStorageBuffer) {
        module.decorate(function.parameter(0), spv::Decoration::Aliased);
    }
}

// Shorter code for tensors: accesses that share a function, what nothing reads, and layouts whose
// members are known.

namespace {

class AccessSharing {
 public:
    explicit AccessSharing(TypeTable& types)
        : types_(types), module_(types.module()), patterns_(module_) {}

    void run(bool withLoads) {
        std::map<std::vector<uint32_t>, std::vector<Instruction*>> accesses;
        module_.visitBlocks([&](Instruction& i) {
            if ((withLoads || isTensorStore(i)) && patterns_.has(i))
                accesses[patterns_.of(i).key].push_back(&i);
        });
        for (const auto& [key, alike] : accesses) {
            if (alike.size() > 1) share(alike);
        }
        for (auto& function : functions_) module_.functions().push_back(std::move(function));
    }

 private:
    void share(const std::vector<Instruction*>& alike) {
        const Id function = build(*alike.front());
        for (Instruction* access : alike) {
            Operands operands = {idOperand(function)};
            const std::vector<Id> arguments = patterns_.of(*access).arguments;
            append(operands, idOperands(arguments));
            if (isTensorStore(*access)) {
                access->type = types_.voidType();
                access->result = module_.takeId();
                module_.setDef(access);
            }
            access->opcode = OpFunctionCall;
            access->operands = std::move(operands);
        }
    }

    Id build(const Instruction& access) {
        const bool stores = isTensorStore(access);
        const std::vector<Id> arguments = patterns_.of(access).arguments;
        FunctionBuilder f(types_, functions_, stores ? "coopvk_tensor_store" : "coopvk_tensor_load",
                          stores ? std::nullopt : std::optional(access.type),
                          typesOf(module_, arguments));
        decoratePointers(f, arguments);
        size_t next = 0;
        return f.finish(
            patterns_.emitIn(f.emit(), access, [&](Id) { return f.parameter(next++); }));
    }

    TypeTable& types_;
    Module& module_;
    const AccessPatterns patterns_;
    FunctionList functions_;
};

}  // namespace

void shareTensorAccesses(TypeTable& types, bool withLoads) { AccessSharing(types).run(withLoads); }

// Elements outside of a tensor are zero or repeated. Only a view that clips leaves Object's.
void dropUnreadObjects(TypeTable& types) {
    Module& module = types.module();
    std::unordered_set<Id> clipped;  // types of views
    module.visitBlocks([&](const Instruction& i) {
        if (i.opcode == OpTensorViewSetClipNV) clipped.insert(i.type);
    });
    module.visitBlocks([&](Instruction& i) {
        if (!isTensorLoad(i)) return;
        const bool isRead = std::ranges::any_of(operandsBehind(i, 3), [&](const Operand& o) {
            return o.isId && clipped.contains(module.def(o.word).type);
        });
        const bool fits = module.def(i.word(1)).type == i.type;
        if (!isRead && fits) i.operands[1].word = types.constantNull(i.type);
    });
}

void dropUnread(TypeTable& types) {
    dropUnreadObjects(types);
    removeDeadCode(types.module(),
                   [](const Instruction& i) { return isOneOf(i.opcode, {OpVariable, OpPhi}); });
}

namespace {

bool isTensorType(const Instruction& type) {
    return isOneOf(type.opcode, {OpTypeTensorLayoutNV, OpTypeTensorViewNV});
}

}  // namespace

void forwardTensorValues(Module& module) {
    const auto isTensor = [](const InstructionPtr& i) { return isTensorType(*i); };
    if (std::ranges::none_of(module.section(Section::kGlobals), isTensor)) return;
    forwardVariables(module, [&](const Instruction& variable) {
        return isTensorType(module.def(module.pointee(variable.result)));
    });
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"
#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

namespace {

struct Component {
    const Int4Type* type = nullptr;  // of the vector; nullptr: no index into one
    Id vector = 0;
    Id index = 0;
    size_t at = 0;  // number of the operand that is the index
};

// The component that the indices from operand `first` on select.
Component findComponent(Int4Function& f, const Instruction& i, Id composite, size_t first) {
    Int4Context& context = f.context;
    if (i.opcode == OpVectorExtractDynamic || i.opcode == OpVectorInsertDynamic) {
        return {context.typeOf(composite), composite, i.word(first), first};
    }
    const auto isVector = [&](Id type) { return context.vector(type) != nullptr; };
    const auto index = indexInto(context.module, i, isVector);
    if (!index) return {};
    const auto [type, at] = *index;
    Component found = {context.type(type), composite, f.emit().constant(i.word(at)), at};
    if (at == first) return found;
    Operands operands = {idOperand(composite)};
    append(operands, std::span(i.operands).subspan(first, at - first));
    found.vector = f.emit().op(OpCompositeExtract, type, std::move(operands));
    return found;
}

bool lowerInt4Extract(Int4Function& f, const Instruction& i) {
    const Component from = findComponent(f, i, i.word(0), 1);
    if (from.type == nullptr) return false;
    const bool isSigned = from.type->isSigned;
    const Id component = f.values.component(from.vector, *from.type, from.index, isSigned);
    f.values.scalar(i.type, isSigned, component, i.result);
    return true;
}

// The components of a 4-bit value as u32; empty for other values.
std::vector<Id> componentsOf(Int4Function& f, Id value) {
    const Int4Type* type = f.context.typeOf(value);
    return type == nullptr ? std::vector<Id>() : f.values.components(value, *type, false);
}

void appendIds(std::vector<Id>& all, const std::vector<Id>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

bool fail(Int4Function& f, const Instruction& i, std::string_view what) {
    f.context.invalid(i, what);
    return true;
}

// OpCompositeInsert takes the object first, OpVectorInsertDynamic the vector.
bool lowerInsert(Int4Function& f, const Instruction& i) {
    const bool dynamic = i.opcode == OpVectorInsertDynamic;
    const Component to = findComponent(f, i, i.word(dynamic ? 0 : 1), 2);
    if (to.type == nullptr) return false;
    const std::vector<Id> object = componentsOf(f, i.word(dynamic ? 1 : 0));
    if (object.size() != 1) return fail(f, i, "a component must be a 4-bit integer");
    const Id changed = f.values.withComponent(to.vector, *to.type, to.index, object[0]);
    if (to.at == 2) {
        f.emit().op(OpCopyObject, to.type->id, {changed}, i.result);
        return true;
    }
    const auto some = std::span(i.operands).first(to.at);
    Operands operands(some.begin(), some.end());
    operands[0] = idOperand(changed);
    f.emit().op(i.opcode, i.type, std::move(operands), i.result);
    return true;
}

bool make(Int4Function& f, const Instruction& i, const Int4Type& type,
          std::span<const Id> components, std::string_view problem) {
    if (components.size() != type.components) return fail(f, i, problem);
    f.values.make(type, components, i.result);
    return true;
}

bool lowerConstruct(Int4Function& f, const Instruction& i) {
    const Int4Type* type = f.context.vector(i.type);
    if (type == nullptr) return false;
    std::vector<Id> all;
    for (const Operand& operand : i.operands) {
        if (all.size() >= type->components) break;
        appendIds(all, componentsOf(f, operand.word));
    }
    if (i.opcode == OpCompositeConstructReplicateEXT && all.size() == 1) {
        all.assign(type->components, all[0]);
    }
    return make(f, i, *type, all, "constituents are not as many 4-bit integers as the result");
}

bool lowerShuffle(Int4Function& f, const Instruction& i) {
    const Int4Type* type = f.context.vector(i.type);
    if (type == nullptr || f.context.typeOf(i.word(0)) == nullptr ||
        f.context.typeOf(i.word(1)) == nullptr) {
        return false;
    }
    std::vector<Id> from = componentsOf(f, i.word(0)), all;
    appendIds(from, componentsOf(f, i.word(1)));
    for (size_t o = 2; o < i.operands.size(); ++o) {
        // 0xFFFFFFFF: the component is undefined.
        all.push_back(i.word(o) < from.size() ? from[i.word(o)] : from[0]);
    }
    return make(f, i, *type, all, "one literal for each component");
}

// Only with a vector of conditions: one for the whole vector needs no change.
bool lowerSelect(Int4Function& f, const Instruction& i) {
    const Int4Type* type = f.context.vector(i.type);
    TypeTable& types = f.context.types;
    if (type == nullptr || types.components(f.emit().typeOf(i.word(0))) == 1) return false;
    const std::vector<Id> yes = componentsOf(f, i.word(1)), no = componentsOf(f, i.word(2));
    const uint32_t conditions = types.components(f.emit().typeOf(i.word(0)));
    std::vector<Id> all;
    for (uint32_t c = 0; c < std::min({size_t{conditions}, yes.size(), no.size()}); ++c) {
        const Id condition = f.emit().extract(types.boolType(), i.word(0), {c});
        all.push_back(f.emit().select(condition, yes[c], no[c]));
    }
    return make(f, i, *type, all, "one condition for each component");
}

// A frozen byte may hold more than a 4-bit integer; vectors have no such bits.
bool lowerFreeze(Int4Function& f, const Instruction& i) {
    const Int4Type* type = f.context.type(i.type);
    if (type == nullptr || type->components != 1) return false;
    const Id frozen = f.emit().op(i.opcode, type->id, {i.word(0)});
    const Id zero = f.emit().constant(0);
    const Id component = f.values.component(frozen, *type, zero, type->isSigned);
    f.values.scalar(type->id, type->isSigned, component, i.result);
    return true;
}

}  // namespace

void addInt4Composites(OpcodeTable<Int4Function>& table) {
    table.add<lowerInt4Extract>({OpCompositeExtract, OpVectorExtractDynamic});
    table.add<lowerInsert>({OpCompositeInsert, OpVectorInsertDynamic});
    table.add<lowerConstruct>({OpCompositeConstruct, OpCompositeConstructReplicateEXT});
    table.add<lowerShuffle>({OpVectorShuffle});
    table.add<lowerSelect>({OpSelect});
    table.add<lowerFreeze>({kOpFreeze});
}

}  // namespace coopvk::rewrite

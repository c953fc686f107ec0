// SPDX-License-Identifier: Apache-2.0
//
// What lanes have of an id: numbers, or the elements of a matrix, whoever holds them.
#include "coopvk_reference/debugger.hpp"
#include "matrices/cooperation.hpp"

namespace coopvk::reference {
namespace {

ShownNumber shown(const Type& type, uint32_t component, const Element& element) {
    ShownNumber number{.bits = element.bits, .defined = element.defined};
    const Type& scalar = scalarOf(type, component);
    if (scalar.width != 0) number.width = scalar.width;
    if (scalar.kind == Kind::kBool) number.kind = ShownNumber::Kind::kBool;
    if (scalar.kind == Kind::kInt && scalar.isSigned) number.kind = ShownNumber::Kind::kSigned;
    if (scalar.kind == Kind::kPointer) number.kind = ShownNumber::Kind::kPlace;
    if (scalar.kind == Kind::kFloat) {
        number.kind = ShownNumber::Kind::kFloat;
        number.format = numberOf(scalar);
    }
    return number;
}

std::string textOf(const Type& type) {
    constexpr const char* kUses[] = {"A", "B", "accumulator"};
    switch (type.kind) {
        case Kind::kBool:
            return "bool";
        case Kind::kInt:
            return std::format("{}{}", type.isSigned ? 's' : 'u', type.width);
        case Kind::kFloat:
            return std::string(numbers::format(numberOf(type)).name);
        case Kind::kVector:
            return std::format("vector of {} {}", type.count, textOf(*type.element));
        case Kind::kMatrix:
            return std::format("{} columns: {}", type.count, textOf(*type.element));
        case Kind::kArray:
            return std::format("array of {} {}", type.count, textOf(*type.element));
        case Kind::kStruct:
            return std::format("structure with {} members", type.members.size());
        case Kind::kPointer:
            return "pointer";
        case Kind::kCooperativeMatrix:
            return std::format("{} x {} matrix of {}{}", type.rows, type.columns,
                               textOf(*type.element),
                               type.use >= 0 ? std::format(" ({})", kUses[type.use]) : "");
        default:
            return "value";
    }
}

void addElement(ShownValue& value, const ElementPosition& p, ShownNumber number,
                uint32_t invocation, uint32_t component) {
    if (!p.exists || p.row >= value.rows || p.column >= value.columns) return;
    ShownElement& element = value.elements[size_t{p.row} * value.columns + p.column];
    if (!element.isHeld) {
        static_cast<ShownNumber&>(element) = number;
        element.isHeld = true;
        element.invocation = invocation;
        element.component = component;
        return;
    }
    ++element.copies;
    const bool isSame = element.bits == number.bits && element.defined == number.defined;
    if (!isSame && !element.otherCopy) element.otherCopy = invocation;
}

// Calls f(subgroup, lane, number of the invocation in the scope).
template <typename F>
void forHolders(Subgroup& s, bool ofWorkgroup, F&& f) {
    std::span<Subgroup> holders(&s, 1);
    if (ofWorkgroup) holders = s.group->subgroups;
    for (Subgroup& holder : holders)
        holder.all.forEach([&](uint32_t lane) {
            f(holder, lane, ofWorkgroup ? holder.index * holder.lanes + lane : lane);
        });
}

// `find(subgroup)`: the value there.
template <typename Find>
void showMatrix(Subgroup& s, const Type& type, ShownValue& to, Find&& find) {
    to.rows = type.rows;
    to.columns = type.columns;
    to.ofWorkgroup = matrices::ofWorkgroup(type);
    to.elements.resize(size_t{to.rows} * to.columns);
    forHolders(s, to.ofWorkgroup, [&](Subgroup& holder, uint32_t lane, uint32_t invocation) {
        const matrices::Holder placement(holder, type);
        const Value value = find(holder);
        for (uint32_t c = 0; c < type.components; ++c)
            addElement(to, placement.position(c, lane), shown(type, c, value.get(c, lane)),
                       invocation, c);
    });
}

// Element e of a lane: a component, a part of one, or the sum of two.
ShownNumber heldNumber(const ElementMap& map, const Value& value, uint32_t lane, uint32_t e) {
    const auto length = static_cast<uint32_t>(map.positions.size() / map.invocations);
    const uint32_t components = value.components();
    const uint32_t inOne = std::max(length / std::max(components, 1u), 1u);
    const uint32_t c = map.isSum ? 2 * e : e / inOne;
    ShownNumber number = shown(*value.type, c, value.get(c, lane));
    if (map.isSum) {
        const ShownNumber other = shown(*value.type, c + 1, value.get(c + 1, lane));
        const double sum = numbers::decodeDouble(number.format, number.bits) +
                           numbers::decodeDouble(other.format, other.bits);
        number.defined &= other.defined;
        number.format = numbers::Number::f32;
        number.bits = numbers::bitsOf(number.format, sum);
        return number;
    }
    if (inOne > 1) {
        number.width /= inOne;
        number.bits = number.bits >> (e % inOne * number.width) & lowBits(number.width);
    }
    // What has become an integer is still such a number.
    if (map.format && number.kind != ShownNumber::Kind::kFloat &&
        numbers::format(*map.format).bits == number.width) {
        const numbers::Format& format = numbers::format(*map.format);
        number.kind = format.floating()   ? ShownNumber::Kind::kFloat
                      : format.isSigned() ? ShownNumber::Kind::kSigned
                                          : ShownNumber::Kind::kUnsigned;
        number.format = *map.format;
    }
    return number;
}

bool fits(const ElementMap& map, const Subgroup& s, const Type& type) {
    const uint32_t invocations = map.ofWorkgroup ? s.program->invocations : s.lanes;
    if (map.invocations != invocations || map.positions.empty()) return false;
    const uint64_t length = map.positions.size() / invocations;
    return type.components != 0 &&
           (map.isSum ? type.components == 2 * length : length % type.components == 0);
}

template <typename Find>
void showMapped(Subgroup& s, const ElementMap& map, ShownValue& to, Find&& find) {
    to.rows = map.rows;
    to.columns = map.columns;
    to.ofWorkgroup = map.ofWorkgroup;
    to.elements.resize(size_t{to.rows} * to.columns);
    forHolders(s, map.ofWorkgroup, [&](Subgroup& holder, uint32_t lane, uint32_t invocation) {
        const Value value = find(holder);
        const auto length = static_cast<uint32_t>(map.positions.size() / map.invocations);
        for (uint32_t e = 0; e < length; ++e)
            addElement(to, map.positions[size_t{e} * map.invocations + invocation],
                       heldNumber(map, value, lane, e), invocation, e);
    });
    const std::string format = map.format ? std::string(numbers::format(*map.format).name) : "";
    to.type = std::format("{} x {} matrix{}{}, held as {}", map.rows, map.columns,
                          format.empty() ? "" : " of " + format,
                          map.what.empty() ? "" : " (" + map.what + ")", to.type);
}

// Of pointers the place alone, in bytes.
void showNumbers(const Subgroup& s, const Value& value, ShownValue& to) {
    const bool isPointer = value.type->kind == Kind::kPointer;
    to.components = isPointer ? 1 : value.components();
    for (uint32_t c = 0; c < to.components; ++c)
        for (uint32_t lane = 0; lane < s.lanes; ++lane) {
            const uint32_t from = isPointer ? value.components() - 1 : c;
            to.numbers.push_back(shown(*value.type, from, value.get(from, lane)));
        }
}

// The first component of what a pointer to a variable of each lane leads to, if that is the same in
// all lanes.
std::optional<uint64_t> variableAt(const Subgroup& s, uint32_t slot) {
    const Value& pointer = s.values[slot];
    const Type* pointee = s.program->slots[slot].pointee.type;
    if (pointer.type->kind != Kind::kPointer || !holdsComponents(pointer.type->storage) ||
        pointee == nullptr || pointer.components() != 2 || (s.all & ~pointer.defined[1]).any())
        return std::nullopt;
    const uint64_t first = pointerAt(s, pointer, s.all.first()).offset;
    bool isSame = true;
    s.all.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(s, pointer, lane);
        isSame &= at.offset == first && (at.base & kOutside) == 0;
    });
    const uint64_t all = s.program->privateComponents, count = pointee->components;
    if (!isSame || count > all || first > all - count) return std::nullopt;
    return first;
}

}  // namespace

std::string textOf(const ShownNumber& number) {
    if (!number.defined) return "?";
    switch (number.kind) {
        case ShownNumber::Kind::kBool:
            return number.bits != 0 ? "true" : "false";
        case ShownNumber::Kind::kSigned:
            return std::to_string(signExtend(number.bits, number.width));
        case ShownNumber::Kind::kPlace:
            return std::format("byte {}", number.bits);
        case ShownNumber::Kind::kFloat:
            return std::format("{:.6g}", numbers::decodeDouble(number.format, number.bits));
        case ShownNumber::Kind::kUnsigned:
            break;
    }
    return std::to_string(number.bits);
}

std::optional<ShownValue> valueOf(const Moment& at, uint32_t id, const ElementMaps& maps) {
    Subgroup& s = subgroupAt(at);
    const uint32_t* slot = valueIn(s.program->slotOf, id);
    if (slot == nullptr || *slot >= s.values.size()) return std::nullopt;
    const Type* type = s.values[*slot].type;
    if (type == nullptr || type->components == 0) return std::nullopt;
    const std::optional<uint64_t> variable = variableAt(s, *slot);
    if (variable) type = s.program->slots[*slot].pointee.type;
    const auto find = [&](Subgroup& holder) {
        return variable ? holder.variable(*variable, *type) : holder.values[*slot];
    };
    ShownValue value{.type = (variable ? "variable: " : "") + textOf(*type), .lanes = s.lanes};
    const auto map = maps.find(type->id);
    if (type->kind == Kind::kCooperativeMatrix)
        showMatrix(s, *type, value, find);
    else if (map != maps.end() && fits(map->second, s, *type))
        showMapped(s, map->second, value, find);
    else
        showNumbers(s, find(s), value);
    return value;
}

}  // namespace coopvk::reference

// SPDX-License-Identifier: Apache-2.0
//
// Instructions of GLSL.std.450 on whole vectors, as the expressions from which their precision is
// "inherited" (Vulkan, "Precision of GLSL.std.450 Instructions"). So code that computes such an
// expression gives what the instruction may give. Not the other way round: the instruction may give
// more.
#include "execution/opcode_table.hpp"
#include "symbols/trial.hpp"

namespace coopvk::reference::symbols {
namespace {

class Geometry {
 public:
    Geometry(Terms& terms, TermId of)
        : terms_(terms),
          operands_(terms.operands(of).begin(), terms.operands(of).end()),
          function_(terms.functionOf(of)),
          type_(function_.type()),
          counts_(function_.details.begin(), function_.details.end() - 1),
          component_(function_.details.back()) {}

    // 0: it is none of these.
    TermId expression() {
        switch (function_.opcode) {
            case numberIn(GLSLstd450Length):
                return sqrt(dot(0, 0));
            case numberIn(GLSLstd450Distance):
                return distance();
            case numberIn(GLSLstd450Normalize):
                return made(OpFMul, {at(0), made(GLSLstd450InverseSqrt, {dot(0, 0)})});
            case numberIn(GLSLstd450FaceForward):
                return terms_.chosen(made(OpFOrdLessThan, {dot(2, 1), number(0)}), at(0),
                                     made(OpFNegate, {at(0)}));
            case numberIn(GLSLstd450Reflect):
                return made(OpFSub,
                            {at(0), made(OpFMul, {made(OpFMul, {number(2), dot(1, 0)}), at(1)})});
            case numberIn(GLSLstd450Refract):
                return refract();
            default:
                return 0;
        }
    }

 private:
    TermId distance() {
        std::vector<TermId> between;
        for (uint32_t c = 0; c < counts_[0]; ++c)
            between.push_back(made(OpFSub, {operand(0, c), operand(1, c)}));
        return sqrt(dotOf(between, between));
    }
    // k = 1 - eta * eta * (1 - d * d); k < 0 ? 0 : eta * I - (eta * d + sqrt(k)) * N
    TermId refract() {
        const Type& from = *function_.types.back();
        TermId eta = operand(2, 0);
        if (from.number != type_.number)
            eta = folded(
                terms_.converted({from.number, type_.number, numbers::conversionRule(false)}, eta));
        const TermId d = dot(1, 0);
        const TermId rest = made(OpFSub, {number(1), made(OpFMul, {d, d})});
        const TermId k = made(OpFSub, {number(1), made(OpFMul, {made(OpFMul, {eta, eta}), rest})});
        const TermId part = made(OpFAdd, {made(OpFMul, {eta, d}), sqrt(k)});
        const TermId bent = made(OpFSub, {made(OpFMul, {eta, at(0)}), made(OpFMul, {part, at(1)})});
        return terms_.chosen(made(OpFOrdLessThan, {k, number(0)}), number(0), bent);
    }

    TermId operand(uint32_t n, uint32_t c) const {
        uint32_t first = 0;
        for (uint32_t before = 0; before < n; ++before) first += counts_[before];
        return operands_[first + c];
    }
    TermId at(uint32_t n) const { return operand(n, component_); }
    TermId number(double value) {
        return terms_.constant(numbers::encodeDouble(type_.number, value), type_.width);
    }
    TermId folded(TermId id) {
        const bool isKnown = terms_.constantOf(terms_.operand(id, 0)).has_value();
        return isKnown ? terms_.constant(terms_[id].bits, terms_[id].width) : id;
    }
    TermId dot(uint32_t a, uint32_t b) {
        std::vector<TermId> x, y;
        for (uint32_t c = 0; c < counts_[a]; ++c) {
            x.push_back(operand(a, c));
            y.push_back(operand(b, c));
        }
        return dotOf(x, y);
    }
    TermId dotOf(std::span<const TermId> x, std::span<const TermId> y) {
        std::vector<TermId> factors;
        double sample = 0;
        for (size_t n = 0; n < x.size(); ++n) {
            factors.insert(factors.end(), {x[n], y[n]});
            sample += numbers::decodeDouble(type_.number, terms_[x[n]].bits) *
                      numbers::decodeDouble(type_.number, terms_[y[n]].bits);
        }
        factors.push_back(number(0));
        const Instruction& at = function_.at;
        const Sum sum{type_.number, type_.number,   type_.number, type_.number,
                      false,        at.mayContract, at.isLoose};
        return terms_.product(sum, factors, numbers::encodeDouble(type_.number, sample));
    }
    TermId sqrt(TermId of) { return made(GLSLstd450Sqrt, {of}); }

    // As the instruction itself would be decorated.
    template <typename Opcode>
    TermId made(Opcode opcode, std::initializer_list<TermId> of) {
        constexpr bool isGlsl = std::is_same_v<Opcode, GLSLstd450>;
        Function f{.program = function_.program, .at = function_.at, .opcode = numberIn(opcode)};
        if constexpr (isGlsl)
            f.at.row = findRow("GLSL.std.450", uint32_t(opcode));
        else
            f.at.row = findRow(opcode);
        f.at.handler = f.at.row->handler;
        f.at.opcode = isGlsl ? OpExtInst : spv::Op(numberIn(opcode));
        f.at.type = numberIn(opcode) == numberIn(OpFOrdLessThan) ? &boolType() : &type_;
        f.at.operands.clear();
        f.types.assign(of.size(), &type_);
        f.commutes = numberIn(opcode) == numberIn(OpFAdd) || numberIn(opcode) == numberIn(OpFMul);
        f.mayContract = f.at.mayContract;
        f.isLoose = f.at.type == &type_ && f.at.isLoose;
        std::vector<Values> values(of.size());
        std::vector<const Values*> from;
        bool isKnown = true;
        for (const TermId each : of) {
            f.at.operands.push_back({.isId = true, .slot = uint32_t(from.size())});
            values[from.size()].bits.fill(terms_[each].bits);
            from.push_back(&values[from.size()]);
            isKnown &= terms_.constantOf(each).has_value();
        }
        Values result;
        Machine().apply(f, from, result);
        if (isKnown && isDetermined(f.opcode))
            return terms_.constant(result.bits[0], f.at.type == &type_ ? type_.width : 1);
        return terms_.applied(terms_.function(std::move(f)), {of.begin(), of.size()},
                              result.bits[0]);
    }

    Terms& terms_;
    std::vector<TermId> operands_;
    Function function_;
    const Type& type_;
    std::vector<uint32_t> counts_;  // of the operands' components
    uint32_t component_;
};

}  // namespace

TermId inheritedFrom(Terms& terms, TermId of) {
    const uint32_t opcode = terms.functionOf(of).opcode;
    const bool isGeometry =
        opcode >= numberIn(GLSLstd450Length) && opcode <= numberIn(GLSLstd450Refract);
    return isGeometry ? Geometry(terms, of).expression() : 0;
}

}  // namespace coopvk::reference::symbols

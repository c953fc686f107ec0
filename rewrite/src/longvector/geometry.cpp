// SPDX-License-Identifier: Apache-2.0
//
// Instructions of GLSL.std.450 that combine all components, as OpDot and instructions for each
// component.
#include <spirv/unified1/GLSL.std.450.h>

#include "ir/opcodes.hpp"
#include "longvector/function.hpp"

namespace coopvk::rewrite {

namespace {

class Geometry {
 public:
    Geometry(LongVectorFunction& function, const Instruction& i)
        : f_(function), i_(i), x_(i.word(2)), vector_(*function.context().vectorOfValue(x_)) {}

    bool expand() {
        switch (i_.word(1)) {
            case GLSLstd450Length:
                sqrt(dot(x_, x_), i_.result);
                return true;
            case GLSLstd450Distance: {
                const Id between = each(OpFSub, {x_, i_.word(3)});
                sqrt(dot(between, between), i_.result);
                return true;
            }
            case GLSLstd450Normalize:
                each(OpFDiv, {x_, sqrt(dot(x_, x_))}, i_.result);
                return true;
            case GLSLstd450FaceForward: {
                const Id isAgainst =
                    f_.emit().compare(OpFOrdLessThan, dot(i_.word(4), i_.word(3)), number(0.0));
                each(OpSelect, {isAgainst, x_, each(OpFNegate, {x_})}, i_.result);
                return true;
            }
            case GLSLstd450Reflect: {
                const Id normal = i_.word(3);
                const Id twice = scalar(OpFMul, {number(2.0), dot(normal, x_)});
                each(OpFSub, {x_, each(OpVectorTimesScalar, {normal, twice})}, i_.result);
                return true;
            }
            case GLSLstd450Refract:
                refract(i_.word(3), i_.word(4));
                return true;
            default:
                return false;
        }
    }

 private:
    // k = 1 - eta * eta * (1 - d * d); k < 0 ? 0 : eta * x - (eta * d + sqrt(k)) * normal
    // A scalar eta has 16 or 32 bits, also where components have more.
    void refract(Id normal, Id scalarEta) {
        const Id one = number(1.0), eta = f_.emit().converted(vector_.component, scalarEta);
        const Id d = dot(normal, x_);
        const Id rest = scalar(OpFSub, {one, scalar(OpFMul, {d, d})});
        const Id k = scalar(OpFSub, {one, scalar(OpFMul, {scalar(OpFMul, {eta, eta}), rest})});
        const Id isTotal = f_.emit().compare(OpFOrdLessThan, k, number(0.0));
        const Id part = scalar(OpFAdd, {scalar(OpFMul, {eta, d}), sqrt(k)});
        const Id bent = each(OpFSub, {each(OpVectorTimesScalar, {x_, eta}),
                                      each(OpVectorTimesScalar, {normal, part})});
        const Id none = f_.context().types.constantNull(vector_.id);
        each(OpSelect, {isTotal, none, bent}, i_.result);
    }

    Id number(double value) { return f_.context().types.constantFloat(vector_.component, value); }

    Id each(spv::Op opcode, std::initializer_list<Id> operands, std::optional<Id> result = {}) {
        return make(opcode, vector_.id, operands, result);
    }
    Id scalar(spv::Op opcode, std::initializer_list<Id> operands) {
        return f_.emit().op(opcode, vector_.component, operands);
    }
    Id dot(Id a, Id b) { return make(OpDot, vector_.component, {a, b}, {}); }
    Id sqrt(Id value, std::optional<Id> result = {}) {
        const Id set = f_.context().module.importSet("GLSL.std.450");
        return f_.emit().op(OpExtInst, vector_.component,
                            {idOperand(set), literal(GLSLstd450Sqrt), idOperand(value)}, result);
    }

    Id make(spv::Op opcode, Id type, std::initializer_list<Id> operands, std::optional<Id> result) {
        const Id defined = result ? *result : f_.context().module.takeId();
        InstructionPtr i =
            makeInstruction(opcode, type, defined, idOperands({operands.begin(), operands.size()}));
        f_.context().module.setDef(i.get());
        f_.lowerNew(std::move(i));
        return defined;
    }

    LongVectorFunction& f_;
    const Instruction& i_;
    Id x_;
    const LongVector& vector_;
};

}  // namespace

bool expandGeometry(LongVectorFunction& function, const Instruction& i) {
    if (function.context().vectorOfValue(i.word(2)) == nullptr) return false;
    return Geometry(function, i).expand();
}

}  // namespace coopvk::rewrite

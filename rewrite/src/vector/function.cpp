// SPDX-License-Identifier: Apache-2.0
//
// Helper functions whose parameters or results may be large vectors.
#include "vector/context.hpp"

namespace coopvk::rewrite {

namespace {

// The types of a helper function's parameters, with those that are pointers.
std::vector<Id> withPointers(const VectorContext& context, Id resultType,
                             std::span<const Id> parameterTypes) {
    std::vector<Id> types(parameterTypes.begin(), parameterTypes.end());
    if (context.isLarge(resultType)) types.push_back(resultType);
    for (Id& type : types) {
        if (context.isLarge(type)) {
            type = context.types.pointerType(spv::StorageClass::Function, type);
        }
    }
    return types;
}

}  // namespace

VectorFunction::VectorFunction(VectorContext& context, std::string_view name, Id resultType,
                               std::span<const Id> parameterTypes)
    : FunctionBuilder(
          context.types, context.newFunctions, name,
          resultType == 0 || context.isLarge(resultType) ? std::nullopt : std::optional(resultType),
          withPointers(context, resultType, parameterTypes)),
      context_(context),
      arguments_(parameterTypes.size()),
      resultType_(resultType) {
    if (context.isLarge(resultType)) result_ = parameter(arguments_);
}

std::vector<Id> VectorFunction::arguments() const {
    std::vector<Id> arguments;
    for (size_t p = 0; p < arguments_; ++p) arguments.push_back(parameter(p));
    return arguments;
}

Id VectorFunction::result() {
    if (!result_) result_ = variable(resultType_);
    return *result_;
}

Id VectorFunction::call(Id function, std::vector<Id> arguments) {
    if (!context_.isLarge(resultType_)) return emit().call(resultType_, function, arguments);
    const Id into = variable(resultType_);
    arguments.push_back(into);
    emit().call(types().voidType(), function, arguments);
    return load(into);
}

Id VectorFunction::finishResult() {
    return context_.isLarge(resultType_) ? finish() : finish(load(result()));
}

}  // namespace coopvk::rewrite

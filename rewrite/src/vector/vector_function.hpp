// SPDX-License-Identifier: Apache-2.0
//
// A helper function of vectors.
#pragma once

#include "ir/function_builder.hpp"
#include "vector/context.hpp"

namespace coopvk::rewrite {

class VectorFunction : public FunctionBuilder {
 public:
    VectorFunction(VectorContext& context, std::string_view name, Id resultType,
                   std::span<const Id> parameterTypes)
        : FunctionBuilder(context.types, context.newFunctions, name, resultType, parameterTypes),
          context_(context) {}

    VectorContext& context() { return context_; }

 private:
    VectorContext& context_;
};

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "lowering/staging.hpp"

#include <algorithm>

namespace coopvk::rewrite {

SubgroupArea declareArea(TypeTable& types, std::string_view name, Id element, uint32_t elements,
                         uint32_t subgroups) {
    const Id array = types.arrayType(element, elements * subgroups);
    return {globalVariable(types, spv::StorageClass::Workgroup, array, name), element, elements};
}

void Staging::reserve(Id element, uint32_t elements) {
    SubgroupArea& area = areas_[element];
    area.elements = std::max(area.elements, elements);
}

bool Staging::fits(uint64_t more) const {
    if (areas_.empty() && more == 0) return true;
    uint64_t bytes = more;
    for (const auto& [element, area] : areas_) {
        bytes += uint64_t{area.elements} * subgroups_ * bytesOf(context_.types, element);
    }
    return sharedMemoryHasRoom(context_.module, bytes, context_.target.device);
}

const SubgroupArea& Staging::area(Id element) {
    SubgroupArea& area = areas_[element];
    if (area.variable == 0)
        area = declareArea(context_.types, "coopvk_staging", element, area.elements, subgroups_);
    return area;
}

Id Staging::at(FunctionWriter& writer, Id element, Id index) {
    Emitter& emit = writer.emit();
    const SubgroupArea& found = area(element);
    const Id start = emit.times(writer.subgroup(), found.elements);
    return emit.chain(element, {found.variable, emit.addU32(start, index)});
}

void Staging::declare() {
    for (const auto& [element, reserved] : areas_) area(element);
}

}  // namespace coopvk::rewrite

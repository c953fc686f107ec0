// SPDX-License-Identifier: Apache-2.0
//
// Replaces the built-ins of SPV_NV_shader_sm_builtins.
#include <algorithm>
#include <format>

#include "lowering/context.hpp"
#include "lowering/private_built_ins.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

using BuiltIn = spv::BuiltIn;

// A built-in that counts, or one that numbers, and what devices of Arm have for it.
struct SmBuiltIn {
    BuiltIn builtIn;
    std::string_view name;
    uint32_t (*count)(const DeviceFeatures& device);  // of what it counts, or of what it numbers
    std::optional<BuiltIn> arms;                      // nullopt: it counts
};

uint32_t cores(const DeviceFeatures& device) { return device.shaderCores; }
uint32_t warps(const DeviceFeatures& device) { return device.warpsPerShaderCore; }

constexpr SmBuiltIn kBuiltIns[] = {
    {BuiltIn::SMCountNV, "SMCountNV", cores, {}},
    {BuiltIn::WarpsPerSMNV, "WarpsPerSMNV", warps, {}},
    {BuiltIn::SMIDNV, "SMIDNV", cores, BuiltIn::CoreIDARM},
    {BuiltIn::WarpIDNV, "WarpIDNV", warps, BuiltIn::WarpIDARM},
};

bool isCompute(const Module& module) {
    return module.section(Section::kEntryPoints).front()->word(0) ==
           static_cast<uint32_t>(spv::ExecutionModel::GLCompute);
}

class SmReplacement {
 public:
    SmReplacement(TypeTable& types, const DeviceFeatures& device,
                  std::vector<std::string>& warnings)
        : types_(types),
          module_(types.module()),
          device_(device),
          warnings_(warnings),
          users_(module_) {}

    std::optional<Error> run() {
        for (const SmBuiltIn& row : kBuiltIns) {
            for (const Id variable : variablesOf(module_, row.builtIn)) replace(row, variable);
        }
        if (error_) return error_;
        storeAtStart();
        module_.removeDeclarations(info(Extension::kNvShaderSmBuiltins));
        return std::nullopt;
    }

 private:
    void replace(const SmBuiltIn& row, Id variable) {
        const Id type = module_.pointee(variable);
        if (!types_.isInteger(type) || types_.components(type) != 1 || types_.width(type) != 32) {
            error_ = errorAt(ErrorCode::kInvalidModule, module_.def(variable),
                             std::format("{} must be a 32-bit integer", row.name));
            return;
        }
        if (row.arms && device_.shaderCoreBuiltins) {
            module_.removeDecoration(variable, spv::Decoration::BuiltIn);
            module_.decorate(variable, spv::Decoration::BuiltIn,
                             {static_cast<uint32_t>(*row.arms)});
            module_.addCapability(spv::Capability::CoreBuiltinsARM);
            module_.addExtension("SPV_ARM_core_builtins");
            return;
        }
        if (auto error = makePrivate(types_, users_, variable, row.name)) error_ = error;
        const uint32_t count = std::max(row.count(device_), 1u);
        if (!row.arms) {
            module_.edit(variable)->operands.push_back(idOperand(types_.constant(type, count)));
            return;
        }
        numbered_.push_back({&row, variable, count});
        warnings_.push_back(
            std::format("{} counts {}: what runs at the same time may have the same number, since "
                        "the device does not say where it runs",
                        row.name, row.builtIn == BuiltIn::SMIDNV ? "workgroups" : "subgroups"));
    }

    // Numbers stay the same while the entry point runs.
    void storeAtStart() {
        if (numbered_.empty()) return;
        InstructionList code;
        Emitter emit(types_, code);
        for (const Numbered& one : numbered_) {
            const Id type = module_.pointee(one.variable);
            emit.store(one.variable, emit.bitcast(type, numberOf(emit, one)));
        }
        insertAtStart(module_, std::move(code));
    }

    struct Numbered {
        const SmBuiltIn* row;
        Id variable;
        uint32_t count;
    };

    Id numberOf(Emitter& emit, const Numbered& one) const {
        const bool isSm = one.row->builtIn == BuiltIn::SMIDNV;
        if (!isCompute(module_) || (!isSm && !device_.subgroupBasic)) return emit.constant(0);
        return emit.modulo(isSm ? readWorkgroup(emit) : readSubgroup(emit), one.count);
    }

    TypeTable& types_;
    Module& module_;
    const DeviceFeatures& device_;
    std::vector<std::string>& warnings_;
    const Users users_;
    std::vector<Numbered> numbered_;
    std::optional<Error> error_;
};

}  // namespace

std::optional<Error> replaceSmBuiltIns(TypeTable& types, const DeviceFeatures& device,
                                       std::vector<std::string>& warnings) {
    return SmReplacement(types, device, warnings).run();
}

}  // namespace coopvk::rewrite

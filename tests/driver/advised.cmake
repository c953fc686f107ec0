# SPDX-License-Identifier: Apache-2.0
# Each list of extensions that documents advise for the setting `emulate`, under that name: docs.options demands that.
# Where a list does not give what it names, all tests are skipped.
function(coopvk_advised_test name list filter)
    coopvk_test_group(driver.advised.${name} "${filter}" 8 COOPVK_EMULATE=${list} COOPVK_TEST_COVERS=values ${ARGN})
    set_tests_properties(driver.advised.${name} PROPERTIES FAIL_REGULAR_EXPRESSION "PASSED  . 0 tests")
endfunction()

if(TARGET coopvk_reference)
    set(reference VK_DRIVER_FILES=${PROJECT_BINARY_DIR}/reference/icd/coopvk_reference.json
                  COOPVK_REFERENCE_SUBGROUP_SIZE=8)
    set(no_matrices ${reference} COOPVK_REFERENCE_EXTENSIONS=none)
    set(own_matrices ${reference} COOPVK_REFERENCE_EXTENSIONS=VK_KHR_cooperative_matrix)
    set(own_formats ${reference}
        COOPVK_REFERENCE_EXTENSIONS=VK_KHR_cooperative_matrix,VK_KHR_shader_bfloat16,VK_EXT_shader_float8)
    set(float8 "*LoadStore*e4m3_16x16*:All/Conversion.*e4m3*")
    coopvk_advised_test(float8 auto,VK_EXT_shader_float8 "${float8}" ${no_matrices})
    coopvk_advised_test(float8_beside auto,VK_EXT_shader_float8 "${float8}" ${own_matrices})
    coopvk_advised_test(matrices VK_KHR_cooperative_matrix "Gemm.*:All/ElementWise.*f16_f16*" ${no_matrices})
    coopvk_advised_test(matrices_on_cpus auto,VK_KHR_cooperative_matrix "Gemm.*:All/ElementWise.*f16_f16*" ${no_matrices})
    coopvk_advised_test(float8_matrix2 auto,VK_EXT_shader_float8,VK_NV_cooperative_matrix2 "${float8}" ${no_matrices})
    coopvk_advised_test(matrix2 auto,VK_NV_cooperative_matrix2 "All/Matrix2Reduction.*16x16*" ${own_matrices})
    coopvk_advised_test(microscaling auto,VK_EXT_shader_ocp_microscaling_types "*Microscaling*" ${own_formats})
    coopvk_advised_test(mixed_dots auto,VK_VALVE_shader_mixed_float_dot_product "All/MixedDotInstructions.*"
                        ${own_formats})
endif()
coopvk_advised_test(halves auto,VK_KHR_shader_float16_int8 "HalfFloats.*"
    VK_DRIVER_FILES=${CMAKE_CURRENT_BINARY_DIR}/no_half_driver.json COOPVK_TEST_EMULATED_HALVES=1)

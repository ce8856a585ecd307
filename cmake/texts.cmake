# Texts of our own files in the library: emitted files, kernels and code compiled for a model are made of them (codegen/print/flatten.h). As a script,
#
#     cmake -DOUT=texts.c -DSOURCE=src -P cmake/texts.cmake
#
# writes them as one array of characters, each behind its name; included, it says which they are and adds the command to the build.

set(text_files
    base/real.h base/simd_pair.h base/elementary_round.h base/reduce.h base/reduce.c base/elementary_exponential.h
    base/elementary_circle.h base/elementary_arc.h base/elementary_hyperbolic.h base/random_state.h base/random_core.h core/number.h
    core/damping.h core/restart.h core/sample_state.h core/sample.h core/sample_auto.h core/summary.h core/point.h
    core/point_elastic.h linalg/pivot_kernel.h cpu/row_values_kernel.h codegen/kernel/row_functions_kernel.h core/activation_kernel.h
    core/normalize.h base/simd_operations.h core/scalar.h core/simd2_begin.h core/simd2_end.h core/rounding_bound.h
    core/rounding_bound_run.h core/plan_fields.h core/emitted_plan.h core/one_plan.h core/solver.h core/solver_run.h
    core/solver_search.h core/solver_adjoint.h core/solver_run_adjoint.h core/mlp.h core/mlp_adjoint.h core/emitted_target.h
    core/entry_slots.h core/libm_math.h core/casadi_external.h cuda/kernels/device_target.h cuda/kernels/kernel_args.h
    codegen/cuda/branchless_kernel.h cuda/kernels/sample_io.h cuda/kernels/kernel_registers.h cuda/kernels/mixed_precision.h
    cuda/kernels/kernel_main.h codegen/cuda/system_step_kernel.h codegen/cuda/blocked_known_kernel.h linalg/blocked_thread_kernel.h
    linalg/tridiagonal_thread_kernel.h codegen/cuda/blocked_step_kernel.h cuda/kernels/global_slots.h codegen/cuda/bytecode_kernel.h
    core/program_lists.h core/program_run.h cuda/kernels/policy_args.h cuda/kernels/policy_kernels.h cuda/kernels/policy_refine.h
    linalg/block_sizes.h linalg/blocked_ldl.h linalg/blocked_rows_kernel.h linalg/blocked_solve_kernel.h
    linalg/tridiagonal_solve_kernel.h linalg/damped_factor.h linalg/damped_kernel.h linalg/dense_ldl_kernel.h
    linalg/sparse_ldl_kernel.h core/residual.h core/barrier.h core/barrier_kernel.h core/refine_qp.h core/candidate_choice.h
    core/samples.h core/refine_samples.h core/train_loss.h core/loss_rows.h core/network_task.h core/refine_slots.h core/policy_run.h
    base/arena_memory.h autodiff/program_layout.h linalg/signed_factor.h linalg/signed_kernel.h linalg/signed_block_kernel.h
    core/nearest_layout.h core/nearest_state.h core/nearest_rows.h core/nearest_solve.h core/nearest_barrier.h core/nearest_newton.h
    core/least_squares.h core/search_group.h core/search_end.h core/search.h core/infeasibility_proof.h core/implicit_vjp.h
    core/active_set.h cuda/kernels/kernels_thread.h cuda/kernels/kernels_block.h cuda/kernels/search_layout.h
    cuda/kernels/nearest_kernel.h base/lanes.h base/simd.h cpu/unload_kernel.h cpu/fused_auto.h cpu/kernel_table.h
    codegen/kernel/generated_kernel.h codegen/kernel/fused_fixed_kernel.h codegen/kernel/fused_adjoint_kernel.h
    codegen/kernel/lanes_number_kernel.h codegen/kernel/fused_auto_kernel.h base/elementary.h)

if(CMAKE_SCRIPT_MODE_FILE)
    set(bytes "")
    foreach(file IN LISTS text_files)
        file(WRITE ${OUT}.part "${file}")
        file(READ ${OUT}.part name HEX)
        file(READ ${SOURCE}/${file} text HEX)
        string(APPEND bytes "${name}00${text}00")
    endforeach()
    file(REMOVE ${OUT}.part)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n    " bytes "${bytes}")
    file(WRITE ${OUT} "/* Made by cmake/texts.cmake. */\n#include \"codegen/print/flatten.h\"\n\n"
                      "const char emit_texts[] = {\n    ${bytes}0};\n"
                      "const size_t emit_texts_length = sizeof emit_texts - 1;\n")
    return()
endif()

set(texts_source ${PROJECT_BINARY_DIR}/generated/texts.c)
list(TRANSFORM text_files PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE text_inputs)
add_custom_command(
    OUTPUT ${texts_source}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
    COMMAND ${CMAKE_COMMAND} -DOUT=${texts_source} -DSOURCE=${PROJECT_SOURCE_DIR}/src -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${text_inputs} ${CMAKE_CURRENT_LIST_FILE}
    VERBATIM)

# Texts of our own files in the library: emitted files (src/emit/) are made of them. As a script,
#
#     cmake -DOUT=texts.c -DSOURCE=src -P cmake/texts.cmake
#
# writes them as one array of characters, each behind its name; included, it says which they are and adds the command to the build.

include(${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

set(text_files
    base/wide_pair.h base/elementary_round.h base/reduce.h base/reduce.c base/elementary_exponential.h base/elementary_circle.h
    base/elementary_arc.h base/elementary_hyperbolic.h base/random_state.h base/random_core.h sample/precision.h sample/number.h sample/near.h sample/compute.h sample/elastic.h sample/evidence.h sample/budget.h sample/restart.h
    sample/state.h sample/sample.h sample/sample_auto.h plan/summary.h plan/point.h plan/point_elastic.h plan/point_back.h sample/way.h sparse/pivot_kernel.h backends/row_values_kernel.h generate/row_functions_kernel.h network/activation_kernel.h network/normalize.h
    emit/scalar_double.h emit/scalar_float.h emit/scalar_operations.h emit/root.h emit/two_text.h emit/float_exponential.h emit/float_circle.h emit/float_arc.h emit/float_hyperbolic.h
    emit/precision_float.h emit/rounding_text.h emit/rounding_run_text.h emit/layer_text.h emit/drive_text.h emit/drive_back_text.h emit/network_text.h emit/network_back_text.h emit/entry_text.h emit/libm_text.h emit/casadi_text.h
    device/call_text.h device/ptx_text.h device/quick_text.h device/lane_given_text.h device/lane_given_back_text.h device/lane_loops_text.h device/lane_text.h device/lane_close_text.h device/lane_polish_text.h device/polish_text.h device/lane_back_text.h device/thread_text.h device/kernel_text.h
    device/batched_text.h device/dense_text.h device/gathered_text.h device/walked_text.h device/system_text.h device/system_begin_text.h device/tiled_known_text.h device/tiled_text.h device/tiled_solve_text.h device/reduced_text.h device/tiled_step_text.h
    device/far_slots_text.h device/listed_text.h device/far_text.h device/far_back_text.h device/far_kernel_text.h
    program/program_lists_text.h program/program_text.h device/team_lists_text.h device/warp_text.h device/policy_call_text.h device/policy_network_text.h device/policy_loss_text.h device/policy_learn_text.h
    device/policy_backend_text.h device/policy_refine_text.h device/policy_improve_text.h sparse/damped_factor.h sparse/damped_kernel.h sparse/dense_kernel.h sparse/walked_kernel.h
    refinement/residual_text.h refinement/barrier.h refinement/barrier_kernel.h refinement/refine_places.h refinement/refine_text.h refinement/choice_text.h emit/refine_slots_text.h emit/policy_text.h
    base/arena_memory.h program/program_places.h sparse/signed_factor.h sparse/signed_kernel.h nearest/nearest_places.h nearest/nearest_samples.h nearest/nearest_state.h nearest/affine_places.h
    nearest/rows_text.h nearest/products_text.h nearest/solve_text.h nearest/nearest_barrier_text.h nearest/nearest_polish_text.h nearest/nearest_best_text.h nearest/plain_text.h nearest/search_group_text.h nearest/search_end_text.h nearest/search_text.h nearest/proof_text.h nearest/pull_text.h
    nearest/affine_text.h nearest/affine_goal_text.h device/nearest_backend_text.h device/one_backend_text.h device/team_text.h device/search_places_text.h device/far_search_text.h device/far_search_back_text.h)

if(CMAKE_SCRIPT_MODE_FILE)
    set(bytes "")
    foreach(file IN LISTS text_files)
        file(WRITE ${OUT}.part "${file}")
        file(READ ${OUT}.part name HEX)
        file(READ ${SOURCE}/${file} text HEX)
        string(APPEND bytes "${name}00${text}00")
    endforeach()
    file(REMOVE ${OUT}.part)
    embed_bytes(emit/texts.h emit_texts "${bytes}")
    return()
endif()

set(texts_source ${PROJECT_BINARY_DIR}/generated/texts.c)
embed_command(${CMAKE_CURRENT_LIST_FILE} ${texts_source} ${text_files})

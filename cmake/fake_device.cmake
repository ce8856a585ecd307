# A driver of CUDA and its run-time compiler that are none, for tests without a device: tests/cuda/fake_device.h.

set(fake_folder ${PROJECT_BINARY_DIR}/tests/cuda/fake)
foreach(name IN ITEMS cuda nvrtc)
    add_library(fake_${name} SHARED tests/cuda/fake_${name}.c)
    target_include_directories(fake_${name} PRIVATE include src tests tests/cuda)
    target_link_libraries(fake_${name} PRIVATE ${CMAKE_DL_LIBS})
    target_compile_options(fake_${name} PRIVATE -Wno-missing-prototypes) # dlsym finds them, no header has them
    set_target_properties(fake_${name} PROPERTIES OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${fake_folder})
endforeach()
set_target_properties(fake_cuda PROPERTIES VERSION 1 SOVERSION 1)
set_target_properties(fake_nvrtc PROPERTIES VERSION 13 SOVERSION 13)

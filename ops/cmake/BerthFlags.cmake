# Warnings, sanitizers, linker and ccache, the same for every target (interface library berth_flags; without sanitizers berth_plain_flags).
find_program(CCACHE ccache)
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_SOURCE_DIR}/ops/cmake/compile)  # keeps warnings, which ops/check refuses
  if(CCACHE)
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# -O3 costs a fifth more time to build and gave nothing that a benchmark shows.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

add_library(berth_plain_flags INTERFACE)
target_include_directories(berth_plain_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
target_compile_options(berth_plain_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wcast-qual
                       -fno-math-errno -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these falsely inside the standard library at -O2.
  target_compile_options(berth_plain_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds -Wno-maybe-uninitialized
                         -Wno-dangling-pointer)
endif()
find_program(MOLD mold)
if(MOLD)
  target_link_options(berth_plain_flags INTERFACE -fuse-ld=mold)
endif()
add_library(berth_flags INTERFACE)
target_link_libraries(berth_flags INTERFACE berth_plain_flags)
if(BERTH_SANITIZE)
  target_compile_options(berth_flags INTERFACE -fsanitize=${BERTH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(berth_flags INTERFACE -fsanitize=${BERTH_SANITIZE})
  if(BERTH_SANITIZE_SHORT AND BERTH_SANITIZE MATCHES undefined)
    # Of a null pointer that is used ASan tells. 26.0 to 20.0 s of CPU for a unit of the projections.
    target_compile_options(berth_flags INTERFACE -fno-sanitize=null,alignment)
  endif()
endif()

# Source paths of this machine stay out of the binaries.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)

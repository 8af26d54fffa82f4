# Compile settings of our own targets, and the functions that declare layers and tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Settings that only our own targets link; never exported to whoever includes us.
add_library(lance_settings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)  # never for whoever includes us
  target_compile_options(
    lance_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                             -Wno-missing-field-initializers
                             $<$<BOOL:${LANCE_WARNINGS_AS_ERRORS}>:-Werror>
                             # Where it optimises, GCC 12 sees both in code of the standard library.
                             $<$<NOT:$<CONFIG:Debug>>:-Wno-restrict;-Wno-maybe-uninitialized>)
endif()
target_include_directories(lance_settings INTERFACE "${PROJECT_SOURCE_DIR}/src"
                                                    "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(lance_settings INTERFACE Arrow::arrow_shared
                                               ArrowCompute::arrow_compute_shared)
if(LANCE_SANITIZE STREQUAL "address")
  target_compile_options(lance_settings INTERFACE -fsanitize=address,undefined
                                                  -fno-sanitize-recover=undefined -O1)
  target_link_options(lance_settings INTERFACE -fsanitize=address,undefined)
elseif(LANCE_SANITIZE STREQUAL "thread")
  target_compile_options(lance_settings INTERFACE -fsanitize=thread -O1)
  target_link_options(lance_settings INTERFACE -fsanitize=thread)
elseif(LANCE_SANITIZE)
  message(FATAL_ERROR "LANCE_SANITIZE is ${LANCE_SANITIZE}; allowed: address, thread, or empty")
endif()
if(LANCE_COVERAGE)
  target_compile_options(lance_settings INTERFACE --coverage)
  target_link_options(lance_settings INTERFACE --coverage)
endif()
if(LANCE_BUILD_FUZZERS)
  target_compile_options(lance_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()

# lance_add_layer(name DEPENDS layer... SOURCES file... [LIBRARIES target...] [PROTO])
#
# Declares the object library lance_<name>. DEPENDS is also what tools/dev/check_layers.py reads.
# PROTO gives access to the generated protobuf messages.
function(lance_add_layer name)
  cmake_parse_arguments(LAYER "PROTO" "" "DEPENDS;SOURCES;LIBRARIES" ${ARGN})
  add_library(lance_${name} OBJECT ${LAYER_SOURCES})
  set_target_properties(lance_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(lance_${name} PUBLIC lance_settings ${LAYER_LIBRARIES})
  if(LAYER_PROTO)
    target_link_libraries(lance_${name} PUBLIC lance_proto_headers)
    add_dependencies(lance_${name} lance_proto)
  endif()
  set_property(TARGET lance_${name} PROPERTY LANCE_DEPENDS "${LAYER_DEPENDS}")
endfunction()

# lance_layer_closure(out layer...): the layers and all that they depend on.
function(lance_layer_closure out)
  set(todo ${ARGN})
  set(done)
  while(todo)
    list(POP_FRONT todo layer)
    if(NOT layer IN_LIST done)
      list(APPEND done ${layer})
      get_target_property(more lance_${layer} LANCE_DEPENDS)
      if(more)
        list(APPEND todo ${more})
      endif()
    endif()
  endwhile()
  set(${out} ${done} PARENT_SCOPE)
endfunction()

# lance_add_test(name LABEL kind LAYERS layer... SOURCES file... [LIBRARIES target...]
#                [ENVIRONMENT k=v...])
#
# One GoogleTest program for one area. It links the object libraries of the layers and of all that
# they depend on, so that it reaches hidden symbols. LABEL is the test kind of the house style.
function(lance_add_test name)
  cmake_parse_arguments(TEST "" "LABEL" "LAYERS;SOURCES;LIBRARIES;ENVIRONMENT" ${ARGN})
  lance_layer_closure(layers ${TEST_LAYERS})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE lance_settings ${TEST_LIBRARIES} GTest::gmock
                                        GTest::gtest_main)
  foreach(layer IN LISTS layers)
    target_link_libraries(${name} PRIVATE lance_${layer})
  endforeach()
  target_link_libraries(${name} PRIVATE lance_proto protobuf::libprotobuf)
  add_test(NAME ${name} COMMAND ${name})
  # A program without tests ends well; that must not count as a pass.
  set_tests_properties(
    ${name}
    PROPERTIES LABELS "${TEST_LABEL}" ENVIRONMENT "${TEST_ENVIRONMENT}" TIMEOUT 900
               FAIL_REGULAR_EXPRESSION "Running 0 tests from 0 test suites")
endfunction()

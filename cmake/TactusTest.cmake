# SPDX-License-Identifier: Apache-2.0
# tactus_test(name SOURCES a_test.cpp ... LIBS lib ... [LABELS label ...] [TIMEOUT seconds] [MAIN])
# One GoogleTest binary, one ctest entry. MAIN: the sources bring their own main().
function(tactus_test name)
  cmake_parse_arguments(T "MAIN" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE tactus_options ${T_LIBS} GTest::gmock GTest::gtest)
  if(NOT T_MAIN)
    target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gmock)
  endif()
  # The first test, that of the core, compiles the headers for all.
  if(name STREQUAL periodic_test)
    target_precompile_headers(${name} PRIVATE ${TACTUS_STANDARD_HEADERS} <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h>)
  else()
    target_precompile_headers(${name} REUSE_FROM periodic_test)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
endfunction()

# tactus_python_test(name FILE test.py [LABELS label ...] [TIMEOUT seconds] [PROGRAM target]): one unittest file, one ctest
# entry. PROGRAM: the test runs this executable, and finds its path in $TACTUS.
function(tactus_python_test name)
  cmake_parse_arguments(T "" "FILE;TIMEOUT;PROGRAM" "LABELS" ${ARGN})
  set(environment)
  if(T_PROGRAM)
    set(environment TACTUS=$<TARGET_FILE:${T_PROGRAM}>)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E env ${environment}
    python3 ${PROJECT_SOURCE_DIR}/tests/support/unittest_xml.py ${T_FILE})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}")
endfunction()

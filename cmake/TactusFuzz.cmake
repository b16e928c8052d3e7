# SPDX-License-Identifier: Apache-2.0
# tactus_fuzz(name SOURCES a_fuzz.cpp LIBS lib ...)
# One target of libFuzzer, whose first inputs are the files of tests/fuzz/corpus/NAME. With TACTUS_FUZZ (the preset `fuzz`, clang) it
# is the fuzzer itself, for ./dev fuzz; else a test that runs those files and thousands of changes of theirs, the same ones each time.
option(TACTUS_FUZZ "Link the fuzz targets with libFuzzer" OFF)
if(NOT TACTUS_FUZZ)
  add_library(tactus_fuzz_replay STATIC ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.cpp)
  target_link_libraries(tactus_fuzz_replay PRIVATE tactus_options)
endif()

function(tactus_fuzz name)
  cmake_parse_arguments(T "" "" "SOURCES;LIBS" ${ARGN})
  if(TACTUS_SANITIZE MATCHES thread)
    return()
  endif()
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE tactus_options ${T_LIBS})
  if(TACTUS_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_link_libraries(${name} PRIVATE tactus_fuzz_replay)
    tactus_add_test(${name} LABEL pure PLAIN
      COMMAND $<TARGET_FILE:${name}> ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  endif()
endfunction()

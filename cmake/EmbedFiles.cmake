# SPDX-License-Identifier: Apache-2.0
# cmake -DFOLDER=... -DFILES=a.html,b.js -DHEADER=page_files.h -DOUTPUT=page_files.cpp -P EmbedFiles.cmake
# Writes the table of conference/page_files.h: each file of the folder with its type and its bytes.
set(TYPE_html "text/html; charset=utf-8")
set(TYPE_css "text/css; charset=utf-8")
set(TYPE_js "text/javascript; charset=utf-8")
set(TYPE_svg "image/svg+xml")
set(TYPE_png "image/png")
set(arrays "")
set(rows "")
set(number 0)
string(REPLACE "," ";" FILES "${FILES}")
foreach(file IN LISTS FILES)
  get_filename_component(ending ${file} LAST_EXT)
  string(SUBSTRING ${ending} 1 -1 ending)
  if(NOT DEFINED TYPE_${ending})
    message(FATAL_ERROR "${file}: no content type is known for .${ending}")
  endif()
  file(READ ${FOLDER}/${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "const unsigned char kBytes${number}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${file}\", \"${TYPE_${ending}}\", {reinterpret_cast<const char*>(kBytes${number}), sizeof kBytes${number} - 1}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/EmbedFiles.cmake.\n#include \"${HEADER}\"\n\nnamespace tactus::conference {\nnamespace {\n"
  "${arrays}const PageFile kFiles[] = {\n${rows}};\n}  // namespace\n"
  "std::span<const PageFile> pageFiles() noexcept { return kFiles; }\n}  // namespace tactus::conference\n")

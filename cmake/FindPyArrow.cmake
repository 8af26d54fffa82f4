# Find Apache Arrow C++ inside the pyarrow wheel of Python3_EXECUTABLE.
#
# Makes the imported targets PyArrow::arrow, compute and parquet from the wheel's headers and
# libraries; the wheel ships no CMake package of its own. Links by full path, so nothing is
# written into site-packages. Does not import pyarrow.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND
    "${Python3_EXECUTABLE}" -c
    "import importlib.util as u,pathlib as p,re
d=p.Path(u.find_spec('pyarrow').submodule_search_locations[0])
t=(d/'include/arrow/util/config.h').read_text()
g=lambda k:re.search(r'#define '+k+r' \"([^\"]+)\"',t)[1]
print(d,g('ARROW_VERSION_STRING'),g('ARROW_SO_VERSION'),sep=';')"
  OUTPUT_VARIABLE _pyarrow_facts
  RESULT_VARIABLE _pyarrow_result
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(_pyarrow_result EQUAL 0)
  list(GET _pyarrow_facts 0 PyArrow_FOLDER)
  list(GET _pyarrow_facts 1 PyArrow_VERSION)
  list(GET _pyarrow_facts 2 PyArrow_SOVERSION)
endif()
string(CONCAT _pyarrow_advice "no pyarrow in ${Python3_EXECUTABLE}. Type ./run setup in lance-cpp, "
              "or give -DPython3_EXECUTABLE of an environment with pyarrow 26.0")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  PyArrow
  REQUIRED_VARS PyArrow_FOLDER
  VERSION_VAR PyArrow_VERSION HANDLE_VERSION_RANGE
  REASON_FAILURE_MESSAGE "${_pyarrow_advice}")

function(_pyarrow_target name library)
  set(file "${PyArrow_FOLDER}/lib${library}.so.${PyArrow_SOVERSION}")
  if(EXISTS "${file}" AND NOT TARGET PyArrow::${name})
    add_library(PyArrow::${name} SHARED IMPORTED GLOBAL)
    set_target_properties(
      PyArrow::${name}
      PROPERTIES IMPORTED_LOCATION "${file}"
                 INTERFACE_INCLUDE_DIRECTORIES "${PyArrow_FOLDER}/include"
                 INTERFACE_COMPILE_FEATURES cxx_std_20
                 INTERFACE_LINK_LIBRARIES "${ARGN}")
  endif()
endfunction()

if(PyArrow_FOUND)
  _pyarrow_target(arrow arrow)
  _pyarrow_target(compute arrow_compute PyArrow::arrow)
  _pyarrow_target(parquet parquet PyArrow::arrow)
endif()

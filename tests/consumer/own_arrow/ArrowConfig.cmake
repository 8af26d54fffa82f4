# Stands for the package of an Arrow that the user built: same targets, libraries of the wheel.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c
          "import importlib.util as u; print(u.find_spec('pyarrow').submodule_search_locations[0])"
  OUTPUT_VARIABLE folder
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(GLOB library "${folder}/libarrow.so.*")
if(NOT TARGET Arrow::arrow_shared)
  add_library(Arrow::arrow_shared SHARED IMPORTED)
  set_target_properties(
    Arrow::arrow_shared PROPERTIES IMPORTED_LOCATION "${library}"
                                   INTERFACE_INCLUDE_DIRECTORIES "${folder}/include")
endif()

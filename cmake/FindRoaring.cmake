# Find CRoaring, whose Debian package ships no CMake package. Makes Roaring::roaring.
find_library(LANCE_ROARING_LIBRARY roaring)
find_path(LANCE_ROARING_INCLUDE roaring/roaring.hh)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Roaring REQUIRED_VARS LANCE_ROARING_LIBRARY LANCE_ROARING_INCLUDE)
if(Roaring_FOUND AND NOT TARGET Roaring::roaring)
  add_library(Roaring::roaring SHARED IMPORTED GLOBAL)
  set_target_properties(
    Roaring::roaring PROPERTIES IMPORTED_LOCATION "${LANCE_ROARING_LIBRARY}"
                                INTERFACE_INCLUDE_DIRECTORIES "${LANCE_ROARING_INCLUDE}")
endif()

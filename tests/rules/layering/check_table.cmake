# SPDX-License-Identifier: Apache-2.0
# What is not in the table of components, or is not there any more, would be a check less, without a word. The functions read
# the variables of whoever calls them: components, roots_<component>, may_include_<component>, target_<component>.

# check_table(<folder>...): each component has its target, but those of not_built; each root has headers; who may be included has
# some; and no component of the build and no include root of the folders is left out. Sets target_<component> where it is not set.
macro(check_table)
  foreach(component IN LISTS components)
    if(NOT DEFINED target_${component})
      set(target_${component} pianola_${component})
    endif()
  endforeach()
  check_entries()
  check_components_of_the_build()
  check_folders(${ARGN})
endmacro()

function(check_entries)
  foreach(component IN LISTS components)
    foreach(root IN LISTS roots_${component})
      file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${root}/*.hpp" "${PROJECT_SOURCE_DIR}/${root}/*.h")
      if(NOT headers)
        message(FATAL_ERROR "layering: there is no header in '${root}', the include root of '${component}': "
                            "tests/rules/layering/CMakeLists.txt must name the folder that has them now")
      endif()
    endforeach()
    foreach(other IN LISTS may_include_${component})
      if(NOT other IN_LIST components OR NOT roots_${other})
        message(FATAL_ERROR "layering: '${component}' may include '${other}', which has no headers")
      endif()
    endforeach()
    if(NOT TARGET ${target_${component}} AND NOT component IN_LIST not_built)
      message(FATAL_ERROR "layering: there is no target '${target_${component}}' whose includes could be tested: "
                          "tests/rules/layering/CMakeLists.txt must name the one that '${component}' has now")
    endif()
  endforeach()
endfunction()

# pianola_component and pianola_plugin make a target pianola_<component>_headers.
function(check_components_of_the_build)
  set(folders "${PROJECT_SOURCE_DIR}")
  while(folders)
    list(POP_FRONT folders folder)
    get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${below})
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      if(target MATCHES "^pianola_([a-z_]+)_headers$" AND NOT CMAKE_MATCH_1 IN_LIST components)
        message(FATAL_ERROR "layering: '${CMAKE_MATCH_1}' is a component, for there is '${target}'; it must be one in "
                            "tests/rules/layering/CMakeLists.txt")
      endif()
    endforeach()
  endwhile()
endfunction()

function(check_folders)
  file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE "${PROJECT_SOURCE_DIR}"
       "${PROJECT_SOURCE_DIR}/*/include/*" "${PROJECT_SOURCE_DIR}/*/*/include/*" "${PROJECT_SOURCE_DIR}/*/*/*/include/*")
  list(JOIN ARGN "|" roots)
  list(FILTER folders INCLUDE REGEX "^(${roots})/")
  list(REMOVE_ITEM folders ${names_of_other_headers} "")
  foreach(component IN LISTS components)
    list(REMOVE_ITEM folders ${roots_${component}} "")
  endforeach()
  if(folders)
    message(FATAL_ERROR "layering: of no component are these include roots: ${folders}; give them one in "
                        "tests/rules/layering/CMakeLists.txt")
  endif()
endfunction()

# Components that the target `from` uses, by the targets that it links; of those behind it what they pass on.
function(collect_linked from property out)
  set(all)
  get_target_property(libraries ${from} ${property})
  foreach(library IN LISTS libraries)
    string(REGEX REPLACE "^Pianola::" "pianola_" library "${library}")
    string(REGEX REPLACE "^pianola_|_headers$" "" component "${library}")
    if(component IN_LIST components AND TARGET ${library})
      collect_linked(${library} INTERFACE_LINK_LIBRARIES behind)
      list(APPEND all ${component} ${behind})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# What the target links is only what the component may include. `property`: LINK_LIBRARIES or INTERFACE_LINK_LIBRARIES.
function(check_linked component target property)
  collect_linked(${target} ${property} linked)
  foreach(other IN LISTS linked)
    if(NOT other STREQUAL component AND NOT other IN_LIST may_include_${component})
      message(FATAL_ERROR "layering: '${target}' links '${other}', which '${component}' may not include")
    endif()
  endforeach()
endfunction()

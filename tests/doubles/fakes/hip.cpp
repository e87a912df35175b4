// SPDX-License-Identifier: Apache-2.0
// HIP runtimes in states that a real one is rarely in: FAKE_old is of HIP 5.1, FAKE_empty sees no device, FAKE_one
// has one, a gfx90a, has nothing that is optional, and remembers what it was asked for.
#include "hip_api.hpp"

#include <cstdio>
#include <cstring>

using namespace pianola::hip;

extern "C" {

int hipRuntimeGetVersion(int* version) {
#ifdef FAKE_old
  *version = 50120531;
#else
  *version = 50221153;
#endif
  return success;
}
const char* hipGetErrorName(int) { return "hipErrorName"; }
const char* hipGetErrorString(int) { return "what the runtime says"; }

#ifndef FAKE_one
int hipGetDeviceCount(int* count) {
  *count = 0;
  return no_device;
}
int hipGetDeviceProperties(void*, int) { return invalid_device; }
#else
int hipGetDeviceCount(int* count) {
  *count = 1;
  return success;
}
int hipGetDeviceProperties(void* properties, int) {
  std::strcpy(static_cast<char*>(properties) + architecture_name_offset_5,
              "gfx90a:sramecc+:xnack-");
  return success;
}
int hipDeviceGetName(char* name, int bytes, int) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "Fake");
  return success;
}
int hipDeviceTotalMem(std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 33;
  return success;
}
int hipDeviceGetAttribute(int* value, int what, int) {
  switch (what) {
    case attribute_max_shared_memory_per_block:
      *value = 65536;
      break;
    case attribute_max_threads_per_block:
      *value = 1024;
      break;
    case attribute_max_grid_dim_x:
      *value = 0x7fffffff;
      break;
    case attribute_warp_size:
      *value = 64;
      break;
    case attribute_ecc_enabled:
      *value = 1;
      break;
    default:
      *value = what;
  }
  return success;
}

static thread_local int current = 0;
int hipGetDevice(int* device) {
  *device = current;
  return success;
}
int hipSetDevice(int device) {
  current = device;
  return success;
}

// Nodes as "S" (a fill) and "C" (a copy), in the order in which they were added; each after the one before.
char fake_nodes[256] = "";
std::size_t fake_node_count = 0;
static int add(void** node, void* const* after, std::size_t count, char kind) {
  if (fake_node_count > 0 && (count != 1 || after[0] != fake_nodes + fake_node_count - 1))
    return invalid_value;
  fake_nodes[fake_node_count] = kind;
  *node = fake_nodes + fake_node_count++;
  return success;
}
int hipGraphAddMemsetNode(void** node, void*, void* const* after, std::size_t count,
                          const memset_node_parameters* p) {
  return p->height != 1 ? invalid_value : add(node, after, count, 'S');
}
int hipGraphAddMemcpyNode(void** node, void*, void* const* after, std::size_t count,
                          const memcpy_3d* p) {
  return p->kind != memcpy_default ? invalid_value : add(node, after, count, 'C');
}
int hipGraphAddMemcpyNode1D(void** node, void*, void* const* after, std::size_t count, void*,
                            const void*, std::size_t, unsigned kind) {
  return kind != memcpy_default ? invalid_value : add(node, after, count, 'L');
}
// What was changed of which node.
char fake_changed[256] = "";
static int change(void* node, char kind) {
  if (*static_cast<char*>(node) != kind) return invalid_value;
  const std::size_t n = std::strlen(fake_changed);
  fake_changed[n] = kind;
  return success;
}
int hipGraphMemsetNodeSetParams(void* node, const memset_node_parameters*) {
  return change(node, 'S');
}
int hipGraphMemcpyNodeSetParams(void* node, const memcpy_3d*) { return change(node, 'C'); }
int hipGraphMemcpyNodeSetParams1D(void* node, void*, const void*, std::size_t, unsigned) {
  return change(node, 'L');
}
#endif
}

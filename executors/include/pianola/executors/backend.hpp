// SPDX-License-Identifier: Apache-2.0
// What a backend offers. An open set: a backend is a class behind one C factory, embedded or in a
// plugin. Nothing throws across this boundary: failures are `status` values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/abi/image.h>
#include <pianola/model/array_view.hpp>
#include <pianola/model/control_kind.hpp>
#include <pianola/model/device_properties.hpp>
#include <pianola/model/native_kind.hpp>
#include <pianola/model/topology.hpp>

#include "page_store.hpp"
#include "progress.hpp"
#include "resolved_step.hpp"
#include "status.hpp"

namespace pianola::executors {

// A sequence of steps on one device, executed in order. Owned by the backend, lives as long as it.
class lane {
 public:
  virtual ~lane() = default;
  [[nodiscard]] virtual const progress& completion() const noexcept = 0;
};

// A step handed over for immediate execution.
struct step_submission {
  resolved_action action;
  model::array_view<const lane_position> waits;
  // Of a graph with steps that wait for others outside: where those graphs were launched. They need not have finished.
  model::array_view<const lane_position> begun;
  // What it has waited for, also through others. Devices wait for devices before the observer is told of what has happened;
  // this step finishes after that.
  model::array_view<const lane_position> ends_after;
  // Copied by the backend, given to the observer.
  model::array_view<const std::byte> context;
  bool timed = false;
};

class backend;
class native_graph;

// A step of another native graph of the same backend.
struct outside_step {
  native_graph* graph = nullptr;
  std::uint32_t step = 0;  // one that `signals`
};

// One step of a recorded plan, in topological order. What its action and its context refer to outlives the native graph.
struct graph_step {
  resolved_action action;
  backend* owner = nullptr;                      // of the domain of the backend that instantiates
  std::uint32_t device = 0;                      // of the owner
  std::uint32_t lane = 0;                        // as planned
  model::array_view<const std::uint32_t> waits;  // indices of earlier steps
  model::array_view<const std::byte> context;
  // Nanoseconds that it takes alone, as the planner's model says; 0: nobody says. What has been measured of a kernel when it
  // ran is better. For what is decided before a graph has run; an update says nothing new of it.
  double expected = 0;
  // Of a step that runs beside others, 0 to -5: lower goes first. Of devices that can choose; an update says nothing new of it.
  int priority = 0;
  // Somebody outside of the graph waits for this step: see native_graph::signal. Where graph_links::signals. A graph with
  // such steps is launched in one lane only.
  bool signals = false;
  // What the step waits for in the latest launches of other graphs, which are submitted before this graph's launch.
  // Where graph_links::waits.
  model::array_view<const outside_step> outside;
  // The observer is told what the step takes, each time, with nothing else beside it. A wish: only backends of the domain
  // "host" fulfil it.
  bool timed = false;
  // The observer is told when the step was run (`times`), in each launch, perhaps part by part; all runs as it would
  // otherwise. Such a graph is launched again only when the launch before has finished. A wish, too: backends whose graphs cannot
  // do that tell nothing.
  bool stamped = false;
};

// The steps of a graph in their order, a few at a time: who keeps what it needs of them does without a list of all.
class graph_steps {
 public:
  virtual ~graph_steps() = default;
  [[nodiscard]] virtual std::size_t count() const noexcept = 0;  // of all steps
  [[nodiscard]] virtual std::size_t most_waits()
      const noexcept = 0;  // all steps have no more, together
  // Those that follow, none at the end. They, their waits and what is outside stay until the next call. Throws what keeps
  // one from being made.
  [[nodiscard]] virtual model::array_view<const graph_step> next() = 0;
};

// How native graphs of a backend reach beyond themselves.
struct graph_links {
  bool signals = false;  // graph_step::signals
  bool waits = false;    // graph_step::outside
};

// Some compute units of a device, which are a device by themselves.
struct sub_device {
  std::uint32_t index = 0;              // within the backend; greater than those of `devices()`
  model::device_properties properties;  // all but memory and parent
};

class native_graph {
 public:
  virtual ~native_graph() = default;
  // Reached when the launch that was submitted last has done this step, which `signals`, or has left it out; when the
  // launch has finished at the latest. Lives as long as the graph.
  [[nodiscard]] virtual lane_position signal(std::uint32_t /*step*/) const noexcept { return {}; }
};

enum class memory_kind : unsigned char { device, host, shared };

struct native_request {
  model::native_kind what = model::native_kind::device;
  std::uint32_t device = 0;
  // queue: the lane's stream. event: reached when `position` has finished there; lives as long as the lane.
  lane* where = nullptr;
  std::uint64_t position = 0;
  native_graph* graph = nullptr;  // graph, executable
};

struct kernel_on_device {
  std::uint64_t max_group_size = 0;  // work-items, by the registers that they need
  std::uint64_t private_bytes = 0;   // of a work-item, in memory
  std::uint64_t local_bytes = 0;     // of a group, whatever the launch asks for
  std::uint64_t resident_groups =
      0;  // that run at the same time on the whole device; 0: they do not run
};

// An object of the program of which every device has one of its own (abi/image.h).
struct device_variable {
  const void* address = nullptr;  // of the program's, which tells it from others
  std::size_t bytes = 0;
  const std::byte* initial = nullptr;  // what it begins with; null: zeros
};

// What a backend may ask of the runtime. Lives as long as the process.
struct runtime_services {
  const step_observer* observer = nullptr;
  // Of the object files that are loaded now; null and empty if there is none. Valid until `forget_images`.
  const pianola_kernel* (*find_kernel)(model::kernel_id) = nullptr;
  model::array_view<const pianola_image> (*find_images)(model::kernel_id) = nullptr;
  // Variables that those images may have pointers to.
  model::array_view<const pianola_variable> (*find_variables)(model::kernel_id) = nullptr;
  // Null: no object file that is loaded now defines it. Valid until `forget_variable`.
  const device_variable* (*find_variable)(const pianola_variable&) = nullptr;
};

// Of memory that programs allocate: as drivers of GPUs align it, which programs have come to count on.
inline constexpr std::size_t usual_alignment = 256;

class backend {
 public:
  virtual ~backend() = default;

  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<model::device_properties>& devices() const noexcept = 0;
  // Backends of one domain can wait for each other's lanes natively and run one native graph
  // together; "host" for everything that runs on the process-wide team.
  [[nodiscard]] virtual std::string_view domain() const noexcept = 0;
  // Adds links between the memories of this backend and the host's; without a bandwidth (0) the
  // planner estimates what they take. `memories[i]` is the memory of device i.
  virtual void describe_links(model::array_view<const model::memory_id> memories,
                              std::vector<model::link_description>& links) const = 0;
  // Which memory of the topology each device has; told once, before anything else.
  virtual void set_memories(model::array_view<const model::memory_id> memories) = 0;

  // Aligned to usual_alignment at least.
  virtual status allocate(std::uint32_t device, memory_kind kind, std::size_t bytes,
                          std::size_t alignment, void*& out) noexcept = 0;
  virtual void deallocate(std::uint32_t device, memory_kind kind, void* pointer) noexcept = 0;

  // Null where memory of that kind has no addresses apart from what is behind them, or none are left.
  virtual std::unique_ptr<page_store> open_pages(std::uint32_t /*device*/, memory_kind) noexcept {
    return nullptr;
  }

  // Lets the device copy directly from and to pages of the program's own until they are unlocked, which is faster. False:
  // that cannot be done, and copies work all the same.
  virtual bool lock_pages(std::uint32_t /*device*/, void* /*start*/,
                          std::size_t /*bytes*/) noexcept {
    return false;
  }
  // What was locked there. Nothing on its way uses it any more.
  virtual void unlock_pages(std::uint32_t /*device*/, void* /*start*/) noexcept {}

  // How much of the device's memory nobody uses now, other processes neither. feature_not_supported where the device's
  // properties say that it is not known.
  virtual status free_memory(std::uint32_t device, std::uint64_t& /*bytes*/) noexcept {
    return {model::error_code::feature_not_supported, "backend '" + std::string(name()) +
                                                          "' does not tell how much memory '" +
                                                          devices()[device].name + "' has free"};
  }

  // False once the device is lost: nothing runs on it any more in this process.
  [[nodiscard]] virtual bool usable(std::uint32_t /*device*/) const noexcept { return true; }

  virtual status make_lane(std::uint32_t device, lane*& out) noexcept = 0;
  // Submissions to one lane are made by one thread at a time. Starts without any further call. Not ok: nothing was
  // taken over, and the lane is as it was.
  virtual status submit(lane& where, const step_submission& step) noexcept = 0;

  // Whether graphs of the device hold steps of that kind with so many bodies (resolved_control). Bodies run on that device
  // alone: kernels, copies and fills of its memory, such steps again, and steps that do nothing. Graphs with such steps wait
  // and signal like any other; their bodies do not.
  [[nodiscard]] virtual bool holds_control(std::uint32_t /*device*/, model::control_kind,
                                           std::size_t /*bodies*/) noexcept {
    return false;
  }
  // Asked before the first graph whose steps are linked to others is instantiated.
  [[nodiscard]] virtual graph_links links() noexcept { return {}; }
  virtual status instantiate(graph_steps& steps, std::unique_ptr<native_graph>& out) noexcept = 0;
  // Runs the whole graph as one step of the lane.
  virtual status launch(lane& where, native_graph& graph, const step_submission& step) noexcept = 0;
  // Replaces the actions of some steps (other addresses or arguments, same shape and edges), and their contexts where such
  // are given, of the same sizes; these outlive the graph, too. No launch is under way.
  virtual status update(native_graph& graph, model::array_view<const std::uint32_t> indices,
                        model::array_view<const graph_step> steps) noexcept = 0;

  // Whether kernels come from images for the devices' architectures, rather than from host entry points.
  [[nodiscard]] virtual bool needs_images() const noexcept { return false; }
  // The first of `images` that suits the device best; -1 if none does.
  [[nodiscard]] virtual int choose_image(
      std::uint32_t /*device*/, model::array_view<const pianola_image> /*images*/) const noexcept {
    return -1;
  }
  // Why the kernel cannot run there, for the program, where choose_image finds none.
  [[nodiscard]] virtual status no_image(
      std::uint32_t device, const model::kernel_descriptor& kernel,
      model::array_view<const pianola_image> /*images*/) const noexcept {
    return {model::error_code::kernel_not_supported, "kernel '" + std::string(kernel.name) +
                                                         "' was not compiled for '" +
                                                         devices()[device].name + "'"};
  }
  // How the device runs work-groups of so many work-items, each with so much local memory besides the kernel's own.
  // feature_not_supported where nothing is known beyond what the device's properties say.
  virtual status ask_kernel(std::uint32_t device, const model::kernel_descriptor& /*kernel*/,
                            std::uint64_t /*group_size*/, std::uint64_t /*local_bytes*/,
                            kernel_on_device& /*out*/) noexcept {
    return {model::error_code::feature_not_supported,
            "backend '" + std::string(name()) + "' does not tell how '" + devices()[device].name +
                "' runs kernels"};
  }
  // The object file that carries these is about to be unloaded: nothing of it may be used from now on.
  virtual void forget_images(const pianola_image_set& /*images*/) noexcept {}

  // Where the device has the variable, from the first call on until `forget_variable`. feature_not_supported where kernels use
  // the program's own object, or none.
  virtual status find_variable(std::uint32_t device, const device_variable& /*variable*/,
                               void*& /*out*/) noexcept {
    return {model::error_code::feature_not_supported,
            "'" + devices()[device].name + "' has no variables of its own"};
  }
  // The object file that defines the variable with this address is about to be unloaded.
  virtual void forget_variable(const void* /*address*/) noexcept {}

  virtual status native_handle(const native_request& /*request*/, void*& /*out*/) noexcept {
    return {model::error_code::feature_not_supported,
            "backend '" + std::string(name()) + "' has no native handles"};
  }

  // Which device a stream of the program's is of. feature_not_supported where the backend cannot tell; invalid where it
  // is none of its devices.
  virtual status device_of_stream(void* /*stream*/, std::uint32_t& /*device*/) noexcept {
    return {model::error_code::feature_not_supported,
            "backend '" + std::string(name()) + "' has no streams of its own"};
  }
  // A lane on a stream that the program owns and keeps alive.
  virtual status adopt_lane(std::uint32_t /*device*/, void* /*stream*/, lane*& /*out*/) noexcept {
    return {model::error_code::feature_not_supported,
            "backend '" + std::string(name()) + "' has no streams of its own"};
  }
  // What is submitted to the lane from now on waits for an event of the program's, which was recorded.
  virtual status wait_for_native(lane& /*where*/, void* /*event*/) noexcept {
    return {model::error_code::feature_not_supported,
            "backend '" + std::string(name()) + "' has no events of its own"};
  }

  // Updates so far for which a native graph had to be instantiated anew, because the driver could not express the change.
  [[nodiscard]] virtual std::uint64_t reinstantiations() const noexcept { return 0; }

  // So many of `devices()`, the first, are not shown to programs: the ones behind them are what they consist of, each a domain
  // of its own. The runtime's own work may be done there.
  [[nodiscard]] virtual std::uint32_t hidden_devices() const noexcept { return 0; }

  // Splits a device, of `devices()` or a sub-device. The same units of the same device again are the same sub-device.
  virtual status make_sub_devices(std::uint32_t device, const model::partition& /*how*/,
                                  std::vector<sub_device>& /*out*/) noexcept {
    return {model::error_code::feature_not_supported,
            "device '" + devices()[device].name + "' cannot be partitioned"};
  }
};

// The C factory of a plugin: `pianola_backend_v1` of this type. Version differs: the plugin is not
// used. `options` is the text after ':' in PIANOLA_DEVICES, empty if none. Returns null and fills
// `reason` (null-terminated, at most reason_bytes) if the backend is absent here (`user_fault` 0) or
// the options make no sense (`user_fault` 1), or another environment variable, which `reason` names (2).
inline constexpr std::uint32_t backend_interface_version = 11;
struct backend_factory {
  std::uint32_t version;
  backend* (*create)(const char* options, const runtime_services* services, char* reason,
                     std::size_t reason_bytes, int* user_fault) noexcept;
};

}  // namespace pianola::executors

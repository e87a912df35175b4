// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

namespace pianola::host {

/// What ends with a thread, later than every thread_local object of the program. The main thread's is
/// left to the end of the process: static objects may submit kernels from their destructors, and those run
/// after the main thread's thread_local objects have gone.
struct thread_object {
  thread_object* next = nullptr;
  void (*destroy)(thread_object*) noexcept = nullptr;
};

/// Has `destroy` called for the object when this thread ends. Throws std::bad_alloc.
void end_with_thread(thread_object&);

/// One T for each thread, made on first use. Used instead of a thread_local T by everything that a submission,
/// or a kernel, needs; valid at any time until the thread has ended, where it is made once more if need be.
template <class T>
class thread_storage {
 public:
  static T& get() {
    if (here_ == nullptr) [[unlikely]]
      make();
    return here_->value;
  }

 private:
  struct object : thread_object {
    T value{};
  };

  static void make() {
    auto made = std::make_unique<object>();
    made->destroy = [](thread_object* one) noexcept {
      here_ = nullptr;
      delete static_cast<object*>(one);
    };
    end_with_thread(*made);
    here_ = made.release();
  }

  static constinit inline thread_local object* here_ = nullptr;
};

}  // namespace pianola::host

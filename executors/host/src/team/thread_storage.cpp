// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/thread_storage.hpp"

#include <pthread.h>

#include <new>

namespace pianola::host {

namespace {

// The system takes the value out before it calls this, and calls again for what is made meanwhile.
extern "C" void destroy_all(void* first) noexcept {
  for (auto* at = static_cast<thread_object*>(first); at != nullptr;) {
    thread_object* next = at->next;
    at->destroy(at);
    at = next;
  }
}

// Destructors of a key run after those of thread_local objects, and not at all on the thread that calls exit.
pthread_key_t key() {
  static const pthread_key_t made = [] {
    pthread_key_t k{};
    if (pthread_key_create(&k, &destroy_all) != 0) throw std::bad_alloc();
    return k;
  }();
  return made;
}

}  // namespace

void end_with_thread(thread_object& one) {
  const pthread_key_t k = key();
  auto* first = static_cast<thread_object*>(pthread_getspecific(k));
  if (pthread_setspecific(k, &one) != 0) throw std::bad_alloc();
  one.next = first;
}

}  // namespace pianola::host

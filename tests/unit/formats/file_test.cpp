// SPDX-License-Identifier: Apache-2.0
// Whoever reads a file that is being replaced finds all of the old one or all of the new one.
#include <pianola/formats/file.hpp>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include <pianola/formats/file_bytes.hpp>
#include <pianola/model/error.hpp>
#include <pianola/test/temporary_folder.hpp>

namespace {

using namespace pianola;
using namespace pianola::formats;

class written_file : public ::testing::Test {
 protected:
  [[nodiscard]] std::size_t files() const {
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      n += entry.exists() ? 1 : 0;
    return n;
  }

  const pianola::testing::temporary_folder temporary_;
  const std::string folder_ = temporary_.path(), path_ = temporary_.file("file");
};

TEST_F(written_file, is_not_there_before_all_of_it_is_written) {
  output_file file(path_);
  file.write("one ");
  EXPECT_FALSE(std::filesystem::exists(path_));
  file.write("two");
  file.commit();
  EXPECT_EQ(read_file(path_), "one two");
  EXPECT_EQ(files(), 1U);
}

TEST_F(written_file, keeps_the_old_contents_if_the_new_ones_are_given_up) {
  write_file(path_, "old");
  {
    output_file file(path_);
    file.write("new");
  }
  EXPECT_EQ(read_file(path_), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(written_file, keeps_the_old_contents_if_the_process_is_killed) {
  write_file(path_, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    output_file file(path_);
    file.write(std::string(1 << 20, 'n'));
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_file(path_), "old");
  const int nameless = ::open(folder_.c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (nameless < 0) GTEST_SKIP() << "the file system gives every file a name";
  ::close(nameless);
  EXPECT_EQ(files(), 1U);
}

TEST_F(written_file, keeps_the_old_contents_and_leaves_nothing_beside_it_if_there_is_no_room) {
  write_file(path_, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit few{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &few);
    try {
      write_file(path_, std::string(1 << 20, 'n'));
    } catch (const model::user_error&) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(read_file(path_), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(written_file, is_never_a_mixture_of_what_two_processes_write) {
  const std::string a(100000, 'a'), b(200000, 'b');
  write_file(path_, a);
  const auto writer = [&](const std::string& contents) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    for (int i = 0; i < 50; ++i) write_file(path_, contents);
    ::_exit(0);
  };
  const pid_t first = writer(a), second = writer(b);
  for (int running = 2; running != 0;) {
    const std::string found = read_file(path_);
    ASSERT_TRUE(found == a || found == b) << found.size();
    if (::waitpid(-1, nullptr, WNOHANG) > 0) --running;
  }
  EXPECT_NE(first, second);
  EXPECT_EQ(files(), 1U);
}

TEST_F(written_file, keeps_its_permissions_and_the_link_that_leads_to_it) {
  write_file(path_, "old");
  ::chmod(path_.c_str(), 0640);
  const std::string link = folder_ + "/link";
  ASSERT_EQ(::symlink("file", link.c_str()), 0);
  write_file(link, "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(path_), "new");
  struct stat status{};
  ::stat(path_.c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

// From here on the process finds file systems that cannot have files without names.
void refuse_nameless_files() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(rules)), rules};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    ::_exit(77);
}

TEST_F(written_file, is_the_same_where_every_file_has_a_name) {
  write_file(path_, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    refuse_nameless_files();
    if (::open(folder_.c_str(), O_WRONLY | O_TMPFILE, 0600) >= 0) ::_exit(1);
    {
      output_file given_up(path_);
      given_up.write("lost");
      if (files() != 2) ::_exit(2);
    }
    if (files() != 1) ::_exit(3);
    write_file(path_, "new");
    write_file(folder_ + "/other", "other");
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "no system call can be refused";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(path_), "new");
  EXPECT_EQ(read_file(folder_ + "/other"), "other");
  EXPECT_EQ(files(), 2U);
}

TEST_F(written_file, may_be_no_file) {
  write_file("/dev/null", "nothing");
  struct stat status{};
  ::stat("/dev/null", &status);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_THROW(write_file("/dev/full", "text"), model::user_error);
  EXPECT_THROW(write_file(folder_, "text"), model::user_error);
}

TEST_F(written_file, is_looked_at_without_taking_anything_from_a_pipe) {
  write_file(path_, "pianola");
  EXPECT_EQ(file_head(path_, 4), "pian");
  EXPECT_EQ(file_head(path_, 40), "pianola");
  EXPECT_EQ(file_head(folder_ + "/none", 4), "");
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int both = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(both, 0);
  ASSERT_EQ(::write(both, "pianola", 7), 7);
  EXPECT_EQ(file_head(pipe, 4), "");
  char bytes[8];
  EXPECT_EQ(::read(both, bytes, sizeof bytes), 7);
  ::close(both);
}

}  // namespace

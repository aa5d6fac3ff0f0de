// What the thread sanitizer cannot see of RocksDB, which is not instrumented.
#if defined(__SANITIZE_THREAD__)

// A writer that waits hands its batch to the one that leads its group by an exchange of states
// (WriteThread); the leader then reads the batch, and puts the group's together in a string that is
// the next leader's after it. These show with RocksDB's, or the string's, function at the top and
// nothing of RocksDB below it.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:^rocksdb::\n"
         "race:^std::__cxx11::basic_string*::_M_append\n"
         "race:^std::__cxx11::basic_string*::_M_mutate\n"
         "race:^std::__cxx11::basic_string*::_M_replace_aux\n";
}

#endif

/*
 * The rocktune agent for programs that use RocksDB through its C API (rocksdb/c.h): C, Rust, Go and
 * others.
 *
 *   rocksdb_options_t* options = ...;
 *   rocktune_prepare(options);                       before opening: completes the options
 *   rocksdb_t* db = rocksdb_open(options, path, &error);
 *   rocktune_attachment_t* attachment = NULL;
 *   rocktune_attach(db, &attachment);                after opening
 *   ...
 *   rocktune_detach(attachment);                     BEFORE rocksdb_close
 *   rocksdb_close(db);
 *
 * What the agent does, and the environment that it reads, is in rocktune/agent.h and
 * docs/attach.md. No result has to be looked at: after any of them the program goes on as if the
 * agent were not there, and every function takes the NULL attachment that a failed attach leaves.
 *
 * RocksDB's C types are opaque. Before it touches one, the library proves, with objects of its own
 * and calls of RocksDB's C API, that they hold what it believes they hold; if not,
 * ROCKTUNE_INCOMPATIBLE is returned and nothing is touched.
 *
 * Plain C99. No function throws, prints or ends the process. Thread-safety: any function from any
 * thread; an attachment is not used while it is being detached.
 */
#ifndef ROCKTUNE_C_H
#define ROCKTUNE_C_H

#include <stddef.h>

#if defined(__GNUC__)
#define ROCKTUNE_C_API __attribute__((visibility("default")))
#else
#define ROCKTUNE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Those of rocksdb/c.h, which declares them, and types of the same names. */
struct rocksdb_t;
struct rocksdb_options_t;
struct rocksdb_column_family_handle_t;
struct rocksdb_transactiondb_t;
struct rocksdb_optimistictransactiondb_t;

/* One attached database. */
typedef struct rocktune_attachment_t rocktune_attachment_t;

typedef enum {
  ROCKTUNE_OK = 0,
  /* A NULL where there must be none. */
  ROCKTUNE_INVALID = 1,
  /* The agent is off or could not read the database: rocktune_status says which. */
  ROCKTUNE_NOT_ATTACHED = 2,
  /* Another RocksDB than the agent was built for or is linked with: see rocktune_explain. */
  ROCKTUNE_INCOMPATIBLE = 3,
  /* Out of memory. */
  ROCKTUNE_FAILED = 4
} rocktune_result_t;

/* A sentence about the result. Never NULL, never freed. */
ROCKTUNE_C_API const char* rocktune_explain(rocktune_result_t result);

/*
 * Completes options before a database is opened with them: Statistics, an unlimited RateLimiter and
 * an event listener, where ROCKTUNE_AGENT_OPEN asks for them. Last, just before the open: a later
 * rocksdb_options_enable_statistics or rocksdb_options_set_ratelimiter replaces what was added. One
 * options object for each database: what is added belongs to one.
 */
ROCKTUNE_C_API rocktune_result_t rocktune_prepare(struct rocksdb_options_t* options);

/*
 * Attaches an open database. *attachment is set, to NULL unless the result is ROCKTUNE_OK. Detach
 * BEFORE the database is closed.
 */
ROCKTUNE_C_API rocktune_result_t rocktune_attach(struct rocksdb_t* db,
                                                 rocktune_attachment_t** attachment);
ROCKTUNE_C_API rocktune_result_t rocktune_attach_transactiondb(struct rocksdb_transactiondb_t* db,
                                                               rocktune_attachment_t** attachment);
ROCKTUNE_C_API rocktune_result_t rocktune_attach_optimistictransactiondb(
    struct rocksdb_optimistictransactiondb_t* db, rocktune_attachment_t** attachment);

/*
 * Has a column family sampled in full; without that only the default one is, and of the others the
 * levels. Forget it before its handle is destroyed, and with no mutex held that an event listener
 * of yours takes (as for rocktune_detach).
 */
ROCKTUNE_C_API rocktune_result_t rocktune_add(rocktune_attachment_t* attachment,
                                              struct rocksdb_column_family_handle_t* handle);
ROCKTUNE_C_API rocktune_result_t rocktune_forget(rocktune_attachment_t* attachment,
                                                 struct rocksdb_column_family_handle_t* handle);

/*
 * The same for bindings that hold RocksDB's C++ objects: a rocksdb::DBOptions* (or
 * rocksdb::Options*), a rocksdb::DB* and a rocksdb::ColumnFamilyHandle*. They are taken at their
 * word: nothing here can tell another pointer from one of these.
 */
ROCKTUNE_C_API rocktune_result_t rocktune_prepare_cpp(void* db_options);
ROCKTUNE_C_API rocktune_result_t rocktune_attach_cpp(void* db, rocktune_attachment_t** attachment);
ROCKTUNE_C_API rocktune_result_t rocktune_add_cpp(rocktune_attachment_t* attachment, void* handle);
ROCKTUNE_C_API rocktune_result_t rocktune_forget_cpp(rocktune_attachment_t* attachment,
                                                     void* handle);

/*
 * Returns when the agent has let go of the database. NULL is ignored. Not with a mutex held that an
 * event listener of yours takes: this waits for a change that is under way, and returns what was
 * changed, and RocksDB may call listeners at the end of that, on the agent's thread or on yours.
 */
ROCKTUNE_C_API void rocktune_detach(rocktune_attachment_t* attachment);

/*
 * Like snprintf: the text, cut to size - 1 bytes and ended by a 0, and its whole length as the
 * result. The first is the id that the wire knows the database by; the second "serving on
 * <socket>", or why not.
 */
ROCKTUNE_C_API size_t rocktune_id(const rocktune_attachment_t* attachment, char* text, size_t size);
ROCKTUNE_C_API size_t rocktune_status(char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif

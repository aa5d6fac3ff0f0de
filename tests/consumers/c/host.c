/*
 * A C program with a database that links the agent, in plain C99. usage: host FORM PATH, where FORM
 * is plain, read_only, transaction or optimistic.
 *
 * Says "open", then does what it is told on its standard input: "create" makes a column family and
 * has it sampled, "drop" takes it away again, "end" closes. Every answer is "ok".
 */
#include <rocksdb/c.h>
#include <rocktune/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host {
  rocksdb_options_t* options;
  rocksdb_t* db; /* NULL in the transactional forms */
  rocksdb_transactiondb_t* transactions;
  rocksdb_optimistictransactiondb_t* optimistic;
  rocktune_attachment_t* attachment;
  rocksdb_column_family_handle_t* family;
};

static void must(char* error) {
  if (error == NULL) return;
  fprintf(stderr, "%s\n", error);
  exit(1);
}

static void attached(rocktune_result_t result) {
  char status[256];
  if (result == ROCKTUNE_OK) return;
  rocktune_status(status, sizeof status);
  fprintf(stderr, "%s (%s)\n", rocktune_explain(result), status);
  exit(1);
}

static void open_database(struct host* host, const char* form, const char* path) {
  char* error = NULL;
  rocksdb_transactiondb_options_t* how = rocksdb_transactiondb_options_create();
  if (strcmp(form, "transaction") == 0) {
    host->transactions = rocksdb_transactiondb_open(host->options, how, path, &error);
  } else if (strcmp(form, "optimistic") == 0) {
    host->optimistic = rocksdb_optimistictransactiondb_open(host->options, path, &error);
  } else if (strcmp(form, "read_only") == 0) {
    rocksdb_close(rocksdb_open(host->options, path, &error)); /* so that there is one */
    must(error);
    host->db = rocksdb_open_for_read_only(host->options, path, 0, &error);
  } else {
    host->db = rocksdb_open(host->options, path, &error);
  }
  must(error);
  rocksdb_transactiondb_options_destroy(how);
}

static void attach(struct host* host) {
  if (host->transactions != NULL) {
    attached(rocktune_attach_transactiondb(host->transactions, &host->attachment));
  } else if (host->optimistic != NULL) {
    attached(rocktune_attach_optimistictransactiondb(host->optimistic, &host->attachment));
  } else {
    attached(rocktune_attach(host->db, &host->attachment));
  }
}

static void create(struct host* host) {
  char* error = NULL;
  host->family = host->transactions != NULL
                     ? rocksdb_transactiondb_create_column_family(host->transactions, host->options,
                                                                  "later", &error)
                     : rocksdb_create_column_family(host->db, host->options, "later", &error);
  must(error);
  attached(rocktune_add(host->attachment, host->family));
}

static void drop(struct host* host) {
  attached(rocktune_forget(host->attachment, host->family));
  rocksdb_column_family_handle_destroy(host->family);
  host->family = NULL;
}

static void end(struct host* host) {
  if (host->family != NULL) drop(host);
  rocktune_detach(host->attachment);
  if (host->transactions != NULL) rocksdb_transactiondb_close(host->transactions);
  if (host->optimistic != NULL) rocksdb_optimistictransactiondb_close(host->optimistic);
  if (host->db != NULL) rocksdb_close(host->db);
  rocksdb_options_destroy(host->options);
}

int main(int argc, char** argv) {
  struct host host = {NULL, NULL, NULL, NULL, NULL, NULL};
  char line[64];
  if (argc != 3) return 2;
  host.options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(host.options, 1);
  attached(rocktune_prepare(host.options));
  open_database(&host, argv[1], argv[2]);
  attach(&host);
  puts("open");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (strcmp(line, "create\n") == 0) create(&host);
    if (strcmp(line, "drop\n") == 0) drop(&host);
    if (strcmp(line, "end\n") == 0) end(&host);
    puts("ok");
    fflush(stdout);
  }
  return 0;
}

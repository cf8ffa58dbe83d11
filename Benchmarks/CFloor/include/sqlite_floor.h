/// The peer of the store's benchmarks: the same work done by SQLite through its C API, as a careful program would
/// do it (WAL, synchronous=FULL, prepared statements). Times are nanoseconds; a negative result is an SQLite error code.
#ifndef REEVE_SQLITE_FLOOR_H
#define REEVE_SQLITE_FLOOR_H

#include <stdint.h>

/// What the object number `n` of the data set holds; both sides of a comparison fill their rows from it.
typedef struct {
    uint8_t id[12];
    char name[24];
    char owner[16];
    int64_t priority;
    double score;
    int64_t created;
    int done;
} floor_item;

/// Fills `item` for row `n`; the same on every machine.
void floor_make_item(int64_t n, floor_item *item);

/// Creates the table and inserts `total` rows in transactions of `batch`. Returns the time taken.
int64_t floor_sqlite_insert(const char *path, int64_t total, int64_t batch);

/// `SELECT count(*) … WHERE priority > threshold`: median of `repeats` runs, the count in `*result`.
int64_t floor_sqlite_count_above(const char *path, int64_t threshold, int repeats, int64_t *result);

/// `SELECT count(*) … WHERE owner = value`.
int64_t floor_sqlite_count_owner(const char *path, const char *value, int repeats, int64_t *result);

/// `SELECT count(*) … WHERE priority > … AND done = 1 AND score < …`.
int64_t floor_sqlite_count_three(const char *path, int64_t priority, double score, int repeats, int64_t *result);

/// `SELECT count(*) … WHERE name LIKE pattern`.
int64_t floor_sqlite_count_like(const char *path, const char *pattern, int repeats, int64_t *result);

/// `SELECT id … ORDER BY owner` of the first `rows` rows, stepped through; their number in `*result`.
int64_t floor_sqlite_sort(const char *path, int64_t rows, int repeats, int64_t *result);

/// `SELECT sum(priority)`.
int64_t floor_sqlite_sum(const char *path, int repeats, int64_t *result);

/// Steps through the first `rows` rows and reads name, priority and score of each; a checksum in `*result`.
int64_t floor_sqlite_iterate(const char *path, int64_t rows, int repeats, int64_t *result);

/// Reads name and priority of `reads` rows by id, in an order that jumps about. Returns the time of all.
int64_t floor_sqlite_point_reads(const char *path, int64_t total, int64_t reads, int64_t *result);

/// Commits `count` transactions of one inserted row each; `latencies` receives the time of each.
int64_t floor_sqlite_commits(const char *path, int64_t count, int64_t *latencies);

/// `processes` child processes commit single-row transactions into one file for `milliseconds`.
/// Returns the number of commits of all.
int64_t floor_sqlite_writers(const char *path, int processes, int milliseconds);

#endif

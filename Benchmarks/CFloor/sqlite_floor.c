#define _GNU_SOURCE
#include "sqlite_floor.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t median(int64_t *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static uint64_t scramble(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void floor_make_item(int64_t n, floor_item *item) {
    uint64_t random = scramble((uint64_t)n + 0x9e3779b97f4a7c15u);
    memset(item, 0, sizeof *item);
    uint32_t seconds = 1700000000u + (uint32_t)(n / 1000);
    for (int i = 0; i < 4; i++) item->id[i] = (uint8_t)(seconds >> (24 - 8 * i));
    memcpy(item->id + 4, "reeve", 5);
    for (int i = 0; i < 3; i++) item->id[9 + i] = (uint8_t)((uint64_t)n >> (16 - 8 * i));
    snprintf(item->name, sizeof item->name, "item number %08lld", (long long)n % 100000000);
    snprintf(item->owner, sizeof item->owner, "owner%03d", (int)(random % 1000));
    item->priority = (int64_t)((random >> 20) % 100000);
    item->score = (double)(random >> 40) / 1024.0;
    item->created = 1700000000 + n;
    item->done = (int)((random >> 12) & 1);
}

static sqlite3 *open_database(const char *path) {
    sqlite3 *database = NULL;
    if (sqlite3_open(path, &database) != SQLITE_OK) {
        sqlite3_close(database);
        return NULL;
    }
    sqlite3_busy_timeout(database, 60000);
    sqlite3_exec(database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL", NULL, NULL, NULL);
    return database;
}

static const char *const schema =
    "CREATE TABLE IF NOT EXISTS item (id BLOB PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL,"
    " priority INTEGER NOT NULL, score REAL NOT NULL, created INTEGER NOT NULL, done INTEGER NOT NULL)";
static const char *const insertion = "INSERT INTO item VALUES (?,?,?,?,?,?,?)";

static int insert(sqlite3_stmt *statement, const floor_item *item) {
    sqlite3_bind_blob(statement, 1, item->id, sizeof item->id, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, item->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, item->owner, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 4, item->priority);
    sqlite3_bind_double(statement, 5, item->score);
    sqlite3_bind_int64(statement, 6, item->created);
    sqlite3_bind_int(statement, 7, item->done);
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

int64_t floor_sqlite_insert(const char *path, int64_t total, int64_t batch) {
    sqlite3 *database = open_database(path);
    if (!database) return -SQLITE_CANTOPEN;
    int result = sqlite3_exec(database, schema, NULL, NULL, NULL);
    sqlite3_stmt *statement = NULL;
    if (result == SQLITE_OK) result = sqlite3_prepare_v2(database, insertion, -1, &statement, NULL);
    floor_item *items = malloc(sizeof *items * (size_t)batch);
    if (!items) result = SQLITE_NOMEM;
    int64_t elapsed = 0;
    for (int64_t first = 0; first < total && result == SQLITE_OK; first += batch) {
        int64_t count = batch < total - first ? batch : total - first;
        // The values are made outside the clock, as on the other side.
        for (int64_t i = 0; i < count; i++) floor_make_item(first + i, &items[i]);
        int64_t start = now();
        result = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        for (int64_t i = 0; i < count && result == SQLITE_OK; i++) result = insert(statement, &items[i]);
        if (result == SQLITE_OK) result = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
        elapsed += now() - start;
    }
    free(items);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return result == SQLITE_OK ? elapsed : -result;
}

/// Runs `text` with one optional parameter `repeats` times; each run steps to the end.
/// `visit` folds a row into the result.
static int64_t measure(
    const char *path, const char *text, int repeats, int64_t *result, void (*bind)(sqlite3_stmt *, const void *),
    const void *parameter, int64_t (*visit)(sqlite3_stmt *, int64_t)) {
    sqlite3 *database = open_database(path);
    if (!database) return -SQLITE_CANTOPEN;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database, text, -1, &statement, NULL);
    int64_t *times = calloc((size_t)repeats, sizeof *times);
    for (int run = 0; run < repeats && code == SQLITE_OK; run++) {
        int64_t start = now(), folded = 0;
        if (bind) bind(statement, parameter);
        int step;
        while ((step = sqlite3_step(statement)) == SQLITE_ROW) folded = visit(statement, folded);
        if (step != SQLITE_DONE) code = step;
        sqlite3_reset(statement);
        times[run] = now() - start;
        *result = folded;
    }
    int64_t time = median(times, repeats);
    free(times);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return code == SQLITE_OK ? time : -code;
}

static int64_t first_integer(sqlite3_stmt *statement, int64_t folded) {
    (void)folded;
    return sqlite3_column_int64(statement, 0);
}

static void bind_integer(sqlite3_stmt *statement, const void *parameter) {
    sqlite3_bind_int64(statement, 1, *(const int64_t *)parameter);
}

static void bind_string(sqlite3_stmt *statement, const void *parameter) {
    sqlite3_bind_text(statement, 1, parameter, -1, SQLITE_STATIC);
}

static int64_t fold_item(sqlite3_stmt *statement, int64_t folded) {
    const unsigned char *name = sqlite3_column_text(statement, 0);
    return folded + sqlite3_column_bytes(statement, 0) + name[0] + sqlite3_column_int64(statement, 1)
        + (int64_t)sqlite3_column_double(statement, 2);
}

int64_t floor_sqlite_count_above(const char *path, int64_t threshold, int repeats, int64_t *result) {
    return measure(
        path, "SELECT count(*) FROM item WHERE priority > ?", repeats, result, bind_integer, &threshold, first_integer);
}

int64_t floor_sqlite_count_owner(const char *path, const char *value, int repeats, int64_t *result) {
    return measure(
        path, "SELECT count(*) FROM item WHERE owner = ?", repeats, result, bind_string, value, first_integer);
}

typedef struct {
    int64_t priority;
    double score;
} three_conditions;

static void bind_three(sqlite3_stmt *statement, const void *parameter) {
    const three_conditions *values = parameter;
    sqlite3_bind_int64(statement, 1, values->priority);
    sqlite3_bind_double(statement, 2, values->score);
}

int64_t floor_sqlite_count_three(const char *path, int64_t priority, double score, int repeats, int64_t *result) {
    three_conditions values = {priority, score};
    return measure(
        path, "SELECT count(*) FROM item WHERE priority > ? AND done = 1 AND score < ?", repeats, result, bind_three,
        &values, first_integer);
}

int64_t floor_sqlite_count_like(const char *path, const char *pattern, int repeats, int64_t *result) {
    return measure(
        path, "SELECT count(*) FROM item WHERE name LIKE ?", repeats, result, bind_string, pattern, first_integer);
}

static int64_t count_row(sqlite3_stmt *statement, int64_t folded) {
    return folded + (sqlite3_column_bytes(statement, 0) == 12);
}

int64_t floor_sqlite_sort(const char *path, int64_t rows, int repeats, int64_t *result) {
    return measure(
        path, "SELECT id FROM item WHERE rowid <= ? ORDER BY owner", repeats, result, bind_integer, &rows, count_row);
}

int64_t floor_sqlite_sum(const char *path, int repeats, int64_t *result) {
    return measure(path, "SELECT sum(priority) FROM item", repeats, result, NULL, NULL, first_integer);
}

int64_t floor_sqlite_iterate(const char *path, int64_t rows, int repeats, int64_t *result) {
    return measure(
        path, "SELECT name, priority, score FROM item LIMIT ?", repeats, result, bind_integer, &rows, fold_item);
}

int64_t floor_sqlite_point_reads(const char *path, int64_t total, int64_t reads, int64_t *result) {
    sqlite3 *database = open_database(path);
    if (!database) return -SQLITE_CANTOPEN;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database, "SELECT name, priority FROM item WHERE id = ?", -1, &statement, NULL);
    int64_t sum = 0, start = now();
    for (int64_t i = 0; i < reads && code == SQLITE_OK; i++) {
        floor_item item;
        floor_make_item((int64_t)(scramble((uint64_t)i) % (uint64_t)total), &item);
        sqlite3_bind_blob(statement, 1, item.id, sizeof item.id, SQLITE_STATIC);
        if (sqlite3_step(statement) == SQLITE_ROW)
            sum += sqlite3_column_bytes(statement, 0) + sqlite3_column_int64(statement, 1);
        else code = SQLITE_NOTFOUND;
        sqlite3_reset(statement);
    }
    int64_t elapsed = now() - start;
    *result = sum;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return code == SQLITE_OK ? elapsed : -code;
}

/// Commits single rows until `count` are done or `until` has passed; ids start at `first`.
static int64_t commit_rows(const char *path, int64_t first, int64_t count, int64_t until, int64_t *latencies) {
    sqlite3 *database = open_database(path);
    if (!database) return -SQLITE_CANTOPEN;
    int code = sqlite3_exec(database, schema, NULL, NULL, NULL);
    sqlite3_stmt *statement = NULL;
    if (code == SQLITE_OK) code = sqlite3_prepare_v2(database, insertion, -1, &statement, NULL);
    int64_t done = 0;
    while (done < count && code == SQLITE_OK && (until == 0 || now() < until)) {
        floor_item item;
        floor_make_item(first + done, &item);
        int64_t start = now();
        code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        if (code == SQLITE_OK) code = insert(statement, &item);
        if (code == SQLITE_OK) code = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
        if (latencies) latencies[done] = now() - start;
        done++;
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return code == SQLITE_OK ? done : -code;
}

int64_t floor_sqlite_commits(const char *path, int64_t count, int64_t *latencies) {
    return commit_rows(path, 0, count, 0, latencies);
}

int64_t floor_sqlite_writers(const char *path, int processes, int milliseconds) {
    sqlite3 *database = open_database(path);
    if (!database) return -SQLITE_CANTOPEN;
    int code = sqlite3_exec(database, schema, NULL, NULL, NULL);
    sqlite3_close(database);
    if (code != SQLITE_OK) return -code;

    int64_t *counts = mmap(
        NULL, sizeof *counts * (size_t)processes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED) return -SQLITE_NOMEM;
    pid_t *writers = calloc((size_t)processes, sizeof *writers);
    if (!writers) {
        munmap(counts, sizeof *counts * (size_t)processes);
        return -SQLITE_NOMEM;
    }
    int64_t until = now() + (int64_t)milliseconds * 1000000;
    for (int i = 0; i < processes; i++) {
        writers[i] = fork();
        if (writers[i] == 0) {
            counts[i] = commit_rows(path, (int64_t)i * 100000, 100000, until, NULL);
            _exit(0);
        }
    }
    // These alone: the caller has other children, which don't end.
    for (int i = 0; i < processes; i++) {
        if (writers[i] > 0) waitpid(writers[i], NULL, 0);
    }
    free(writers);
    int64_t total = 0;
    for (int i = 0; i < processes; i++) {
        if (counts[i] < 0) {
            total = counts[i];
            break;
        }
        total += counts[i];
    }
    munmap(counts, sizeof *counts * (size_t)processes);
    return total;
}

/* run - the runner of tests by example. Uses nothing but interp/arr.h.
 *
 *   x = [1, 2]; x + 1      #=> [2 3]               what the statement prints, and its value
 *                          #=> ...                 further lines of it, directly below
 *   [1, 2] + [1, 2, 3]     #! shape: cannot add    the kind of the error, part of its text
 *
 * Statements are fed line by line as at a prompt. Units are files: tests by example (.arr), golden
 * dumps (.arr with siblings named after a stage), arr blocks of a .md, and `help`, the examples of
 * every builtin. Each unit runs in a process of its own, so that a crash is one failure.
 *
 * The first lines of a file may direct: "#: device cuda", "#: switches fuse=0", "#: threads 1",
 * "#: float f32", "#: script" (run as a file, all expectations are its output), "#: slow" (not
 * under sanitizers), "#: dir examples" (working directory). `tmp` names an empty directory.
 *
 * Last line: "N passed, N failed, N skipped". */
#include "tests/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1, TIME_MAX = 540 };
#else
enum { SANITIZED = 0, TIME_MAX = 240 };
#endif

typedef struct Job {
    const char *path; /* NULL: slot is free */
    pid_t pid;
    int fd;
    Text out;
} Job;

typedef struct Totals {
    int passed, failed, skipped;
} Totals;

/* ---- one unit in its process ----------------------------------------------------------------- */

static void run_unit(const RunOptions *o, const char *path, int fd) {
    RunOptions own = *o;
    Unit u = {.o = &own, .path = path, .out = fdopen(fd, "w"), .sanitized = SANITIZED};
    /* Dumps and the README's prompt name the device: their golden text is that of the CPU. */
    if (is_suffix(path, ".md") || strstr(path, "/dump/")) own.device = "cpu";
    signal(SIGALRM, SIG_DFL);
    alarm(TIME_MAX);
    setvbuf(u.out, NULL, _IOLBF, 0);
    if (strcmp(path, "help") == 0)
        help_run(&u);
    else if (is_suffix(path, ".md"))
        markdown_run(&u);
    else if (strstr(path, "/dump/"))
        dump_run(&u);
    else
        example_run(&u);
    fprintf(u.out, "\001count %d %d %d\n", u.passed, u.failed, u.skipped);
    fclose(u.out);
}

static bool start(const RunOptions *o, Job *job, const char *path) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) return false;
    if (pid == 0) {
        close(ends[0]);
        run_unit(o, path, ends[1]);
        exit(0);
    }
    close(ends[1]);
    *job = (Job){.path = path, .pid = pid, .fd = ends[0]};
    return true;
}

/* The child's text but for its marks; its counts. Marks are lines that begin with \001. */
static void finish(Job *job, Totals *t) {
    int status, p = 0, f = 0, s = 0;
    bool counted = false;
    char at[512] = "";
    waitpid(job->pid, &status, 0);
    close(job->fd);
    char *line = job->out.text;
    while (line && *line) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        if (*line != '\001')
            puts(line);
        else if (sscanf(line, "\001count %d %d %d", &p, &f, &s) == 3)
            counted = true;
        else
            snprintf(at, sizeof at, "%s", line + 4);
        line = end ? end + 1 : NULL;
    }
    if (!counted || status != 0) {
        f++;
        printf("%s: ended by %s %d%s\n", *at ? at : job->path,
               WIFSIGNALED(status) ? "signal" : "exit status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
               WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? " (too slow)" : "");
    }
    fflush(stdout);
    t->passed += p;
    t->failed += f;
    t->skipped += s;
    free(job->out.text);
    *job = (Job){0};
}

static void drain(Job *job, Totals *t) {
    char buf[1 << 14];
    ssize_t n = read(job->fd, buf, sizeof buf);
    if (n > 0)
        text_add(&job->out, buf, (size_t)n);
    else if (n == 0 || errno != EINTR)
        finish(job, t);
}

/* ---- all units ------------------------------------------------------------------------------- */

enum { JOBS_MAX = 64 };

static void run_all(const RunOptions *o, const Paths *units, Totals *t) {
    Job jobs[JOBS_MAX] = {0};
    struct pollfd fds[JOBS_MAX];
    size_t next = 0;
    for (;;) {
        int running = 0;
        for (int i = 0; i < o->jobs; i++) {
            if (!jobs[i].path && next < units->n && !start(o, &jobs[i], units->item[next++])) {
                printf("%s: cannot start: %s\n", units->item[next - 1], strerror(errno));
                t->failed++;
            }
            fds[i] = (struct pollfd){jobs[i].path ? jobs[i].fd : -1, POLLIN, 0};
            running += jobs[i].path != NULL;
        }
        if (!running) return;
        if (poll(fds, (nfds_t)o->jobs, -1) < 0) continue;
        for (int i = 0; i < o->jobs; i++)
            if (jobs[i].path && fds[i].revents) drain(&jobs[i], t);
    }
}

static int usage(void) {
    fputs("usage: run [--update] [--device cpu|cuda] [--switches TEXT] [--only PART] [--jobs N] "
          "[--tmp DIR] [paths...]\n",
          stderr);
    return 2;
}

/* 0: an option and its value were taken. */
static int take_option(RunOptions *o, const char *name, const char *value) {
    if (strcmp(name, "--device") == 0)
        o->device = value;
    else if (strcmp(name, "--switches") == 0)
        o->switches = value;
    else if (strcmp(name, "--only") == 0)
        o->only = value;
    else if (strcmp(name, "--tmp") == 0)
        o->tmp = value;
    else if (strcmp(name, "--jobs") == 0)
        o->jobs = atoi(value);
    else
        return 1;
    return o->jobs < 1 || o->jobs > JOBS_MAX;
}

int main(int argc, char **argv) {
    static const char *const all[] = {"tests", "README.md", "help"};
    RunOptions o = {.device = "cpu", .tmp = "build/tests/tmp", .jobs = 2};
    Paths units = {0};
    Totals t = {0};
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--update") == 0)
            o.update = true;
        else if (i + 1 == argc || take_option(&o, argv[i], argv[i + 1]) != 0)
            return usage();
        else
            i++;
    }
    if (i == argc)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) paths_find(&units, all[k], o.only);
    for (; i < argc; i++) paths_find(&units, argv[i], o.only);
    make_dirs(o.tmp);
    char *tmp = realpath(o.tmp, NULL); /* tests may change their directory */
    if (tmp) o.tmp = tmp;
    run_all(&o, &units, &t);
    paths_free(&units);
    free(tmp);
    printf("%d passed, %d failed, %d skipped\n", t.passed, t.failed, t.skipped);
    return t.failed != 0;
}

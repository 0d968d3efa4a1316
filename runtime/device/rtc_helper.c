/* rtc_helper - the compile process: how it is found and started, what is said over its socket.
 *
 * Callers: cuda_rtc.c (rtc_run), main.c (rtc_helper_main). One job at a time:
 *
 *     helper: Hello, its process         once, when it is ready
 *     host:   Request, text, name, path  (without NULs)
 *     helper: Reply, image, log
 *
 * A host that has lost patience closes the socket; the helper then ends after the compile in hand.
 * Invariant: nothing that happens to the helper harms the host; a helper that died or stands still
 * is started again once for the same job. */
#include "runtime/device/rtc_helper.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Both sides are the same build; the number guards against an `arr` of another version. */
#define RTC_HELLO "arr-rtc 2\n"
enum {
    RTC_HELLO_LEN = sizeof RTC_HELLO - 1,
    RTC_PATIENCE_MS = 5000,
    RTC_POLL_MS = 5,
    /* a compile uses a processor all the time; 1 % of one is none */
    RTC_STALL_MS = 10000,
    RTC_STALL_SHARE = 100
};

typedef struct Hello {
    char text[RTC_HELLO_LEN];
    int32_t pid;
} Hello;

typedef struct Request {
    uint32_t sm, ntext, nname, npath;
} Request;

typedef struct Reply {
    uint32_t outcome, nimage, nlog;
} Reply;

/* ---- starting ---- */

enum { SPAWN_STACK = 32 << 10 };

typedef struct Spawn {
    const char *program;
    int fd;             /* becomes the helper's standard input */
    char *stack;        /* of the helper until it runs its own program */
    _Atomic int failed; /* errno of exec */
} Spawn;

extern char **environ; /* handed on unread: the loader's path may be needed */

/* In the helper, before exec, on memory shared with the host: system calls only. A session of its
 * own keeps the terminal's Ctrl-C away. */
static int spawn_helper(void *arg) {
    Spawn *s = arg;
    static const char flag[] = "--rtc-helper";
    char *const argv[] = {(char *)s->program, (char *)flag, NULL};
    sigset_t none;
    setsid();
    int null = open("/dev/null", O_RDWR);
    if (s->fd == 0)
        fcntl(0, F_SETFD, 0);
    else
        dup2(s->fd, 0);
    if (null >= 0) {
        dup2(null, 1);
        dup2(null, 2);
        if (null > 2) close(null);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(s->program, argv, environ);
    s->failed = errno;
    _exit(127);
}

/* A process between, which is gone at once: the helper then belongs to init, and its end is no
 * SIGCHLD for the host. */
static int spawn_between(void *arg) {
    Spawn *s = arg;
    if (clone(spawn_helper, s->stack + SPAWN_STACK, CLONE_VM | CLONE_VFORK, s) < 0)
        s->failed = errno;
    _exit(0);
}

/* vfork twice, by hand: fork would copy a host's page tables, posix_spawn would raise SIGCHLD.
 * No exit signal, so the process between is waited for by __WCLONE and raises none either. */
static bool spawn(Cx *cx, const char *program, int fd) {
    char *stacks = mem_alloc(&cx->mem, 2 * SPAWN_STACK);
    if (!stacks) return false;
    Spawn s = {program, fd, stacks + SPAWN_STACK, 0};
    sigset_t all, old;
    int status;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pid_t pid = clone(spawn_between, stacks + SPAWN_STACK, CLONE_VM | CLONE_VFORK, &s);
    if (pid > 0)
        while (waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    mem_free(&cx->mem, stacks, 2 * SPAWN_STACK);
    return pid > 0 && s.failed == 0;
}

/* ---- finding the program ---- */

static bool is_program(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* `arr` in the folder of file, or in the neighbouring places of a build and an installation. */
static bool beside(const char *file, char out[PATH_MAX]) {
    static const char *const places[] = {"arr", "../arr", "../../arr", "../bin/arr",
                                         "../../bin/arr"};
    const char *slash = strrchr(file, '/');
    if (!slash) return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int n = snprintf(out, PATH_MAX, "%.*s/%s", (int)(slash - file), file, places[i]);
        if (n > 0 && n < PATH_MAX && is_program(out)) return true;
    }
    return false;
}

static bool find_program(char out[PATH_MAX]) {
    char self[PATH_MAX], lib[PATH_MAX];
    Dl_info info;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = 0;
        const char *slash = strrchr(self, '/');
        if (slash && strcmp(slash, "/arr") == 0 && is_program(self)) {
            memcpy(out, self, (size_t)n + 1);
            return true;
        }
        if (beside(self, out)) return true;
    }
    void *address;
    int (*here)(void) = rtc_helper_main;
    memcpy(&address, &here, sizeof address);
    return dladdr(address, &info) && info.dli_fname && realpath(info.dli_fname, lib) &&
           beside(lib, out);
}

/* ---- talking ---- */

typedef enum Talk { TALK_OK, TALK_DEAD, TALK_STILL, TALK_INTERRUPTED } Talk;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Processor time of the helper in clock ticks; -1 where the system does not say. */
static int64_t processor_ticks(const Rtc *r) {
    enum { USER = 12, SYSTEM = 13 }; /* fields behind the program's name */
    char path[48], text[512];
    int64_t ticks = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)r->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) close(fd);
    if (n <= 0) return -1;
    text[n] = 0;
    const char *at = strrchr(text, ')'); /* the name may hold anything */
    for (int field = 1; at && field <= SYSTEM; field++) {
        at = strchr(at + 1, ' ');
        if (at && (field == USER || field == SYSTEM)) ticks += strtol(at, NULL, 10);
    }
    return at ? ticks : -1;
}

static void watch(Rtc *r) {
    r->since = now_ms();
    r->ticks = processor_ticks(r);
}

static bool stands_still(Rtc *r) {
    int64_t waited = now_ms() - r->since, ticks = r->ticks;
    if (waited < r->stall_ms) return false;
    watch(r);
    int64_t least = waited * sysconf(_SC_CLK_TCK) / 1000 / RTC_STALL_SHARE;
    return ticks >= 0 && r->ticks >= 0 && r->ticks - ticks <= least;
}

static void hang_up(Rtc *r) {
    if (r->fd >= 0) close(r->fd);
    r->fd = -1;
}

/* As long as its end of the socket is open the number is the helper's own. */
static void end_helper(Rtc *r) {
    struct pollfd p = {r->fd, POLLIN, 0};
    if (r->pid > 1 && poll(&p, 1, 0) == 0) kill(r->pid, SIGKILL);
    hang_up(r);
}

/* Wait until the socket is ready for events, seeing interrupts; patience < 0: as long as the helper
 * works. */
static Talk wait_ready(Rtc *r, short events, int patience) {
    for (int waited = 0;; waited += RTC_POLL_MS) {
        struct pollfd p = {r->fd, events, 0};
        int n = poll(&p, 1, RTC_POLL_MS);
        if (n > 0) return TALK_OK; /* also at the end: the read says so */
        if (n < 0 && errno != EINTR) return TALK_DEAD;
        if (cx_stopped(r->cx)) return TALK_INTERRUPTED;
        if (patience >= 0 && waited > patience) return TALK_DEAD;
        if (patience < 0 && stands_still(r)) {
            end_helper(r);
            return TALK_STILL;
        }
    }
}

static Talk send_all(Rtc *r, const void *data, size_t n) {
    const char *p = data;
    while (n > 0) {
        ssize_t w = send(r->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (w > 0) {
            p += w;
            n -= (size_t)w;
        } else if (w < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            Talk t = wait_ready(r, POLLOUT, -1);
            if (t != TALK_OK) return t;
        } else if (errno != EINTR) {
            return TALK_DEAD;
        }
    }
    return TALK_OK;
}

static Talk receive_all(Rtc *r, void *data, size_t n, int patience) {
    char *p = data;
    while (n > 0) {
        Talk t = wait_ready(r, POLLIN, patience);
        if (t != TALK_OK) return t;
        ssize_t got = recv(r->fd, p, n, 0);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return TALK_DEAD;
        if (got > 0) {
            p += got;
            n -= (size_t)got;
        }
    }
    return TALK_OK;
}

static Talk start_helper(Rtc *r) {
    char program[PATH_MAX];
    Hello hello;
    int pair[2];
    if (r->fd >= 0) return TALK_OK;
    if (!find_program(program)) return TALK_DEAD;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return TALK_DEAD;
    bool started = spawn(r->cx, program, pair[1]);
    close(pair[1]);
    r->fd = pair[0];
    r->owner = getpid();
    r->pid = 0;
    Talk t = started ? receive_all(r, &hello, sizeof hello, RTC_PATIENCE_MS) : TALK_DEAD;
    if (t == TALK_OK && memcmp(hello.text, RTC_HELLO, RTC_HELLO_LEN) != 0) t = TALK_DEAD;
    if (t == TALK_OK) r->pid = hello.pid;
    if (t != TALK_OK) hang_up(r);
    return t;
}

static Talk send_job(Rtc *r, const RtcJob *job) {
    Request q = {(uint32_t)job->sm, (uint32_t)strlen(job->text), (uint32_t)strlen(job->name),
                 (uint32_t)strlen(job->cuda_path)};
    watch(r);
    Talk t = send_all(r, &q, sizeof q);
    if (t == TALK_OK) t = send_all(r, job->text, q.ntext);
    if (t == TALK_OK) t = send_all(r, job->name, q.nname);
    if (t == TALK_OK) t = send_all(r, job->cuda_path, q.npath);
    return t;
}

static Talk receive_result(Rtc *r, RtcResult *out) {
    Mem *mem = &r->cx->mem;
    Reply a;
    Talk t = receive_all(r, &a, sizeof a, -1);
    if (t != TALK_OK) return t;
    if (a.outcome > RTC_FAILED || a.nlog >= sizeof out->log) return TALK_DEAD;
    out->outcome = (RtcOutcome)a.outcome;
    if (a.nimage) {
        out->image = mem_alloc(mem, a.nimage);
        if (!out->image) return TALK_DEAD;
        out->nimage = a.nimage;
        t = receive_all(r, out->image, a.nimage, -1);
    }
    if (t == TALK_OK) t = receive_all(r, out->log, a.nlog, -1);
    if (t != TALK_OK) {
        mem_free(mem, out->image, out->nimage);
        out->image = NULL;
    }
    r->served |= t == TALK_OK;
    return t;
}

static Talk ask_helper(Rtc *r, const RtcJob *job, RtcResult *out) {
    Talk t = TALK_DEAD;
    for (int attempt = 0; attempt < 2 && (t == TALK_DEAD || t == TALK_STILL); attempt++) {
        memset(out, 0, sizeof *out);
        t = start_helper(r);
        if (t == TALK_DEAD) return t; /* cannot be had at all */
        if (t == TALK_OK) t = send_job(r, job);
        if (t == TALK_OK) t = receive_result(r, out);
        if (t != TALK_OK) hang_up(r);
    }
    if (t == TALK_OK || t == TALK_INTERRUPTED) return t;
    if (t == TALK_STILL && !r->served) return TALK_DEAD; /* it is not the job: no helper works */
    /* twice for this job: in this process it would take the host along */
    memset(out, 0, sizeof *out);
    out->outcome = RTC_FAILED;
    snprintf(out->log, sizeof out->log, "the compiler %s on it",
             t == TALK_DEAD ? "died" : "stood still");
    return TALK_OK;
}

/* ---- several at once ---- */

enum { RTC_MANY = 16 };

typedef struct Team {
    Rtc *const *r;
    int n, busy;
    int job[RTC_MANY];   /* in hand, -1: none */
    bool gone[RTC_MANY]; /* cannot be had */
} Team;

static void hand_out(Team *t, const RtcJob *jobs, int n, int *next) {
    for (int h = 0; h < t->n && *next < n; h++) {
        if (t->job[h] >= 0 || t->gone[h]) continue;
        if (start_helper(t->r[h]) == TALK_OK && send_job(t->r[h], &jobs[*next]) == TALK_OK) {
            t->job[h] = (*next)++;
            t->busy++;
        } else {
            hang_up(t->r[h]);
            t->gone[h] = true;
        }
    }
}

/* Wait a little, and take what has been done. */
static void take_in(Team *t, RtcResult *out) {
    struct pollfd p[RTC_MANY];
    for (int h = 0; h < t->n; h++)
        p[h] = (struct pollfd){t->job[h] >= 0 ? t->r[h]->fd : -1, POLLIN, 0};
    if (poll(p, (nfds_t)t->n, RTC_POLL_MS) < 0) return;
    for (int h = 0; h < t->n; h++) {
        if (t->job[h] < 0) continue;
        if (!p[h].revents && !stands_still(t->r[h])) continue;
        if (!p[h].revents) end_helper(t->r[h]);
        RtcResult *x = &out[t->job[h]];
        if (t->r[h]->fd < 0 || receive_result(t->r[h], x) != TALK_OK) {
            hang_up(t->r[h]);
            memset(x, 0, sizeof *x);
            x->outcome = RTC_FAILED;
            t->gone[h] = true;
        }
        t->job[h] = -1;
        t->busy--;
    }
}

static Status give_up(Team *t, RtcResult *out, int n) {
    Cx *cx = t->r[0]->cx;
    for (int h = 0; h < t->n; h++)
        if (t->job[h] >= 0) hang_up(t->r[h]);
    for (int i = 0; i < n; i++) {
        mem_free(&cx->mem, out[i].image, out[i].nimage);
        out[i].image = NULL;
    }
    return error_interrupted(cx);
}

Status rtc_run_many(Rtc *const *r, int nr, const RtcJob *jobs, int n, RtcResult *out) {
    Team t = {.r = r, .n = nr < RTC_MANY ? nr : RTC_MANY};
    Cx *cx = r[0]->cx;
    int next = 0;
    for (int i = 0; i < n; i++) {
        memset(&out[i], 0, sizeof out[i]);
        out[i].outcome = RTC_FAILED;
    }
    if (cx->opts.inprocess || r[0]->noticed) return ARR_OK;
    for (int h = 0; h < t.n; h++) {
        t.job[h] = -1;
        if (r[h]->fd >= 0 && r[h]->owner != getpid()) hang_up(r[h]);
    }
    for (hand_out(&t, jobs, n, &next); t.busy > 0; hand_out(&t, jobs, n, &next)) {
        take_in(&t, out);
        if (cx_stopped(cx)) return give_up(&t, out, n);
    }
    return ARR_OK;
}

/* ---- in this process ---- */

typedef struct Here {
    Mem *mem;
    const RtcJob *job;
    RtcResult *out;
} Here;

static void *run_here(void *p) {
    Here *h = p;
    rtc_compile_here(h->mem, h->job, h->out);
    return NULL;
}

/* NVRTC needs stack that a host's thread may not have: 250 nested parentheses crash 256 KiB. */
static void compile_in_process(Rtc *r, const RtcJob *job, RtcResult *out) {
    Here h = {&r->cx->mem, job, out};
    pthread_t thread;
    pthread_attr_t attr;
    sigset_t all, old;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)16 << 20);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failed = pthread_create(&thread, &attr, run_here, &h);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    if (failed) {
        memset(out, 0, sizeof *out);
        out->outcome = RTC_FAILED;
        snprintf(out->log, sizeof out->log, "no thread could be started");
        return;
    }
    pthread_join(thread, NULL);
}

/* ---- the caller's side ---- */

void rtc_init(Rtc *r, Cx *cx) {
    r->cx = cx;
    r->fd = -1;
    r->owner = 0;
    r->noticed = r->served = false;
    r->stall_ms = RTC_STALL_MS;
}

void rtc_close(Rtc *r) {
    if (r->cx) hang_up(r);
}

Status rtc_run(Rtc *r, const RtcJob *job, RtcResult *out) {
    Cx *cx = r->cx;
    memset(out, 0, sizeof *out);
    if (r->fd >= 0 && r->owner != getpid()) hang_up(r); /* after a fork: the parent's */
    if (!cx->opts.inprocess && !r->noticed) {
        Talk t = ask_helper(r, job, out);
        if (t == TALK_INTERRUPTED) return error_interrupted(cx);
        if (t == TALK_OK) return ARR_OK;
        r->noticed = true;
        notice_send(cx, "the kernel compiler's helper (arr --rtc-helper) could not be started or "
                        "does not work: compiling in this process, where Ctrl-C during a compile "
                        "is not safe");
    }
    compile_in_process(r, job, out);
    return ARR_OK;
}

/* ---- the helper's side ---- */

static bool read_full(void *data, size_t n) {
    char *p = data;
    while (n > 0) {
        ssize_t r = read(0, p, n);
        if (r == 0 || (r < 0 && errno != EINTR)) return false;
        if (r > 0) {
            p += r;
            n -= (size_t)r;
        }
    }
    return true;
}

static bool write_full(const void *data, size_t n) {
    const char *p = data;
    while (n > 0) {
        ssize_t w = send(0, p, n, MSG_NOSIGNAL);
        if (w < 0 && errno != EINTR) return false;
        if (w > 0) {
            p += w;
            n -= (size_t)w;
        }
    }
    return true;
}

static bool reply(const RtcResult *r) {
    Reply a = {(uint32_t)r->outcome, (uint32_t)r->nimage, (uint32_t)strlen(r->log)};
    return write_full(&a, sizeof a) && (a.nimage == 0 || write_full(r->image, a.nimage)) &&
           write_full(r->log, a.nlog);
}

static bool serve_one(Mem *mem) {
    Request q;
    if (!read_full(&q, sizeof q)) return false;
    size_t n = (size_t)q.ntext + q.nname + q.npath + 3;
    char *all = mem_alloc(mem, n);
    if (!all) return false;
    char *text = all, *name = text + q.ntext + 1, *path = name + q.nname + 1;
    bool ok = read_full(text, q.ntext) && read_full(name, q.nname) && read_full(path, q.npath);
    text[q.ntext] = name[q.nname] = path[q.npath] = 0;
    if (ok) {
        RtcJob job = {text, name, (int)q.sm, path};
        RtcResult r;
        rtc_compile_here(mem, &job, &r);
        ok = reply(&r);
        mem_free(mem, r.image, r.nimage);
    }
    mem_free(mem, all, n);
    return ok;
}

int rtc_helper_main(void) {
    Mem mem;
    mem_init(&mem, NULL, NULL);
    Hello hello = {.pid = (int32_t)getpid()};
    memcpy(hello.text, RTC_HELLO, RTC_HELLO_LEN);
    if (!write_full(&hello, sizeof hello)) return 1; /* started by hand, not by a host */
    while (serve_one(&mem)) continue;
    return 0;
}

/* Unit tests of the compile helper: it compiles; one that stands still is ended and another takes
 * over; one that works is given its time. Skipped where NVRTC is not to be had. */
#include "runtime/base/buf.h"
#include "runtime/device/rtc_helper.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int passed, failed;
static void check(bool ok, const char *what, int line) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("tests/unit/rtc.c:%d: %s\n", line, what);
    }
}
#define CHECK(e) check(e, #e, __LINE__)

static Cx cx;
static int notices;
static void count_notice(void *user, const char *text) { (void)user, (void)text, notices++; }

static RtcOutcome run(Rtc *r, const char *text) {
    RtcJob job = {text, "test", 75, cx.opts.cuda_path};
    RtcResult out;
    if (rtc_run(r, &job, &out) != ARR_OK) return RTC_FAILED;
    mem_free(&cx.mem, out.image, out.nimage);
    return out.outcome;
}

static const char small[] = "extern \"C\" __global__ void k(float *p) { p[threadIdx.x] = 1; }";

/* Gone, or about to be: nobody waits for it here. */
static bool ended(pid_t pid) {
    for (int i = 0; i < 500 && kill(pid, 0) == 0; i++) {
        char path[48], text[256] = "";
        snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
        FILE *f = fopen(path, "r");
        if (f) {
            size_t n = fread(text, 1, sizeof text - 1, f);
            text[n] = 0;
            fclose(f);
        }
        if (!f || strstr(text, ") Z ")) return true;
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return kill(pid, 0) != 0;
}

static void test_still(void) {
    Rtc r;
    rtc_init(&r, &cx);
    CHECK(run(&r, small) == RTC_DONE && r.served && r.pid > 1);
    CHECK(run(&r, "no kernel") == RTC_REJECTED);
    pid_t first = r.pid;
    r.stall_ms = 300;
    kill(first, SIGSTOP);
    CHECK(run(&r, small) == RTC_DONE);
    CHECK(r.pid != first && ended(first));
    CHECK(notices == 0);
    rtc_close(&r);
}

static void test_many_still(void) {
    Rtc a, b, *team[] = {&a, &b};
    RtcJob job[4];
    RtcResult out[4];
    int done = 0;
    for (int i = 0; i < 2; i++) {
        rtc_init(team[i], &cx);
        CHECK(run(team[i], small) == RTC_DONE);
    }
    a.stall_ms = 300;
    kill(a.pid, SIGSTOP);
    for (int i = 0; i < 4; i++) job[i] = (RtcJob){small, "test", 75, cx.opts.cuda_path};
    CHECK(rtc_run_many(team, 2, job, 4, out) == ARR_OK);
    for (int i = 0; i < 4; i++) {
        done += out[i].outcome == RTC_DONE;
        mem_free(&cx.mem, out[i].image, out[i].nimage);
    }
    CHECK(done == 3);
    CHECK(run(&a, small) == RTC_DONE);
    rtc_close(&a);
    rtc_close(&b);
}

/* Some seconds of compiling, looked at in between. */
static void test_busy(void) {
    enum { LINES = 200 };
    Rtc r;
    Buf text;
    buf_init(&text, &cx);
    buf_str(&text, "extern \"C\" __global__ void k(float *p) { float x = p[0], y = p[1];\n");
    for (int i = 0; i < LINES; i++)
        buf_printf(&text, "x = x * y + sqrtf(y) * %d.5f; y = y - x * %d.25f;\n", i + 1, i + 2);
    buf_str(&text, "p[0] = x + y; }");
    rtc_init(&r, &cx);
    CHECK(run(&r, small) == RTC_DONE);
    pid_t first = r.pid;
    r.stall_ms = 500;
    CHECK(run(&r, text.data) == RTC_DONE && r.pid == first);
    rtc_close(&r);
    buf_free(&text);
}

int main(void) {
    Rtc r;
    mem_init(&cx.mem, NULL, NULL);
    opts_init(&cx.opts);
    cx.notice = count_notice;
    rtc_init(&r, &cx);
    RtcOutcome first = run(&r, small);
    rtc_close(&r);
    if (first == RTC_NO_LIBRARY) {
        printf("0 passed, 0 failed, 1 skipped\n");
        return 0;
    }
    test_still();
    test_many_still();
    test_busy();
    CHECK(atomic_load(&cx.mem.live) == 0);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

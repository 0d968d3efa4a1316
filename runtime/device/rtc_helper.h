/* rtc_helper - kernels are compiled in a small process of their own.
 *
 * While NVRTC compiles it takes SIGINT and SIGTERM, and a signal then may exit the process or
 * deadlock it. So the compiler is kept out of the host: the program `arr`, started as
 * `arr --rtc-helper` with one socket as its standard input, compiles what it is sent and lives as
 * long as the socket. It is looked for at the running program, beside it, and beside the library;
 * where it is not found, or the switch `inprocess` says so, the compiler runs in this process, on
 * a thread with enough stack, with one notice. The same where it stands still, as it does when
 * a tool that watches processes holds it: a compiler that has a job and uses no processor is ended.
 *
 * Callers: cuda_rtc.c (Rtc), main.c (rtc_helper_main). Sockets, not pipes, so that a helper that
 * died raises no SIGPIPE; the helper is no child of the host's, so that it raises no SIGCHLD. */
#ifndef ARR_RTC_HELPER_H
#define ARR_RTC_HELPER_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What to compile, and for what. */
typedef struct RtcJob {
    const char *text, *name; /* NUL-terminated; name is that of the file in the log */
    int sm;                  /* compute capability, 90 for 9.0 */
    const char *cuda_path;   /* where to look for NVRTC first; may be "" */
} RtcJob;

typedef enum RtcOutcome {
    RTC_DONE,       /* image holds the code */
    RTC_REJECTED,   /* the text does not compile: log says why */
    RTC_NO_LIBRARY, /* NVRTC cannot be opened: log says why */
    RTC_FAILED      /* out of memory or worse */
} RtcOutcome;

typedef struct RtcResult {
    RtcOutcome outcome;
    void *image; /* from mem; NULL unless RTC_DONE */
    size_t nimage;
    char log[4096]; /* its beginning */
} RtcResult;

typedef struct Rtc {
    Cx *cx;
    int fd;       /* socket to the helper; -1: not started */
    pid_t owner;  /* the process that started it: a forked child must not use it */
    bool noticed; /* in-process notice was sent */
    bool served;  /* some job came to its end */
    /* is it alive? */
    pid_t pid;
    int stall_ms;         /* without work for so long: it stands still */
    int64_t since, ticks; /* when it was last seen working; processor time by then */
} Rtc;

void rtc_init(Rtc *r, Cx *cx);
void rtc_close(Rtc *r);
/* ARR_OK with *out filled (whatever the outcome), ARR_ERR_INTERRUPT when an interrupt came first.
 * out->image belongs to the caller (mem_free with nimage). */
Status rtc_run(Rtc *r, const RtcJob *job, RtcResult *out);

/* n jobs on nr helpers side by side. What did not come to an end has the outcome RTC_FAILED, and
 * may be run alone. Only an interrupt is an error; then nothing is handed out. */
Status rtc_run_many(Rtc *const *r, int nr, const RtcJob *jobs, int n, RtcResult *out);

/* The helper's whole life: serves the socket at fd 0 until it closes. The process exit status. */
int rtc_helper_main(void);

/* Compile in this process and thread (NVRTC stays open until the process ends). */
void rtc_compile_here(Mem *mem, const RtcJob *job, RtcResult *out);

#endif

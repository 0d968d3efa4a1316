/* prompt - the prompt on a terminal: types at build/arr through a pseudo-terminal and reads what it
 * shows. Usage: prompt PATH-TO-ARR. Last line: "N passed, N failed, N skipped". */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000 };

static int passed, failed;
static int terminal = -1;
static pid_t child;
static char seen[1 << 16];
static size_t nseen;

static void check(bool ok, const char *what) {
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("prompt: %s\n  seen: %s\n", what, seen);
    }
}

static void begin(const char *arr, const char *history) {
    child = forkpty(&terminal, NULL, NULL, &(struct winsize){24, 80, 0, 0});
    if (child != 0) return;
    setenv("TERM", "dumb", 1);
    setenv("ARR_HISTORY", history, 1);
    setenv("ARR_DEVICE", "cpu", 1);
    setenv("ARR_CACHE_DIR", "", 1);
    execl(arr, "arr", (char *)NULL);
    _exit(127);
}

/* Wait until the text has been shown; everything before its end is dropped. */
static bool expect(const char *text) {
    for (int waited = 0; waited < PATIENCE_MS;) {
        seen[nseen] = '\0';
        char *at = strstr(seen, text);
        if (at) {
            at += strlen(text);
            nseen = (size_t)(seen + nseen - at);
            memmove(seen, at, nseen);
            return true;
        }
        struct pollfd p = {terminal, POLLIN, 0};
        if (poll(&p, 1, 50) <= 0) {
            waited += 50;
            continue;
        }
        ssize_t n = read(terminal, seen + nseen, sizeof seen - 1 - nseen);
        if (n <= 0) return false;
        nseen += (size_t)n;
    }
    return false;
}

static void type(const char *keys) {
    if (write(terminal, keys, strlen(keys)) < 0) failed++;
}

/* Keys, what they make appear, and the prompt that follows it. */
static void dialogue(const char *keys, const char *shown, const char *prompt) {
    char what[256];
    type(keys);
    snprintf(what, sizeof what, "'%s' shows '%s', then '%s'", keys, shown, prompt);
    check(expect(shown) && expect(prompt), what);
}

static int end(void) {
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    nseen = 0;
    return status;
}

static const char main_prompt[] = "\n>>> ", more[] = "\n... ";

static void test_dialogue(const char *arr, const char *history) {
    begin(arr, history);
    check(expect(main_prompt), "the prompt shows");
    dialogue("1 + 2\r", "\n3\r", main_prompt);
    dialogue("[1, 2] * 2\r", "\n[2 4]\r\ni64[2]\r", main_prompt);
    dialogue("x = [1,\r", "", more);
    dialogue("2]\r", "", main_prompt);
    dialogue("x;\r", "", main_prompt);
    dialogue("fn f(a) {\r", "", more);
    dialogue("\x03", "^C\r", main_prompt);
    dialogue("12 + \x03", "^C\r", main_prompt);
    dialogue("x + [1, 2, 3]\r", "error: cannot add", main_prompt);
    dialogue("tile([1, 2], 10 ** 12)\r", "prompt:1:1", main_prompt);
    dialogue("x\r", "i64[2]", main_prompt);
    dialogue("|> sum\r", "\n3\r", main_prompt);
    dialogue("f\"{1:=3}\"\r", "\n  1\r", main_prompt);
    dialogue("linsp\t(0, 1, 3)\r", "\n[0.  0.5 1. ]", main_prompt);
    dialogue(":set fuse=0\r", "", main_prompt);
    dialogue(":set nonsense=0\r", "no switch nonsense", main_prompt);
    dialogue(":set\r", "fuse=...", main_prompt);
    dialogue(":help\r", ":quit", main_prompt);
    dialogue(":help sqrt\r", "sqrt(4)", main_prompt);
    dialogue(":profile\r", "nothing was profiled", main_prompt);
    dialogue(":profile on\r", "", main_prompt);
    dialogue("sum(rand(1000) * 2) > 0\r", "true", main_prompt);
    dialogue(":profile\r", "cpu     gt ", main_prompt);
    dialogue(":profile maybe\r", "write :profile on", main_prompt);
    dialogue(":profile off\r", "", main_prompt);
    dialogue(":wrong\r", "unknown command :wrong", main_prompt);
    dialogue("y = 5\r", "", main_prompt);
    type("while true { y = 6 }\r");
    check(expect("{ y = 6 }\r\n"), "the loop runs");
    usleep(200000);
    dialogue("\x03", "interrupt", main_prompt);
    dialogue("y > 4\r", "\ntrue\r", main_prompt);
    type("\x04");
    check(end() == 0, "Ctrl-D leaves");
}

static void test_history(const char *arr, const char *history) {
    begin(arr, history);
    check(expect(main_prompt), "the prompt shows again");
    /* Ctrl-P: the last line of the session before */
    dialogue("\x10\r", "y > 4", main_prompt);
    dialogue("7 * 6\r", "\n42\r", main_prompt);
    type(":quit\r");
    check(end() == 0, ":quit leaves");
    begin(arr, history);
    check(expect(main_prompt), "the prompt shows a third time");
    type("exit(3)\r");
    int status = end();
    check(WIFEXITED(status) && WEXITSTATUS(status) == 3, "exit(3) leaves with 3");
    begin(arr, history);
    check(expect(main_prompt), "the prompt shows a fourth time");
    kill(child, SIGTERM);
    status = end();
    check(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "SIGTERM ends the prompt");
}

int main(int argc, char **argv) {
    char dir[] = "/tmp/arr-prompt-XXXXXX", history[64];
    if (argc != 2 || !mkdtemp(dir)) return 2;
    snprintf(history, sizeof history, "%s/history", dir);
    test_dialogue(argv[1], history);
    test_history(argv[1], history);
    unlink(history);
    rmdir(dir);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}

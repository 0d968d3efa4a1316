/* A server of telemetry: a pool of threads, each with a state of its own, answers batches of
 * samples with their mean, their 95th percentile and the number of outliers. States share nothing,
 * so the threads need no lock but the queue's.
 *
 *     telemetry [PORT]      on 127.0.0.1; without: serves itself eight batches and ends
 *
 * One request a connection: "NAME SAMPLE SAMPLE ...\n"; the answer is one line.
 * prints: sensor0: 1000 samples, mean 499.50, p95 949.05, 0 outliers
 * prints: sensor7: 1000 samples, mean 515.99, p95 957.05, 1 outliers
 * prints: 8 batches were answered by 4 threads; bad input was told what it is: no samples */
#include <arr.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { THREADS = 4, WAITING = 64, SAMPLES = 1 << 16 };

/* Connections that wait for a thread. */
typedef struct Queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int fd[WAITING], first, n, closed;
} Queue;

static void put(Queue *q, int fd) {
    pthread_mutex_lock(&q->lock);
    if (q->n < WAITING)
        q->fd[(q->first + q->n++) % WAITING] = fd;
    else
        close(fd); /* too busy */
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static int take(Queue *q) {
    int fd = -1;
    pthread_mutex_lock(&q->lock);
    while (q->n == 0 && !q->closed) pthread_cond_wait(&q->filled, &q->lock);
    if (q->n > 0) {
        fd = q->fd[q->first];
        q->first = (q->first + 1) % WAITING;
        q->n--;
    }
    pthread_mutex_unlock(&q->lock);
    return fd;
}

static const char *const program =
    "if len(x) == 0 { error(\"no samples\") }\n"
    "far = abs(x - mean(x)) > 4 * std(x)\n"
    "f\"{len(x)} samples, mean {mean(x):.2f}, p95 {percentile(x, 95):.2f}, {sum(far)} outliers\"\n";

/* One line of text in, one out. */
static void answer(arr_state *A, const arr_value *run, char *line, char *out, size_t size) {
    static _Thread_local double sample[SAMPLES];
    int64_t n = 0;
    char *at = line + strcspn(line, " \n"), *end;
    int name = (int)(at - line);
    for (; n < SAMPLES; n++, at = end) {
        double d = strtod(at, &end);
        if (end == at) break;
        sample[n] = d;
    }
    arr_value *x = NULL, *text = NULL;
    const char *words = "";
    arr_view v = ARR_VIEW_INIT;
    v.data = sample, v.dtype = ARR_F64, v.rank = 1, v.shape = &n;
    arr_status st = arr_value_array_wrap(A, &v, NULL, NULL, &x);
    if (st == ARR_OK) st = arr_run(A, run, 1, (const arr_value *const[]){x}, &text);
    if (st == ARR_OK) st = arr_value_as_string(text, &words, NULL);
    if (st != ARR_OK) words = arr_error_message(A);
    snprintf(out, size, "%.*s: %s\n", name, line, words);
    arr_value_free(text);
    arr_value_free(x);
}

static void serve(arr_state *A, const arr_value *run, int fd) {
    size_t cap = SAMPLES * 24, n = 0;
    char *line = malloc(cap), out[256];
    ssize_t got = 0;
    while (line && n < cap - 1 && (got = read(fd, line + n, cap - 1 - n)) > 0) {
        n += (size_t)got;
        if (memchr(line + n - (size_t)got, '\n', (size_t)got)) break;
    }
    if (line) {
        line[n] = '\0';
        answer(A, run, line, out, sizeof out);
        if (write(fd, out, strlen(out)) < 0) perror("telemetry");
    }
    free(line);
    close(fd);
}

static void *work(void *arg) {
    Queue *q = arg;
    arr_config config = ARR_CONFIG_INIT;
    arr_state *A = NULL;
    arr_value *run = NULL;
    config.threads = 1; /* the pool is the parallelism */
    if (arr_open(&config, &A) == ARR_OK &&
        arr_compile(A, program, "telemetry", (const char *const[]){"x"}, 1, &run) == ARR_OK) {
        for (int fd; (fd = take(q)) >= 0;) serve(A, run, fd);
    } else {
        fputs(arr_error_text(A), stderr);
    }
    arr_value_free(run);
    arr_close(A);
    return NULL;
}

static int listen_on(int port, struct sockaddr_in *at) {
    socklen_t size = sizeof *at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    *at = (struct sockaddr_in){.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (fd < 0 || bind(fd, (struct sockaddr *)at, size) != 0 || listen(fd, WAITING) != 0) return -1;
    return getsockname(fd, (struct sockaddr *)at, &size) == 0 ? fd : -1;
}

/* A client: sends a batch, gets the answer. */
static int ask(const struct sockaddr_in *at, const char *text, char *out, size_t size) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ssize_t n = -1, got = 0;
    if (fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) == 0 &&
        write(fd, text, strlen(text)) == (ssize_t)strlen(text)) {
        for (n = 0; (got = read(fd, out + n, size - 1 - (size_t)n)) > 0;) n += got;
        out[n] = '\0';
    }
    if (fd >= 0) close(fd);
    return n > 0;
}

typedef struct Client {
    const struct sockaddr_in *at;
    int number, ok;
    char answer[256];
} Client;

static void *client(void *arg) {
    Client *c = arg;
    char *text = malloc(1 << 16), *at = text;
    at += sprintf(at, "sensor%d", c->number);
    for (int i = 0; i < 1000; i++)
        at += sprintf(at, " %d", c->number == 7 && i == 500 ? 9999 : i + c->number);
    sprintf(at, "\n");
    c->ok = ask(c->at, text, c->answer, sizeof c->answer);
    free(text);
    return NULL;
}

typedef struct Server {
    Queue queue;
    int fd;
} Server;

static void *accept_all(void *arg) {
    Server *s = arg;
    for (int fd; (fd = accept(s->fd, NULL, NULL)) >= 0;) put(&s->queue, fd);
    return NULL;
}

static int demo(const struct sockaddr_in *at) {
    enum { CLIENTS = 8 };
    pthread_t thread[CLIENTS];
    Client c[CLIENTS];
    char bad[256] = "";
    int answered = 0;
    for (int i = 0; i < CLIENTS; i++) {
        c[i] = (Client){.at = at, .number = i};
        pthread_create(&thread[i], NULL, client, &c[i]);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(thread[i], NULL);
        answered += c[i].ok;
    }
    ask(at, "sensor9\n", bad, sizeof bad);
    printf("%s%s", c[0].answer, c[7].answer);
    printf("%d batches were answered by %d threads; bad input was told what it is%s", answered,
           THREADS, strchr(bad, ':') ? strchr(bad, ':') : bad);
    return answered == CLIENTS;
}

int main(int argc, char **argv) {
    Server s = {.queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER}};
    struct sockaddr_in at;
    pthread_t worker[THREADS], door;
    s.fd = listen_on(argc > 1 ? atoi(argv[1]) : 0, &at);
    if (s.fd < 0) {
        perror("telemetry");
        return 1;
    }
    for (int i = 0; i < THREADS; i++) pthread_create(&worker[i], NULL, work, &s.queue);
    pthread_create(&door, NULL, accept_all, &s);
    int ok = argc > 1 || demo(&at);
    if (argc == 1) shutdown(s.fd, SHUT_RDWR); /* ends accept */
    pthread_join(door, NULL);
    pthread_mutex_lock(&s.queue.lock);
    s.queue.closed = 1;
    pthread_cond_broadcast(&s.queue.filled);
    pthread_mutex_unlock(&s.queue.lock);
    for (int i = 0; i < THREADS; i++) pthread_join(worker[i], NULL);
    close(s.fd);
    return !ok;
}

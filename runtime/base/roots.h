/* roots - the folders that a program's files must lie in, and paths seen from them.
 *
 * A root is opened once; a path is found from its descriptor in one step that cannot leave it
 * (openat2), or, on kernels without that, part by part without following any link. So nothing can
 * be exchanged between looking and opening. Callers: file.c, limits. Failures are -1 with errno;
 * EXDEV: the path is not below a root, or leaves it by `..` or a link. */
#ifndef ARR_ROOTS_H
#define ARR_ROOTS_H

#include "runtime/base/error.h"

typedef struct Roots Roots;

/* walk: never use openat2. ARR_ERR_IO (reported) for one that is no folder. */
Status roots_new(Cx *cx, const char *const *path, size_t n, bool walk, Roots **out);
void roots_free(Mem *m, Roots *r); /* NULL allowed */

/* A descriptor for the path (relative ones: to the working directory), as open(path, flags) gives
 * it for files that are there. r NULL: nothing lies below it. */
int roots_open(const Roots *r, const char *path, int flags);
/* The folder that the path lies in, as a descriptor, and its name there, which is no symbolic link
 * at this moment: where the last part is one, it is followed. */
enum { ROOTS_NAME = 256 };
int roots_folder(const Roots *r, const char *path, char name[ROOTS_NAME]);
/* "/data, /tmp/x", for messages; cut at the end. */
void roots_text(const Roots *r, char *out, size_t size);

#endif

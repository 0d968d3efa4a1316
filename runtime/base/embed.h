/* embed - text files that are part of the library: the stdlib (stdlib/<name>.arr), the CUDA
 * templates (kernels/templates/<name>.cu) and the helpers that kernels are compiled with
 * (kernels/scalar.cu: scalar.h without its macros).
 *
 * The table is written at build time by embed.sh into build/gen/embed.c, names as above, sorted.
 * Callers: modules, the help, the emitter. */
#ifndef ARR_EMBED_H
#define ARR_EMBED_H

#include <stddef.h>

typedef struct EmbedFile {
    const char *name; /* path from the root; NULL ends the table */
    const char *text; /* a NUL stands behind it */
    size_t size;      /* without the NUL */
} EmbedFile;

extern const EmbedFile embed_files[];

/* NULL if there is no such file. */
const EmbedFile *embed_find(const char *name);

#endif

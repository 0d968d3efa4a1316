/* embed - finding an embedded file by name (see embed.h; the table is generated). */
#include "runtime/base/embed.h"

#include <string.h>

const EmbedFile *embed_find(const char *name) {
    for (const EmbedFile *f = embed_files; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

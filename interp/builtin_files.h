/* builtin_files - what load and save share with the archives of several arrays (files_npz.c).
 * Callers: builtin_files.c and files_npz.c. */
#ifndef ARR_BUILTIN_FILES_H
#define ARR_BUILTIN_FILES_H

#include "interp/builtin_util.h"
#include "runtime/npy.h"

/* The array that an opened .npy describes, read at once. */
Value files_read_npy(Calc *c, const char *path, const NpyInfo *info);
/* A record with one array a member. */
Value files_load_npz(Calc *c, const char *path);
/* The fields of record x, x alone as arr_0, and what was given by name. */
void files_save_npz(Calc *c, const char *path, const Value *x, const Record *named);

#endif

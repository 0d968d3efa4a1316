/* A host that filters its own image: the pixels are lent, not copied, rows with gaps between them;
 * the program is compiled once and run for each frame; the result goes into the host's memory.
 *
 *     image_filter [IN.ppm OUT.ppm]      a binary PPM of 8 bits; without: frames of its own making
 *
 * prints: frame 0: mean 127.5 before, 127.5 after; the edges were softened from 255 to 170
 * prints: frame 1: mean 64.0 before, 64.0 after; the edges were softened from 128 to 85 */
#include <arr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows are padded to a multiple of 64 bytes, as image libraries like it. */
typedef struct Image {
    int width, height;
    size_t row; /* bytes */
    unsigned char *pixels;
} Image;

/* A box filter of three by three, each colour for itself; the border repeats. */
static const char *const program = "p = pad(f32(image), ((1, 1), (1, 1), (0, 0)), \"edge\")\n"
                                   "rows = p[:-2] + p[1:-1] + p[2:]\n"
                                   "sum9 = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]\n"
                                   "u8(round(sum9 * (strength / 9) + image * (1 - strength)))\n";

static int image_new(Image *m, int width, int height) {
    m->width = width;
    m->height = height;
    m->row = ((size_t)width * 3 + 63) / 64 * 64;
    m->pixels = calloc((size_t)height, m->row);
    return m->pixels != NULL;
}

static arr_view view_of(const Image *m, int64_t shape[3], int64_t strides[3]) {
    shape[0] = m->height, shape[1] = m->width, shape[2] = 3;
    strides[0] = (int64_t)m->row, strides[1] = 3, strides[2] = 1;
    arr_view v = ARR_VIEW_INIT;
    v.data = m->pixels;
    v.dtype = ARR_U8;
    v.rank = 3;
    v.shape = shape;
    v.strides = strides;
    return v;
}

/* out = the filtered image. The lent pixels are Arr's to read until `in` and all that was made of
 * it are gone; they are read when the result is, so the order below is safe. */
static arr_status filter(arr_state *A, const arr_value *run, const Image *image, double strength,
                         Image *out) {
    int64_t shape[3], strides[3], oshape[3], ostrides[3];
    arr_view from = view_of(image, shape, strides), to = view_of(out, oshape, ostrides);
    arr_value *in = NULL, *how = NULL, *result = NULL;
    arr_status st = arr_value_array_wrap(A, &from, NULL, NULL, &in);
    if (st == ARR_OK) st = arr_value_float(A, strength, &how);
    if (st == ARR_OK) st = arr_run(A, run, 2, (const arr_value *const[]){in, how}, &result);
    if (st == ARR_OK) st = arr_value_read_view(result, &to);
    arr_value_free(in);
    arr_value_free(how);
    arr_value_free(result);
    return st;
}

static double mean(const Image *m) {
    double sum = 0;
    for (int y = 0; y < m->height; y++)
        for (int x = 0; x < m->width * 3; x++) sum += m->pixels[(size_t)y * m->row + (size_t)x];
    return sum / (m->width * 3.0 * m->height);
}

static int demo(arr_state *A, const arr_value *run) {
    Image in, out;
    int ok = image_new(&in, 300, 200) && image_new(&out, 300, 200);
    for (int frame = 0; ok && frame < 2; frame++) {
        int bright = frame ? 128 : 255;
        for (int y = 0; y < in.height; y++) /* the right half is bright */
            memset(in.pixels + (size_t)y * in.row + 150 * 3, bright, 150 * 3);
        ok = filter(A, run, &in, 1, &out) == ARR_OK;
        if (ok)
            printf(
                "frame %d: mean %.1f before, %.1f after; the edges were softened from %d to %d\n",
                frame, mean(&in), mean(&out), bright, out.pixels[150 * 3]);
    }
    free(in.pixels);
    free(out.pixels);
    return ok;
}

static int read_ppm(const char *path, Image *m) {
    int width, height, most, ok = 0;
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    if (fscanf(f, "P6 %d %d %d", &width, &height, &most) == 3 && fgetc(f) != EOF && most == 255 &&
        width > 0 && height > 0 && width < 1 << 20 && height < 1 << 20 &&
        image_new(m, width, height)) {
        ok = 1;
        for (int y = 0; y < height && ok; y++)
            ok = fread(m->pixels + (size_t)y * m->row, 3, (size_t)width, f) == (size_t)width;
    }
    fclose(f);
    return ok;
}

static int write_ppm(const char *path, const Image *m) {
    FILE *f = fopen(path, "wb");
    if (!f) return 0;
    fprintf(f, "P6\n%d %d\n255\n", m->width, m->height);
    for (int y = 0; y < m->height; y++)
        fwrite(m->pixels + (size_t)y * m->row, 3, (size_t)m->width, f);
    return fclose(f) == 0;
}

static int convert(arr_state *A, const arr_value *run, const char *from, const char *to) {
    Image in = {0}, out = {0};
    int ok = read_ppm(from, &in) && image_new(&out, in.width, in.height);
    if (!ok) fprintf(stderr, "%s is no binary PPM of 8 bits\n", from);
    if (ok) ok = filter(A, run, &in, 1, &out) == ARR_OK && write_ppm(to, &out);
    free(in.pixels);
    free(out.pixels);
    return ok;
}

int main(int argc, char **argv) {
    arr_state *A = NULL;
    arr_value *run = NULL;
    int ok = arr_open(NULL, &A) == ARR_OK &&
             arr_compile(A, program, "filter", (const char *const[]){"image", "strength"}, 2,
                         &run) == ARR_OK &&
             (argc == 3 ? convert(A, run, argv[1], argv[2]) : demo(A, run));
    if (!ok) fputs(arr_error_text(A), stderr);
    arr_value_free(run);
    arr_close(A);
    return !ok;
}

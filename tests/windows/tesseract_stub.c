/*
 * A stand-in for Tesseract's DLL: the same functions, which read "Hello world" in every picture. It
 * shows that the DLL is found, loaded and called as it should be, on a machine that has none.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

typedef struct {
    bool ready, has_picture;
    int width, height, word;
} engine;

static const char *const words[] = {"Hello", "world\a"};

#define API __declspec(dllexport)

API engine *TessBaseAPICreate(void)
{
    return calloc(1, sizeof(engine));
}

API void TessBaseAPIDelete(engine *e)
{
    free(e);
}

API int TessBaseAPIInit3(engine *e, const char *folder, const char *language)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s.traineddata", folder, language);
    FILE *file = fopen(path, "rb");
    e->ready = file != NULL;
    if (file) {
        fclose(file);
    }
    return e->ready ? 0 : -1;
}

API int TessBaseAPISetVariable(engine *e, const char *name, const char *value)
{
    return e && name && value;
}

API void TessBaseAPISetPageSegMode(engine *e, int mode)
{
    e->has_picture = mode < 0;
}

API void TessBaseAPISetImage(engine *e, const unsigned char *pixels, int width, int height,
                             int bytes_per_pixel, int bytes_per_line)
{
    e->width = width;
    e->height = height;
    /* A corner that can be read: the border is white. */
    e->has_picture = bytes_per_pixel == 1 && bytes_per_line >= width && pixels[0] == 255 &&
                     pixels[(size_t) (height - 1) * (size_t) bytes_per_line] == 255;
}

API void TessBaseAPISetSourceResolution(engine *e, int ppi)
{
    e->has_picture = e->has_picture && ppi > 0;
}

API int TessBaseAPIRecognize(engine *e, void *monitor)
{
    e->word = 0;
    return e->ready && e->has_picture && monitor ? 0 : -1;
}

API engine *TessBaseAPIGetIterator(engine *e)
{
    return e;
}

API void TessBaseAPIClear(engine *e)
{
    e->has_picture = false;
}

API void TessResultIteratorDelete(engine *e)
{
    e->word = -1;
}

API int TessResultIteratorNext(engine *e, int level)
{
    return level == 3 && ++e->word < 2;
}

API char *TessResultIteratorGetUTF8Text(const engine *e, int level)
{
    return level == 3 ? strdup(words[e->word]) : NULL;
}

API float TessResultIteratorConfidence(const engine *e, int level)
{
    return level == 3 ? 90.0f - (float) e->word : 0;
}

API engine *TessResultIteratorGetPageIterator(engine *e)
{
    return e;
}

/* The left and the right half. */
API int TessPageIteratorBoundingBox(const engine *e, int level, int *left, int *top, int *right,
                                    int *bottom)
{
    *left = e->word == 0 ? 0 : e->width / 2;
    *right = e->word == 0 ? e->width / 2 : e->width;
    *top = 0;
    *bottom = e->height;
    return level == 3;
}

API int TessPageIteratorIsAtBeginningOf(const engine *e, int level)
{
    return level == 2 && e->word == 0;
}

API void TessDeleteText(char *text)
{
    free(text);
}

API void *TessMonitorCreate(void)
{
    return calloc(1, 16);
}

API void TessMonitorDelete(void *monitor)
{
    free(monitor);
}

API void TessMonitorSetCancelFunc(void *monitor, void *function)
{
    memcpy(monitor, &function, sizeof function);
}

API void TessMonitorSetCancelThis(void *monitor, void *context)
{
    memcpy((char *) monitor + 8, &context, sizeof context);
}

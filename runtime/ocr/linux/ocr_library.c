/* Finds Tesseract where Linux distributions install it. */
#include "ocr/ocr_tesseract.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const char *const ocr_library_advice = "apt install tesseract-ocr";
const char *const ocr_data_advice =
    "apt install tesseract-ocr-%s (or name the folder of its data in TESSDATA_PREFIX)";

void *ocr_library_open(void)
{
    static const char *const names[] = {"libtesseract.so.5", "libtesseract.so.4"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) {
            return library;
        }
    }
    return NULL;
}

void *ocr_library_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

bool ocr_library_data(int number, char *folder, size_t size)
{
    static const char *const usual[] = {"/usr/share/tesseract-ocr/5/tessdata/",
                                        "/usr/share/tesseract-ocr/4.00/tessdata/",
                                        "/usr/share/tessdata/", "/usr/local/share/tessdata/"};
    const char *own = getenv("TESSDATA_PREFIX");
    if (own && *own && number < 2) { /* TESSDATA_PREFIX is the folder itself or its parent */
        snprintf(folder, size, number == 0 ? "%s/" : "%s/tessdata/", own);
        return true;
    }
    number -= own && *own ? 2 : 0;
    if (number >= (int) (sizeof usual / sizeof usual[0])) {
        return false;
    }
    snprintf(folder, size, "%s", usual[number]);
    return true;
}

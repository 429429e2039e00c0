/*
 * test_win32_leaks.h: what this process holds, to be compared before and after.
 */
#ifndef TEST_WIN32_LEAKS_H
#define TEST_WIN32_LEAKS_H

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <psapi.h>
#include <stdint.h>

/* Private bytes; Wine does not tell them, but what is in memory. */
static inline size_t memory_used(void)
{
    PROCESS_MEMORY_COUNTERS_EX memory = {.cb = sizeof memory};
    GetProcessMemoryInfo(GetCurrentProcess(), (PROCESS_MEMORY_COUNTERS *) &memory, sizeof memory);
    return memory.PrivateUsage ? memory.PrivateUsage : memory.WorkingSetSize;
}

/* GetGuiResources, or where that always says 0 (Wine 8) the used entries of the table of GDI
 * handles, which the process's environment block points to: 65536 entries of 24 bytes, the type in
 * the byte at 14. */
static inline unsigned long gdi_objects(void)
{
    unsigned long count = GetGuiResources(GetCurrentProcess(), GR_GDIOBJECTS);
    const uint8_t *peb;
    __asm__("movq %%gs:0x60, %0" : "=r"(peb));
    const uint8_t *table = *(const uint8_t *const *) (peb + 0xf8);
    if (count || !table) {
        return count;
    }
    for (int i = 0; i < 65536; i++) {
        count += table[i * 24 + 14] != 0;
    }
    return count;
}

#endif

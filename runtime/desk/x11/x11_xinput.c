#include "x11_xinput.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_version(xcb_connection_t *c)
{
    /* From 2.1 on the events come also while somebody has grabbed the device, and say which device
     * they are from. */
    xcb_input_xi_query_version_reply_t *version =
        xcb_input_xi_query_version_reply(c, xcb_input_xi_query_version(c, 2, 2), NULL);
    bool enough = version && (version->major_version > 2 ||
                              (version->major_version == 2 && version->minor_version >= 1));
    free(version);
    return enough;
}

bool x11_xinput_select(xcb_connection_t *c, xcb_window_t root, uint8_t *opcode, base_error *err)
{
    static const struct {
        xcb_input_event_mask_t raw_head;
        uint32_t raw;
        xcb_input_event_mask_t devices_head;
        uint32_t devices;
    } wanted = {
        {XCB_INPUT_DEVICE_ALL_MASTER, 1},
        XCB_INPUT_XI_EVENT_MASK_RAW_KEY_PRESS | XCB_INPUT_XI_EVENT_MASK_RAW_KEY_RELEASE |
            XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_PRESS | XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_RELEASE |
            XCB_INPUT_XI_EVENT_MASK_RAW_MOTION | XCB_INPUT_XI_EVENT_MASK_RAW_TOUCH_BEGIN |
            XCB_INPUT_XI_EVENT_MASK_RAW_TOUCH_UPDATE | XCB_INPUT_XI_EVENT_MASK_RAW_TOUCH_END,
        {XCB_INPUT_DEVICE_ALL, 1},
        XCB_INPUT_XI_EVENT_MASK_HIERARCHY,
    };
    const xcb_query_extension_reply_t *extension = xcb_get_extension_data(c, &xcb_input_id);
    if (!extension || !extension->present || !has_version(c)) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "The mouse and keyboard cannot be watched: the X display lacks the XInput "
                         "extension 2.1.");
    }
    *opcode = extension->major_opcode;
    xcb_generic_error_t *e =
        xcb_request_check(c, xcb_input_xi_select_events_checked(c, root, 2, &wanted.raw_head));
    bool ok = !e && !xcb_connection_has_error(c);
    free(e);
    return ok || base_fail(err, BASE_REFUSED,
                           "The X display does not let its mouse and keyboard be watched.");
}

/* "Virtual core XTEST pointer" and the like. */
static bool is_test_device(const xcb_input_xi_device_info_t *info)
{
    char name[128];
    snprintf(name, sizeof name, "%.*s", xcb_input_xi_device_info_name_length(info),
             xcb_input_xi_device_info_name(info));
    return strstr(name, " XTEST ") != NULL;
}

size_t x11_xinput_test_devices(xcb_connection_t *c, uint16_t *out, size_t capacity)
{
    size_t count = 0;
    xcb_input_xi_query_device_reply_t *reply = xcb_input_xi_query_device_reply(
        c, xcb_input_xi_query_device(c, XCB_INPUT_DEVICE_ALL), NULL);
    if (!reply) {
        return 0;
    }
    for (xcb_input_xi_device_info_iterator_t i = xcb_input_xi_query_device_infos_iterator(reply);
         i.rem; xcb_input_xi_device_info_next(&i)) {
        if (count < capacity && is_test_device(i.data)) {
            out[count++] = i.data->deviceid;
        }
    }
    free(reply);
    return count;
}

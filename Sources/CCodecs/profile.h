#pragma once

#include "CCodecs.h"

/// The bytes of an ICC profile of that space, the same each time. Private to this target. NULL if there is no memory; the
/// caller frees them.
uint8_t *cc_profile_create(cc_color_space space, size_t *count);

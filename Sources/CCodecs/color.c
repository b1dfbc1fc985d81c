#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include <lcms2.h>

// Each conversion has a Little CMS context of its own, so that nothing is shared and nothing is printed.
struct cc_color {
    cmsContext context;
    cmsHTRANSFORM transform;
};

static void on_error(cmsContext context, cmsUInt32Number code, const char *text) {
    (void)context;
    (void)code;
    (void)text;
}

/// SMPTE EG 432-1's primaries with the white and the curve of sRGB (IEC 61966-2-1).
static cmsHPROFILE create_display_p3(cmsContext context) {
    static const cmsCIExyY white = {0.3127, 0.3290, 1};
    static const cmsCIExyYTRIPLE primaries = {{0.680, 0.320, 1}, {0.265, 0.690, 1}, {0.150, 0.060, 1}};
    static const cmsFloat64Number curve[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    cmsToneCurve *tone = cmsBuildParametricToneCurve(context, 4, curve);
    if (!tone) return NULL;
    cmsToneCurve *tones[] = {tone, tone, tone};
    cmsHPROFILE profile = cmsCreateRGBProfileTHR(context, &white, &primaries, tones);
    cmsFreeToneCurve(tone);
    return profile;
}

static cmsHPROFILE create(cmsContext context, cc_color_space space) {
    return space == CC_DISPLAY_P3 ? create_display_p3(context) : cmsCreate_sRGBProfileTHR(context);
}

static cmsColorSpaceSignature signature(cc_color_model model) {
    switch (model) {
    case CC_GRAY:
        return cmsSigGrayData;
    case CC_CMYK:
        return cmsSigCmykData;
    default:
        return cmsSigRgbData;
    }
}

/// Whether the profile tells what pixels look like, rather than how to get from one device to another.
static bool is_of_pixels(cmsHPROFILE profile) {
    switch (cmsGetDeviceClass(profile)) {
    case cmsSigInputClass:
    case cmsSigDisplayClass:
    case cmsSigOutputClass:
    case cmsSigColorSpaceClass:
        return true;
    default:
        return false;
    }
}

static cmsUInt32Number layout(cc_color_model model) {
    switch (model) {
    case CC_GRAY:
        return COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(3) | BYTES_SH(1);
    case CC_CMYK:
        return TYPE_CMYK_8;
    default:
        return TYPE_RGBA_8;
    }
}

static cmsContext create_context(void) {
    cmsContext context = cmsCreateContext(NULL, NULL);
    if (context) cmsSetLogErrorHandlerTHR(context, on_error);
    return context;
}

/// The profile, if it is one of pixels of that model.
static cmsHPROFILE open_profile(cmsContext context, const uint8_t *bytes, size_t count, cc_color_model model) {
    if (count > UINT32_MAX) return NULL;
    cmsHPROFILE profile = cmsOpenProfileFromMemTHR(context, bytes, (cmsUInt32Number)count);
    if (!profile) return NULL;
    if (cmsGetColorSpace(profile) == signature(model) && is_of_pixels(profile)) return profile;
    cmsCloseProfile(profile);
    return NULL;
}

cc_color *cc_color_open(const uint8_t *profile, size_t count, cc_color_model model, cc_color_space target) {
    cc_color *color = calloc(1, sizeof *color);
    if (!color) return NULL;
    color->context = create_context();
    if (!color->context) {
        free(color);
        return NULL;
    }
    cmsHPROFILE source = open_profile(color->context, profile, count, model);
    cmsHPROFILE result = create(color->context, target);
    if (source && result)
        // Without its cache of the last pixel, a transform isn't written to.
        color->transform = cmsCreateTransformTHR(
            color->context, source, layout(model), result, TYPE_RGBA_8, INTENT_PERCEPTUAL,
            cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION);
    if (source) cmsCloseProfile(source);
    if (result) cmsCloseProfile(result);
    if (color->transform) return color;
    cc_color_close(color);
    return NULL;
}

void cc_color_convert(const cc_color *color, uint8_t *pixels, size_t count) {
    // Little CMS counts in 32 bits.
    for (const size_t most = 1 << 24; count > 0;) {
        size_t part = count < most ? count : most;
        cmsDoTransform(color->transform, pixels, pixels, (cmsUInt32Number)part);
        pixels += part * 4;
        count -= part;
    }
}

void cc_color_close(cc_color *color) {
    if (!color) return;
    if (color->transform) cmsDeleteTransform(color->transform);
    cmsDeleteContext(color->context);
    free(color);
}

static bool read_matrix(cmsHPROFILE profile, cc_matrix_profile *result) {
    static const cmsTagSignature curves[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
    static const cmsTagSignature colorants[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
    // A table takes precedence (ICC.1:2022, 8.10).
    if (cmsGetPCS(profile) != cmsSigXYZData || cmsIsTag(profile, cmsSigAToB0Tag)) return false;
    for (int channel = 0; channel < 3; channel++) {
        const cmsToneCurve *curve = cmsReadTag(profile, curves[channel]);
        const cmsCIEXYZ *colorant = cmsReadTag(profile, colorants[channel]);
        if (!curve || !colorant) return false;
        for (int value = 0; value < 256; value++) {
            float light = cmsEvalToneCurveFloat(curve, (float)value / 255);
            // What isn't a number counts as none.
            result->light[channel][value] = light > 0 ? (light < 1 ? light : 1) : 0;
        }
        if (result->light[channel][0] > 0) return false;
        result->colorants[channel][0] = colorant->X;
        result->colorants[channel][1] = colorant->Y;
        result->colorants[channel][2] = colorant->Z;
    }
    return true;
}

bool cc_matrix_profile_read(const uint8_t *bytes, size_t count, cc_matrix_profile *result) {
    cmsContext context = create_context();
    if (!context) return false;
    cmsHPROFILE profile = open_profile(context, bytes, count, CC_RGB);
    bool done = profile && read_matrix(profile, result);
    if (profile) cmsCloseProfile(profile);
    cmsDeleteContext(context);
    return done;
}

/// Names a profile, as lists of profiles show it.
static bool describe(cmsContext context, cmsHPROFILE profile, const char *name) {
    cmsMLU *text = cmsMLUalloc(context, 1);
    bool done = text && cmsMLUsetASCII(text, "en", "US", name)
        && cmsWriteTag(profile, cmsSigProfileDescriptionTag, text);
    if (text) cmsMLUfree(text);
    return done;
}

static uint8_t *save(cmsHPROFILE profile, size_t *count) {
    cmsUInt32Number size = 0;
    if (!cmsSaveProfileToMem(profile, NULL, &size) || size < 128) return NULL;
    uint8_t *bytes = malloc(size);
    if (!bytes) return NULL;
    if (!cmsSaveProfileToMem(profile, bytes, &size)) {
        free(bytes);
        return NULL;
    }
    // When it was made (ICC.1:2022, 7.2.8): midnight of the first day of 2026, so that the bytes are always the same.
    static const uint8_t date[12] = {2026 >> 8, 2026 & 0xFF, 0, 1, 0, 1};
    memcpy(bytes + 24, date, sizeof date);
    *count = size;
    return bytes;
}

uint8_t *cc_profile_create(cc_color_space space, size_t *count) {
    cmsContext context = create_context();
    if (!context) return NULL;
    cmsHPROFILE profile = create(context, space);
    bool named = profile && describe(context, profile, space == CC_DISPLAY_P3 ? "Display P3" : "sRGB");
    uint8_t *bytes = named ? save(profile, count) : NULL;
    if (profile) cmsCloseProfile(profile);
    cmsDeleteContext(context);
    return bytes;
}

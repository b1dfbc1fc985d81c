#ifdef CALOTYPE_JPEGXL
#include <jxl/decode.h>
int cc_z(void){return JxlDecoderVersion();}
#endif

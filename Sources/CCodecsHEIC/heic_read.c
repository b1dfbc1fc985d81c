#ifdef CALOTYPE_HEIC
#include <libheif/heif.h>
int cc_y(void){return heif_get_version()!=0;}
#endif

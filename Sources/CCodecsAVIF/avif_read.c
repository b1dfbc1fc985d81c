#ifdef CALOTYPE_AVIF
#include <avif/avif.h>
int cc_x(void){return avifVersion()!=0;}
#endif

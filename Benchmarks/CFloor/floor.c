#include "CFloor.h"

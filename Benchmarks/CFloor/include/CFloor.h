#include "echo_floor.h"
#include "sqlite_floor.h"

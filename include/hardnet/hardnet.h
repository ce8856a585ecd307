/* hardnet/hardnet.h - all public headers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_HARDNET_H
#define HARDNET_HARDNET_H

#include "hardnet/arrays.h"
#include "hardnet/base.h"
#include "hardnet/check.h"
#include "hardnet/checkpoint.h"
#include "hardnet/device.h"
#include "hardnet/emit.h"
#include "hardnet/evaluate.h"
#include "hardnet/head.h"
#include "hardnet/inspect.h"
#include "hardnet/kernel.h"
#include "hardnet/layer.h"
#include "hardnet/matrix.h"
#include "hardnet/model.h"
#include "hardnet/network.h"
#include "hardnet/policy.h"
#include "hardnet/read.h"
#include "hardnet/refine.h"
#include "hardnet/train.h"

#endif

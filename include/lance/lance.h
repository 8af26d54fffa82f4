#pragma once

// The whole public API.

#include "lance/blob.h"
#include "lance/clustering.h"
#include "lance/dataset.h"
#include "lance/encoder.h"
#include "lance/file.h"
#include "lance/filter.h"
#include "lance/fragment.h"
#include "lance/history.h"
#include "lance/index.h"
#include "lance/json.h"
#include "lance/metadata.h"
#include "lance/object_store.h"
#include "lance/optimize.h"
#include "lance/progress.h"
#include "lance/refs.h"
#include "lance/scan.h"
#include "lance/session.h"
#include "lance/status_detail.h"
#include "lance/version.h"
#include "lance/write.h"

// SPDX-License-Identifier: Apache-2.0
/** Histograms that record every value, and views of them for single readers. */
@NullMarked
package org.talos.server.metrics.histogram;

import org.jspecify.annotations.NullMarked;

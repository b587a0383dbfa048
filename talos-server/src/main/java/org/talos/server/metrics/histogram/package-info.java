// SPDX-License-Identifier: Apache-2.0
/** Histograms that take every value, and what one reader of them sees. */
@NullMarked
package org.talos.server.metrics.histogram;

import org.jspecify.annotations.NullMarked;

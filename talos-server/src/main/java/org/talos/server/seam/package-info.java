// SPDX-License-Identifier: Apache-2.0
/** The parts of a server that tests and measurements may replace: {@link org.talos.server.seam.Seams}. */
@NullMarked
package org.talos.server.seam;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Where in a segment an offset or a time is, and how much of that is kept in memory. */
@NullMarked
package org.talos.server.log.index;

import org.jspecify.annotations.NullMarked;

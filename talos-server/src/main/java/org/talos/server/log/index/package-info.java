// SPDX-License-Identifier: Apache-2.0
/** Finds the position of an offset or a time in a segment, and bounds the memory of indexes. */
@NullMarked
package org.talos.server.log.index;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Offsets that no message has, since a power failure may have taken those that had them. Uses no thread. */
@NullMarked
package org.talos.server.log.gap;

import org.jspecify.annotations.NullMarked;

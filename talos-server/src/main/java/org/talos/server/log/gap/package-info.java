// SPDX-License-Identifier: Apache-2.0
/** Offsets without messages, since a power failure may have lost their messages. Uses no thread. */
@NullMarked
package org.talos.server.log.gap;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Parts that others share and none should own: clocks, named threads, timers, memory. Uses no other part. */
@NullMarked
package org.talos.server.runtime;

import org.jspecify.annotations.NullMarked;

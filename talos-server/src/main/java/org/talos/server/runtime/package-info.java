// SPDX-License-Identifier: Apache-2.0
/** What several parts need and none should own: clocks, named threads, timers, accounted memory. Uses no part. */
@NullMarked
package org.talos.server.runtime;

import org.jspecify.annotations.NullMarked;

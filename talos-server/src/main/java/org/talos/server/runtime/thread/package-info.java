// SPDX-License-Identifier: Apache-2.0
/**
 * Named threads and pools, whose work runs next, timers, and how threads wait: on the machine, or as steps of a
 * simulation. Uses clocks only.
 */
@NullMarked
package org.talos.server.runtime.thread;

import org.jspecify.annotations.NullMarked;

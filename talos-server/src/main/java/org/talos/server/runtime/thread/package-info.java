// SPDX-License-Identifier: Apache-2.0
/**
 * Named threads and pools, fair queues, timers, and the ways in which threads wait: on the machine, or as steps of a
 * simulation. Uses clocks only.
 */
@NullMarked
package org.talos.server.runtime.thread;

import org.jspecify.annotations.NullMarked;

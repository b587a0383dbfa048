// SPDX-License-Identifier: Apache-2.0
/**
 * The parts of every call: the table of calls, context, deadline, throttle, look-up of names, and how failures become
 * answers. Decodes on the caller's thread, runs what may block on the executor, does no I/O of its own.
 */
@NullMarked
package org.talos.server.service.call;

import org.jspecify.annotations.NullMarked;

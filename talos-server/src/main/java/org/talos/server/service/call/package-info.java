// SPDX-License-Identifier: Apache-2.0
/**
 * The common parts of all calls: the table of calls, context, deadline, throttle, lookup of names, and the answers for
 * failures. Decodes on the caller's thread, runs blocking work on the executor, and does no I/O of its own.
 */
@NullMarked
package org.talos.server.service.call;

import org.jspecify.annotations.NullMarked;

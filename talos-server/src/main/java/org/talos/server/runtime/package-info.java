// SPDX-License-Identifier: Apache-2.0
/**
 * Parts that others share and none should own: readiness, room on the disks, an orderly end, and words of failures. The
 * packages inside it have clocks, threads, and the senders of requests. Uses no other part.
 */
@NullMarked
package org.talos.server.runtime;

import org.jspecify.annotations.NullMarked;

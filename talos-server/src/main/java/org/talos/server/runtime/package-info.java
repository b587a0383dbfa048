// SPDX-License-Identifier: Apache-2.0
/**
 * Parts that several components share and none should own: readiness, disk space, orderly closing, and texts of
 * failures. Its subpackages have clocks, threads, and the senders of requests. Uses no other part.
 */
@NullMarked
package org.talos.server.runtime;

import org.jspecify.annotations.NullMarked;

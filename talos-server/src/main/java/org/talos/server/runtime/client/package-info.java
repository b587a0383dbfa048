// SPDX-License-Identifier: Apache-2.0
/** The sender of a request: its network, and whether it still waits. Uses no other part. */
@NullMarked
package org.talos.server.runtime.client;

import org.jspecify.annotations.NullMarked;

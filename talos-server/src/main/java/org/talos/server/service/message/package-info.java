// SPDX-License-Identifier: Apache-2.0
/** Puts, gets, and offsets. No thread waits: the pools of {@code partition.serving} run blocking work. */
@NullMarked
package org.talos.server.service.message;

import org.jspecify.annotations.NullMarked;

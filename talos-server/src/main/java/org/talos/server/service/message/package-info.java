// SPDX-License-Identifier: Apache-2.0
/** Puts, gets and offsets. No thread waits: what may block is done by the pools of {@code partition.serving}. */
@NullMarked
package org.talos.server.service.message;

import org.jspecify.annotations.NullMarked;

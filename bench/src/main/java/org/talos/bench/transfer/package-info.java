// SPDX-License-Identifier: Apache-2.0
/**
 * What a hop to another server costs, and whom a slow server holds up:
 * {@link org.talos.bench.transfer.TransferCommand}.
 */
@NullMarked
package org.talos.bench.transfer;

import org.jspecify.annotations.NullMarked;

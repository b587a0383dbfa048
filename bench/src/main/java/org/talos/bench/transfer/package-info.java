// SPDX-License-Identifier: Apache-2.0
/**
 * The cost of forwarding a request to another server, and the effect of a slow server on the others:
 * {@link org.talos.bench.transfer.TransferCommand}.
 */
@NullMarked
package org.talos.bench.transfer;

import org.jspecify.annotations.NullMarked;

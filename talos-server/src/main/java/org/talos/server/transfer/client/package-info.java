// SPDX-License-Identifier: Apache-2.0
/**
 * Sends requests to other servers. Entry type: {@link org.talos.server.transfer.client.Transfer}. Each server has a
 * thread that writes its requests, and one that receives their answers. {@code RequestSenders} is the seam at which
 * measurements use other implementations.
 */
@NullMarked
package org.talos.server.transfer.client;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Asks other servers, each by threads and connections of its own. Entry type:
 * {@link org.talos.server.transfer.client.Transfer}.
 */
@NullMarked
package org.talos.server.transfer.client;

import org.jspecify.annotations.NullMarked;

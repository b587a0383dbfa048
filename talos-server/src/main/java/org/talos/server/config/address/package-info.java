// SPDX-License-Identifier: Apache-2.0
/**
 * Addresses and networks as settings and headers name them. Entry:
 * {@link org.talos.server.config.address.AddressRanges}, {@link org.talos.server.config.address.IpAddress}. No threads.
 */
@NullMarked
package org.talos.server.config.address;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Quotas. {@link org.talos.server.auth.quota.QuotaGate} admits or refuses puts and gets by the limits of the server,
 * the caller, and the topic. Network threads call it, and it reads only memory.
 */
@NullMarked
package org.talos.server.auth.quota;

import org.jspecify.annotations.NullMarked;

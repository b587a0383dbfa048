// SPDX-License-Identifier: Apache-2.0
/**
 * How much callers may do. {@link org.talos.server.auth.quota.QuotaGate} lets puts and gets pass or refuses them, by
 * what is set for the server, the caller and the topic; it is asked on network threads and reads memory only.
 */
@NullMarked
package org.talos.server.auth.quota;

import org.jspecify.annotations.NullMarked;

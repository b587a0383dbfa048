// SPDX-License-Identifier: Apache-2.0
/**
 * Calls about quotas, the bounds that they set to topics, and the watch of the space used. Run on the control workers;
 * may block.
 */
@NullMarked
package org.talos.server.service.quota;

import org.jspecify.annotations.NullMarked;

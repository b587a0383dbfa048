// SPDX-License-Identifier: Apache-2.0
/**
 * The last hour of this server, and of the topics and groups that somebody has asked about: points in memory, of
 * bounded number, measured in the background. Entry type: {@link org.talos.server.service.history.HistoryOperations}.
 */
@NullMarked
package org.talos.server.service.history;

import org.jspecify.annotations.NullMarked;

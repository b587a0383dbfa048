// SPDX-License-Identifier: Apache-2.0
/**
 * Calls that make, change, describe and delete topics, their permissions and groups of topics. Run on the control
 * workers; may block.
 */
@NullMarked
package org.talos.server.service.topic;

import org.jspecify.annotations.NullMarked;

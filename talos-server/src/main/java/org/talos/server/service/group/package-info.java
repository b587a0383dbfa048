// SPDX-License-Identifier: Apache-2.0
/**
 * Consumer groups: members, locks, commits, offsets, lag; the calls of the SDKs and those of REST over the same rows.
 * Run on the control workers; may block.
 */
@NullMarked
package org.talos.server.service.group;

import org.jspecify.annotations.NullMarked;

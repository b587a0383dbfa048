// SPDX-License-Identifier: Apache-2.0
/**
 * What two servers say to each other, byte by byte: greeting, frames, seals, requests and answers
 * (docs/formats/transfer.md). Uses no thread.
 */
@NullMarked
package org.talos.server.transfer.wire;

import org.jspecify.annotations.NullMarked;

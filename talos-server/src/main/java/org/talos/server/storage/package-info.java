// SPDX-License-Identifier: Apache-2.0
/**
 * Where the bytes of logs are kept: {@link org.talos.server.storage.SegmentStore} and its implementations, one package
 * each. Knows files and bytes, no messages and no metadata.
 */
@NullMarked
package org.talos.server.storage;

import org.jspecify.annotations.NullMarked;

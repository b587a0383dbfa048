// SPDX-License-Identifier: Apache-2.0
/** Checksums of many ranges of a file that is read once. */
@NullMarked
package org.talos.server.log.checksum;

import org.jspecify.annotations.NullMarked;

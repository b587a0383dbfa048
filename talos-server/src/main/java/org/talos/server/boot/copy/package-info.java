// SPDX-License-Identifier: Apache-2.0
/** Copies of the data directory of a server that does not run: {@link org.talos.server.boot.copy.DataCopy}. */
@NullMarked
package org.talos.server.boot.copy;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Memory of puts, to recognize repeated ones with few bytes. */
@NullMarked
package org.talos.server.log.dedupe;

import org.jspecify.annotations.NullMarked;

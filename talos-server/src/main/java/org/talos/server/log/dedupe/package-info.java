// SPDX-License-Identifier: Apache-2.0
/** Memory of puts, to recognize repetitions with few bytes. */
@NullMarked
package org.talos.server.log.dedupe;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** The coordination of a server that stands alone. */
@NullMarked
package org.talos.server.cluster.single;

import org.jspecify.annotations.NullMarked;

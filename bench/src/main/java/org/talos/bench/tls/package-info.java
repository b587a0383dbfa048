// SPDX-License-Identifier: Apache-2.0
/** TLS of measured servers: {@link org.talos.bench.tls.ServerKey}. */
@NullMarked
package org.talos.bench.tls;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/** Code that both ends of TLS need: {@link org.talos.common.tls.CipherWarmUp}. No threads of its own. */
@NullMarked
package org.talos.common.tls;

import org.jspecify.annotations.NullMarked;

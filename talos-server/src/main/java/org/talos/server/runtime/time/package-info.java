// SPDX-License-Identifier: Apache-2.0
/** The machine's clocks, and the interfaces by which others take time. Uses no other part. */
@NullMarked
package org.talos.server.runtime.time;

import org.jspecify.annotations.NullMarked;

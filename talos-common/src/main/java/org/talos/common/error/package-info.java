// SPDX-License-Identifier: Apache-2.0
/** How a failure is told: the protocol's code, and what is known of its effect. Immutable types only. */
@NullMarked
package org.talos.common.error;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Failures of the protocol: the error code, its properties for every front end, and the known effect. All types are
 * immutable.
 */
@NullMarked
package org.talos.common.error;

import org.jspecify.annotations.NullMarked;

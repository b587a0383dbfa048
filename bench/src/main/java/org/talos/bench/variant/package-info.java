// SPDX-License-Identifier: Apache-2.0
/**
 * Parts of a server that lost against the shipped ones, so that reports about them can be repeated:
 * {@link org.talos.bench.variant.Variants}. Only measurements use them.
 */
@NullMarked
package org.talos.bench.variant;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * The Java client: {@link org.talos.client.TalosClient}, its configuration, and its exceptions. Its uses are in
 * {@code producer}, {@code consumer}, and {@code admin}, which depend on this package, as it does on {@code transport}.
 * The signatures that programs use have no types of the wire or of other libraries.
 */
@NullMarked
package org.talos.client;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * The Java client: {@link org.talos.client.TalosClient}, its configuration and its exceptions. What is done with a
 * client is in {@code producer}, {@code consumer} and {@code admin}, which are built on this package and it on
 * {@code transport}. Nothing of the wire or of another library is in the signatures that programs use.
 */
@NullMarked
package org.talos.client;

import org.jspecify.annotations.NullMarked;

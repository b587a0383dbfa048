// SPDX-License-Identifier: Apache-2.0
/**
 * What clients send over streams, and how it is read from either form. {@code MessageSource} is where to begin. Starts
 * no thread.
 */
@NullMarked
package org.talos.server.http.stream.incoming;

import org.jspecify.annotations.NullMarked;

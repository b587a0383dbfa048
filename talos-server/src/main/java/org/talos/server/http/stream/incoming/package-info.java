// SPDX-License-Identifier: Apache-2.0
/**
 * The messages that clients send over streams, and their decoding from either form. {@code MessageSource} is where to
 * begin. Starts no thread.
 */
@NullMarked
package org.talos.server.http.stream.incoming;

import org.jspecify.annotations.NullMarked;

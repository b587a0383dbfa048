// SPDX-License-Identifier: Apache-2.0
/**
 * Streams ({@code docs/formats/stream.md}): a WebSocket on which many puts are in flight, or a partition is read. Not
 * for programs; begin with {@link org.talos.client.stream.StreamPuts}.
 */
@NullMarked
package org.talos.client.stream;

import org.jspecify.annotations.NullMarked;

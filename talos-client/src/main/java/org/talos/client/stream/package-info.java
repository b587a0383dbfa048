// SPDX-License-Identifier: Apache-2.0
/**
 * Streams ({@code docs/formats/stream.md}): a WebSocket on which many puts are in flight, or partitions are read. Not
 * for programs; begin with {@link org.talos.client.stream.StreamPuts} and {@link org.talos.client.stream.StreamReads}.
 */
@NullMarked
package org.talos.client.stream;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Streams: puts and gets of one topic over a WebSocket, as docs/formats/stream.md has them byte by byte.
 * {@link org.talos.server.http.stream.StreamSession} decides everything, without threads and without I/O;
 * {@link org.talos.server.http.stream.StreamSocket} is what a connection and the server's calls make of it. No thread
 * waits.
 */
@NullMarked
package org.talos.server.http.stream;

import org.jspecify.annotations.NullMarked;
